"""The verifier: whole matches of every game are valid, and whatever is done to a bundle is found and named.

The outsider changes the file; the cheat is the server itself, which signs whatever it likes with its own key.
"""

from __future__ import annotations

import base64
import io
import zipfile
from collections.abc import Callable
from functools import cache
from typing import Any

import msgspec
import pytest
import tiny
from bundles import MATCH, Cheat, Record, finished, key_of, other_effect
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from matches import ROTATED, SIGNER, TRUSTED
from msgspec.structs import replace

from kleos.core.kernel.registry import games
from kleos.core.match import Event, decide
from kleos.core.match.actions import Undo
from kleos.core.match.chance import LINKS
from kleos.core.match.facts import DiceOpened, MatchCreated, MatchStarted
from kleos.events import canonical
from kleos.events.bundle import Bundle, pack, unpack
from kleos.events.envelope import commitment
from kleos.events.inscription import inscription
from kleos.events.merkle import Edge, leaf
from kleos.events.notary import Notary
from kleos.events.note import Signer, b64
from kleos.events.verifier import EXIT, Failure, Report, verify

FOREIGN = Signer("play.example", Ed25519PrivateKey.from_private_bytes(bytes(32)))


@cache
def record() -> Record:
    """A finished match of Tiny with cards, dice, an undo and two people."""
    made = Record("tiny/1", seats=2, seed=5, undo="casual")
    made.sit()
    made.play(3)
    made.play(undo=0.3)
    assert any(each.head < each.version - 1 for each in made.matches)
    return made


def whole() -> Bundle:
    return unpack(record().bundle())


def found(data: bytes | Bundle, **rest: Any) -> tuple[str, str, int | None]:
    report = verify(data if isinstance(data, bytes) else pack(data), TRUSTED, **rest)
    assert report.failure is not None, report
    return report.status, report.failure.step, report.failure.version


def changed(lines: tuple[Any, ...], version: int, to: Any) -> tuple[Any, ...]:
    return (*lines[: version - 1], to, *lines[version:])


def public(version: int) -> dict[str, Any]:
    event: dict[str, Any] = canonical.decode(record().entries[version - 1].public)
    return event


def version_with(effect: type[Any]) -> int:
    """The first version after the start in which there was such an effect."""
    entries = range(3, record().match.version + 1)
    named = effect.__struct_config__.tag
    return next(each for each in entries if named in [it["type"] for it in public(each)["effects"]])


# What is right


@pytest.mark.parametrize("rules", games())
def test_a_finished_match_of_every_game_is_valid(rules: str) -> None:
    made = finished(rules)
    report = verify(made.bundle(), TRUSTED)
    assert report == Report(
        status="valid",
        match=MATCH,
        origin=f"play.example/m/{MATCH}",
        rules=rules,
        events=made.match.version,
        root=report.root,
        passed=(
            *("bundle", "form", "signatures", "commitments", "players", "dice", "chance", "rules", "states"),
        ),
        signed_by=(SIGNER.verifier.vkey,),
        trusted=True,
    )


@pytest.mark.parametrize("undo", ["off", "consent", "casual"])
def test_bots_resignations_and_the_house_are_judged_like_everybody(undo: str) -> None:
    made = Record("tiny/1", seats=4, seed=1, undo=undo, options={"preset": "long"})
    made.sit(bots=1)
    made.play(undo=0.1, resign=0.05)
    assert any(each.resigned for each in made.match.seats)
    assert verify(made.bundle(), TRUSTED).status == "valid"


def test_equal_matches_are_equal_files() -> None:
    assert finished("tiny/1", seed=3).bundle() == finished("tiny/1", seed=3).bundle()
    assert pack(unpack(record().bundle())) == record().bundle()


