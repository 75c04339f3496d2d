"""The two questions: what are the odds exactly, and what do a million fights say."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from operator import attrgetter
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyser import account
from analyser.compile import scenario_records
from analyser.dice import Face, Rating
from analyser.engine.exact import exact_attack
from analyser.engine.montecarlo import Table, dealer_for, default_threads, outcomes_of, trials_for
from analyser.engine.pools import memory_sizes, most_hits
from analyser.engine.tasks import CHUNK_TRIALS
from analyser.errors import InputError
from analyser.glossary import parse
from analyser.profiles import Profiles
from analyser.resolve import resolve, resolve_between
from analyser.results.result import Result
from analyser.rows import best_row
from analyser.rules.armoured_clash.conditions import set_fight
from analyser.rules.armoured_clash.facts import FIGHT, FightFacts, Test, plain
from analyser.ruleset import load_ruleset
from analyser.sampling import check_sample
from analyser.scenario import Attack, Scenario, ScenarioFile, Target, empty_sections, parse_scenario, read_scenario
from analyser.units import Loadout

MOST_STEPS = 1e9  # of an exact law: some seconds
DEFAULT_TRIALS = 10_000_000
MOST_TRIALS = 10**12
FIRST_TRIALS = 1 << 20  # for a first look at how wide the intervals are
FINEST_PRECISION = 1e-5

_values_of_fight = attrgetter(*(FIGHT.names or ()))

ScenarioLike = Scenario | str | os.PathLike[str] | Mapping[str, Any]


def load_scenario(source: ScenarioLike, profiles: Profiles | None = None) -> Scenario:
    """A scenario from a TOML file or a mapping of the same form (`docs/scenario.md`), checked and resolved.

    Parameters
    ----------
    source : path or mapping
        A scenario that is resolved already comes back as it is.
    profiles : Profiles, optional
        Where selectors are looked up; left out: the shipped profiles.

    Raises
    ------
    InputError
        Anything that cannot be computed: the message names the file, the key, the value and what is allowed.

    Examples
    --------
    >>> scenario = load_scenario({"attack": {"dice": 12}, "target": {"models": 6, "defence": 2, "damage_limit": 1}})
    >>> scenario.target.formation
    'close'
    """
    if isinstance(source, Scenario):
        return source
    raw, where = read_scenario(source)
    library = profiles or Profiles()  # read once
    file = parse_scenario(raw, load_ruleset(library.folder), where=where)
    try:
        scenario = replace(_finished(resolve(file, library, best_row), file), profiles=library.used)
    except InputError as error:
        raise error.inside(where) from None
    return replace(scenario, warnings=(*scenario.warnings, *empty_sections(raw)))


def scenario_between(file: ScenarioFile, attacker: Loadout | None, defender: Loadout | None) -> Scenario:
    """The scenario that a checked `file` describes, between two loadouts that need not be in any profile file.

    Raises
    ------
    InputError
        As :func:`load_scenario`.
    """
    return _finished(resolve_between(file, attacker, defender, best_row), file)


def _finished(scenario: Scenario, file: ScenarioFile) -> Scenario:
    return _with_doubts(_with_rating(scenario, file.attack))


def _with_rating(scenario: Scenario, stated: Attack) -> Scenario:
    """The scenario with its combat rating filled in (AC-3.1); a stated one stands, and a contradiction is told."""
    attack = scenario.attack
    counted = Rating(fight_of(replace(scenario, attack=attack.model_copy(update={"rating": None}))).rating)
    if stated.rating is None:
        return replace(scenario, attack=attack.model_copy(update={"rating": counted.name.lower()}))
    if (stated.bonuses or stated.penalties) and stated.rating != counted.name.lower():
        doubt = (
            f"attack.rating says {stated.rating}, and that was used; the bonuses and penalties make it "
            f"{counted.name.lower()}"
        )
        return replace(scenario, warnings=(*scenario.warnings, doubt))
    return scenario


def _with_doubts(scenario: Scenario) -> Scenario:
    """The scenario, and a warning for what it says to no effect."""
    target, extra = scenario.target, scenario.attack.extra_reroll
    fight, doubts = fight_of(scenario), list(scenario.warnings)
    if extra and not fight.extra_dice:
        doubts.append(
            f"attack.extra_reroll has no effect: {scenario.attack.rating}, and nothing more to re-roll (AC-3.5)"
        )
    in_the_open = replace(scenario, target=target.model_copy(update={"taking_cover": False}))
    if target.taking_cover and fight.defence == fight_of(in_the_open).defence:
        doubts.append("target.taking_cover has no effect: the concealed penalty is not in effect (AC-4.3)")
    return replace(scenario, warnings=(*doubts, *_without_effect(scenario)))


def _without_effect(scenario: Scenario) -> Iterator[str]:
    """A warning for each condition that this attack would be the same without, its rating counted."""
    scenario = replace(scenario, attack=scenario.attack.model_copy(update={"rating": None}))
    facts = _facts_that_count(scenario)
    for section, record in (("attack", scenario.attack), ("target", scenario.target)):
        for key, usual in _conditions_of(section, inline=scenario.attacker is None).items():
            if getattr(record, key) in (usual, None) or _told_elsewhere(scenario, key):
                continue
            quality = _LETS_NOT_FIRE.get(key)
            if quality and scenario.attacker is not None:
                rows = scenario.attacker.unit.rows
                if not any(parse(each).name == quality for every in rows for each in every.qualities):
                    yield f"{section}.{key} has no effect: no row of the attacker is {quality} (AC-6)"
                continue
            without: Any = {section: record.model_copy(update={key: usual})}
            if _facts_that_count(replace(scenario, **without)) == facts:
                yield f"{section}.{key} has no effect on this attack"


_LETS_NOT_FIRE = {"attacker_advanced": "Move or Fire", "attacker_reloading": "Slow to Fire"}  # AC-6
_CONDITIONS: dict[str, tuple[str, ...]] = {  # of those that no profile fills in
    "attack": ("concealed", "line_of_sight", "opportunity_fire", "attacker_damage", "attacker_reloading",
               "attacker_advanced"),
    "target": ("suppressed", "disordered", "activated", "exposed", "near_commander", "garrisoned", "from_front",
               "obstacle", "models_without_room", "fail_on_purpose", "peer_review", "chain_of_command"),
}  # fmt: skip
_OF_AN_INLINE_ATTACK = {
    "distance": None, "attacker_models": None, "attacker_damage_limit": 1, "attacker_garrisoned": False,
    "dice_in_parentheses": None,
}  # fmt: skip


def _conditions_of(section: str, *, inline: bool) -> dict[str, Any]:
    """The conditions in a section of a scenario, and what each is where nothing is said of it."""
    fields = (Attack if section == "attack" else Target).model_fields
    usual = {key: fields[key].default for key in _CONDITIONS[section]}
    return usual | (_OF_AN_INLINE_ATTACK if inline and section == "attack" else {})


def _told_elsewhere(scenario: Scenario, key: str) -> bool:
    """Whether a condition is a penalty as well, picks the band of a behemoth's row, or has a warning of its own."""
    behemoth = scenario.attacker is not None and "behemoth" in scenario.attacker.unit.traits
    return (
        key in scenario.attack.penalties
        or (key == "attacker_damage" and behemoth)
        or (key == "near_commander" and scenario.target.disordered)
    )


