"""Was I unlucky? What has happened against the exact law of what could have: one fight, or a whole game."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analyser.ask.asking import BATTLE, Asker, between, kind_in
from analyser.ask.keys import unit_at
from analyser.ask.luck_answer import Chance, Fought, Luck, SideLuck, word_of
from analyser.common.errors import InputError, check_choice, check_text, did_you_mean, shown
from analyser.common.estimates import Method
from analyser.common.intervals import NORMAL_95, intervals
from analyser.common.sampling import Sampling
from analyser.game.profiles import ProfilesLike, library_of
from analyser.scenarios.load import Question, Unit, read_scenario

SIDES = ("mine", "yours")
_DESTROYED: Mapping[str, str] = {
    "attack": "models_destroyed",
    "focus": "models_destroyed",
    "charge": "target_models_destroyed",
    "duel": "b_models_destroyed",
}
_LESS_IS_BETTER = ("models_left", "passengers_left", "alive", "in_building", "on_lookout", "taking_cover")
_OWN, _THEIRS = ("attacker_", "a_"), ("target_", "b_")
_GOOD_FOR_ONE = ("victory_points", "wins", "devastating", "overruns")  # of a side, good for that side
_NEITHER, _ALONE = ("draw", "no_combat"), ("hits", "building_wrecked")
_FATES = ("annihilated", "broken", "fled")
_FIGHT_KEYS = ("side", "got", "label")
_REDRAWN = 400  # samples of sampled laws, for the interval of their sum
_FINEST = 5_000  # parts of a point in which a sum of points is kept
Law = NDArray[np.float64]


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
    """How likely it was that a fight, or a whole game, went as badly as it did, or worse.

    Parameters
    ----------
    question, target, profiles, conditions
        As of :func:`analyser.attack`; without a `target` a whole question of any kind, or the file of a game: a list
        ``[[fight]]``, each a question with ``got``, ``side`` ("mine" or "yours") and ``label`` (`docs/ask.md`).
    got : mapping
        What happened, by figures and events of the answer, the most important first, such as
        ``{"models_destroyed": 2, "suppressed": True}``. Outcomes are ordered by them in turn.
    destroyed : int, optional
        Models destroyed, for short.
    kind : "attack", "charge" or "duel"
    method, trials, seed
        As of :func:`analyser.attack`.

    Returns
    -------
    Luck

    Raises
    ------
    InputError
        An outcome that cannot happen, an unknown figure, or a game that is not one.

    Examples
    --------
    >>> found = luck("crown/rifle-platoon@basic", "imperium/krupp@basic", distance=6, destroyed=0)
    >>> print(found.fights[0].sentence)
    models destroyed: 0. Bad luck: as bad or worse happens in 7.12% of such attacks (exact; mid-p 3.56%).
    """
    library, sampling = library_of(profiles), Sampling(method, trials, seed)
    asker = Asker(library, sampling)
    if target is not None:
        raw = between(cast("Unit", question), target, kind, conditions)
        fights = [_fought(asker, raw, _got(got, destroyed, kind), "", "mine")]
        return Luck(tuple(fights), (), sampling, library.used)
    raw, where = read_scenario(question)  # type: ignore[arg-type]
    if conditions:
        raise InputError("this stands in the file", where=next(iter(conditions)))
    if "fight" not in raw:
        kind = kind_in(raw)
        if kind not in _DESTROYED:
            asked = "a battle" if kind == BATTLE else "morale in other games"
            allowed = "an attack, a charge, focus fire, a duel; of a game its fights, one by one: [[fight]]"
            raise InputError(f"the luck of {asked} is not worked out", where="question", allowed=allowed)
        fights = [_fought(asker, raw, _got(got, destroyed, kind), "", "mine")]
        return Luck(tuple(fights), (), sampling, library.used)
    if got or destroyed is not None:
        raise InputError("what happened stands in the file of a game", where="got" if got else "destroyed")
    fights, totals = _game(asker, raw, where)
    sides = [_summed(side, [(each, law) for each, law in zip(fights, totals) if each.side == side]) for side in SIDES]
    return Luck(tuple(fights), tuple(each for each in sides if each is not None), sampling, library.used)


def _got(got: Any, destroyed: Any, kind: str) -> dict[str, Any]:
    """What happened by figures and events; ``destroyed`` is short for the models that the attacker has destroyed."""
    if got is not None and not isinstance(got, Mapping):
        raise InputError(f"{shown(got)} is not usable", where="got", allowed="figures and events with what they were")
    found = dict(got or {})
    for name in found:
        check_text(name, "got", "the name of a figure or an event")
    if destroyed is not None:
        found = {"destroyed": destroyed, **found}
    if "destroyed" in found and not isinstance(found["destroyed"], bool):
        name = _DESTROYED.get(kind, "models_destroyed")
        found = {name if key == "destroyed" else key: value for key, value in found.items()}
    if not found:
        raise InputError("what happened is not said", where="got", allowed="such as destroyed=2")
    return found


def _fought(asker: Asker, raw: dict[str, Any], got: Mapping[str, Any], label: str, side: str) -> Fought:
    """A fight and how likely its outcome was."""
    result = asker.explained(raw)
    columns, weights = _columns(result, list(got))
    wanted = [_checked(name, got[name], columns[name]) for name in got]
    goodness = np.array([_sign(name) * np.asarray(columns[name], np.float64) for name in got])
    mine = np.array([_sign(name) * float(value) for name, value in zip(got, wanted)])
    chance = _chance(goodness, mine, weights, result.trials)
    if chance.equal <= 0:
        asked = ", ".join(f"{name} {word_of(got[name])}" for name in got)
        allowed = "what can happen in it" if result.exact else "what was seen in this sample, or the method exact"
        raise InputError(f"no such outcome: {asked}", where=f"{label}: got" if label else "got", allowed=allowed)
    rows, place = np.unique(goodness, axis=1, return_inverse=True)
    law = pd.DataFrame({name: _sign(name) * row for name, row in zip(got, rows)})
    law["probability"] = np.bincount(place.reshape(-1), weights)
    for name in got:
        kind_of_column = np.asarray(columns[name]).dtype
        law[name] = law[name].astype(bool if kind_of_column == np.bool_ else np.int64)
    heading = result.heading()[0][1] if result.kind == "attack" else f"{result.kind}: {result.heading()[0][1]}"
    happened = dict(zip(got, wanted))
    return Fought(label or heading, side, result.kind, happened, chance, law, result.trials, result.rules)


def _columns(result: Any, names: Sequence[str]) -> tuple[dict[str, Any], Law]:
    """Columns of the joint law of an answer, at its end, and the probabilities; one alone can be any that it has."""
    known = [*result.figures, *result.events]
    for name in names:
        if name not in known:
            problem = f"no figure {shown(name)}{did_you_mean(name, known)}"
            raise InputError(problem, where="got", allowed=", ".join(known))
        if name in _NEITHER:
            problem, allowed = f"{name} is neither good nor bad", "such as attacker_wins=no, or the margin of a duel"
            raise InputError(problem, where="got", allowed=allowed)
        if name in _ALONE and len(names) > 1:
            raise InputError(f"{name} has a law of its own", where="got", allowed=f"{name} and nothing else")
    if len(names) > 1:
        table = dict(result.joint(names))
        return table, np.asarray(table["probability"], np.float64)
    (name,) = names
    if name in result.events:
        p = float(result.probability(name))
        return {name: np.array([False, True])}, np.array([1 - p, p])
    rows = result.distribution(name)
    return {name: np.array([row["value"] for row in rows])}, np.array([row["probability"] for row in rows])


def _checked(name: str, value: Any, column: Any) -> Any:
    """What happened, as a column has it; InputError for what it cannot hold."""
    is_flag = np.asarray(column).dtype == np.bool_
    if isinstance(value, bool) != is_flag or not isinstance(value, int):
        allowed = "true or false" if is_flag else f"{min(column)} to {max(column)}"
        raise InputError(f"{name} {shown(value)} is not usable", where="got", allowed=allowed)
    if not is_flag and not min(column) <= value <= max(column):
        raise InputError(f"{name} cannot be {value}", where="got", allowed=f"{min(column)} to {max(column)}")
    return value


def _chance(goodness: Law, mine: Law, weights: Law, trials: int | None) -> Chance:
    """The chances of what is worse, equal and better, figure by figure in turn; of a sample of so many trials."""
    worse, equal = np.zeros(goodness.shape[1], np.bool_), np.ones(goodness.shape[1], np.bool_)
    for column, value in zip(goodness, mine):
        worse |= equal & (column < value)
        equal &= column == value
    below, same = float(weights[worse].sum()), float(weights[equal].sum())
    chance = Chance(min(below, 1.0), min(same, 1.0), max(1.0 - below - same, 0.0))
    if trials is None:
        return chance
    low, high, _ = intervals(np.round(np.array([chance.as_bad, chance.as_good]) * trials), trials)
    return chance._replace(half_width=float((high - low).max() / 2))


def _sign(name: str) -> int:
    """Whether more of a figure is good for who attacks first, or less."""
    own = name.startswith(_OWN)
    base = next((name.removeprefix(each) for each in (*_OWN, *_THEIRS) if name.startswith(each)), name)
    if base in _GOOD_FOR_ONE:
        return -1 if name.startswith(_THEIRS) else 1
    good = -1 if base in _LESS_IS_BETTER else 1
    return -good if own else good


def _game(asker: Asker, raw: Mapping[str, Any], where: str) -> tuple[list[Fought], list[tuple[Any, ...]]]:
    """The fights of a game, and of each what :func:`_worth` says."""
    listed = raw["fight"]
    if unknown := raw.keys() - {"fight"}:
        raise InputError("unknown key", where=f"{where}: {min(unknown)}", allowed="[[fight]] alone")
    if not isinstance(listed, list) or not listed or not all(isinstance(each, Mapping) for each in listed):
        raise InputError("no fights", where=f"{where}: fight", allowed="[[fight]], one or more")
    fights, totals = [], []
    for number, each in enumerate(listed, start=1):
        try:
            question = {key: value for key, value in each.items() if key not in _FIGHT_KEYS}
            side, label = each.get("side", "mine"), each.get("label", f"fight {number}")
            check_choice(side, "side", SIDES)
            check_text(label, "label", "a text")
            kind = kind_in(question)
            if kind not in ("attack", "charge", "focus"):
                raise InputError(f"a {kind} is no fight of a game", allowed="an attack, a charge, focus fire")
            fought = _fought(asker, question, _got(each.get("got"), None, kind), label, side)
            fights.append(fought)
            totals.append(_worth(asker, question, kind, fought))
        except InputError as error:
            raise error.inside(f"{where}: fight {number}") from None
    return fights, totals


def _worth(asker: Asker, question: dict[str, Any], kind: str, fought: Fought) -> tuple[Any, ...]:
    """What a fight could destroy: points of the target (None: not known), its models, their law, and what it did."""
    result = asker.explained(question)
    name, prefix = _DESTROYED[kind], "target_" if kind == "charge" else ""
    told = [each for each in (f"{prefix}{fate}" for fate in _FATES) if each in fought.got]
    fates = [f"{prefix}{fate}" for fate in _FATES] if told else []
    columns, weights = _columns(result, [name, *fates])
    gone = np.asarray(columns[name], np.int64)
    unit = unit_at(question, kind, second=True)
    level = None if unit is None else asker.library.loadout(unit).level
    models = int(result.scenario.target.models or 0)
    if name not in fought.got:
        raise InputError("how many models were destroyed is not said", where="got", allowed="destroyed = 2, and more")
    mine = int(fought.got[name])
    if told:
        gone = np.where(np.any([columns[each] for each in fates], axis=0), models, gone)
        mine = models if any(fought.got[each] for each in told) else mine
    law = np.bincount(gone, weights, models + 1)
    points = None if level is None or not level.points else (level.points, level.models)
    return points, law, mine


def _sum_of(laws: Sequence[Law], worths: Sequence[int]) -> Law:
    """The law of the sum of numbers, each times what it is worth."""
    total: Law = np.ones(1)
    for law, worth in zip(laws, worths):
        spread = np.zeros((len(law) - 1) * worth + 1)
        spread[::worth] = law
        total = np.convolve(total, spread)
    return total


def _at(law: Law, place: int) -> Chance:
    """The chances of a number below a place, of the place, and beyond."""
    below, same = float(law[:place].sum()), float(law[place])
    return Chance(min(below, 1.0), same, max(1.0 - below - same, 0.0))


def _summed(side: str, fights: Sequence[tuple[Fought, tuple[Any, ...]]]) -> SideLuck | None:
    """What a side has destroyed in all, and the law of that: the sums of what each fight can destroy."""
    if not fights:
        return None
    in_points = all(points is not None for _, (points, _, _) in fights)
    parts = math.lcm(*(points[1] for _, (points, _, _) in fights)) if in_points else 1
    if parts > _FINEST:
        in_points, parts = False, 1
    worths = [points[0] * parts // points[1] if in_points else 1 for _, (points, _, _) in fights]
    laws = [law for _, (_, law, _) in fights]
    place = sum(mine * worth for worth, (_, (_, _, mine)) in zip(worths, fights))
    expected = sum(float(np.arange(len(law)) @ law) * worth for worth, law in zip(worths, laws)) / parts
    total, destroyed = _sum_of(laws, worths), place / parts
    (values,) = np.nonzero(total > 0)
    chance = _at(total, place)
    if (trials := fights[0][0].trials) is not None:
        rng, found = np.random.default_rng(place), []
        for _ in range(_REDRAWN):
            drawn = [rng.multinomial(trials, law / law.sum()) / trials for law in laws]
            again = _at(_sum_of(drawn, worths), place)
            found.append((again.as_bad, again.as_good))
        chance = chance._replace(half_width=float(NORMAL_95 * np.std(found, axis=0).max()))
    frame = pd.DataFrame({"destroyed": values / parts, "probability": total[values]})
    return SideLuck(side, "points" if in_points else "models", destroyed, expected, chance, frame)