def test_a_log_of_more_than_one_chain_of_dice_is_valid() -> None:
    made = Record("tiny/1", seats=2, undo="casual")
    made.sit()
    start = made.match.version
    while made.match.version < LINKS + 40:
        for _ in range(4):
            made.step()
        made.do("player0", 0, Undo(to=start))
    assert verify(made.bundle(), TRUSTED).status == "valid"
    anchored = canonical.decode(made.entries[LINKS - 1].public)["effects"][-1]
    assert anchored["type"] == "dice_anchored"
    other = anchored | {"anchor": "0" * 64}
    spoiled = cheated(unpack(made.bundle()), LINKS, lambda event: event["effects"].__setitem__(-1, other))
    _, step, version = found(spoiled)
    assert step == "dice"
    assert version is not None
    assert version > LINKS


def test_whoever_may_not_see_everything_gets_what_can_be_checked() -> None:
    report = verify(record().bundle(lambda _version, audience: audience == "seat:0"), TRUSTED)
    assert (report.status, report.failure) == ("incomplete", None)
    assert report.passed == ("bundle", "form", "signatures", "commitments", "players", "dice")
    assert "version 1 first" in report.notes[0]


def test_one_part_can_be_opened_to_a_referee_and_no_other() -> None:
    version = version_with(tiny.Pledged)
    bundle = unpack(record().bundle(lambda each, _audience: each == version))
    opened = [number for number, line in enumerate(bundle.openings, 1) if line != b"{}"]
    assert opened == [version]
    assert verify(pack(bundle), TRUSTED).status == "incomplete"


def test_rules_that_are_not_here_are_said_to_be_unknown() -> None:
    """Fault 63."""
    bundle = whole()
    newer = tuple(each.replace(b'"tiny/1"', b'"tiny/9"') for each in bundle.events)
    report = verify(
        pack(resigned(replace(bundle, events=newer, manifest=replace(bundle.manifest, rules="tiny/9")))),
        TRUSTED,
    )
    assert (report.status, report.failure) == ("unknown_rules", None)
    assert "tiny/9" in report.notes[0]


def test_every_verdict_has_its_exit_code_and_every_failure_its_line() -> None:
    assert EXIT == {"valid": 0, "invalid": 1, "incomplete": 2, "unknown_rules": 3}
    assert Failure("rules", 4, "no").told == "event 4: no"
    assert Failure("bundle", None, "no").told == "no"


# The file


def test_every_byte_of_the_file_counts() -> None:
    data = record().bundle()
    for at in [*range(0, len(data), 97), *range(len(data) - 400, len(data))]:
        assert verify(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :], TRUSTED).status == "invalid", at


@pytest.mark.parametrize("size", [0, 1, 100, -100, -1])
def test_a_file_that_was_cut_is_no_bundle(size: int) -> None:
    report = verify(record().bundle()[:size], TRUSTED)
    assert report.failure is not None
    assert (report.status, report.failure.step, report.failure.version) == ("invalid", "bundle", None)
    assert report.failure.reason.startswith("not a whole zip archive: ")


def rezipped(change: Callable[[list[tuple[str, bytes]]], Any], method: int = zipfile.ZIP_STORED) -> bytes:
    with zipfile.ZipFile(io.BytesIO(record().bundle())) as archive:
        members = [(name, archive.read(name)) for name in archive.namelist()]
    change(members)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, member in members:
            archive.writestr(zipfile.ZipInfo(name), member, method)
    return file.getvalue()


@pytest.mark.parametrize(
    "change",
    [
        lambda members: members.pop(),
        lambda members: members.reverse(),
        lambda members: members.append(("more", b"")),
        lambda members: members.__setitem__(1, ("events", members[1][1][:-1])),
        lambda members: members.__setitem__(4, ("keys", b"")),
        lambda members: members.__setitem__(0, ("kleos.json", members[0][1].replace(b"kleos/1", b"kleos/2"))),
        lambda members: members.__setitem__(0, ("kleos.json", b"{}\n")),
        lambda members: members.__setitem__(0, ("kleos.json", b"[" * 100_000)),
        lambda members: None,
    ],
)
def test_a_file_that_is_put_together_otherwise_is_no_bundle(change: Callable[[Any], Any]) -> None:
    assert found(rezipped(change)) == ("invalid", "bundle", None)
    assert found(rezipped(change, zipfile.ZIP_DEFLATED)) == ("invalid", "bundle", None)


