"""`fe demo`: a throw-away project with its own tests, agents that play a script, and a person; all else is real."""
