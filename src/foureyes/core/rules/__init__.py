"""The rules: who may, under which policy, with which facts."""
