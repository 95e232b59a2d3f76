"""What faces are given: frozen values, their fields are the stable JSON of `--json`."""
