"""Reads and writes findings as SARIF, from bytes to bytes."""
