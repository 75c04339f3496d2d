"""The comparison: by round and system, whether the unit is steady, shaken, routed or gone."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from analyser.common.sampling import Sampling
from analyser.engine.chain.chain import Chain, Recorded, States
from analyser.engine.chain.paths import counts_along, distributions_along
from analyser.morale.games.compare import (
    armoured_clash,
    duel,
    grande_tactique,
    legion,
    losses,
    mordheim,
    nerve,
    warmaster,
)
from analyser.morale.games.compare.question import Question
from analyser.morale.games.compare.stream import NERVES, Rounds, chain_of, driven_chain_of, fates
from analyser.morale.panels import Fates, Panel
from analyser.morale.solve import weights_of_chains
from analyser.morale.tables import Keys, Table


class _Module(Protocol):
    def equivalents(self, question: Question) -> dict[str, str]: ...
    def rounds(self, question: Question) -> Rounds: ...
    def fate_of_states(self, question: Question, states: States) -> NDArray[np.int64]: ...


class Compared(NamedTuple):
    """A system in the comparison: its module, and what its rules call shaken, routed and gone."""

    module: _Module
    title: str
    shaken: str
    routed: str
    gone: str
    rules: str


CLASH = "armoured-clash"
SYSTEMS = {
    CLASH: Compared(
        armoured_clash, "Armoured Clash", "suppressed", "falling back", "broken, fled, destroyed", "AC-4.5, AC-5"
    ),
    "legion": Compared(
        legion, "Star Wars: Legion", "suppressed", "panicked", "off the table, destroyed", "LG-1 to LG-7"
    ),
    "grande-tactique": Compared(
        grande_tactique, "Grande Tactique", "shaken", "routed", "off the map, destroyed", "GT-2, GT-3, GT-5, GT-6"
    ),
    "warmaster": Compared(warmaster, "Warmaster", "confused", "never", "destroyed", "WM-1, recovery of WM-9"),
    "mordheim": Compared(
        mordheim, "Mordheim", "25% out of action, test passed", "never: it leaves at once", "routed, destroyed", "MD-1"
    ),
}


def chains(question: Question) -> dict[str, Chain]:
    """One chain a system."""
    return {name: chain_of(question, system.module.rounds(question)) for name, system in SYSTEMS.items()}


def weights(question: Question, sampling: Sampling, trials: int | None) -> dict[str, Recorded]:
    """The weights of each system's states; of a duel, Armoured Clash's are its fates there."""
    if question.duel is None:
        return weights_of_chains(chains(question), sampling, trials)
    stream = losses.exact_stream(question) if trials is None else losses.sampled_stream(question, sampling, trials)
    recorded = {CLASH: Recorded(np.arange(len(NERVES)), stream.fates)}
    for part, name in enumerate(name for name in SYSTEMS if name != CLASH):
        driven = driven_chain_of(question, SYSTEMS[name].module.rounds(question))
        if trials is None:
            recorded[name] = distributions_along(driven, stream.paths)
        else:
            recorded[name] = counts_along(driven, stream.paths, sampling.seed, part, sampling.n_threads)
    return recorded


def tables(question: Question, recorded: dict[str, Recorded]) -> dict[str, Table]:
    """`fates`; `equivalents` of the unit's nerve, `correspondence` of each DISCIPLINE's; `words` for the fates."""
    of_systems = [
        fates(recorded[name], system.module.fate_of_states(question, recorded[name].states))
        for name, system in SYSTEMS.items()
    ]
    by_round = np.stack(of_systems, axis=1).reshape(-1, len(NERVES))
    rounds = range(1, question.rounds_played + 1)
    keys: Keys = {"round": [turn for turn in rounds for _ in SYSTEMS], "system": [*SYSTEMS] * len(rounds)}
    stated = [(name, *each) for name, system in SYSTEMS.items() for each in system.module.equivalents(question).items()]
    words = {
        "system": list(SYSTEMS),
        "shaken": [
            system.shaken + ", disordered" * (name == CLASH and question.duel is not None)
            for name, system in SYSTEMS.items()
        ],
        **{word: [getattr(each, word) for each in SYSTEMS.values()] for word in ("routed", "gone")},
        "rules": [_rules(question, name) for name in SYSTEMS],
    }
    return {
        "fates": Table(keys, {f"p_{name}": by_round[:, fate] for fate, name in enumerate(NERVES)}),
        "equivalents": Table(dict(zip(("system", "stands_for_nerve", "value"), map(list, zip(*stated))))),
        "correspondence": Table(_correspondence(question)),
        "words": Table(words),
    }


def _correspondence(question: Question) -> dict[str, list[Any]]:
    """What stands for the nerve of each DISCIPLINE, and the probability to pass of each, to four decimals."""
    sides = grande_tactique.check_sides(question)
    targets, leaderships = nerve.check_targets(sides), nerve.leaderships()
    columns: dict[str, list[Any]] = {}
    for discipline, probability in zip(*nerve.disciplines(question)):
        target = nerve.standing_for(probability, targets, question)
        leadership = nerve.standing_for(probability, leaderships, question)
        row = {
            "discipline": discipline,
            "nerve": _rounded(probability),
            "courage": nerve.courage_for(probability, question),
            "check": f"{target}+ on a die of {sides}",
            "check_passed": _rounded(dict(zip(*targets))[target]),
            "leadership": leadership,
            "leadership_passed": _rounded(dict(zip(*leaderships))[leadership]),
        }
        for column, value in row.items():
            columns.setdefault(column, []).append(value)
    return columns


def _rounded(probability: Fraction) -> float:
    return round(float(probability), 4)


def panels(_: Question) -> Iterator[Panel]:
    """The systems side by side, what stands for the unit's nerve below each."""
    yield Fates("fates", "equivalents", {name: system.title for name, system in SYSTEMS.items()})


