"""Identifies the caller from the process tree and the environment (I). This is a guard-rail, not a security boundary.
(I9)"""
