"""What a check finds in its environment besides what `test_pipeline.py` shows (D5)."""

from __future__ import annotations

from pathlib import Path

from foureyes.adapters.checks.checkout import environment
from foureyes.core.nouns.check_config import CheckoutRule, CheckRule

RULE = CheckRule(name="c", run="x", env=("RUSTUP_HOME",))


def test_D5_rustup_finds_its_toolchains_though_the_home_is_empty(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path)}
    assert "RUSTUP_HOME" not in environment(environ, RULE, "/place")
    (tmp_path / ".rustup").mkdir()
    assert environment(environ, RULE, "/place")["RUSTUP_HOME"] == f"{tmp_path}/.rustup"
    assert environment({**environ, "RUSTUP_HOME": "/rust"}, RULE, "/place")["RUSTUP_HOME"] == "/rust"


def test_D5_what_an_environment_brings_goes_first_and_an_installer_copies() -> None:
    rule = CheckRule(name="c", run="x", checkout=CheckoutRule(prepare="uv sync"))
    found = environment({"PATH": "/bin"}, rule, "/place", ["/place/work/.venv/bin"])
    assert (found["PATH"], found["UV_LINK_MODE"]) == ("/place/work/.venv/bin:/bin", "copy")


def test_D5_maven_and_gradle_have_the_home_of_a_check_that_has_an_environment() -> None:
    """Java asks the system where the home is; where nothing is prepared, what a person has there is used."""
    rule = CheckRule(name="c", run="mvn test", checkout=CheckoutRule(prepare="mvn"), env=("MAVEN_OPTS",))
    assert environment({}, rule, "/place")["MAVEN_OPTS"] == "-Duser.home=/place/home"
    assert environment({}, rule, "/place")["GRADLE_USER_HOME"] == "/place/home/.gradle"
    assert environment({"MAVEN_OPTS": "-Xmx1g"}, rule, "/place")["MAVEN_OPTS"] == "-Xmx1g"
    assert "MAVEN_OPTS" not in environment({}, CheckRule(name="c", run="mvn test"), "/place")
