"""Records what the real agent programs print and how they exit, for tests of those who read it:
`make record-agents`, or `python -m tests.agents.record [PROGRAM…] [case=NAME…]`.

Each runs in a network namespace with loopback only, with an environment and a home of its own, a dummy key and a model
that answers from a script. What is of this machine (paths, ports, ids) is replaced before anything is written.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import msgspec

from tests.agents.ways import FEW_TRIES, Case, cases, words
from tests.sandboxes.programs import KEPT, PROGRAMS, ROOT, Program, environment, program_path

STREAMS = ROOT / "tests" / "adapters" / "agents" / "streams"
PROMPT = "Create hello.txt, then say that you are done.\n"


class Recorded(msgspec.Struct, kw_only=True):
    """How one run went. `rc` is None where it had not ended when the recorder lost its patience."""

    case: str
    rc: int | None
    seconds: float
    requests: int
    left: list[str]
    changed: list[str]


def main(wanted: list[str]) -> None:
    only = {word.removeprefix("case=") for word in wanted if word.startswith("case=")}
    for program in (PROGRAMS[name] for name in PROGRAMS if name in wanted or all("=" in word for word in wanted)):
        folder = STREAMS / program.name
        folder.mkdir(parents=True, exist_ok=True)
        index = folder / "index.json"
        told = msgspec.json.decode(index.read_bytes(), type=dict[str, Recorded]) if index.exists() else {}
        binary = program_path(program)
        if isinstance(binary, str):
            print(f"NOT RECORDED: {binary}", file=sys.stderr)
            continue
        for case in cases(program.name):
            if not only or case.name in only:
                told[case.name] = recorded = record(program, binary, case, folder)
                print(program.name, case.name, recorded.rc, f"{recorded.seconds}s", recorded.left, recorded.changed)
        index.write_bytes(msgspec.json.format(msgspec.json.encode(dict(sorted(told.items())))) + b"\n")


def record(program: Program, binary: Path, case: Case, folder: Path) -> Recorded:
    place = Path(tempfile.mkdtemp(dir=_place()))
    try:
        home, project = place / "home", place / "project"
        env = environment(program, home) | case.env | (tries := FEW_TRIES.get(program.name, {}))
        for name in (*case.without, *(tries if case.is_patient else ())):
            env.pop(name, None)
        for name, content in case.files.items():
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            (home / name).write_text(content)
        _repository(project, home)
        conversation, ran = "", {}
        for turn in case.turns:
            argv = [str(binary), *words(program.name, case, home, conversation)]
            plan = {"commands": case.commands, "argv": argv, "env": env, "cwd": str(project)}
            ran = _run(place, plan | {"prompt": turn, "patience": case.patience})
            conversation = _conversation(ran["out"])
        clean = Cleaner(place, binary)
        (folder / f"{case.name}.out").write_text(clean(ran["out"]))
        (folder / f"{case.name}.err").write_text(clean(ran["err"]))
        git = ["git", "-C", str(project), "status", "--porcelain", "--untracked-files=all"]
        changed = subprocess.run(git, capture_output=True, text=True, check=True, env=_plain(home)).stdout
        return Recorded(
            case=case.name, rc=ran["rc"], seconds=ran["seconds"], requests=ran["requests"],
            left=sorted(set(ran["left"])), changed=[line[3:] for line in changed.splitlines()],
        )  # fmt: skip
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _place() -> Path:
    place = KEPT / "run"
    place.mkdir(parents=True, exist_ok=True)
    return place


def _plain(home: Path) -> dict[str, str]:
    return {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(home)}


def _repository(project: Path, home: Path) -> None:
    project.mkdir()
    (project / "README.md").write_text("# A project\n")
    for command in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "Begin"]):
        subprocess.run(["git", "-C", str(project), *command], check=True, env=_plain(home))


def _run(place: Path, plan: dict[str, Any]) -> dict[str, Any]:
    written = place / "plan.json"
    written.write_text(json.dumps(plan))
    inside = ["unshare", "-n", sys.executable, "-m", "tests.sandboxes.inside", str(written)]
    env = {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")]), "PATH": os.environ["PATH"]}
    done = subprocess.run(inside, cwd=ROOT, env=env, capture_output=True, text=True, check=True)
    ran: dict[str, Any] = json.loads(done.stdout)
    return ran


def _conversation(out: str) -> str:
    found = re.search(r'"(?:thread_id|session_id|sessionID)": ?"([^"]+)"', out)
    return found[1] if found else ""


class Cleaner:
    """Takes out of a text what is of this machine and of this run."""

    def __init__(self, place: Path, binary: Path) -> None:
        self.paths = {str(place / "home"): "/home/agent", str(place / "project"): "/project", str(place): "/place"}
        self.paths |= {str(place).replace("/", "-"): "-place", str(KEPT): "/programs", str(ROOT): "/foureyes"}
        self.ids: dict[str, str] = {}

    def __call__(self, text: str) -> str:
        for path, instead in self.paths.items():
            text = text.replace(path, instead)
        text = re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:8080", text)
        text = re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", self._uuid, text)
        text = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z", "2026-01-01T00:00:00.000Z", text)
        text = re.sub(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d+Z", "2026-01-01T00-00-00-000Z", text)
        text = re.sub(r"(?<!\d)17\d{11}(?!\d)", "1767225600000", text)
        text = re.sub(r'"date":"[^"]+"', '"date":"Thu, 01 Jan 2026 00:00:00 GMT"', text)
        text = re.sub(r"BaseHTTP/[0-9.]+ Python/[0-9.]+", "scripted", text)
        text = re.sub(r"run=[0-9a-f]{8}\b", "run=00000000", text)
        text = re.sub(r"PGID: \d+", "PGID: 4711", text)
        return re.sub(r"\b(ses|msg|prt|call|toolu|item|resp|chat)_[0-9A-Za-z]{10,}", self._id, text)

    def _uuid(self, found: re.Match[str]) -> str:
        known = self.ids.setdefault(found[0], str(len(self.ids) + 1))
        return f"00000000-0000-4000-8000-{known:0>12}"

    def _id(self, found: re.Match[str]) -> str:
        return f"{found[1]}_{self.ids.setdefault(found[0], str(len(self.ids) + 1)):0>16}"


if __name__ == "__main__":
    main(sys.argv[1:])
