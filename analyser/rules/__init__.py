"""Rules of Armoured Clash as functions of integers, which all engines use; AC and BT numbers name the rules."""
