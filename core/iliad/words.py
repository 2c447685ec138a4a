"""Iliad in plain words, for terminals and screen readers: the table, a move, an effect.

It reads redacted builtins only, so it can tell no more than its reader may know; what is hidden is told as
hidden. Plain lines of ASCII, no colours.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, Final

from kleos.core.iliad.cards import COMPONENTS, TILE_POINTS
from kleos.core.iliad.placing import show
from kleos.core.kernel.visibility import Builtin

_CARD: Final[dict[str, str]] = {card.id: card.name for card in COMPONENTS.army}
VICTORY: Final[dict[str, str]] = {
    card.id: "Helen" if card.suit == "helen" else f"{card.suit.capitalize()} {card.points}"
    for card in COMPONENTS.victory
}
ORACLE: Final[dict[str, str]] = {
    card.id: "Gorgon" if card.id == "gorgon" else f"Thanatos {card.points}" for card in COMPONENTS.oracle
}
HERO: Final[dict[int, str]] = {hero.value: hero.name for hero in COMPONENTS.heroes}
_HIDDEN: Final = "a hidden card"
_LABEL: Final = 11


def card_name(card: str | None) -> str:
    """The name of an army card, or that it is hidden."""
    return _HIDDEN if card is None else _CARD[card]


def cards_named(cards: Iterable[str | None]) -> str:
    """``2 x archer, hoplite 4``; hidden ones are only counted."""
    counted = Counter(card_name(card) for card in cards)
    return ", ".join(name if count == 1 else f"{count} x {name}" for name, count in counted.items()) or "none"


def _seats(seats: Iterable[int]) -> str:
    return ", ".join(f"seat {seat}" for seat in seats)


def _elephant(riders: Iterable[str]) -> str:
    return f"elephant carrying {', '.join(card_name(rider) for rider in riders) or 'nobody'}"


def _line(line: Iterable[int]) -> str:
    values = tuple(line)
    return f"the line {show(values)}" if len(values) > 1 else f"the {show(values)}"


# The table


def table(view: Builtin, you: int | None, *, over: bool = False) -> str:
    """A redacted state as text, seen by the seat ``you``; ``over`` once nobody plays on.

    Who won is not in it; whoever shows a table tells that of every game in one way.
    """
    lines = [*heading(view, over=over), *_shared(view)]
    for army in view["armies"]:
        lines += ["", *_army(view, army, you)]
    return "\n".join(lines)


def _row(label: str, text: str) -> str:
    return f"  {label:<{_LABEL}}{text}"


def heading(view: Builtin, *, over: bool = False) -> list[str]:
    oracle = f", {ORACLE[view['oracle']]}" if view["oracle"] else ""
    doing = {
        "setup": "setting up",
        "discard": "discarding to the hand limit",
        "turn": f"seat {view['turn']} to play",
        "arrange": "horses are open: placing revealed cards",
        "choose": f"{_seats(view['choosing'][:1])} takes a victory card",
        "over": "the game is over",
    }
    return [f"Siege {view['siege']}{oracle}: {doing['over' if over else view['phase']]}"]


def outcome_named(outcome: Builtin) -> str:
    won = "wins" if len(outcome["winners"]) == 1 else "win"
    scores = ", ".join(f"seat {seat}: {score}" for seat, score in outcome["scores"].items())
    return f"{_seats(outcome['winners']).capitalize()} {won} ({outcome['reason']}). Scores: {scores}"


def _shared(view: Builtin) -> list[str]:
    lines = [_row("row", ", ".join(VICTORY[card] for card in view["row"]) or "empty")]
    if view["heroes"]:
        lines.append(_row("heroes", ", ".join(f"{HERO[hero]} {hero}" for hero in view["heroes"])))
    decks = f"army {len(view['deck'])}, victory {len(view['victory_deck'])}"
    if view["oracle_deck"]:
        decks += f", oracle {len(view['oracle_deck'])}"
    lines.append(_row("decks", decks))
    lines.append(_row("discards", cards_named(view["discards"])))
    return lines


def _army(view: Builtin, army: Builtin, you: int | None) -> list[str]:
    seat = army["seat"]
    marks = ["you"] * (seat == you)
    if len(view["scores"]) < len(view["armies"]):
        marks.append(f"team {army['side']}")
    marked = f" ({', '.join(marks)})" if marks else ""
    passed = ", passed" if army["passed"] else ""
    lines = [
        f"Seat {seat}{marked}: score {view['scores'][army['side']]}, strength {army['strength']}, "
        f"{len(army['hand'])} in hand{passed}"
    ]
    lines += [_row(label, text) for label, text in _units(army) if text]
    trophies = [VICTORY[card] for card in army["victories"]] + [ORACLE[card] for card in army["penalties"]]
    trophies += [tile.capitalize() for tile in TILE_POINTS if holds(view, army, tile)]
    if trophies:
        lines.append(_row("trophies", ", ".join(trophies)))
    if any(army["hand"]):
        lines.append(_row("hand", cards_named(army["hand"])))
    return lines


def holds(view: Builtin, army: Builtin, tile: str) -> bool:
    if tile == "agamemnon":
        return bool(view[tile] == army["seat"])
    return bool(view[tile] == army["side"])


def _units(army: Builtin) -> list[tuple[str, str]]:
    horses = [f"{place}: {_inside(horse)}" for place, horse in enumerate(army["horses"])]
    engines = ("chariots", "ballistas", "catapults", "walls")
    return [
        ("hero", f"{HERO[army['hero']]} {army['hero']}" if army["hero"] else ""),
        ("lines", ", ".join(show(tuple(line)) for line in army["lines"])),
        ("archers", str(army["archers"] or "")),
        ("elephants", ", ".join(f"[{', '.join(map(card_name, riders))}]" for riders in army["elephants"])),
        *((engine, str(army[engine] or "")) for engine in engines),
        ("horses", "; ".join(horses)),
        ("revealed", cards_named(army["revealed"]) if army["revealed"] else ""),
    ]


def _inside(horse: Builtin) -> str:
    hidden = horse["hidden"]
    return f"{len(hidden)} hidden" + (f" ({cards_named(hidden)})" if any(hidden) else "")


# Moves


def say(move: Builtin) -> str:
    """A move as a short phrase."""
    match move["type"]:
        case "place":
            return f"place {card_name(move['card'])}"
        case "extend":
            return f"place {card_name(move['card'])} behind {_line(move['line'])}"
        case "mount":
            return f"put {card_name(move['card'])} on the {_elephant(move['riders'])}"
        case "hide":
            return f"hide {card_name(move['card'])} in horse {move['horse']}"
        case "attack":
            return f"attack {_attack(move)}"
        case "arrange":
            return "place all revealed cards as strongly as possible"
        case "choose":
            return f"take {VICTORY[move['card']]}"
        case "discard":
            return f"discard {card_name(move['card'])}"
        case _:
            return "pass"


def _attack(fact: Builtin) -> str:
    """What is attacked and with what: the same words for the move and its effect."""
    attacker = card_name(fact["attacker"])
    source = fact.get("source", "table")
    if source == "hand":
        attacker += " from the hand"
    elif source == "elephant":
        attacker += f" from the {_elephant(fact['mount'])}"
    target = card_name(fact["target"])
    line = fact.get("line", ())
    if len(line) > 1:
        target += f" of {_line(line)}"
    elif fact["target"] == "elephant":
        target = _elephant(fact.get("riders", ()))
    elif fact.get("horse") is not None:
        target += f" {fact['horse']}"
    return f"the {target} of seat {fact['against']} with the {attacker}"


# Effects


def tell(effect: Builtin) -> str:
    """An effect as one sentence."""
    return _TOLD[effect["type"]](effect)


def _dealt(effect: Builtin) -> str:
    cards = effect["cards"]
    shown = f": {cards_named(cards)}" if any(cards) else ""
    return f"Seat {effect['seat']} receives {len(cards)} cards{shown}."


def _ranked(effect: Builtin) -> str:
    pairs = zip(effect["ranking"], effect["strengths"], strict=True)
    return "Armies: " + ", ".join(f"seat {seat} {strength}" for seat, strength in pairs) + "."


def _siege_won(effect: Builtin) -> str:
    choosing = effect["choosing"]
    cards = f" Victory cards: {', then '.join(f'seat {seat}' for seat in choosing)}." if choosing else ""
    return f"Seat {effect['seat']} wins the siege.{cards}"


_TOLD: Final[dict[str, Callable[[Any], str]]] = {
    "decks_shuffled": lambda _: "The decks are shuffled.",
    "siege_began": lambda e: f"Siege {e['siege']} begins; seat {e['starter']} starts.",
    "oracle_revealed": lambda e: f"The oracle shows {ORACLE[e['card']]}.",
    "row_filled": lambda e: f"New in the row: {', '.join(VICTORY[card] for card in e['cards'])}.",
    "cards_dealt": _dealt,
    "deck_reshuffled": lambda e: f"The {len(e['order'])} discards become the new army deck.",
    "card_discarded": lambda e: f"Seat {e['seat']} discards {card_name(e['card'])}.",
    "turns_began": lambda e: f"Seat {e['seat']} has the first turn.",
    "card_placed": lambda e: f"Seat {e['seat']} places {card_name(e['card'])}.",
    "line_extended": lambda e: f"Seat {e['seat']} places {card_name(e['card'])} behind {_line(e['line'])}.",
    "elephant_mounted": lambda e: (
        f"Seat {e['seat']} puts {card_name(e['card'])} on the {_elephant(e['riders'])}."
    ),
    "card_hidden": lambda e: f"Seat {e['seat']} hides {card_name(e['card'])} in horse {e['horse']}.",
    "units_destroyed": lambda e: f"Seat {e['seat']} destroys {_attack(e)}; both are discarded.",
    "riders_fell": lambda e: f"Of seat {e['seat']}, {cards_named(e['cards'])} fell and stand alone.",
    "horse_broken": lambda e: f"The broken horse of seat {e['seat']} held {cards_named(e['cards'])}.",
    "passed": lambda e: f"Seat {e['seat']} passes.",
    "pass_lapsed": lambda e: f"The pass of seat {e['seat']} binds no longer.",
    "hero_taken": lambda e: f"{HERO[e['hero']]} ({e['hero']}) joins seat {e['seat']}.",
    "army_disbanded": lambda e: f"Seat {e['seat']} discards its whole army.",
    "horses_opened": lambda e: f"The horses of seat {e['seat']} open: {cards_named(e['cards'])}.",
    "armies_ranked": _ranked,
    "siege_won": _siege_won,
    "siege_unwon": lambda _: "Nobody wins the siege.",
    "victory_taken": lambda e: f"Seat {e['seat']} takes {VICTORY[e['card']]}.",
    "thanatos_taken": lambda e: f"Seat {e['seat']} takes {ORACLE[e['card']]}.",
    "gorgon_spent": lambda _: "The Gorgon leaves the game.",
    "agamemnon_taken": lambda e: f"Seat {e['seat']} takes Agamemnon.",
    "tile_awarded": lambda e: f"{e['tile'].capitalize()} goes to the side of seat {e['side']}.",
    "table_cleared": lambda _: "The armies are discarded; hands are kept.",
    "game_ended": lambda e: outcome_named(e) + ".",
}
