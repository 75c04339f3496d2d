"""Whether loadouts are worth their points: figures over the tidy table of matchups, none of them a verdict.

What each number means, and what it does not, is told in ``docs/balance.md``.
"""

from __future__ import annotations

from analyser.balance.domination import dominated
from analyser.balance.efficiency import efficiency
from analyser.balance.flags import flags
from analyser.balance.outliers import outliers
from analyser.balance.ratings import bradley_terry, duel_ratings

__all__ = ["bradley_terry", "dominated", "duel_ratings", "efficiency", "flags", "outliers"]
