"""Luck of one fight or a whole game: the observed outcome against the exact distribution of all outcomes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from analyser.ask.luck_answer import Luck
from analyser.ask.luck_game import FIGHT, check_is_game_or_question, game_luck
from analyser.ask.memoised_solver import BATTLE, Solver, between, kind_in
from analyser.ask.observed_outcome import fought, got_in
from analyser.ask.readings import DESTROYED
from analyser.common.errors import InputError
from analyser.common.estimates import Method
from analyser.common.sampling import Sampling
from analyser.game.profiles import ProfilesLike, library_of
from analyser.scenarios.load import Question, Unit, check_whole, read_scenario


def luck(
    question: Unit | Question,
    target: Unit | None = None,
    *,
    got: Mapping[str, Any] | None = None,
    destroyed: int | None = None,
    kind: str = "attack",
    method: Method = "exact",
    trials: int | None = None,
    seed: int = 0,
    profiles: ProfilesLike | None = None,
    **conditions: Any,
) -> Luck:
    """Return the probability that a fight, or a whole game, goes as badly as it did, or worse.

    Parameters
    ----------
    question, target, profiles, conditions
        As of :func:`analyser.attack`. Without a `target`: a whole question of any kind, or the file of a game
        (`docs/at-the-table.md`): a list ``[[fight]]``, each a question with ``got``, ``side`` ("mine" or "yours") and
        ``label``.
    got : mapping
        The outcome, by figures and events of the answer, the most important first, such as
        ``{"destroyed": 2, "suppressed": True}``. Outcomes are ordered by these figures in turn. The end of a unit is
        one figure, its models gone: those destroyed, or all if it broke or fled. Events that are not listed count as
        "no".
    destroyed : int, optional
        Models of the enemy that were destroyed; the first entry of `got`.
    kind : "attack", "charge" or "duel"
    method, trials, seed
        As of :func:`analyser.attack`.

    Returns
    -------
    Luck

    Raises
    ------
    InputError
        An impossible outcome, an unknown figure, or an unusable file of a game.

    Examples
    --------
    >>> answer = luck("crown/rifle-platoon@basic", "imperium/krupp@basic", distance=6, destroyed=0)
    >>> print(answer.fights[0].sentence)
    models destroyed: 0. Bad luck: as bad or worse happens in 7.12% of such attacks (exact; percentile 3.56%).
    """
    library, sampling = library_of(profiles), Sampling(method, trials, seed)
    solver = Solver(library, sampling)
    if target is not None:
        raw, where = between(cast("Unit", question), target, kind, conditions), ""
    else:
        check_whole(question, "target", library)
        raw, where = read_scenario(question)  # type: ignore[arg-type]
        if conditions:
            raise InputError("state this in the file, not as an option", where=next(iter(conditions)))
        check_is_game_or_question(raw, where)
    if FIGHT in raw:
        if got or destroyed is not None:
            raise InputError("state the results in the file of the game", where="got" if got else "destroyed")
        fights, sides = game_luck(solver, raw, where)
        return Luck(tuple(fights), tuple(sides), sampling, library.used)
    kind = kind_in(raw)
    if kind not in DESTROYED:
        asked = "a battle" if kind == BATTLE else "morale in other games"
        allowed = "an attack, a charge, focus fire, a duel; of a game its fights, one by one: [[fight]]"
        raise InputError(f"luck is not computed for {asked}", where=where or "question", allowed=allowed)
    report = got_in(got, destroyed)
    try:
        fight, _ = fought(solver.explained(raw), report)
    except InputError as error:
        raise error.inside(where) from None
    return Luck((fight,), (), sampling, library.used)
