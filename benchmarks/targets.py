"""What is to be reached, and whether it was."""

from benchmarks import asking, best_play
from benchmarks import longer_fights as fights
from benchmarks.exact import EXACT
from benchmarks.fights import PLAIN_DICE
from benchmarks.montecarlo import NUMPY, PURE_PYTHON, TWO
from benchmarks.stores import AT_16, AT_64, ATTACKS_WRITTEN, DUELS_WRITTEN, MEMORY, RESUME, TWO_OVER_ONE
from benchmarks.verdict import DIFF, PRICES, SHELL, WHAT_IF

LARGE = 10**7  # trials from which on the public call must be as fast as the bare kernel
ENOUGH_FOR_TWO = 2 * 10**6  # trials from which on two threads must pay in full
MOST_VARIANT_COST = 2.0
WANTED_OF = {"Haswell (AVX2)": 300, "Skylake (AVX-512)": 600}  # million attacks a second, by the width of vectors


def at_least(name, wanted, measured, unit):
    return {
        "name": name,
        "wanted": wanted,
        "at": "least",
        "measured": measured,
        "unit": unit,
        "met": measured >= wanted,
    }


def at_most(name, wanted, measured, unit):
    return {"name": name, "wanted": wanted, "at": "most", "measured": measured, "unit": unit, "met": measured <= wanted}


def targets(results):
    """Every target whose numbers are among the results."""
    parts = (
        ("designs", of_designs),
        ("ladder", of_ladder),
        ("variants", of_variants),
        ("exact", of_exact),
        ("sweeps", of_sweeps),
        ("first_answers", of_first_answers),
        ("memory", of_memory),
        ("processors", of_processors),
        ("morale", of_morale),
        ("longer_fights", of_longer_fights),
        ("battles", of_battles),
        ("best_play", of_best_play),
        ("verdict", of_verdict),
        ("stores", of_stores),
        ("asking", of_asking),
    )
    return [target for part, judge in parts if results.get(part) for target in judge(results[part])]


def of_designs(found):
    faster = found["times_as_fast"]
    yield at_least("simulate, 1 thread, over NumPy vectorised", 80, faster[NUMPY]["median"], "x")
    yield at_least("simulate, 1 thread, over pure Python", 1500, faster[PURE_PYTHON]["median"], "x")
    yield at_least("2 threads over 1", 1.9, found["two_threads_over_one"]["median"], "x")


def of_ladder(found):
    shares = [each["public_over_bare"]["median"] for each in found if each["trials"] >= LARGE]
    yield at_least("simulate over the bare kernel, worst from 10 million trials", 0.85, min(shares), "x")
    two = {(each["dice"], each["trials"]): each["two_threads_over_one"]["median"] for each in found}
    yield at_least("2 threads over 1, worst", 0.95, min(two.values()), "x")
    large = [times for (dice, trials), times in two.items() if dice == PLAIN_DICE and trials >= ENOUGH_FOR_TWO]
    yield at_least("2 threads over 1, 10 dice, worst from 2 million trials", 1.9, min(large), "x")


def of_variants(found):
    worst = max(found, key=lambda each: each["cost_over_plain"]["median"])
    cost = worst["cost_over_plain"]["median"]
    yield at_most(f"dearest variant over plain ({worst['name']})", MOST_VARIANT_COST, cost, "x")


def of_exact(found):
    ten = next(each["seconds_a_call"][EXACT] for each in found if each["dice"] == PLAIN_DICE)
    yield at_most("exact from Python, 10 dice", 100, ten["median_s"] * 1e6, "microseconds")


def of_sweeps(found):
    side = found["side"]
    yield at_most("exact inside a sweep, an attack", 2, found["seconds_an_attack"] * 1e6, "microseconds")
    seconds = found["seconds_a_matrix"]["1 thread"]["median_s"]
    yield at_most(f"sweep of {side} x {side}, 1 thread", 0.1, seconds, "s")


def of_longer_fights(found):
    for each in found["duels"]:
        faster = each["times_as_fast"]
        yield at_least(f"duels, {each['name']}, 1 thread over NumPy", 40, faster[NUMPY]["median"], "x")
        yield at_least(f"duels, {each['name']}, 1 thread over pure Python", 500, faster[PURE_PYTHON]["median"], "x")
    for name, most in ((fights.DUEL, 50), (fights.TOSSED, 50), (fights.CHARGE, 1)):
        yield at_most(name, most, found["exact"][name]["median_s"] * 1e3, "ms")