# The outsider


def test_an_edited_event_is_the_first_that_was_not_signed() -> None:
    bundle = whole()
    for version in range(1, record().match.version + 1):
        event = public(version) | {"command": "another"}
        events = changed(bundle.events, version, canonical.encode(event))
        assert found(replace(bundle, events=events)) == ("invalid", "signatures", version)


@pytest.mark.parametrize(
    ("edit", "step"),
    [
        (lambda event: event.update(at=event["at"] - 10**9), "form"),
        (lambda event: event.update(v=2), "form"),
        (lambda event: event.update(match="another"), "form"),
        (lambda event: event.update(rules="tiny/9"), "form"),
        (lambda event: event.update(version=True), "form"),
        (lambda event: event.update(effects=[1]), "form"),
        (lambda event: event.update(sealed={"server": 1}), "form"),
        (lambda event: event.update(more=1), "form"),
        (lambda event: event.pop("state"), "form"),
        (lambda event: event["effects"].pop(), "signatures"),
        (lambda event: event.update(player="player2"), "signatures"),
    ],
)
def test_every_field_of_an_event_counts(edit: Callable[[Any], Any], step: str) -> None:
    event = public(4)
    edit(event)
    bundle = whole()
    spoiled = replace(bundle, events=changed(bundle.events, 4, canonical.encode(event)))
    assert found(spoiled) == ("invalid", step, 4)


def test_bytes_that_are_not_canonical_are_no_event() -> None:
    bundle = whole()
    for spoiled in (b" " + bundle.events[3], bundle.events[3][:-1], b"[]", b"null", b"\xff", b"[" * 100_000):
        again = replace(bundle, events=changed(bundle.events, 4, spoiled))
        assert found(again) == ("invalid", "form", 4)


def without(bundle: Bundle, version: int) -> Bundle:
    def cut(lines: tuple[Any, ...]) -> tuple[Any, ...]:
        return lines[: version - 1] + lines[version:]

    return replace(
        bundle,
        manifest=replace(bundle.manifest, events=bundle.manifest.events - 1),
        events=cut(bundle.events),
        openings=cut(bundle.openings),
        signatures=cut(bundle.signatures),
    )


def test_events_that_are_dropped_doubled_or_exchanged_are_missed_in_their_place() -> None:
    bundle = whole()
    assert found(without(bundle, 4)) == ("invalid", "form", 4)
    doubled = changed(bundle.events, 5, bundle.events[3])
    assert found(replace(bundle, events=doubled)) == ("invalid", "form", 5)
    swapped = changed(changed(bundle.events, 4, bundle.events[4]), 5, bundle.events[3])
    assert found(replace(bundle, events=swapped)) == ("invalid", "form", 4)
    assert found(replace(bundle, events=bundle.events[:-1])) == ("invalid", "bundle", None)
    assert found(replace(bundle, signatures=bundle.signatures[:-1])) == ("invalid", "bundle", None)


def test_a_signature_is_good_for_one_version_and_no_other() -> None:
    bundle = whole()
    for version in range(2, record().match.version + 1):
        lines = changed(bundle.signatures, version, bundle.signatures[version - 2])
        assert found(replace(bundle, signatures=lines)) == ("invalid", "signatures", version)
    for line in ("", "— play.example", "— play.example AAAA", "play.example " + "A" * 92):
        lines = changed(bundle.signatures, 6, line)
        assert found(replace(bundle, signatures=lines)) == ("invalid", "signatures", 6)


def test_another_key_convinces_nobody_who_knows_the_right_one() -> None:
    forged = record().bundle(notary=Notary(FOREIGN))
    assert verify(forged, TRUSTED).failure == Failure("signatures", 1, "no trusted key has signed the note")
    believed = verify(forged)
    assert (believed.status, believed.trusted, believed.signed_by) == (
        "valid",
        False,
        (FOREIGN.verifier.vkey,),
    )


