"""Cyclades in plain English: the table as lines, moves as phrases, effects as sentences.

Everything is made from JSON-ready builtins as a viewer may see them; what is null is told as hidden.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from kleos.core.cyclades import chart
from kleos.core.cyclades.board import board_named
from kleos.core.cyclades.vocabulary import FLEETS, PRICES, TROOPS
from kleos.core.kernel.visibility import Builtin

_TEN: Final = 10
"""The highest offering the altar prints (8)."""


def _seat(seat: int) -> str:
    return f"seat {seat}"


def _some(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def amount_named(amount: int) -> str:
    """Above ten as the board shows it: a territory marker on 10+ and the rest (8)."""
    return str(amount) if amount <= _TEN else f"{amount} (10+ and {amount - _TEN})"


def _the(creature: str) -> str:
    """A creature; those that are one of a kind are called by their name."""
    return creature.title() if creature in _NAMED else f"the {creature.title()}"


def _a(thing: str) -> str:
    return f"an {thing}" if thing[0] in "aeio" else f"a {thing}"


_NAMED: Final = frozenset({"chiron", "medusa", "pegasus", "polyphemus"})
_LOSSES: Final[dict[tuple[int, ...], str]] = {
    (1, 1): "each side loses one",
    (1, 0): "the attacker loses one",
    (0, 1): "the defender loses one",
}
_SPOKEN: Final[dict[str, Callable[[Any], str]]] = {
    "seat": lambda seat: f"seat {seat}",
    "victim": lambda seat: f"seat {seat}",
    "rival": lambda seat: f"seat {seat}",
    "winner": lambda seat: f"seat {seat}",
    "against": lambda seat: "" if seat is None else f", against seat {seat}",
    "god": str.title,
    "creature": _the,
    "other": _the,
    "discarded": lambda card: f"; discarded: {_the(card)}" if card else "",
    "on_site": lambda under: "under the metropolis site" if under else "off the metropolis site",
    "cost": lambda gold: f" for {gold} gold" if gold else "",
    "troops": lambda number: _some(number, "troop"),
    "ships": lambda number: _some(number, "fleet"),
    "units": lambda number: _some(number, "unit"),
    "destroyed": lambda number: f" and destroys {_some(number, 'fleet')}" if number else "",
    "amount": amount_named,
    "piece": _a,
    "into": _a,
    "place": lambda place: str(place) if place else "the hand",
    "source": lambda space: space or "the reserve",
    "deck": lambda cards: _some(len(cards), "card"),
    "hidden": lambda tiles: str(len(tiles)),
    "demolished": lambda buildings: f"; demolished: {', '.join(buildings)}" if buildings else "",
    "replaced": lambda replaced: "; its place is taken" if replaced else "",
    "order": lambda seats: ", ".join(_seat(seat) for seat in seats),
    "gods": lambda gods: ", ".join(god.title() for god in gods),
    "losses": lambda losses: _LOSSES[tuple(losses)],
}
"""How a field is spoken, whatever move or effect it belongs to; the others are spoken as they are."""


def _speak(template: str, fields: dict[str, Any]) -> str:
    return template.format_map(
        {name: _SPOKEN[name](value) if name in _SPOKEN else value for name, value in fields.items()}
    )


# Moves

_SAY: Final = {
    "offer_to": "offer {amount} to {god}",
    "offer_to_apollo": "go to Apollo",
    "call_creature": "call {creature}",
    "recruit_troop": "recruit a troop on {island}",
    "recruit_fleet": "recruit a fleet in {space}",
    "take_priest": "take a priest",
    "take_philosopher": "take a philosopher",
    "build": "build on {island}, {on_site}",
    "move_troops": "move {troops} from {origin} to {to}",
    "sail": "sail {ships} from {origin} to {to}",
    "swap_creature": "replace {creature}",
    "end_turn": "end the turn",
    "stop": "stop",
    "fight_on": "fight on",
    "retreat": "retreat to {to}",
    "choose_island": "choose {island}",
    "choose_space": "choose {space}",
    "choose_rival": "choose {rival}",
    "choose_creature": "copy {creature}",
    "choose_building": "choose the {building} on {island}, {on_site}",
    "rebuild": "turn the {building} on {island}, {on_site}, into {into}",
    "lure": "replace the fleet in {space} by one from {source}",
    "move_kraken": "move the Kraken to {to}",
    "push": "push the fleets in {origin} to {to}",
    "sell": "sell {piece} from {place}",
}


def say(move: Builtin) -> str:
    """A move as a short phrase."""
    return _speak(_SAY[move["type"]], move)


# Effects

_TELL: Final = {
    "starts_drawn": "the start positions are drawn",
    "deck_shuffled": "the creature deck is shuffled, {deck}",
    "order_drawn": "the markers are shuffled: {order}",
    "cycle_begun": "cycle {cycle} begins",
    "track_moved": "the creatures move on{discarded}",
    "creature_drawn": "{creature} can be called for {price} gold",
    "row_dealt": "the gods of the cycle are {gods}; face down: {hidden}",
    "revenue_collected": "revenue: {gold}",
    "offerings_opened": "the offerings begin",
    "offering_made": "{seat} offers {amount} to {god}{outbid}",
    "apollo_joined": "{seat} goes to Apollo, place {place}",
    "offerings_paid": "the offerings are paid: {gold}",
    "turn_begun": "{seat} acts for {god}",
    "figure_left": "{creature} leaves {island}",
    "turn_ended": "{seat} ends the turn",
    "only_choice": "{seat} can only {move}",
    "apollo_paid": "Apollo gives {seat} {gold} gold",
    "prosperity_placed": "{seat} places a prosperity marker on {island}",
    "creature_called": "{seat} calls {creature}{cost}",
    "creature_swapped": "{seat} replaces {creature}{cost}",
    "troop_recruited": "{seat} recruits a troop on {island}{cost}",
    "fleet_recruited": "{seat} recruits a fleet in {space}{cost}",
    "priest_taken": "{seat} takes a priest{cost}",
    "philosopher_taken": "{seat} takes a philosopher{cost}",
    "building_built": "{seat} builds a {building} on {island}{cost}",
    "troops_moved": "{seat} moves {troops} from {origin} to {to}{against}",
    "fleet_sailed": "{seat} sails {ships} from {origin} to {to}{against}",
    "voyage_ended": "{seat} drops anchor",
    "round_fought": (
        "battle in {place}: attack {strengths[0]} (die {dice[0]}), "
        "defence {strengths[1]} (die {dice[1]}); {losses}"
    ),
    "stood_firm": "{seat} fights on",
    "retreated": "{seat} retreats from {place} to {to} with {units}",
    "battle_ended": "{winner} holds {place}",
    "player_eliminated": "{seat} is eliminated",
    "philosophers_gathered": "{seat} gives four philosophers for a metropolis",
    "set_completed": "{seat} has one building of each type",
    "building_given": "{seat} gives the {building} on {island}",
    "metropolis_founded": "{seat} founds a metropolis on {island}{demolished}",
    "metropolis_forgone": "{seat} has no room for a metropolis",
    "creature_acted": "the power of {creature} is used",
    "creature_idle": "the power of {creature} has no effect",
    "sylph_sent": "the Sylph gives fleets of {seat} {steps} steps",
    "troop_slain": "a troop of {victim} on {island} is slain by the Harpy of {seat}{replaced}",
    "purse_robbed": "{seat} takes {gold} of the {purse} gold of {victim}",
    "building_destroyed": "the {building} on {island} is destroyed",
    "fleet_lured": "a fleet of {seat} from {source} replaces that of {victim} in {space}",
    "building_converted": "the {building} on {island} becomes {into}",
    "chimera_copied": "the Chimera acts as {creature}",
    "sphinx_asked": "the Sphinx buys",
    "piece_sold": "{seat} sells {piece} from {place} for {gold} gold",
    "sale_ended": "the Sphinx leaves",
    "fates_paid": "{seat} collects {gold} gold again",
    "philosopher_stolen": "{seat} takes a philosopher from {victim}",
    "priest_stolen": "{seat} takes a priest from {victim}",
    "figure_placed": "{creature} stands on {island}",
    "figures_clashed": "{creature} and {other} destroy each other on {island}",
    "fleets_pushed": "the fleets in {origin} are pushed to {to}",
    "fleets_drowned": "the fleets in {space} are destroyed",
    "pushing_ended": "the sea around Polyphemus is empty",
    "kraken_moved": "the Kraken comes to {space}{cost}{destroyed}",
    "kraken_rested": "the Kraken rests",
    "game_ended": "the game is over: {outcome}",
}


def tell(effect: Builtin) -> str:
    """An effect as one sentence."""
    if effect["type"] == "battle_ended" and effect["winner"] is None:
        return f"Nobody is left: {chart.deserted(effect['place'])}."
    inner = {name: tell_of(effect[name]) for name, tell_of in _INNER.items() if name in effect}
    if effect["type"] == "offering_made":
        inner["outbid"] = _outbid(effect["seat"], effect["displaced"])
    if verb := _EVERYBODY.get(effect["type"]):
        inner["gold"] = ", ".join(f"{_seat(seat)} {verb} {gold}" for seat, gold in enumerate(effect["gold"]))
    sentence = _speak(_TELL[effect["type"]], effect | inner)
    return f"{sentence[0].upper()}{sentence[1:]}."


def _outbid(seat: int, displaced: int | None) -> str:
    """Who has to offer anew; with two players it may be the same one, by its other marker (§16)."""
    if displaced is None:
        return ""
    return " and displaces " + ("its own other marker" if displaced == seat else _seat(displaced))


def outcome_named(outcome: dict[str, Any]) -> str:
    reason = outcome["reason"].replace("_", " ")
    return f"{' and '.join(_seat(seat) for seat in outcome['winners'])} won by {reason}"


_INNER: Final = {"move": say, "outcome": outcome_named}
"""Fields that are told as a whole."""
_EVERYBODY: Final = {"revenue_collected": "takes", "offerings_paid": "pays"}
"""What all seats do with the gold that such an effect lists."""


# The table


def table(view: Builtin, you: int | None, *, over: bool = False) -> str:
    """A view of the seat ``you`` as plain lines: cycle, players, islands, seas, fleets, creatures, gods.

    Whose decision is due comes last, unless it is ``over`` and nobody's is.

    Who won is not among them; whoever shows a table tells that of every game in one way.
    """
    return "\n".join(_lines(view, you, over=over))


def phase_named(view: Builtin, *, over: bool) -> str:
    return "over" if over else str(view["phase"])


def _lines(view: dict[str, Any], you: int | None, *, over: bool) -> Iterator[str]:
    yield f"Cyclades, cycle {view['cycle']}, {phase_named(view, over=over)}"
    for player in view["players"]:
        yield _player(view, player, you)
    yield "Islands:"
    for island in view["islands"]:
        yield "  " + _island(view, island)
    yield f"Seas ({chart.KEY}):"
    for row in chart.seas(board_named(view["board"])):
        yield "  " + row
    yield "Fleets: " + _joined(
        f"{each['space']} {each['ships']} of {_seat(each['seat'])}" for each in view["fleets"]
    )
    if view["kraken"]:
        yield f"Kraken: {view['kraken']}"
    cards = zip(PRICES, view["track"], strict=True)
    yield "Creatures: " + _joined(f"{card} {price}" for price, card in cards if card)
    yield f"Deck: {_some(len(view['deck']), 'card')}. Discarded: {', '.join(view['discard']) or 'none'}"
    yield from _altars(view)
    if view["frames"] and not over:
        frame = view["frames"][-1]
        yield f"To decide: {_seat(frame['seat'])}, {frame['type'].replace('_', ' ')}"


def _joined(items: Iterable[str]) -> str:
    return "; ".join(items) or "none"


def _player(view: dict[str, Any], player: dict[str, Any], you: int | None) -> str:
    seat = player["seat"]
    name = _seat(seat).capitalize() + (" (you)" if seat == you else "")
    if player["out"]:
        return f"{name}: eliminated"
    gold = "hidden" if player["gold"] is None else player["gold"]
    troops = TROOPS - sum(each["troops"] for each in view["islands"] if each["owner"] == seat)
    fleets = FLEETS - sum(each["ships"] for each in view["fleets"] if each["seat"] == seat)
    cities = sum(1 for each in view["islands"] if each["owner"] == seat and each["metropolis"])
    return (
        f"{name}: gold {gold}, metropolises {cities}, priests {player['priests']}, "
        f"philosophers {player['philosophers']}, "
        f"in reserve {_some(troops, 'troop')} and {_some(fleets, 'fleet')}"
    )


def _island(view: dict[str, Any], island: dict[str, Any]) -> str:
    board = board_named(view["board"])
    owner = "nobody" if island["owner"] is None else _seat(island["owner"])
    parts = [f"{island['id']}: {owner}, {_some(island['troops'], 'troop')}", *chart.slots(board, island)]
    if printed := board.land(island["id"]).prosperity:
        parts.append(_some(printed, "cornucopia"))
    if island["prosperity"]:
        parts.append(_some(island["prosperity"], "prosperity marker"))
    parts += [figure["creature"].title() for figure in view["figures"] if figure["island"] == island["id"]]
    return "; ".join([*parts, chart.coast(board, island["id"])])


def _altars(view: dict[str, Any]) -> Iterator[str]:
    bids = {bid["god"]: bid for bid in view["bids"]}
    for god in view["gods"]:
        bid = bids.get(god)
        offering = "free" if bid is None else f"{_seat(bid['seat'])} offers {amount_named(bid['amount'])}"
        yield f"{god.title()}: {offering}"
    places = [f"{each['place']} {_seat(each['seat'])}" for each in view["apollo"]]
    yield f"Apollo: {_joined(places) if places else 'free'}"
