"""Merkle trees: the published vectors, and every proof of every tree up to 70 leaves."""

import hashlib
from itertools import accumulate
from typing import Any

import pymerkle
import pytest

from kleos.events import merkle
from tests.events.published import hashes, vectors

# The eight entries and roots that the Certificate Transparency implementations test with.
CT_ENTRIES = [
    bytes.fromhex(each)
    for each in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]
CT_ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]

LEAVES = [merkle.leaf(n.to_bytes(2, "big")) for n in range(70)]
SIZES = range(1, len(LEAVES) + 1)


def rfc_root(leaves: list[bytes]) -> bytes:
    """The tree head as RFC 6962, section 2.1 defines it, word for word."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    k = max(power for power in (1 << bit for bit in range(8)) if power < len(leaves))
    return hashlib.sha256(b"\x01" + rfc_root(leaves[:k]) + rfc_root(leaves[k:])).digest()


@pytest.mark.parametrize("size", range(1, 9))
def test_the_roots_are_those_of_certificate_transparency(size: int) -> None:
    assert merkle.root([merkle.leaf(entry) for entry in CT_ENTRIES[:size]]).hex() == CT_ROOTS[size - 1]


def test_the_edge_gives_the_root_of_the_definition_at_every_size() -> None:
    edges = list(accumulate(LEAVES, merkle.Edge.append, initial=merkle.Edge()))
    assert [edge.root for edge in edges] == [rfc_root(LEAVES[:size]) for size in range(71)]
    assert [len(edge.hashes) for edge in edges] == [size.bit_count() for size in range(71)]


def test_every_leaf_of_every_tree_has_a_proof_that_leads_to_its_root() -> None:
    for size in SIZES:
        head = rfc_root(LEAVES[:size])
        for index in range(size):
            path = merkle.inclusion(LEAVES[:size], index)
            assert merkle.root_from_inclusion(LEAVES[index], index, size, path) == head


def test_the_edge_alone_proves_the_newest_leaf() -> None:
    edge = merkle.Edge()
    for index, each in enumerate(LEAVES):
        assert edge.proof_of_next() == merkle.inclusion(LEAVES[: index + 1], index)
        edge = edge.append(each)


def test_a_proof_holds_for_no_other_leaf_place_or_length() -> None:
    for size in SIZES:
        head = rfc_root(LEAVES[:size])
        for index in range(size):
            path = merkle.inclusion(LEAVES[:size], index)
            assert merkle.root_from_inclusion(merkle.leaf(b"other"), index, size, path) != head
            with pytest.raises(ValueError, match="too long"):
                merkle.root_from_inclusion(LEAVES[index], index, size, (*path, head))
            if path:
                with pytest.raises(ValueError, match="too short"):
                    merkle.root_from_inclusion(LEAVES[index], index, size, path[:-1])
                assert merkle.root_from_inclusion(LEAVES[index], index, size, (head, *path[1:])) != head
    with pytest.raises(ValueError, match="no leaf 3"):
        merkle.root_from_inclusion(LEAVES[0], 3, 3, ())
    with pytest.raises(ValueError, match="no leaf -1"):
        merkle.root_from_inclusion(LEAVES[0], -1, 1, ())


def test_every_tree_is_proved_consistent_with_every_later_one() -> None:
    roots = [rfc_root(LEAVES[:size]) for size in range(71)]
    for new in SIZES:
        for old in range(1, new + 1):
            proof = merkle.consistency(LEAVES[:new], old)
            assert merkle.is_consistent(old, roots[old], new, roots[new], proof)


def test_a_rewritten_history_is_never_consistent() -> None:
    for new in range(2, 40):
        for old in range(1, new):
            forged = [merkle.leaf(b"forged"), *LEAVES[1:new]]
            old_root, forged_root = rfc_root(LEAVES[:old]), rfc_root(forged)
            proof = merkle.consistency(forged, old)
            assert not merkle.is_consistent(old, old_root, new, forged_root, proof)
            assert not merkle.is_consistent(old, old_root, new, forged_root, (*proof, old_root))
            assert not merkle.is_consistent(old, old_root, new, forged_root, ())
    assert merkle.is_consistent(5, LEAVES[0], 5, LEAVES[1], ()) is False
    assert merkle.is_consistent(0, merkle.EMPTY, 5, LEAVES[1], ()) is False
    assert merkle.is_consistent(3, LEAVES[0], 5, LEAVES[1], ()) is False


def test_a_proof_of_larger_trees_is_too_long_for_smaller_ones_whatever_their_roots() -> None:
    """Seven and eight leaves differ as three and four do: the four before them come in at the end."""
    before, after, proof = rfc_root(LEAVES[:7]), rfc_root(LEAVES[:8]), merkle.consistency(LEAVES[:8], 7)
    assert merkle.is_consistent(7, before, 8, after, proof)
    assert merkle.is_consistent(3, before, 4, after, proof) is False


@pytest.mark.parametrize(("size", "index"), [(0, 0), (3, 3), (3, -1)])
def test_there_is_no_proof_of_a_leaf_that_is_not_there(size: int, index: int) -> None:
    with pytest.raises(ValueError, match="no leaf"):
        merkle.inclusion(LEAVES[:size], index)


@pytest.mark.parametrize("old", [0, 4])
def test_there_is_no_proof_of_a_prefix_that_is_not_there(old: int) -> None:
    with pytest.raises(ValueError, match="no prefix"):
        merkle.consistency(LEAVES[:3], old)


@pytest.mark.parametrize("vector", vectors("inclusion"), ids=lambda vector: vector["name"])
def test_the_published_proofs_of_inclusion_hold_and_the_spoiled_ones_do_not(vector: dict[str, Any]) -> None:
    (leaf_hash, root), path = hashes([vector["leafHash"], vector["root"]]), hashes(vector["proof"])
    try:
        found = merkle.root_from_inclusion(leaf_hash, vector["leafIdx"], vector["treeSize"], path)
    except ValueError:
        found = b"none"
    assert (found == root and len(leaf_hash) == 32) != vector["wantErr"]


@pytest.mark.parametrize("vector", vectors("consistency"), ids=lambda vector: vector["name"])
def test_the_published_proofs_of_consistency_hold_and_the_spoiled_ones_do_not(vector: dict[str, Any]) -> None:
    (old, new), proof = hashes([vector["root1"], vector["root2"]]), hashes(vector["proof"])
    assert merkle.is_consistent(vector["size1"], old, vector["size2"], new, proof) != vector["wantErr"]


@pytest.fixture(scope="module")
def oracle() -> pymerkle.InmemoryTree:
    """The tree of all leaves, by another implementation."""
    tree = pymerkle.InmemoryTree(algorithm="sha256")
    for n in range(len(LEAVES)):
        tree.append_entry(n.to_bytes(2, "big"))
    return tree


def test_another_implementation_makes_the_same_root_of_every_tree(oracle: pymerkle.InmemoryTree) -> None:
    for size in SIZES:
        assert oracle.get_root(size) == merkle.root(LEAVES[:size])


def test_another_implementation_makes_the_same_proof_of_every_leaf(oracle: pymerkle.InmemoryTree) -> None:
    for size in SIZES:
        for index in range(size):
            leaf_hash, *path = oracle.prove_inclusion(index + 1, size).path
            assert (leaf_hash, tuple(path)) == (LEAVES[index], merkle.inclusion(LEAVES[:size], index))


def test_another_implementation_holds_the_same_trees_to_be_consistent(oracle: pymerkle.InmemoryTree) -> None:
    """Its proofs are written otherwise than those of RFC 6962, so each implementation judges its own."""
    roots = [merkle.root(LEAVES[:size]) for size in range(71)]
    for new in SIZES:
        for old in range(1, new + 1):
            oracle.prove_consistency(old, new).verify(roots[old], roots[new], old, new, "sha256")
            proof = merkle.consistency(LEAVES[:new], old)
            assert merkle.is_consistent(old, roots[old], new, roots[new], proof)
