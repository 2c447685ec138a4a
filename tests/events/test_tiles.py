"""Tiles, against the trees of RFC 6962 computed from all their leaves."""

from __future__ import annotations

import hashlib

import pytest

from kleos.events import merkle, tiles
from kleos.events.merkle import Edge
from kleos.events.tiles import HEIGHT, WIDTH, Range, Tile


class Levels:
    """A log's hashes by level, as a store of tiles keeps them."""

    def __init__(self, size: int) -> None:
        self.leaves = [hashlib.sha256(str(number).encode()).digest() for number in range(size)]
        self.levels: list[list[bytes]] = [[] for _ in range(4)]
        self.edge = Edge()
        for leaf in self.leaves:
            self.levels[0].append(leaf)
            self.edge, completed = tiles.grown(self.edge, leaf)
            for level, top in completed:
                self.levels[level].append(top)

    def root(self, leaves: Range) -> bytes:
        return tiles.joined(
            [self.levels[each.level][each.start : each.start + each.count] for each in tiles.spans(leaves)]
        )


def test_all_proofs_of_small_trees_are_those_of_the_rfc() -> None:
    every = Levels(70)
    for size in range(1, 71):
        leaves = every.leaves[:size]
        assert every.root(Range(0, size)) == merkle.root(leaves)
        for index in range(size):
            path = tuple(every.root(each) for each in tiles.inclusion(index, size))
            assert path == merkle.inclusion(leaves, index)
        for old in range(1, size + 1):
            path = tuple(every.root(each) for each in tiles.consistency(old, size))
            assert path == merkle.consistency(leaves, old)


def test_proofs_of_a_tree_of_several_levels_hold() -> None:
    size = WIDTH * WIDTH + WIDTH * 3 + 5
    every = Levels(size)
    assert [len(each) for each in every.levels] == [size, WIDTH + 3, 1, 0]
    root = every.root(Range(0, size))
    assert root == every.edge.root
    for index in (0, 255, 256, 65_535, 65_536, size - 6, size - 1):
        path = [every.root(each) for each in tiles.inclusion(index, size)]
        assert merkle.root_from_inclusion(every.leaves[index], index, size, path) == root
    for old in (1, 255, 256, 257, 65_535, 65_536, 65_537, size - 1, size):
        path = [every.root(each) for each in tiles.consistency(old, size)]
        assert merkle.is_consistent(old, every.root(Range(0, old)), size, root, path)


def test_a_hash_of_a_level_is_the_root_over_its_leaves() -> None:
    every = Levels(WIDTH * 5 + 1)
    for number, found in enumerate(every.levels[1]):
        assert found == merkle.root(every.leaves[number * WIDTH : (number + 1) * WIDTH])


@pytest.mark.parametrize(
    ("tile", "place"),
    [
        (Tile(0, WIDTH), "000"),
        (Tile(67, WIDTH), "067"),
        (Tile(999, 255), "999.p/255"),
        (Tile(1000, WIDTH), "x001/000"),
        (Tile(1_234_067, WIDTH), "x001/x234/067"),
        (Tile(1_234_067, 1), "x001/x234/067.p/1"),
    ],
)
def test_places_are_written_as_c2sp_writes_them(tile: Tile, place: str) -> None:
    assert tile.place == place
    assert Tile.parse(place) == tile


@pytest.mark.parametrize(
    "place",
    [
        "",
        "7",
        "0067",
        "x000/067",
        "001/067",
        "x001/x067",
        "067.p/256",
        "067.p/0",
        "067.p/01",
        "067/",
        "067.p",
    ],
)
def test_a_place_that_is_written_otherwise_is_none(place: str) -> None:
    with pytest.raises(ValueError, match="tile"):
        Tile.parse(place)


def test_the_example_of_c2sp_has_the_tiles_that_it_tells() -> None:
    """A tree of 70,000: 273 full tiles and one of 112, one full and one of 17, one of 1."""
    widths = [divmod(70_000 >> HEIGHT * level, WIDTH) for level in range(3)]
    assert widths == [(273, 112), (1, 17), (0, 1)]
    with pytest.raises(ValueError, match="no leaf"):
        tiles.inclusion(70_000, 70_000)
    with pytest.raises(ValueError, match="no prefix"):
        tiles.consistency(0, 70_000)
