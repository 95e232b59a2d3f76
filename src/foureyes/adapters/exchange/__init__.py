"""Findings in other tools' formats: SARIF and rdjson reports are read, SARIF logs are written. Bytes in, bytes out; no
files.
"""