def _facts_that_count(scenario: Scenario) -> tuple[Any, ...]:
    """All that the odds of an attack depend on."""
    facts: Any = plain(fight_of(scenario))
    if not facts.overcharge:
        facts.attacker_models = facts.attacker_damage = facts.attacker_damage_limit = 0
    if not facts.cryo:
        facts.activated = 0
    if facts.test in (Test.NOT_TAKEN, Test.PASSED):
        facts.models_without_room = 0
    return (*_values_of_fight(facts), rolls_for_building(scenario))


def fight_of(scenario: Scenario) -> FightFacts:
    """The fight record of a scenario, all conditions applied.

    By the rules as plain Python: compiling them for one call would take longer than all such calls.
    """
    attack, target = scenario_records(scenario)
    fight: Any = SimpleNamespace()
    set_fight(plain(attack), plain(target), fight)
    record: FightFacts = np.array([_values_of_fight(fight)], FIGHT)[0]
    return record


def exact(scenario: ScenarioLike, profiles: Profiles | None = None) -> Result:
    """The exact odds of an attack: the whole joint law of its outcome.

    Parameters
    ----------
    scenario : Scenario, path or mapping
    profiles : Profiles, optional

    Returns
    -------
    Result
        Its probabilities are exact, up to the rounding of floating-point sums (below 1e-12).

    Raises
    ------
    InputError
        As :func:`load_scenario`.

    Examples
    --------
    >>> result = exact({"attack": {"dice": 1}, "target": {"models": 6, "defence": 1, "damage_limit": 1}})
    >>> round(result.summary["mean_hits"], 4)
    0.9074
    """
    ready = load_scenario(scenario, profiles)
    fight = fight_of(ready)
    die, deck = _draws(ready)
    _check_size(fight, len(deck))
    faces, cards = die / die.sum(), deck / deck.sum()
    law, outcomes, chances = exact_attack(fight, faces, cards, np.cumsum(cards))
    wrecked = float(faces[Face.HEROIC] + faces[Face.STRIKE])
    return Result(
        method="exact",
        outcomes=outcomes,
        weights=chances,
        hits_weights=law.sum(axis=1),
        building_wrecked_weight=wrecked if rolls_for_building(ready) else None,
        **_account(ready, fight),
    )


def _check_size(fight: FightFacts, card_values: int) -> None:
    """Refuse a pool whose exact law would take minutes or gigabytes; only these three make pools that large."""
    if not (fight.veteran or fight.extra_dice or fight.overcharge):
        return
    dice = int(fight.dice) + (card_values - 1 if fight.overcharge else 0)
    steps = float(np.prod(memory_sizes(fight, dice), dtype=np.float64)) * most_hits(fight, dice) * dice
    if steps > MOST_STEPS:
        allowed = "fewer dice, Veterans or extra re-rolls, or the method monte-carlo"
        raise InputError(f"the exact law of this pool takes {steps:.1g} steps", where="attack.dice", allowed=allowed)


