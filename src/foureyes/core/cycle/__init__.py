"""Review cycles: triggers, choice of reviewers, and results. Pure functions. (V)"""
