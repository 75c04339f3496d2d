"""Which policies of a duel a unit can carry out against its enemy, and why not the others."""

from __future__ import annotations

from analyser.common.errors import InputError
from analyser.game.units import Row
from analyser.rules.policies import POLICIES
from analyser.scenarios.combatant import charge_row, check_can_be_charged
from analyser.scenarios.schema import Combatant, PolicyName

_BUT_REACTIVE = "but Reactive ones, which fire on lookout only,"
_FITTING = {  # what a policy needs of a row, where it needs more
    "short_range": "but Reactive ones, which fire on lookout, and Indirect ones, which do not fire at short range,",
    "overcharge": "with Overcharge",
}


def check_policy(policy: PolicyName, mine: Combatant, theirs: Combatant, where: str) -> None:
    """Raise InputError unless the unit can carry out the policy.

    Parameters
    ----------
    policy : str
    mine, theirs : Combatant
        Resolved.
    where : str
        The key of the policy; opens the message.

    Raises
    ------
    InputError
        The message names the policies that the unit can carry out, and why not the others.
    """
    reason = why_not(policy, mine, theirs)
    if reason is None:
        return
    possible: list[str] = []
    reasons: dict[str, list[str]] = {}
    for other in POLICIES:
        obstacle = why_not(other, mine, theirs)
        if obstacle is None:
            possible.append(other)
        elif other != policy:
            reasons.setdefault(obstacle, []).append(other)
    beside = [f"not {', '.join(others)}: {obstacle}" for obstacle, others in reasons.items() if obstacle != reason]
    problem = f"{mine.unit or 'the unit'} cannot carry out the policy {policy}: {reason}"
    raise InputError(problem, where=where, allowed="; ".join([", ".join(possible), *beside]))


def why_not(policy: PolicyName, mine: Combatant, theirs: Combatant) -> str | None:
    """Why `mine` cannot carry out `policy` against `theirs`, or None if it can."""
    if policy == "take_cover":
        return None
    if policy == "charge":
        return _why_no_charge(mine, theirs)
    if not rows_to_shoot_with(mine, theirs, "lookout"):
        return f"it has no ranged row against {theirs.category} targets"
    if not rows_to_shoot_with(mine, theirs, policy):
        return f"it has no ranged row {_FITTING.get(policy, _BUT_REACTIVE)} against {theirs.category} targets"
    if policy == "all_out" and not mine.has("All-Out Attack"):
        return "it does not have the rule All-Out Attack"
    return None


def rows_to_shoot_with(mine: Combatant, theirs: Combatant, policy: PolicyName) -> list[Row]:
    """The ranged rows of `mine` that a policy can fire at `theirs` (AC-4.1).

    Reactive ones on lookout only, Indirect ones not at short range (AC-6).
    """
    rows = [row for row in mine.rows or () if row.kind == "ranged" and theirs.category in row.against]
    if policy == "lookout":
        return rows
    rows = [row for row in rows if not row.has("Reactive")]
    if policy == "short_range":
        return [row for row in rows if row.short_range is None or not row.has("Indirect")]
    return [row for row in rows if row.has("Overcharge")] if policy == "overcharge" else rows


def _why_no_charge(mine: Combatant, theirs: Combatant) -> str | None:
    try:
        charge_row(mine, "")
        check_can_be_charged(theirs, "")
    except InputError as error:
        return error.problem
    return None
