"""Domain logic. Pure: no input or output, no clock, no randomness, no logging."""