def test_the_keys_in_the_file_are_keys_and_the_origin_is_that_of_the_match() -> None:
    bundle = whole()
    assert found(replace(bundle, keys=("play.example+00000000+AAAA",))) == ("invalid", "signatures", None)
    elsewhere = replace(bundle.manifest, origin="play.example/m/another")
    assert found(replace(bundle, manifest=elsewhere)) == ("invalid", "signatures", None)
    renamed = replace(bundle.manifest, origin=f"other.example/m/{MATCH}")
    assert found(replace(bundle, manifest=renamed)) == ("invalid", "signatures", 1)
    renamed = replace(bundle.manifest, match=MATCH[::-1], origin=f"play.example/m/{MATCH[::-1]}")
    assert found(replace(bundle, manifest=renamed)) == ("invalid", "form", 1)


def test_an_opening_fits_one_digest_and_no_other() -> None:
    bundle = whole()
    version = version_with(tiny.Pledged)
    right = bundle.openings[version - 1]
    opening = canonical.decode(right)
    (audience,) = opening
    card = opening[audience]["payload"]["/effects/0/card"]
    salt = opening[audience]["salt"]
    other_card = right.replace(f'/card":{card}'.encode(), f'/card":{card % 8 + 1}'.encode())
    other_salt = right.replace(salt.encode(), salt[::-1].encode())
    for spoiled in (
        other_card,
        other_salt,
        right.replace(audience.encode(), b"seat:9"),
        bundle.openings[1],
        b"[]",
        b"",
        right[:-1],
        b" " + right,
    ):
        assert spoiled != right
        again = replace(bundle, openings=changed(bundle.openings, version, spoiled))
        assert found(again) == ("invalid", "commitments", version), spoiled
    missing = replace(bundle, openings=changed(bundle.openings, version, b"{}"))
    report = verify(pack(missing), TRUSTED)
    assert report.status == "incomplete"
    assert f"version {version} first" in report.notes[0]


# Receipts


def test_a_receipt_that_was_kept_shows_a_log_that_was_cut_or_written_anew() -> None:
    leaves = [leaf(each.public) for each in record().entries]
    notary, newest = Notary(SIGNER), len(leaves)
    kept = [notary.receipt(MATCH, leaves[:size], version) for size in (3, newest) for version in (1, 3)]
    report = verify(pack(whole()), TRUSTED, kept)
    assert (report.status, "receipts" in report.passed) == ("valid", True)
    shorter = without(whole(), newest)
    assert verify(pack(shorter), TRUSTED).status == "valid", "alone it is a match that was not over yet"
    assert found(shorter, receipts=kept) == ("invalid", "receipts", 1)
    other = Record("tiny/1", seats=2, seed=6, undo="casual")
    other.sit()
    other.play()
    assert found(other.bundle(), receipts=kept[:1]) == ("invalid", "receipts", 1)
    forged = Notary(FOREIGN).receipt(MATCH, leaves[:3], 3)
    assert found(whole(), receipts=[forged]) == ("invalid", "receipts", None)
    assert found(whole(), receipts=["nothing"]) == ("invalid", "receipts", None)
    misplaced = kept[1].replace("index 2", "index 1")
    assert found(whole(), receipts=[misplaced]) == ("invalid", "receipts", 2)


def test_a_checkpoint_or_a_proof_from_the_ledger_that_was_kept_is_as_good_as_a_receipt() -> None:
    made = record()
    size = made.match.version
    kept = [SIGNER.sign(made.head(3).text), SIGNER.sign(made.head().text), made.testimony(5).ledger or ""]
    report = verify(pack(whole()), TRUSTED, kept)
    assert (report.failure, "receipts" in report.passed) == (None, True)
    assert found(without(whole(), size), receipts=kept[1:2]) == ("invalid", "receipts", None)
    other = Record("tiny/1", seats=2, seed=6, undo="casual")
    other.sit()
    other.play()
    for each in (kept[0], kept[2]):
        report = verify(other.bundle(), TRUSTED, [each])
        assert report.failure is not None
        assert report.failure.step == "receipts"
        assert (
            "two logs of one match are signed, and together they convict the server" in report.failure.reason
        )
    forged = FOREIGN.sign(made.head(3).text)
    assert found(whole(), receipts=[forged]) == ("invalid", "receipts", None)