def _rules(question: Question, name: str) -> str:
    return "AC-9.2" if name == CLASH and question.duel is not None else SYSTEMS[name].rules


def applied(question: Question) -> Iterator[str]:
    """The rules that the numbers come from."""
    yield from (f"{system.title}: {_rules(question, name)}" for name, system in SYSTEMS.items())
    if question.duel is not None:
        yield from (f"{SYSTEMS[CLASH].title}: {each}" for each in duel.rules_of(question).applied)


def not_modelled(question: Question) -> Iterator[str]:
    """The rules that no number comes from."""
    clash = ["the officer, disorder, modifiers of a situation; each card from a full deck"]
    if question.duel is not None:
        used = duel.rules_of(question)
        clash = [*(f"not used: {each}" for each in used.not_used), *used.not_modelled, *used.assumptions]
    yield from (f"{SYSTEMS[CLASH].title}: {each}" for each in clash)
    yield (
        "Legion: a commander (LG-3); terrain on the way, clambering, withdrawing, Jump, Reposition and Spur, minis in "
        "cohesion, free actions (LG-5)"
    )
    yield (
        "Grande Tactique: charges, pursuit, shelter, friends fled through, being surrounded, Old Guard and veterans, "
        "collapse of the division, withdrawal (GT-2 to GT-5, GT-7 to GT-11)"
    )
    yield (
        "Warmaster: obstacles behind the unit, distance driven back, falling back, retreats, evaders (WM-2 to WM-8); "
        "what confusion costs: no initiative, no orders, -1 Attack modifier, no support (WM-9)"
    )
    yield "Mordheim: the leader's fall, giving up, several warbands (MD-1 to MD-3), single warriors (MD-4 to MD-10)"
    if question.edge_distance is None:
        yield "the unit's own edge: no edge_distance was given, so it is far, and nobody reaches it"


def warnings(question: Question) -> Iterator[str]:
    """What to know about the comparison."""
    if question.duel is None:
        yield "each round: attacks, tests, then the fate is told, when the unit comes to act"
    else:
        yield f"the losses are the models of {question.side} destroyed by damage, those of a round as one attack"
        yield (
            "Armoured Clash is the unit of the duel itself, at the end of each round; once its own rules have removed "
            "it, nobody attacks it, and the other systems go on without losses"
        )
    yield from grande_tactique.warnings(question)
    if question.duel is not None:
        yield from duel.rules_of(question).warnings
