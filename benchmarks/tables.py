"""The results as Markdown tables, which can be read in a terminal too."""

from benchmarks.fights import PLAIN_DICE
from benchmarks.montecarlo import BARE, BASELINES, NUMPY, ONE, PURE_PYTHON, TWO


def table(header, rows):
    """A Markdown table, columns padded; all columns but the first to the right."""
    cells = [list(map(str, header)), *(list(map(str, row)) for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    return "\n".join(line(row, widths) for row in [cells[0], rule, *cells[1:]])


def line(row, widths):
    padded = [row[0].ljust(widths[0]), *(each.rjust(width) for each, width in zip(row[1:], widths[1:]))]
    return f"| {' | '.join(padded)} |"


def millions(summary):
    """Million units of work a second: median, and the range of the middle half of the rounds."""
    return number(1e-6 / summary["median_s"]), f"{rate(summary, 3)} to {rate(summary, 1)}"


def rate(summary, quartile):
    return number(1e-6 / summary[f"quartile_{quartile}_s"])


def number(value):
    """Three figures that count, without an exponent."""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def times(ratio):
    return number(ratio["median"])


def time(seconds):
    """Seconds in a unit that suits them."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{number(seconds / size)} {unit}"
    return f"{number(seconds / 1e-9)} ns"


def power(trials):
    first, zeros = str(trials)[0], len(str(trials)) - 1
    return f"10^{zeros}" if first == "1" else f"{first} * 10^{zeros}"


def of_targets(found):
    rows = [
        (
            each["name"],
            f"at {each['at']} {number(each['wanted'])} {each['unit']}".strip(),
            f"{number(each['measured'])} {each['unit']}".strip(),
            "yes" if each["met"] else "NO",
        )
        for each in found
    ]
    return table(("target", "goal", "measured", "met"), rows)


def of_designs(found):
    rows = []
    for name in [*BASELINES, ONE, TWO, BARE]:
        slower = found["times_as_fast"].get(name)
        rows.append((name, *millions(found["seconds_an_attack"][name]), times(slower) if slower else ""))
    return table(("design", "million attacks/s", "middle half", "speed-up of simulate, 1 thread"), rows)


def of_ladder(found):
    rows = [
        (
            f"{each['dice']} dice, {power(each['trials'])} attacks",
            *(millions(each["seconds_an_attack"][name])[0] for name in (ONE, TWO, BARE)),
            times(each["two_threads_over_one"]),
            times(each["public_over_bare"]),
        )
        for each in found
    ]
    header = ("million attacks/s", "simulate, 1 thread", "2 threads", "bare kernel", "2 over 1", "1 over bare")
    return table(header, rows)


def of_variants(found):
    rows = [
        (
            each["name"],
            number(each["dice_on_average"]),
            *millions(each["seconds_an_attack"]),
            times(each["cost_over_plain"]),
        )
        for each in found
    ]
    header = (f"variant, {PLAIN_DICE} dice", "dice rolled", "million attacks/s", "middle half", "cost over plain")
    return table(header, rows)


def of_exact(found):
    names = list(found[0]["seconds_a_call"])
    rows = [(name, *(time(each["seconds_a_call"][name]["median_s"]) for each in found)) for name in names]
    return table(("one attack", *(f"{each['dice']} dice" for each in found)), rows)


def of_sweeps(results):
    found = results["sweeps"]
    side = found["side"]
    matrix = found["seconds_a_matrix"]
    rows = [
        (f"{side} x {side} attacks, 1 thread", time(matrix["1 thread"]["median_s"])),
        (f"{side} x {side} attacks, 2 threads", time(matrix["2 threads"]["median_s"])),
        ("an attack of these", time(found["seconds_an_attack"])),
        ("an attack when every attacker has one target", time(found["seconds_an_attack_alone"]["median_s"])),
    ]
    if "factions" in results:
        whole = results["factions"]
        rows.append((f"`matchups` of all profiles, {whole['rows']} rows", time(whole["seconds"]["median_s"])))
    return table(("many attacks", "time"), rows)


def of_first_answers(found):
    rows = [
        (name, *(time(each[how][key]) for how in ("exact", "sampled") for key in ("wall_s", "cpu_s", "after_import_s")))
        for name, each in found["questions"].items()
    ]
    header = ("no compiled kernel", "exact", "processor", "after import", "sampled", "processor", "after import")
    others = {
        '`matchups("crown/*", "imperium/*")`, no compiled kernel': "matchups",
        "`make report` less the installer, no compiled kernel": "report",
        "`analyser warm-up`, no compiled kernel": "warm_up",
        "`analyser attack`, compiled before": "warm_attack",
        "`analyser --help`": "help",
        "`import analyser`": "import",
    }
    lines = [(name, time(found[key]["wall_s"]), time(found[key]["cpu_s"])) for name, key in others.items()]
    return f"{table(header, rows)}\n\n{table(('whole process', 'time', 'processor'), lines)}"


def of_memory(found):
    rows = [(power(each["trials"]), f"{number(each['bytes'] / 1e6)} MB") for each in found]
    return table(("attacks in one call", "peak memory"), rows)


def of_processors(found):
    rows = [
        (
            name,
            *(number(1e-6 / each[key]) for key in ("seconds_an_attack", "limit_s")),
            f"{each['limit_s'] / each['seconds_an_attack']:.0%}",
            "yes" if each["same_bits"] else "NO",
        )
        for name, each in found.items()
    ]
    header = ("compiled for", "million attacks/s", "random words alone", "share", "same bits")
    return table(header, rows)


def of_statistics(found):
    rows = [(each["test"], f"{each['counted']:.3g}", f"{each['p_value']:.3f}") for each in found]
    return table(("test", "counted", "p-value"), rows)


def of_morale(found):
    rows = [(each["name"], time(each["seconds_exact"]["median_s"]), *rolled(each)) for each in found]
    header = ("question", "exact", "a trial, 1 thread", "a trial, NumPy", "times as fast")
    return table(header, rows)


def rolled(each):
    """A trial by both, and their ratio; nothing of a question that is answered exactly alone."""
    if "times_as_fast" not in each:
        return "", "", ""
    return *(time(each["seconds_a_trial"][name]["median_s"]) for name in (ONE, NUMPY)), times(each["times_as_fast"])


def of_duels(found):
    rows = [
        (
            each["name"],
            *(time(each["seconds_a_duel"][name]["median_s"]) for name in (ONE, NUMPY, PURE_PYTHON)),
            *(times(each["times_as_fast"][name]) for name in (NUMPY, PURE_PYTHON)),
            times(each["two_threads_over_one"]),
        )
        for each in found["duels"]
    ]
    header = ("a duel", "1 thread", "NumPy", "pure Python", "over NumPy", "over Python", "2 threads over 1")
    return table(header, rows)


def of_battles(found):
    rows = [(name, time(each["median_s"])) for name, each in found["seconds_a_battle"].items()]
    rows += [
        *((f"1 thread over {name}", times(faster)) for name, faster in found["times_as_fast"].items()),
        ("2 threads over 1", times(found["two_threads_over_one"])),
        ("the first 10,000, nothing compiled", time(found["first_s"])),
    ]
    return table(("a battle of 12 against 12, six rounds", ""), rows)


def of_best_play(found):
    rows = [
        (
            each["rounds"],
            each["models"],
            "not known" if each["distance"] is None else f'{each["distance"]}"',
            f"{each['situations']:,}",
            f"{each['ways']:,}",
            time(each["seconds"]["median_s"]),
        )
        for each in found["sizes"]
    ]
    return table(("rounds", "models a side", "distance", "situations", "transitions", "value and plan"), rows)


def of_exact_fights(found):
    rows = [(name, time(each["median_s"])) for name, each in found["exact"].items()]
    return table(("exact joint distribution", "a call"), rows)


def of_verdict(found):
    rows = [(name, time(seconds)) for name, seconds in found["seconds"].items()]
    return table((f"{found['loadouts']} loadouts", "time"), rows)


def of_stores(found):
    """What was measured; the last column says how."""
    many = found["runs"]["2"]["cells"]
    rows = [
        (
            "exact attack cells, written, two cores",
            f"{found['attack_cells_a_second'] / 1e6:.2f} M/s",
            f"measured on {many:,} cells",
        ),
        ("10^9 of them", time(1e9 / found["attack_cells_a_second"]), "extrapolated from these"),
        ("on disk", f"{found['bytes_a_cell']:.1f} bytes a cell", "measured, three figures"),
        (
            "exact duels of six rounds, distinct pairs, written, two cores",
            f"{found['duels_a_second']:,.0f}/s",
            "measured",
        ),
        ("two workers over one, by the clock", f"{found['two_over_one']:.2f} x", "measured, starts included"),
        ("the same by processor seconds", f"{found['two_over_one_by_the_processor']:.2f} x", "measured"),
        ("handing out, collecting and logging a part", time(found["handed"]), "measured"),
        ("efficiency at 64 workers", f"{found['at_64']:.0%}", "simulated with measured part times"),
        ("16 processes on two cores, work over all processor seconds but starts", f"{found['at_16']:.0%}", "measured"),
        ("start of a worker process", time(found["start_of_a_process"]), "measured"),
        ("memory of the largest process", f"{found['memory']:.0f} MB", "measured"),
        (f"resume of a finished plan of {found['parts']:,} parts", time(found["resumed"]), "measured"),
    ]
    for name, each in found.get("verdict", {}).items():
        took = f"{time(each['seconds'])}, {each['memory']:.0f} MB"
        rows.append((f"the verdict of a store of {each['cells']:,} cells ({name})", took, "measured, one process"))
    return table(("sweeps", "", "how"), rows)


def of_asking(found):
    head = ("search", "variants", "different fights", "trials", "by the clock", "CPU")
    rows = []
    for name, each in found.items():
        trials = "" if each["trials"] is None else f"{each['trials']:,}"
        rows.append(
            (name, f"{each['variants']:,}", f"{each['fights']:,}", trials, *map(time, (each["wall_s"], each["cpu_s"])))
        )
    return table(head, rows)


def of_longer_fights(found):
    return f"{of_duels(found)}\n\n{of_exact_fights(found)}"


def every_table(results):
    """The tables of all parts that were measured, targets last."""
    parts = {
        "designs": of_designs,
        "ladder": of_ladder,
        "variants": of_variants,
        "exact": of_exact,
        "processors": of_processors,
        "first_answers": of_first_answers,
        "memory": of_memory,
        "statistics": of_statistics,
        "longer_fights": of_longer_fights,
        "battles": of_battles,
        "best_play": of_best_play,
        "morale": of_morale,
        "verdict": of_verdict,
        "stores": of_stores,
        "asking": of_asking,
    }
    found = [show(results[part]) for part, show in parts.items() if results.get(part)]
    found += [of_sweeps(results)] if results.get("sweeps") else []
    found += [of_targets(results["targets"])] if results.get("targets") else []
    return "\n\n".join(found)
