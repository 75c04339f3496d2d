"""Rules of Armoured Clash as functions of integers. `docs/rules.md` explains numbers such as AC-3.1."""
