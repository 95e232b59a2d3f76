"""A real program as a reviewer: files of its own below somebody's repository, held to the document where it can be."""

from __future__ import annotations

from pathlib import Path

from foureyes.core.documents.answer import answer_schema

from tests.agents.ground import Ended, Ground
from tests.sandboxes.scripted_model import Asked

ISSUE = {
    "severity": "HIGH", "title": "It divides by zero", "id": "", "file": "mean.py", "line": 2, "problem": "no values",
    "fix": "ask first", "why": "it fails", "quote": "return sum(values) / len(values)", "fix_patch": "",
}  # fmt: skip
PAYLOAD = {
    "verdict": "concerns", "summary": "It fails for no values.", "status": "CHANGES_REQUESTED", "attempt": 1,
    "diff_id": "sha256:12345678", "issues": [ISSUE], "files_reviewed": ["mean.py"], "rulings": [],
}  # fmt: skip
RESULT: Asked = {"answer": {"type": "review_result", "payload": PAYLOAD}}


class Reviewing(Ground):
    """A reviewer with a checkout of its own below `.foureyes`, which is in somebody's repository."""

    def __init__(self, name: str, folder: Path) -> None:
        super().__init__(name, folder)
        self.tree = folder / ".foureyes" / "checkouts" / "fe-1"

    def review(self, *commands: Asked) -> Ended:
        self.tree.mkdir(parents=True, exist_ok=True)
        (self.tree / "mean.py").write_text("def mean(values):\n    return sum(values) / len(values)\n")
        launch = {"purpose": "review", "worktree": str(self.tree), "schema": answer_schema()}
        return self.drive(*commands, role="review", launch=launch, prompt="Review mean.py.\n")
