"""Samples of longer fights and battles whose trials are shared out among processes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from analyser.common.sampling import Sampling


@dataclass(frozen=True)
class SharedSampling(Sampling):
    """How a question is sampled of whose trials this process plays some, or none.

    Attributes
    ----------
    played : callable
        Called instead of playing, with what would play and the states that the fight begins in; returns what has come
        of the trials, as that does.
    """

    played: Callable[[Any, Any], Any] | None = None
