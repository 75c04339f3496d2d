"""The rules of Armoured Clash on integers: each maps state and draws to an outcome, is written once and numbered."""
