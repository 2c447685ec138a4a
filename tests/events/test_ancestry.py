"""Ancestry: which bundle is the parent's, and whether its log begins as the child says."""

from __future__ import annotations

import pytest

from kleos.events.ancestry import Judged, Named, judged_parent, parent_of
from kleos.events.note import b64
from kleos.events.steps import Bad

ROOTS = [bytes([number] * 32) for number in range(1, 4)]
PARENT = Judged("PARENT", ROOTS, (), None, ())
OTHER = Judged("OTHER", ROOTS[::-1], (), None, ())


@pytest.mark.parametrize("version", [1, 2, 3])
def test_a_fork_may_come_from_any_version_of_its_parent(version: int) -> None:
    named = Named("PARENT", version, b64(ROOTS[version - 1]))
    assert judged_parent(named, [OTHER, PARENT]) is PARENT


@pytest.mark.parametrize(("version", "root"), [(0, 3), (-2, 1), (4, 1), (1, 2), (3, 2)])
def test_a_version_that_the_parent_has_not_or_not_so_is_refused(version: int, root: int) -> None:
    with pytest.raises(Bad, match=f"other first {version} events") as caught:
        judged_parent(Named("PARENT", version, b64(ROOTS[root - 1])), [OTHER, PARENT])
    assert (caught.value.step, caught.value.version) == ("parent", 1)


def test_a_rematch_names_a_match_and_no_version_of_it() -> None:
    named = parent_of({"effects": [{"parent": None, "rematch_of": "PARENT"}]})
    assert named == Named("PARENT")
    assert judged_parent(Named("PARENT"), [OTHER, PARENT]) is PARENT
