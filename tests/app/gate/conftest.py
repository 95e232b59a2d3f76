"""Two machines, one remote, one store."""

from tests.stage.wires import clones

__all__ = ["clones"]
