"""`fe demo`: a temporary project with tests, scripted agents and a person. Everything except the agents' work is real."""
