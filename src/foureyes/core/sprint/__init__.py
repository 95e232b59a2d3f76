"""Sprints: targets, estimates, progress and pauses. Pure functions. (X)"""
