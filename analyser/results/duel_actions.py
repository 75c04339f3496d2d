"""Actions of both sides of a duel by round, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from analyser.common.answer import Block
from analyser.common.estimates import estimate_in
from analyser.common.text import spaced

_ACTION_TEXTS = {
    "fell": "was removed before it could act",
    "shot_aiming": "aimed and shot",
    "shot": "shot without aiming",
    "double_timed": "moved at double time",
    "re_armed": "re-armed",
    "held": "did nothing",
    "retired_and_shot": "retired and shot",
    "left_building": "left its building",
}
_REASON_TEXTS = {
    "choice": "",
    "policy": "",
    "gone": "",
    "rule": "forced by a rule",
    "activated": "already activated",
    "out_of_reach": "too far to charge",
}
_NO_ACTIVATION = ("was_gone", "had_no_activation", "fell")  # entries of rounds in which a unit does not act
_HELD_BY_POLICY = "no line of its policy can be carried out, or the line says hold"


def _words(name: str, texts: Mapping[str, str]) -> str:
    return texts.get(name, spaced(name))


def actions_block(activations: Iterable[Mapping[str, Any]], rounds: int) -> Block:
    """Return the table of actions: a row for each side, action and reason, with the probability in each round."""
    table: dict[tuple[str, str, str], dict[int, str]] = {}
    for row in activations:
        cells = table.setdefault((row["side"], row["did"], row["because"]), {})
        cells[row["round"]] = str(estimate_in(row, "probability"))
    rows = []
    for (side, did, because), probabilities in sorted(table.items(), key=lambda item: item[0][0]):
        reason = _words(because, _REASON_TEXTS)
        name = f"{side.upper()} {_words(did, _ACTION_TEXTS)}" + (f" ({reason})" if reason else "")
        rows.append([name, *(probabilities.get(number, "") for number in range(1, rounds + 1))])
    return Block("Actions", ("round", *map(str, range(1, rounds + 1))), rows, "<>")


def main_reason_to_hold(activations: Iterable[Mapping[str, Any]]) -> str:
    """Return the commonest reason why a side does nothing; empty if it acts in most of its activations."""
    held: dict[str, float] = {}
    total = 0.0
    for row in activations:
        total += 0.0 if row["did"] in _NO_ACTIVATION else row["probability"]
        if row["did"] == "held":
            held[row["because"]] = held.get(row["because"], 0.0) + row["probability"]
    if not held or 2 * sum(held.values()) < total:
        return ""
    reason = max(held, key=held.__getitem__)
    return _HELD_BY_POLICY if reason == "choice" else _words(reason, _REASON_TEXTS)
