"""The comparison: by round and system, whether the unit is steady, shaken, routed or gone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from analyser.common.sampling import Sampling
from analyser.engine.chain.chain import Chain, Recorded
from analyser.engine.chain.exact import distributions_along
from analyser.engine.chain.on_demand import counts_along
from analyser.morale.answers import Answer, Facts, Keys, Table, rules_used, weights_of
from analyser.morale.games.compare import duel, nerve
from analyser.morale.games.compare.question import Question
from analyser.morale.games.compare.systems import SYSTEMS
from analyser.morale.pictures import Fates
from analyser.results.base import RulesUsed

CLASH = "armoured-clash"
completed = duel.completed
NOT_MODELLED = (
    "Legion: a commander (LG-3); terrain on the way, clambering, withdrawing, Jump, Reposition and Spur, minis in "
    "cohesion, free actions (LG-5)",
    "Grande Tactique: charges, pursuit, shelter, friends fled through, being surrounded, Old Guard and veterans, "
    "collapse of the division, withdrawal (GT-2 to GT-5, GT-7 to GT-11)",
    "Warmaster: obstacles behind the unit, distance driven back, falling back, retreats, evaders (WM-2 to WM-8); "
    "what confusion costs: no initiative, no orders, -1 Attack modifier, no support (WM-9)",
    "Mordheim: the leader's fall, giving up, several warbands (MD-1 to MD-3), single warriors (MD-4 to MD-10)",
)


def chains(question: Question) -> dict[str, Chain]:
    """One chain a system."""
    return {name: system(question).chain() for name, system in SYSTEMS.items()}


def weights(question: Question, sampling: Sampling) -> dict[str, Recorded]:
    """The weights of each system's states; of a duel, Armoured Clash's are its fates there."""
    if question.duel is None:
        return weights_of(chains(question), sampling)
    stream = duel.exact_stream(question) if sampling.is_exact else duel.sampled_stream(question, sampling)
    recorded = {CLASH: Recorded(np.arange(len(nerve.FATES)), stream.fates)}
    for part, name in enumerate(name for name in SYSTEMS if name != CLASH):
        driven = SYSTEMS[name](question).driven_chain()
        if sampling.is_exact:
            recorded[name] = distributions_along(*driven, stream.paths)
        else:
            recorded[name] = counts_along(*driven, stream.paths, sampling.seed, part, sampling.n_threads)
    return recorded


def answer(question: Question, recorded: Mapping[str, Recorded]) -> Answer:
    """`fates`; `equivalents` of the unit's nerve, `correspondence` of each DISCIPLINE's; `words` for the fates."""
    systems = {name: system(question) for name, system in SYSTEMS.items()}
    fates = {
        name: recorded[name].states if _is_dueling(question, name) else system.fates(recorded[name].states)
        for name, system in systems.items()
    }
    columns = {
        f"p_{word}": np.stack([recorded[name].weights @ (fates[name] == fate) for name in systems], axis=1)
        for fate, word in enumerate(nerve.FATES)
    }
    stated = [(name, *each) for name, system in systems.items() for each in system.equivalents.items()]
    words = []
    for name, system in systems.items():
        shaken = system.shaken + ", disordered" * _is_dueling(question, name)
        words.append((name, shaken, system.routed, system.gone, _rules(question, name)))
    tables = {
        "fates": Table.crossed({"round": range(1, question.rounds_played + 1)}, {"system": [*SYSTEMS]}, columns),
        "equivalents": Table(_columns(("system", "stands_for_nerve", "value"), stated)),
        "correspondence": Table(_correspondence(question)),
        "words": Table(_columns(("system", "shaken", "routed", "gone", "rules"), words)),
    }
    return Answer(tables, [Fates("fates", "equivalents", {name: system.title for name, system in SYSTEMS.items()})])


def _columns(names: tuple[str, ...], rows: list[tuple[Any, ...]]) -> Keys:
    return dict(zip(names, map(list, zip(*rows))))


def _correspondence(question: Question) -> Keys:
    """What stands for the nerve of each DISCIPLINE, and the probability to pass of each, to four decimals."""
    sides = question.check_sides
    targets, leaderships = nerve.check_targets(sides), nerve.leaderships()
    names = ("discipline", "nerve", "courage", "check", "check_passed", "leadership", "leadership_passed")
    rows = []
    for discipline, probability in zip(*nerve.disciplines(question)):
        target = nerve.standing_for(probability, targets, question)
        leadership = nerve.standing_for(probability, leaderships, question)
        passed = [probability, dict(zip(*targets))[target], dict(zip(*leaderships))[leadership]]
        own, checked, led = (round(float(each), 4) for each in passed)
        courage = nerve.courage_for(probability, question)
        rows.append((discipline, own, courage, f"{target}+ on a die of {sides}", checked, leadership, led))
    return _columns(names, rows)


def _is_dueling(question: Question, name: str) -> bool:
    """Whether a system is Armoured Clash, and the unit fights a duel there."""
    return name == CLASH and question.duel is not None


def _rules(question: Question, name: str) -> str:
    return "AC-9.2" if _is_dueling(question, name) else SYSTEMS[name].rules


def rules(question: Question) -> RulesUsed:
    """The rules that the numbers come from or do not, and what to know about the comparison."""
    clash, used = SYSTEMS[CLASH].title, RulesUsed() if question.duel is None else duel.rules_of(question)
    applied = [f"{system.title}: {_rules(question, name)}" for name, system in SYSTEMS.items()]
    applied += [f"{clash}: {each}" for each in used.applied]
    not_used = [*(f"not used: {each}" for each in used.not_used), *used.not_modelled, *used.assumptions]
    if question.duel is None:
        not_used = ["the officer, disorder, modifiers of a situation; each card from a full deck"]
    stated, sides, dueling = question.grande_tactique.check_target, question.check_sides, question.duel is not None
    is_certain = stated is not None and not 1 < stated <= sides
    passed = f"is {'always' if (stated or 0) <= 1 else 'never'} passed: see check_sides"
    not_modelled: Facts = {f"{clash}: {each}": True for each in not_used} | dict.fromkeys(NOT_MODELLED, True)
    far = "the unit's own edge: no edge_distance was given, so it is far, and nobody reaches it"
    warnings: Facts = {
        "each round: attacks, tests, then the fate is told, when the unit comes to act": not dueling,
        f"the losses are the models of {question.side} destroyed by damage, those of a round as one attack": dueling,
        "Armoured Clash is the unit of the duel itself, at the end of each round; once its own rules have removed it, "
        "nobody attacks it, and the other systems go on without losses": dueling,
        f"grande_tactique.check_target {stated} on a die of {sides} {passed}": is_certain,
        **dict.fromkeys(used.warnings, True),
    }
    return rules_used(dict.fromkeys(applied, True), {**not_modelled, far: question.edge_distance is None}, warnings)