# What others say


def told(size: int | None = None, **changed: Any) -> Bundle:
    """The match with a proof from the ledger and two cosignatures."""
    return replace(unpack(record().bundle(said=record().testimony(size))), **changed)


def test_the_ledger_and_the_witnesses_are_told_as_far_as_they_go() -> None:
    size = record().match.version
    report = verify(pack(told()), TRUSTED)
    assert (report.status, report.inscribed, report.notes) == ("valid", size, ())
    assert report.passed[3:5] == ("ledger", "witnesses")
    assert {(each.size, each.seat, each.at) for each in report.cosigned} == {(size, None, 1_767_225_700)}
    report = verify(pack(told(5)), TRUSTED)
    assert (report.status, report.inscribed) == ("valid", 5)
    assert report.notes == ("the server's own log has the first 5 events of these",)


def test_a_proof_from_the_ledger_is_of_this_match_this_log_and_this_server() -> None:
    (right,) = told().ledger
    other = Record("tiny/1", seats=2, seed=6, undo="casual")
    other.sit()
    elsewhere = base64.b64encode(inscription("play.example", "another", 1, bytes(32)).text.encode()).decode()
    for wrong in (
        "",
        right.replace("index 4", "index 3"),
        right.replace("extra ", "extra AAAA"),
        right.replace(right.split("\n")[1], f"extra {elsewhere}"),
        other.testimony().ledger or "",
        record().testimony(signer=FOREIGN).ledger or "",
        Notary(SIGNER).receipt(MATCH, [leaf(each.public) for each in record().entries], 3),
    ):
        assert found(told(ledger=(wrong,))) == ("invalid", "ledger", None), wrong
    assert found(told(ledger=(right, right))) == ("invalid", "bundle", None)
    assert found(without(told(), record().match.version)) == ("invalid", "ledger", None)


def test_a_cosignature_is_of_one_head_one_witness_and_stands_once() -> None:
    first, second = told().cosignatures
    for wrong in (
        (second, first),
        (first, first),
        (first.replace("passer-by", "player1"),),
        (first.replace(first.split(" ")[1], second.split(" ")[1]),),
        ("3" + first[first.index(" ") :],),
        ("999" + first[first.index(" ") :],),
        (first[:-5] + "AAAA=",),
        ("nonsense",),
    ):
        assert found(told(cosignatures=wrong)) == ("invalid", "witnesses", None), wrong


def test_who_sat_down_with_a_key_cosigns_with_that_one() -> None:
    own, others = (b64(key_of(who).public_key().public_bytes_raw()) for who in ("player0", "player1"))
    for key, seat in ((own, 0), (others, None)):
        made = finished("tiny/1", seed=5, key=key)
        report = verify(made.bundle(said=made.testimony()), TRUSTED)
        if seat is None:
            assert report.failure is not None
            assert "sat down with another key" in report.failure.reason
        else:
            assert {each.seat for each in report.cosigned} == {0, None}


