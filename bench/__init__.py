"""Benchmarks, one script each. They print ratios: a time alone says more about the machine."""
