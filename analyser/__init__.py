"""Odds for tabletop fights, exact and simulated, from unit profiles.

Examples
--------
>>> import analyser
>>> fight = {"attack": {"dice": 12, "rating": "improved"}, "target": {"models": 6, "defence": 2, "damage_limit": 1}}
>>> print(analyser.exact(fight).probability("annihilated"))
58.27%
"""

import importlib
from typing import TYPE_CHECKING, Any

from analyser.common.lazy_names import modules_of_names

if TYPE_CHECKING:  # the public names, in alphabetical order of their modules
    from analyser import morale as morale
    from analyser import plots as plots
    from analyser.analysis.balance_check import BalanceCheck as BalanceCheck
    from analyser.analysis.balance_check import balance_check as balance_check
    from analyser.analysis.battle import battle as battle
    from analyser.analysis.best_duels import best_play as best_play
    from analyser.analysis.best_focus import BestFocus as BestFocus
    from analyser.analysis.best_focus import best_focus as best_focus
    from analyser.analysis.build import build as build
    from analyser.analysis.build_answer import Build as Build
    from analyser.analysis.clash import Clash as Clash
    from analyser.analysis.clash import clash as clash
    from analyser.analysis.compare import compare as compare
    from analyser.analysis.comparison import Comparison as Comparison
    from analyser.analysis.comparisons import Comparisons as Comparisons
    from analyser.analysis.dice_funnel import dice_funnel as dice_funnel
    from analyser.analysis.matchups import Matchups as Matchups
    from analyser.analysis.matchups import matchups as matchups
    from analyser.analysis.prices import FairPoints as FairPoints
    from analyser.analysis.prices import fair_points as fair_points
    from analyser.analysis.sensitivity import Sensitivity as Sensitivity
    from analyser.analysis.sensitivity import sensitivity as sensitivity
    from analyser.analysis.solve_fair import SolvedDice as SolvedDice
    from analyser.analysis.solve_fair import SolvedPrice as SolvedPrice
    from analyser.analysis.solve_fair import solve_dice as solve_dice
    from analyser.analysis.solve_fair import solve_price as solve_price
    from analyser.analysis.what_if import WhatIf as WhatIf
    from analyser.analysis.what_if import what_if as what_if
    from analyser.api import attack as attack
    from analyser.api import charge as charge
    from analyser.api import duel as duel
    from analyser.api import evaluate as evaluate
    from analyser.api import exact as exact
    from analyser.api import focus as focus
    from analyser.api import simulate as simulate
    from analyser.ask.best_variant import search as search
    from analyser.ask.best_variant_answer import Search as Search
    from analyser.ask.curve import curve as curve
    from analyser.ask.curve_answer import Curve as Curve
    from analyser.ask.luck import luck as luck
    from analyser.ask.luck_answer import Luck as Luck
    from analyser.ask.trial_narration import TrialNarration as TrialNarration
    from analyser.ask.trial_narration import tell as tell
    from analyser.cli.kernels import warm_up as warm_up
    from analyser.common.distributions import Distribution as Distribution
    from analyser.common.errors import AnalyserError as AnalyserError
    from analyser.common.errors import InputError as InputError
    from analyser.common.errors import TooLargeError as TooLargeError
    from analyser.common.estimates import Estimate as Estimate
    from analyser.common.metrics import metric as metric
    from analyser.game.army import Army as Army
    from analyser.game.force_check import ForceCheck as ForceCheck
    from analyser.game.force_kinds import ForceKinds as ForceKinds
    from analyser.game.profiles import Profiles as Profiles
    from analyser.game.profiles import load_profiles as load_profiles
    from analyser.report.tactic_costs import Tactics as Tactics
    from analyser.report.tactic_costs import tactics as tactics
    from analyser.results.attack import AttackResult as AttackResult
    from analyser.results.base import Result as Result
    from analyser.results.battle import BattleResult as BattleResult
    from analyser.results.best import BestResult as BestResult
    from analyser.results.charge import ChargeResult as ChargeResult
    from analyser.results.duel import DuelResult as DuelResult
    from analyser.results.focus import FocusResult as FocusResult
    from analyser.scenarios.armies import army_kinds as army_kinds
    from analyser.scenarios.armies import check_army as check_army
    from analyser.scenarios.armies import load_army as load_army
    from analyser.scenarios.attack import Scenario as Scenario
    from analyser.scenarios.load import load_scenario as load_scenario
    from analyser.sweep.running import resume_sweep as resume_sweep
    from analyser.sweep.running import run_sweep as run_sweep
    from analyser.sweep.store_reader import Sweep as Sweep
    from analyser.sweep.store_reader import open_sweep as open_sweep
    from analyser.web.page import Page as Page
    from analyser.web.page import calculator as calculator
    from analyser.web.page import explore as explore
    from analyser.web.page import table as table

    __version__: str


_MODULES = modules_of_names(__file__)
__all__ = list(_MODULES)


def __getattr__(name: str) -> Any:
    """Import a public name at its first use, which keeps `import analyser` fast."""
    if name == "__version__":
        from importlib import metadata

        try:
            return metadata.version("analyser")
        except metadata.PackageNotFoundError:  # run from a folder, not installed
            return "not installed"
    if name not in _MODULES:
        raise AttributeError(f"module 'analyser' has no attribute {name!r}")
    if _MODULES[name] == "analyser":
        return importlib.import_module(f"analyser.{name}")
    return getattr(importlib.import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
