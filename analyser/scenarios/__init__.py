"""From a file, a mapping or two units to what an engine reads: checked, filled in from profiles, in whole numbers.

An attack becomes records; charges (AC-8), focus fire (AC-9.1) and duels (AC-9.2) become programs of operations, which
the engines run (:mod:`analyser.engine.fight.program`).
"""
