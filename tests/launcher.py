"""The old name of `tests.stage.processes`."""

from tests.stage.processes import SOURCE, Caller, FakeAgent, Options, Person, Result, Service
from tests.stage.processes import People as World

__all__ = ["SOURCE", "Caller", "FakeAgent", "Options", "Person", "Result", "Service", "World"]
