"""The script that makes rooms, by itself: as somebody who is not root, and when it cannot (D5)."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from foureyes.adapters.checks import namespaces

from tests.stage.namespaces import need

SYSTEM_PYTHON = "/usr/bin/python3"
NOBODY = 65534


@pytest.mark.skipif(os.getuid() != 0, reason="only root can be another user")
@pytest.mark.skipif(not os.path.exists(SYSTEM_PYTHON), reason="another user may not be able to run this interpreter")
def test_D5_who_is_not_root_has_rooms_too_is_themselves_in_there_and_reaches_nobody_by_proc(tmp_path: Path) -> None:
    need("setpriv", f"--reuid={NOBODY}", "--clear-groups", "unshare", "-Urm", "true")
    for above in (tmp_path, *list(tmp_path.parents)[:3]):
        above.chmod(above.stat().st_mode | 0o711)
    script = shutil.copy(namespaces.__file__, tmp_path / "namespaces.py")
    os.chmod(script, 0o644)
    place = tmp_path / "place"
    for name in ("at", "work", "lower", "upper", "moving", "secret"):
        (place / name).mkdir(parents=True)
    (place / "lower" / "app.py").write_text("right\n")
    (place / "secret" / "key").write_text("key\n")
    for path in (place, *place.rglob("*")):
        os.chown(path, NOBODY, NOBODY)
    layer = ["passing", "work", f"{place}/upper", f"{place}/moving", f"{place}/lower"]
    rows = ["5", *layer, "2", "hidden", f"{place}/secret"]
    command = [SYSTEM_PYTHON, "-I", "-S", "-X", "importtime", script]
    keeper = subprocess.Popen(
        [*command, "keep", f"{place}/at", str(place), *rows],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, user=NOBODY, cwd="/",
    )  # fmt: skip
    assert keeper.stdout is not None
    assert keeper.stdin is not None
    assert keeper.stdout.readline() == b"ready\n"
    outside = Path("/proc", str(os.getpid()), "root")
    look = f"id -u; cat app.py; echo wrong > app.py; ls -A {place}/secret; ls {outside} || echo no; "
    look += "grep -c volatile /proc/self/mounts"
    enter = [*command, "enter", str(keeper.pid), f"{place}/at/work", "/bin/sh", "-c", look]
    said = subprocess.run(enter, capture_output=True, text=True, user=NOBODY, cwd="/", check=False)
    keeper.stdin.close()
    assert keeper.stderr is not None
    imported = keeper.stderr.read().decode() + said.stderr
    keeper.wait()
    keeper.stdout.close()
    keeper.stderr.close()
    assert (said.stdout, (place / "lower" / "app.py").read_text()) == ("65534\nright\nno\n1\n", "right\n")
    words = {line.rpartition("|")[2].strip() for line in imported.splitlines()}
    assert words & {"json", "ctypes", "re"} == set(), "two are started for every check: these take longer than the rest"


def test_what_cannot_be_made_or_entered_is_said_in_a_line(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        namespaces.main(["enter", "no-such-process", "/", "/bin/true"])
    assert capfd.readouterr().out == "No such file or directory\n"
