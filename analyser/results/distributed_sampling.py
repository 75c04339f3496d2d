"""Samples of longer fights and battles whose trials are shared out among processes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from analyser.common.sampling import Sampling


@dataclass(frozen=True)
class SharedSampling(Sampling):
    """Sampling of a question some or all of whose trials are run in other processes.

    Attributes
    ----------
    played : callable
        Called instead of running trials, with the simulation and the start states; returns what the simulation would.
    """

    played: Callable[[Any, Any], Any] | None = None
