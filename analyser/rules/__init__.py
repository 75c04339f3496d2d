"""The rules of Armoured Clash in whole numbers: (state, draws) to an outcome, each written once, with its number."""
