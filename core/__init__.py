"""Pure rules: no I/O, no clock, no randomness but the chance that is passed in."""
