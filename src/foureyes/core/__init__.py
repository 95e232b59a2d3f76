"""What is true. Pure: no input or output, no clock, no randomness, no logging."""
