"""Armoured Clash: a ranged attack as a chain of pure steps, each written once and run by both engines.

`facts` says what is known before a die is rolled, `conditions` makes one fight of an attack and a target
(AC-3.1, AC-4.2, AC-4.3), `damage` turns hits into destroyed models (AC-3.7 to AC-3.9), `morale` turns a
card into the fate of the unit (AC-5).
"""
