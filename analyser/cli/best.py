"""The command that says how to play a duel best."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from analyser.cli import options
from analyser.cli.answer import write
from analyser.cli.fights import OF_DUELLIST, OF_ONE_OF_ATTACKERS, OF_TARGET, attack_from, unit_from
from analyser.cli.options import AT_LEAST_1, OUTPUT_OPTIONS, THREADS, Option
from analyser.cli.shell import Choice, Command, given, profiles_in, progress_bar
from analyser.cli.waiting import told_when_stopped, waited_for
from analyser.common.errors import InputError
from analyser.common.text import counted
from analyser.results.best import PICTURES
from analyser.scenarios.schema import CHANCES, TARGET_FATES, WANTS

if TYPE_CHECKING:
    from analyser.game.profiles import Profiles
    from analyser.results.best import BestResult
    from analyser.results.lists import Listed

_LITTLE = 0.005  # of a chance
_DUEL, _PICTURE = "Duel", "Picture"
_LIST = "List"
_NOTHING = "nothing was written"
_WITHIN = "The shortest list that gives no more away to who knows it: 0.005 is half a point."
_STEP = "Who plays best moves by multiples of it, to ranges, or its full length. Default: to every place."
_FIRST = "Who is activated first. Default: random, a toss each round."
TERMS = [
    Option("--want", "What A wants, and B prevents; see below. Default: win.", _DUEL, type=Choice(tuple(WANTS))),
    Option("--rounds N", "1 to 10. Default: 6.", _DUEL, type=options.Integer(1, 10)),
    Option("--first", _FIRST, _DUEL, type=Choice(("a", "b", "random"))),
    Option("--distance INCHES", "Between the two. Default: nothing is out of reach.", _DUEL, type=options.Number(0)),
    Option("--step INCHES", _STEP, _DUEL, type=options.Number(0.25)),
]
BEST_OPTIONS = [
    Option("--against POLICY", "What B does: best (default), a habit, or a policy in words.", _DUEL),
    *TERMS,
    Option("--lines N", "Instead: the plan as a policy in words of at most so many lines.", _LIST, type=AT_LEAST_1),
    Option("--within X", _WITHIN, _LIST, type=options.Number(0)),
    Option("--by", "What the picture stands over. Default: models.", _PICTURE, type=Choice(PICTURES)),
    Option("--round N", "Of the picture. Default: 1.", _PICTURE, type=AT_LEAST_1),
    *OUTPUT_OPTIONS,
]
HABITS_OPTIONS = [*TERMS, THREADS, options.DASK, *OUTPUT_OPTIONS]
_WANTS = [f"  {name:<12}{told}" for name, told in WANTS.items()]


@click.command(cls=Command, params=BEST_OPTIONS, epilog="\n".join(["\b", "What A can want:", *_WANTS]))
@click.argument("a", shell_complete=OF_DUELLIST.complete)
@click.argument("b", required=False, shell_complete=OF_DUELLIST.complete)
def best(a: str, b: str | None, profiles: str | None, **keys: Any) -> None:
    """What A should do in a duel with B: its chance, the first move, the plan, and what each habit gives away.

    Both are selectors, as for duel; or A alone is the file of a duel in which somebody has the policy best. --plot
    draws what to do, a colour each.
    """
    library = profiles_in(profiles)
    asked = given(keys, "want", "against", "rounds", "first", "distance", "step")
    if b is None:
        if asked:
            raise InputError(
                "this stands in the file", where=f"--{next(iter(asked))}", allowed="two units, or a file alone"
            )
        question: tuple[Any, ...] = (a,)
    else:
        question = unit_from(a, "a", OF_DUELLIST), unit_from(b, "b", OF_DUELLIST)
    pictured = given(keys, "by", "round")
    if pictured and keys["plot"] is None:
        raise InputError("there is no picture", where=f"--{next(iter(pictured))}", allowed="--plot FILE with it")
    lists = given(keys, "lines", "within")
    with told_when_stopped(lambda: _NOTHING):
        found = _best_of(question, library, listed=bool(lists), **asked)
        listed = _listed(found, **lists) if lists else None
    how: dict[str, Any] = {"warnings": found.warnings, "plot": lambda: found.plot(**pictured)}
    if listed is None:
        write(lambda: str(found), found.as_dict, found.rows, **how)
        return
    text = f"{listed}\n\n{_of_list(found, listed, keys['within'])}\n"
    write(lambda: text, listed.as_dict, lambda: [{"line": line} for line in listed.lines], **how)


def _best_of(question: tuple[Any, ...], profiles: Profiles, *, listed: bool, **asked: Any) -> BestResult:
    """Best play, and what habits give away unless only a list is wanted."""
    from analyser.analysis.best import best_play

    def work() -> BestResult:
        found = best_play(*question, profiles=profiles, **asked)
        if not listed:
            found.regrets()
        return found

    return waited_for(work, "working out all that can come of it")


def _listed(found: BestResult, **asked: Any) -> Listed:
    with progress_bar("steps at most", after=1.0) as progress:
        return waited_for(lambda: found.as_policy(progress=progress, **asked))


def _of_list(found: BestResult, listed: Listed, within: float | None) -> str:
    """What a list gives away, and how it was found."""
    missed = within is not None and listed.costs > within
    beyond = " (more than was wanted: nothing better was found)" if missed else ""
    cost = f"{found.cost(listed.costs)} of {found.worth(found.value)}{beyond}"
    lines = [f"Gives away {cost}, by {counted(len(listed.lines), 'line')}"]
    if listed.exploitable is not None:
        lines[0] += ", to an enemy who knows the list and makes the most of it"
        lines.append(f"To one who keeps to his own best plan it gives away {found.cost(listed.gives_away)}")
    lines += [
        f"The best of {counted(listed.tried or 0, 'list')} tried; that there is no better one is not proven",
    ]
    if within is None and found.scenario.terms.want in CHANCES and listed.costs > _LITTLE:
        lines.append(f"How many lines give away no more than half a point: --within {_LITTLE:g}")
    return "\n".join(lines)


@click.command(cls=Command, params=HABITS_OPTIONS, epilog="\n".join(["\b", "What can be wanted:", *_WANTS]))
@click.argument("attackers", shell_complete=options.complete_selector)
@click.argument("defenders", shell_complete=options.complete_selector)
def habits(attackers: str, defenders: str, profiles: str | None, dask: str | None, **keys: Any) -> None:
    """What the habit of comparisons gives away to best play, every one of ATTACKERS in a duel with every DEFENDER.

    Both are selectors with wildcards, such as 'crown/*@basic'. With --out FILE.csv a run that is stopped is gone on
    with by the same command.
    """
    from analyser.report.habits import habits as worked_out

    asked = given(keys, "want", "rounds", "first", "distance", "step", "threads")
    table = keys["out"] if keys["form"] == "csv" else None
    with (
        told_when_stopped(lambda: _kept(table)),
        options.helped_by(dask, keys["threads"]) as executor,
        progress_bar(after=1.0) as progress,
    ):
        how = {"out": table, "progress": progress, "executor": executor, **asked}
        found = worked_out(attackers, defenders, profiles=profiles_in(profiles), **how)
    if table is None:
        write(lambda: str(found), found.as_dict, found.rows, plot=found.plot)
    else:
        click.echo(found.note())


def _kept(table: str | None) -> str:
    from analyser.report.habits import is_begun

    if table is None or not is_begun(table):
        return _NOTHING
    return "what is finished is kept, and the same command goes on from there"


_TARGET, _WANT = "The unit that all attack.", "The fate that the target is to have. Default: annihilated."
_UNTIL = "Also how many must fire until that is so likely."
FOCUS_OPTIONS = [
    Option("--target UNIT", _TARGET, "Focus fire", required=True, shell_complete=OF_TARGET.complete),
    Option("--want", _WANT, "Focus fire", type=Choice(TARGET_FATES)),
    Option("--until P", _UNTIL, "Focus fire", type=options.Number(0)),
    *[option for option in OUTPUT_OPTIONS if option.name != "plot"],
]


@click.command("best-focus", cls=Command, params=FOCUS_OPTIONS)
@click.argument("attackers", nargs=-1, shell_complete=OF_ONE_OF_ATTACKERS.complete)
def best_focus(attackers: tuple[str, ...], target: str, profiles: str | None, **keys: Any) -> None:
    """Who of ATTACKERS should fire next at one target, as it stands then, with which row, aiming or closing in.

    Each is a selector; after a colon stands what is true of its attack, as for focus: distance=12 lets it choose
    between aiming and closing in.
    """
    from analyser.analysis.best_focus import best_focus as worked_out

    library = profiles_in(profiles)
    attacks = [attack_from(each, f"attacks.{place}", OF_ONE_OF_ATTACKERS) for place, each in enumerate(attackers)]
    section = unit_from(target, "target", OF_TARGET)
    found = worked_out(attacks, section, profiles=library, **given(keys, "want"))
    line, record = "", found.as_dict()
    if keys["until"] is not None:
        number = found.until(keys["until"])
        record["until"] = {"chance": keys["until"], "attackers": number}
        line = f"\nUntil {100 * keys['until']:g}%: " + ("not with all of them\n" if number is None else f"{number}\n")
    write(lambda: f"{found}{line}", lambda: record, found.rows)
