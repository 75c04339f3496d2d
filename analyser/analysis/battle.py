"""Public function for a battle of two armies, round by round (`docs/battle.md`)."""

from __future__ import annotations

from typing import Any

from analyser.common.errors import check_flag, check_keywords
from analyser.common.method_settings import Progress, Sampling
from analyser.common.validation import checked
from analyser.game.profiles import ProfilesLike, library_of
from analyser.results.battle import BattleResult, solve_battle
from analyser.scenarios.armies import ArmyLike
from analyser.scenarios.battle import BattleTerms, battle_scenario


def battle(
    mine: ArmyLike,
    yours: ArmyLike,
    *,
    swing: bool = True,
    tactics: bool = True,
    trials: int | None = None,
    seed: int = 0,
    precision: float | str | None = None,
    threads: int | None = None,
    replacement: bool = False,
    profiles: ProfilesLike | None = None,
    progress: Progress | bool | None = None,
    **terms: Any,
) -> BattleResult:
    """Return the result of a battle of two whole armies, round by round (`docs/battle.md`).

    Parameters
    ----------
    mine, yours : Army, path, list or mapping
        The armies, as for :func:`analyser.load_army`.
    swing : bool
        For each unit, also simulate a twentieth of the battles (at least 500) without it (:meth:`BattleResult.swing`).
    tactics : bool
        Simulate all pairs of tactics first; sides without a stated tactic then play an equilibrium
        (:meth:`BattleResult.tactics`). If False, each side plays its stated tactic, by default ``balanced``.
    trials : int, optional
        Battles to simulate, 1 to 10**12. Default: 10,000.
    seed, precision, threads, profiles, progress
        As in :func:`analyser.attack`.
    replacement : bool
        Draw each card for tests and dice from a full deck; cards for initiative are drawn without replacement.
    **terms
        The keys of ``[battle]``, such as ``rounds=4`` or ``target_mine="most_points"``.

    Returns
    -------
    BattleResult
        Simulated battles; each probability has its 95% interval.

    Examples
    --------
    >>> from analyser import battle
    >>> rifles, grenadiers = ["3 x crown/rifle-platoon@basic"], ["3 x imperium/scion-grenadier-platoon@basic"]
    >>> result = battle(rifles, grenadiers, trials=1000, rounds=3, swing=False, tactics=False)
    >>> len(result.survivors()), result.probability("victory") < result.probability("defeat")
    (6, False)
    """
    sampling = Sampling("monte-carlo", trials, seed, precision, threads, replacement, progress)
    check_flag(swing, "swing")
    check_flag(tactics, "tactics")
    check_keywords(terms, BattleTerms.model_fields, battle, "battle")
    library = library_of(profiles)
    scenario = battle_scenario(mine, yours, checked(BattleTerms, terms, where="battle"), library.ruleset, library)
    return solve_battle(scenario, sampling, swing=swing, tactics=tactics)