def test_who_knows_an_old_key_is_led_to_the_new_one_and_nobody_is_led_back() -> None:
    rotated = unpack(record().bundle(signer=ROTATED))
    for trusted in (TRUSTED, [ROTATED.verifier]):
        report = verify(pack(rotated), trusted)
        assert (report.failure, report.signed_by) == (None, (ROTATED.verifier.vkey,))
    report = verify(record().bundle(), [ROTATED.verifier])
    assert report.failure is not None
    assert report.failure.step == "signatures"
    backwards = replace(whole(), keys=rotated.keys, rotations=rotated.rotations)
    report = verify(pack(backwards), [ROTATED.verifier])
    assert report.failure is not None, "the new key does not vouch for what the old one signs"
    assert verify(pack(backwards), TRUSTED).failure is None
    for wrong in (
        replace(rotated, rotations=()),
        replace(rotated, keys=rotated.keys[::-1]),
        replace(rotated, keys=rotated.keys[:1]),
        replace(rotated, rotations=rotated.rotations * 2),
        replace(rotated, rotations=(rotated.rotations[0].replace("1767225650", "1767225651"),)),
        replace(rotated, keys=(FOREIGN.verifier.vkey, rotated.keys[1])),
    ):
        assert found(wrong) == ("invalid", "signatures", None)


def test_every_key_that_signed_is_named_once_in_the_order_in_which_they_did() -> None:
    before, after = whole(), unpack(record().bundle(signer=ROTATED))
    both = replace(after, signatures=(*before.signatures[:3], *after.signatures[3:]))
    report = verify(pack(both), TRUSTED)
    assert report.failure is None
    assert report.signed_by == (SIGNER.verifier.vkey, ROTATED.verifier.vkey)


# The cheat


def resigned(bundle: Bundle) -> Bundle:
    """The bundle with right signatures of the server's own key over whatever is in it."""
    edge, lines = Edge(), []
    for event in bundle.events:
        edge = edge.append(leaf(event))
        note = Notary(SIGNER).checkpoint(bundle.manifest.match, edge.size, edge.root)
        lines.append(note.rstrip("\n").rpartition("\n")[2])
    return replace(bundle, signatures=tuple(lines))


def cheated(bundle: Bundle, version: int, change: Callable[[Any], Any]) -> Bundle:
    """One event written anew by the server."""
    event = canonical.decode(bundle.events[version - 1])
    change(event)
    return resigned(replace(bundle, events=changed(bundle.events, version, canonical.encode(event))))


def test_a_state_that_is_not_the_one_recorded_is_found() -> None:
    other = public(5)["state"]
    spoiled = cheated(whole(), 6, lambda event: event.update(state=other))
    assert found(spoiled) == ("invalid", "states", 6)


def test_hidden_parts_that_were_exchanged_later_do_not_follow_from_the_rules() -> None:
    bundle = whole()
    version = version_with(tiny.Pledged)
    opening = canonical.decode(bundle.openings[version - 1])
    (audience,) = opening
    opening[audience]["payload"]["/effects/0/card"] = 8
    raw = msgspec.Raw(canonical.encode(opening[audience]))
    spoiled = cheated(
        replace(bundle, openings=changed(bundle.openings, version, canonical.encode(opening))),
        version,
        lambda event: event["sealed"].update({audience: commitment(audience, raw)}),
    )
    assert found(spoiled) == ("invalid", "rules", version)


def test_a_hidden_part_that_is_shown_to_all_does_not_follow_from_the_rules() -> None:
    version = version_with(tiny.Pledged)
    bundle = whole()
    opening = canonical.decode(bundle.openings[version - 1])
    (audience,) = opening

    def show(event: Any) -> None:
        event["sealed"] = {}
        event["action"]["card"] = event["effects"][0]["card"] = opening[audience]["payload"]["/action/card"]

    spoiled = cheated(replace(bundle, openings=changed(bundle.openings, version, b"{}")), version, show)
    assert found(spoiled) == ("invalid", "rules", version)


def dropped_effect(kind: type[Any]) -> Callable[[Event], Event]:
    def spoil(event: Event) -> Event:
        kept = tuple(each for each in event.effects if not isinstance(each, kind))
        return replace(event, effects=kept)

    return spoil


