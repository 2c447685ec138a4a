"""Objects in a folder and in an S3-style store: written whole, read back, missed, out of reach."""

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from buckets import S3

from kleos.events.objects import NoObject, Objects, ObjectsUnavailable, objects_at

pytestmark = pytest.mark.anyio
Place = Callable[[str], Objects]


@pytest.fixture(params=["folder", "s3"])
def place(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    """Makes a place of each kind that is known, by a name."""
    if request.param == "folder":
        yield lambda name: objects_at(tmp_path / name)
        return
    s3: S3 = request.getfixturevalue("s3")
    for name, setting in s3.environment.items():
        monkeypatch.setenv(name, setting)
    bucket = s3.bucket()
    yield lambda name: objects_at(f"{bucket}/{name}")


async def test_what_was_put_is_what_is_read(place: Place) -> None:
    objects = place("here")
    await objects.put("4V/first.kleos", b"one")
    await objects.put("4V/second.kleos", b"two" * 100_000)
    await objects.put("4V/first.kleos", b"one")
    assert await objects.get("4V/first.kleos") == b"one"
    assert await place("here").get("4V/second.kleos") == b"two" * 100_000


async def test_an_object_that_is_not_there_is_missed(place: Place) -> None:
    await place("here").put("4V/first.kleos", b"one")
    with pytest.raises(NoObject, match=r"4V/other\.kleos"):
        await place("here").get("4V/other.kleos")
    with pytest.raises(NoObject):
        await place("elsewhere").get("4V/first.kleos")


async def test_files_are_for_their_owner_alone_and_nothing_else_is_left(tmp_path: Path) -> None:
    objects = objects_at(tmp_path / "archive")
    await objects.put("4V/first.kleos", b"one")
    (folder,) = (tmp_path / "archive").iterdir()
    (file,) = folder.iterdir()
    assert (folder.name, file.name) == ("4V", "first.kleos")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.parametrize("name", ["", "..", "../x", "a/../../x", "/etc/x", "a//b", "a/", "a\0b", "é"])
async def test_no_name_leads_out_of_the_folder(tmp_path: Path, name: str) -> None:
    objects = objects_at(tmp_path / "archive")
    with pytest.raises(ValueError, match="no name"):
        await objects.put(name, b"one")
    with pytest.raises(ValueError, match="no name"):
        await objects.get(name)
    assert not list(tmp_path.iterdir())


async def test_a_folder_that_cannot_be_one_is_out_of_reach(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    objects = objects_at(tmp_path / "file")
    with pytest.raises(ObjectsUnavailable, match="file"):
        await objects.put("4V/first.kleos", b"one")
    with pytest.raises(ObjectsUnavailable, match="Not a directory"):
        await objects.get("4V/first.kleos")


async def test_a_store_that_does_not_answer_is_out_of_reach(
    unused_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, setting in S3(unused_port).environment.items():
        monkeypatch.setenv(name, setting)
    with pytest.raises(ObjectsUnavailable, match="s3://nowhere"):
        await objects_at("s3://nowhere").get("4V/first.kleos")
    with pytest.raises(ObjectsUnavailable, match="s3://nowhere"):
        await objects_at("s3://nowhere").put("4V/first.kleos", b"one")


def test_an_address_of_another_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="a folder, or begins with s3://"):
        objects_at("https://example.org/archive")
    assert os.fspath(Path("~").expanduser()) in str(vars(objects_at("~/archive")))
