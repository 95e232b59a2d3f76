"""Findings as SARIF, read and written. Bytes in, bytes out; no files."""