@pytest.mark.parametrize(
    ("spoil", "step"),
    [
        (other_effect(tiny.DiceRolled, die=lambda die: die % 6 + 1), "chance"),
        (other_effect(tiny.Shuffled, deck=lambda deck: deck[::-1]), "chance"),
        (other_effect(DiceOpened, link=lambda link: link[::-1]), "dice"),
        (dropped_effect(DiceOpened), "rules"),
        (other_effect(tiny.DiceRolled, coins=lambda coins: coins + 1), "chance"),
        (dropped_effect(tiny.RoundEnded), "rules"),
        (other_effect(tiny.Revealed, leader=lambda leader: 1 - leader), "rules"),
        (other_effect(tiny.Revealed, rule=lambda _: "tiny.9"), "rules"),
        (other_effect(MatchStarted, rule=lambda _: "match.9"), "rules"),
    ],
)
def test_a_server_that_cheats_is_found_out_at_the_first_event(
    spoil: Callable[[Event], Event], step: str
) -> None:
    cheat = Cheat(spoil)
    assert found(cheat.bundle()) == ("invalid", step, cheat.spoiled)


def test_a_deck_that_was_shuffled_for_somebody_is_not_the_one_committed_to() -> None:
    class Foreseer(Cheat):
        """Begins the match with another seed than the one it committed to."""

        def _add(self, event: Event) -> None:
            if isinstance(event.effects[-1], tiny.CardDrawn) and self.spoiled is None:
                other = replace(self.match, seed="00" * 32)
                event = decide(other, event.player, event.seat, event.action, at=event.at)
                self.spoiled = event.version
            super()._add(event)

    cheat = Foreseer(lambda event: event)
    assert cheat.spoiled == 2
    assert found(cheat.bundle()) == ("invalid", "chance", 2)


def test_an_anchor_that_the_seed_does_not_give_is_found() -> None:
    cheat = Cheat(other_effect(MatchCreated, dice=lambda _: "0" * 64))
    assert found(cheat.bundle())[:2] == ("invalid", "dice"), "at the first roll"


def test_a_move_that_the_player_did_not_make_or_could_not_make_is_refused_by_the_rules() -> None:
    def someone_else(event: Event) -> Event:
        return replace(event, player="player1") if event.kind == "move" and event.seat == 0 else event

    cheat = Cheat(someone_else)
    report = verify(cheat.bundle(), TRUSTED)
    assert report.failure is not None
    assert (report.failure.step, report.failure.version) == ("rules", cheat.spoiled)
    assert "not yours to move for (match.5)" in report.failure.reason


def test_a_log_of_another_kind_of_event_cannot_be_carried_out() -> None:
    for change in (
        lambda event: event["action"].update(type="unheard-of"),
        lambda event: event["effects"][0].update(type="unheard-of"),
        lambda event: event.update(kind="resign"),
        lambda event: event.update(seat=1 - event["seat"]),
        lambda event: event.update(action={"type": "create"}),
    ):
        assert found(cheated(whole(), 4, change)) == ("invalid", "rules", 4)


@pytest.mark.parametrize(("more", "signature"), [({}, {"size": 1}), ({"/action/card/deeper": 1}, None)])
def test_a_signature_that_cannot_be_read_is_none(more: dict[str, Any], signature: Any) -> None:
    version = version_with(tiny.Pledged)
    bundle = whole()
    opening = canonical.decode(bundle.openings[version - 1])
    (audience,) = opening
    opening[audience]["payload"] |= more
    raw = msgspec.Raw(canonical.encode(opening[audience]))

    def sign(event: Any) -> None:
        event["signature"] = signature
        event["sealed"][audience] = commitment(audience, raw)

    openings = changed(bundle.openings, version, canonical.encode(opening))
    report = verify(pack(cheated(replace(bundle, openings=openings), version, sign)), TRUSTED)
    assert report.failure is not None
    assert (report.failure.step, report.failure.version) == ("players", version)
    assert report.failure.reason.startswith("its signature cannot be read: ")


@pytest.mark.parametrize("seat", [None, "0", [], {}])
def test_a_seat_that_is_no_number_is_no_seat(seat: Any) -> None:
    spoiled = cheated(whole(), 1, lambda event: event["effects"][1].update(seat=seat))
    assert found(spoiled) == ("invalid", "rules", 1)