def of_battles(found):
    battles = 1e-3 / found["seconds_a_battle"][TWO]["median_s"]
    yield at_least("battles of 12 against 12, 2 threads", 100, battles, "thousand a second")
    for name, faster in found["times_as_fast"].items():
        yield at_least(f"battles, 1 thread over {name}", 50, faster["median"], "x")
    yield at_most("the first 10,000 battles, cold, from the shell", 5, found["first_s"], "s")
    if "answers" in found:  # which older results lack
        slower = found["look_ahead_over_policies"]["median"]
        yield at_most("a battle with look-ahead over one by policies", 3, slower, "x")
        yield at_most("the answer of the sample lists with its matrix of tactics", 5, found["answers"]["warm_s"], "s")
        yield at_most("the same, cold, from the shell", 10, found["answers"]["cold_s"], "s")


def of_best_play(found):
    sizes = {(each["rounds"], each["models"], each["distance"]): each["seconds"] for each in found["sizes"]}
    yield at_most("best play of both, six rounds", 50, sizes[best_play.PLAIN]["median_s"] * 1e3, "ms")
    yield at_most("analyser best, kernels compiled", 2, found["process"]["warm_s"], "s")
    yield at_most("analyser best, cold", 2, found["process"]["cold_s"], "s")
    yield at_most("best play of all pairs of two factions", 60, found["pairs"]["wall_s"], "s")


def of_verdict(found):
    for name, most in ((PRICES, 1), (WHAT_IF, 2), (SHELL, 2), (DIFF, 5)):
        if name in found["seconds"]:  # what was measured before has not all of them
            yield at_most(name, most, found["seconds"][name], "s")


def of_stores(found):
    yield at_least(ATTACKS_WRITTEN, 2, found["attack_cells_a_second"] / 1e6, "M/s")
    yield at_least(DUELS_WRITTEN, 1500, found["duels_a_second"], "/s")
    yield at_least(TWO_OVER_ONE, 1.9, found["two_over_one"], "x")
    yield at_least(AT_64, 0.9, found["at_64"], "x")
    yield at_least(AT_16, 0.9, found["at_16"], "x")
    yield at_most(MEMORY, 500, found["memory"], "MB")
    yield at_most(RESUME, 2, found["resumed"], "s")


def of_asking(found):
    for name, many, most in ((asking.ATTACKS, 10_000, 10), (asking.DUELS, 500, 60)):
        assert found[name]["variants"] >= many
        yield at_most(name.replace("so many", f"{many:,}"), most, found[name]["wall_s"], "s")


def of_morale(found):
    for each in found:
        milliseconds = each["seconds_exact"]["median_s"] * 1e3
        yield at_most(f"{each['name']}, exact", 20, milliseconds, "ms")
        if "times_as_fast" in each:
            yield at_least(f"{each['name']}, 1 thread over NumPy", 50, each["times_as_fast"]["median"], "x")


def of_first_answers(found):
    def slowest(method, key):
        return max(each[method][key] for each in found["questions"].values())

    yield at_most("any exact question, cold, from the shell", 1.0, slowest("exact", "wall_s"), "s")
    yield at_most("any exact question, cold, after the import", 0.5, slowest("exact", "after_import_s"), "s")
    yield at_most("any simulated question, cold, from the shell", 5, slowest("sampled", "wall_s"), "s")
    yield at_most("matchups of two factions, cold", 4, found["matchups"]["wall_s"], "s")
    yield at_most("analyser warm-up, cold", 60, found["warm_up"]["wall_s"], "s")
    yield at_most("make report, cold, all installed", 30, found["report"]["wall_s"], "s")
    yield at_most("analyser attack, warm", 0.35, found["warm_attack"]["wall_s"], "s")
    yield at_most("import analyser", 50, found["import"]["wall_s"] * 1e3, "ms")
    yield at_most("analyser --help", 0.15, found["help"]["wall_s"], "s")
    yield at_most("simulate, 10^4 trials of a loaded scenario", 50, found["overhead_s"] * 1e6, "microseconds")


def of_memory(found):
    largest = max(found, key=lambda each: each["trials"])
    yield at_most(f"peak memory of {largest['trials']:.0e} trials", 300, largest["bytes"] / 1e6, "MB")


def of_processors(found):
    same = sum(each["same_bits"] for each in found.values())
    for name, wanted in ((name, wanted) for name, wanted in WANTED_OF.items() if name in found):
        rate = 1e-6 / found[name]["seconds_an_attack"]
        yield at_least(f"simulate, 1 thread, {name}", wanted, rate, "million attacks/s")
    yield at_least("processors that give the same bits", len(found), same, "")
