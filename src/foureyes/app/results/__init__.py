"""Frozen values for interfaces. Their fields are the stable JSON of `--json`."""
