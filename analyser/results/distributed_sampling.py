"""Sampling of longer fights and battles by trials that run in other processes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from analyser.common.sampling import Sampling


@dataclass(frozen=True)
class SharedSampling(Sampling):
    """Sampling whose trials run in other processes.

    Attributes
    ----------
    run_trials : callable
        Called with the simulation and the start states instead of running trials; returns the simulation's result.
    """

    run_trials: Callable[[Any, Any], Any] | None = None
