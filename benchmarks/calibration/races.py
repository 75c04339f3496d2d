"""Races whose best is known: how often it is lost, of planted chances and means and of attacks that are also exact."""

from functools import partial

import numpy as np
from scipy import stats

from analyser.ask.best_variant import search
from analyser.ask.race import TrialSums, race

RACES = 1000
VARIANTS = 12
MOST_TRIALS = 128_000
AHEAD = 0.005  # of the planted best to the next
MODELS = 6  # of which a planted mean is
ATTACKS = {
    "baseline": {
        "attack": {"attacker": "crown/rifle-platoon@basic", "distance": 6},
        "target": {"unit": "imperium/scion-grenadier-platoon@basic"},
    },
    "ranges": {"dice": "10..12", "models": "5..6", "DEFENCE": "2..3"},
}
METRIC = "p_annihilated"


def _summary(what, found):
    """`found`: of each race whether the best is still in it, whether it alone, and whether every interval holds."""
    kept, decided, held = np.array(found).mean(axis=0).tolist()
    return {"what": what, "races": len(found), "lost": 1 - kept, "decided": decided, "held": held}


def _ended(raced, truths, best):
    held = (raced.lows <= truths) & (truths <= raced.highs)
    return best in raced.remaining, raced.remaining == [best], bool(held.all())


def _events(rng, truths, variant, trials, _):
    seen = int(rng.binomial(trials, truths[variant]))
    return TrialSums(trials, seen, seen)


def _numbers(rng, truths, variant, trials, _):
    values = np.arange(MODELS + 1)
    drawn = rng.multinomial(trials, stats.binom.pmf(values, MODELS, truths[variant] / MODELS))
    return TrialSums(trials, float(drawn @ values), float(drawn @ values**2))


def planted(play, is_probability, races=RACES):
    """Races of twelve planted truths, the best ahead by little; each variant has random numbers of its own."""
    found = []
    for number in range(races):
        rng = np.random.default_rng((11, number))
        truths, best = rng.uniform(0.2, 0.5, VARIANTS), int(rng.integers(VARIANTS))
        truths[best] = truths.max() + AHEAD
        who = partial(play, rng, truths)
        raced = race(who, VARIANTS, is_probability=is_probability, most_trials=MOST_TRIALS)
        found.append(_ended(raced, truths, best))
    return found


def of_attacks(races=RACES):
    """Searches among thirteen attacks, with the same dice for all, by another seed each time."""
    exact = search(ATTACKS, metric=METRIC).frame.set_index("variant")["value"]
    found = []
    for seed in range(races):
        frame = search(ATTACKS, metric=METRIC, method="race", seed=seed, trials=MOST_TRIALS, threads=1).frame
        played = frame[frame["trials"] > 0].set_index("variant")
        truths, best = exact[played.index], exact[played.index].idxmax()
        left = played.index[played["status"].isin(("best", "tied"))]
        held = (played["low"] <= truths) & (truths <= played["high"])
        found.append((best in left, [*left] == [best], bool(held.all())))
    return found


def races(number=RACES):
    """What came of all of them."""
    return [
        _summary("planted chances", planted(_events, is_probability=True, races=number)),
        _summary("planted means", planted(_numbers, is_probability=False, races=number)),
        _summary("attacks", of_attacks(number)),
    ]
