"""The doors of policies in words, and of best play: lists of lines, as anybody may type them."""

import analyser
from tests.oracle import fight_files

ROWS = fight_files.row("melee", 3), fight_files.row("ranged", 2, "Overcharge", short_range=6.0)
UNIT = fight_files.unit(*ROWS, models=2, speed=6.0)
POLICIES = [
    "lookout until the enemy is within 12, then charge if it is suppressed, else aim and shoot",
    ["charge if within reach and not rally failed", "close in to short range and shoot", "do nothing"],
    ["retire and take cover if enemy models at least 2", "advance and shoot with overcharge if round is 1"],
    ["aim and shoot with ranged unless enemy taking cover; double time if enemy beyond 9.5", "re-arm if reloading"],
    ["double time to range if beyond 8; retire to 6 inches and take cover if in short range", "close in to range"],
    "best",
]
TERMS = {"rounds": 1, "distance": 9, "first": "a"}


def in_words(given, _folder):
    """A duel by a policy, which is told as it was asked."""
    terms = {**TERMS, "policy_a": given["policy"], "policy_b": given["against"]}
    found = analyser.duel({"duel": terms, "a": UNIT, "b": UNIT})
    record = found.as_dict()
    again = analyser.duel(record["scenario"])
    assert again.as_dict() == record, "the scenario that is told is another one"
    assert str(found)
    return record


DOORS = {
    "policy": (in_words, [{"policy": each, "against": other} for each in POLICIES for other in ("shoot", "lookout")]),
}
