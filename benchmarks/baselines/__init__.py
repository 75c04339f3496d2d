"""What a user would otherwise write: each file plays the plain attack from the dice to the unit's fate.

Each has ``play(dice, trials, seed)``, which returns how often each end came up: an int64 array of shape
(models + 1, 3), models destroyed by fate. The rules are written out in each with the numbers of the plain attack.
"""

STANDS, SUPPRESSED, BROKEN = range(3)
FATES = 3
MODELS, DEFENCE, DAMAGE_LIMIT, DISCIPLINE, BREAK_LIMIT = 5, 2, 3, 7, 2
CARDS = 12  # every value is as likely as any other