def simulate(
    scenario: ScenarioLike,
    trials: int | None = None,
    *,
    seed: int = 0,
    precision: float | None = None,
    threads: int | None = None,
    profiles: Profiles | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Result:
    """The odds of an attack by rolling every die and turning every card.

    Parameters
    ----------
    scenario : Scenario, path or mapping
    trials : int, optional
        Fights to play, 1 to 10**12; left out: ten million.
    seed : int
        0 or more. The same seed gives the same bits, on any number of threads.
    precision : float, optional
        Instead of `trials`: play on until the 95% interval of every probability of the result, from its lower to
        its upper end, is at most this wide (1e-5 or more).
    threads : int, optional
        Left out: one for each processor.
    profiles : Profiles, optional
    progress : callable, optional
        Told the fights played so far and the number aimed at, now and then.

    Returns
    -------
    Result
        Each probability has a Wilson score interval at 95%.

    Raises
    ------
    InputError
        As :func:`load_scenario`, and for a wrong number of trials, seed, precision or threads.

    Examples
    --------
    >>> fight = {"attack": {"dice": 12, "rating": "improved"}, "target": {"models": 6, "defence": 2, "damage_limit": 1}}
    >>> simulate(fight, trials=100_000, seed=7).trials
    100000
    """
    check_sample(trials, seed, precision, threads, most_trials=MOST_TRIALS, finest=FINEST_PRECISION)
    ready = load_scenario(scenario, profiles)
    table = _table(ready, seed, threads, progress)

    def result() -> Result:
        return _sampled(ready, table, table.counts, table.trials, seed)

    if precision is None:
        table.play_to(DEFAULT_TRIALS if trials is None else trials)
        return result()
    table.play_to(FIRST_TRIALS)
    while (width := (found := result()).widest_interval()) > precision:
        table.play_to(trials_for(table.trials, width, precision))
    return found


def simulate_in_batches(
    scenario: Scenario, batches: int, chunks: int, *, seed: int = 0, threads: int | None = None
) -> tuple[Result, tuple[Result, ...]]:
    """A sample, and the equal parts that it was played in.

    Batch b of two scenarios with one seed is played from the same random words (common random numbers), so that
    what they differ by in a batch varies less than each of them does.

    Parameters
    ----------
    scenario : Scenario
    batches : int
        How many parts, 1 or more.
    chunks : int
        Whole chunks of ``CHUNK_TRIALS`` trials in each part, 1 or more.
    seed, threads
        As of :func:`simulate`.

    Returns
    -------
    whole : Result
        As of :func:`simulate` with as many trials, bit for bit.
    parts : tuple of Result
        By the number of the batch; their seed is that of the whole.
    """
    trials = chunks * CHUNK_TRIALS
    check_sample(batches * trials, seed, None, threads, most_trials=MOST_TRIALS, finest=FINEST_PRECISION)
    table = _table(scenario, seed, threads, None)
    parts, before = [], table.counts.copy()
    for batch in range(1, batches + 1):
        table.play_to(batch * trials)
        parts.append(_sampled(scenario, table, table.counts - before, trials, seed))
        before = table.counts.copy()
    return _sampled(scenario, table, table.counts, table.trials, seed), tuple(parts)


def _table(scenario: Scenario, seed: int, threads: int | None, progress: Callable[[int, int], None] | None) -> Table:
    """An empty sample of a scenario."""
    die, deck = _draws(scenario)
    dealer = dealer_for(fight_of(scenario), die, deck, seed, for_building=rolls_for_building(scenario))
    return Table(dealer, threads or default_threads(), progress)


def _sampled(scenario: Scenario, table: Table, counts: NDArray[np.int64], trials: int, seed: int) -> Result:
    """The result of a sample, or of the part of it in which `trials` trials gave `counts`."""
    fight = table.dealer.fight
    outcomes, weights = outcomes_of(fight, counts)
    return Result(
        method="monte-carlo",
        outcomes=outcomes,
        weights=weights,
        hits_weights=counts.sum(axis=(1, 2, 3, 4)),
        building_wrecked_weight=int(counts[..., 0].sum()) if rolls_for_building(scenario) else None,
        trials=int(trials),
        seed=int(seed),
        **_account(scenario, fight),
    )


def rolls_for_building(scenario: Scenario) -> bool:
    """Whether a die is rolled for the building after the attack (Siegebreaker, AC-6)."""
    return scenario.target.garrisoned and "Siegebreaker" in (scenario.attack.qualities or ())


def _draws(scenario: Scenario) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return np.array(scenario.ruleset.die.faces, np.int64), scenario.ruleset.deck.counts()


def _account(scenario: Scenario, fight: FightFacts) -> dict[str, Any]:
    """What a result says about its scenario, whatever the method."""
    fight = plain(fight)
    return {
        "scenario": scenario,
        "conditions": account.conditions(scenario, fight),
        "applied": account.applied(scenario, fight),
        "not_used": account.not_used(scenario),
        "not_modelled": account.not_modelled(scenario),
        "warnings": scenario.warnings,
    }
