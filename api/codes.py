"""The codes of problems: the closed set of ways in which the API says no, and what the page of each tells."""

from __future__ import annotations

from typing import Final

from msgspec import Struct


class Kind(Struct, frozen=True):
    """One row of the catalogue of problems: what its page says."""

    status: int
    title: str
    meaning: str
    remedy: str


PROBLEMS: Final[dict[str, Kind]] = {
    "malformed": Kind(
        400,
        "The request is not of the documented form",
        "A field is missing, unknown, given twice or of the wrong type; a parameter is out of its range; "
        "or the body is not JSON.",
        "Read `detail`: it names the place. The forms are in the API's documentation.",
    ),
    "unauthenticated": Kind(
        401,
        "Who are you?",
        "The request needs a bearer token and has none, or the token is unknown, expired or revoked.",
        "Register with POST /v1/players and send `Authorization: Bearer <token>`.",
    ),
    "forbidden": Kind(
        403,
        "Not yours to do",
        "You are known, but this seat, match or view is somebody else's.",
        "Ask for your own seat, or as a spectator.",
    ),
    "not_found": Kind(
        404,
        "Nothing here for you",
        "There is no such thing, or it is private and you are not part of it: the two look the same.",
        "Check the id. To join a private match you need its invitation.",
    ),
    "method_not_allowed": Kind(
        405,
        "Not a method of this resource",
        "The resource exists but does not know the method.",
        "`Allow` lists the methods it knows.",
    ),
    "not_acceptable": Kind(
        406,
        "No representation of the kind you accept",
        "The `Accept` header rules out every media type that this resource has.",
        "Accept one of the types named in `detail`.",
    ),
    "not_your_turn": Kind(
        409,
        "Another seat is to act",
        "Your seat has nothing to decide at the head of the match.",
        "Wait until `to_act` in your view names your seat.",
    ),
    "wrong_phase": Kind(
        409,
        "Not at this stage of the match",
        "The action exists, but not while the match is as it is.",
        "Look at the match's `status`.",
    ),
    "seat_taken": Kind(
        409, "Somebody sits there", "The seat has a player or a bot.", "Choose a free seat, or name none."
    ),
    "match_full": Kind(
        409, "No seat is free", "Every seat of the match is taken.", "Watch as a spectator, or open another."
    ),
    "match_finished": Kind(
        409,
        "The match is over",
        "Nothing is decided any more in a finished or abandoned match.",
        "Read it: every version of it stays.",
    ),
    "frozen": Kind(
        409,
        "The match can be read, and not be gone on with",
        "The store has not got the log that this server has signed: it was set back, or changed. Whoever "
        "holds a receipt can prove it. Or the match was brought in from elsewhere before it was over.",
        "Keep your receipts, and tell the operator, who finds out with `kleos fsck`.",
    ),
    "stale": Kind(
        412,
        "The match has moved on",
        "`If-Match` names a version that is no longer the head; nothing was done.",
        "Read what you missed (`links.missed`), decide again, and send the new `ETag`.",
    ),
    "too_large": Kind(
        413, "Too large", "The body is larger than any request of this API.", "Send less than `limit` bytes."
    ),
    "unsupported_media_type": Kind(
        415, "Not JSON", "Bodies are `application/json`.", "Send `Content-Type: application/json`."
    ),
    "illegal": Kind(
        422,
        "The rules forbid it",
        "The move is well-formed and it is your turn, but the rule named in `rule` does not allow it.",
        "Choose a move that `links.legal_alternatives` lists.",
    ),
    "command_mismatch": Kind(
        422,
        "The same key with another request",
        "This `Idempotency-Key` was used before for a different request.",
        "Use a fresh key for each thing you want done; repeat a key only with the very same request.",
    ),
    "proposal_void": Kind(
        409,
        "The proposal no longer stands",
        "The head moved since it was made, or it was decided already.",
        "Make a new proposal at the present head.",
    ),
    "undo_not_allowed": Kind(
        409,
        "This cannot be undone or redone",
        "The match's undo policy does not allow it, or there is nothing there to go to.",
        "A view shows for each move what undoing it would take.",
    ),
    "rate_limited": Kind(429, "Too many requests", "You asked too often.", "Wait for `Retry-After` seconds."),
    "internal": Kind(
        500,
        "Our mistake",
        "Something failed that should not. Nothing that was acknowledged is lost.",
        "Report it with the `X-Request-Id` of the answer.",
    ),
    "store_unavailable": Kind(
        503,
        "The store cannot be reached",
        "The event store did not confirm in time. Whether the command was carried out is settled by "
        "repeating it with the same `Idempotency-Key`.",
        "Try again after `Retry-After` seconds.",
    ),
    "archive_damaged": Kind(
        500,
        "The archive has not got the match as it was",
        "The match is in the archive, and its bundle there is missing or has been changed. Rather than "
        "something wrong of it, nothing is shown.",
        "Tell the operator, who finds out with `kleos fsck`: a copy of the bundle, put back, mends it.",
    ),
    "archive_unavailable": Kind(
        503,
        "The archive cannot be reached",
        "The match is in the archive, which does not answer.",
        "Try again after `Retry-After` seconds.",
    ),
}
