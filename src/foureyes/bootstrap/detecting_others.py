"""Checks of projects in Rust, Go and for the JVM; and what a Makefile, a justfile or pre-commit offers where nothing
else does.
"""

from __future__ import annotations

import re

from foureyes.bootstrap.looking import FolderFiles, table
from foureyes.core.nouns.check_config import CheckRule

TARGET = re.compile(r"^([A-Za-z0-9_.-]+)\s*:(?!=)", re.MULTILINE)
RECIPE = re.compile(r"^@?([A-Za-z0-9_-]+)(?:\s+[^:=\n]*)?:(?!=)", re.MULTILINE)
JUST = ("justfile", "Justfile", ".justfile")
GRADLE = ("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts")
SUREFIRE = ("**/target/surefire-reports/TEST-*.xml",)
GRADLES = ("**/build/test-results/**/TEST-*.xml",)
JAVA = ("JAVA_HOME",)
PRE_COMMIT = ".pre-commit-config.yaml"
FETCH_CRATES = (
    "cp -R . ~/all && cd ~/all && find . -name Cargo.toml -execdir sh -c 'mkdir -p src && touch src/lib.rs' ';' "
    "&& cargo fetch --locked && rm -r ~/all"
)
"""cargo reads a manifest only where there is something to build; what stands in for it must not stay."""


def cargo(look: FolderFiles) -> list[CheckRule]:
    """Tests of every package of a workspace; clippy only where the project itself uses it: it is a matter of taste, and
    red where nobody runs it.
    """
    if not look.text("Cargo.toml"):
        return []
    env, whole = ("CARGO_HOME", "RUSTUP_HOME"), " --workspace" if "workspace" in look.toml("Cargo.toml") else ""
    rules = [CheckRule(name="tests", run=f"cargo test{whole} --quiet", env=env)]
    if _has_clippy(look):
        rules.append(CheckRule(name="lint", run=f"cargo clippy{whole} -- -D warnings", env=env))
    return rules


def _has_clippy(look: FolderFiles) -> bool:
    manifest = look.toml("Cargo.toml")
    own = table(manifest, "lints", "clippy") or table(manifest, "workspace", "lints", "clippy")
    flows = [f".github/workflows/{name}" for name in look.names(".github/workflows")]
    files = ("Makefile", *JUST, PRE_COMMIT, ".gitlab-ci.yml", *flows)
    return bool(own) or look.has("clippy.toml", ".clippy.toml") or any("clippy" in look.text(name) for name in files)


def go(look: FolderFiles) -> list[CheckRule]:
    env = ("GOPATH", "GOMODCACHE")
    rules = [CheckRule(name="tests", run="go test ./...", env=env), CheckRule(name="vet", run="go vet ./...", env=env)]
    return rules if look.text("go.mod") else []


def go_prepare(look: FolderFiles) -> str:
    """Its modules, and the standard library, which each check would compile again."""
    if not look.text("go.mod"):
        return ""
    return ("go mod download && " if look.has("go.sum") and not look.is_folder("vendor") else "") + "go build std"


def cargo_prepare(look: FolderFiles) -> str:
    return FETCH_CRATES if look.has("Cargo.toml") and look.has("Cargo.lock") and not look.is_folder("vendor") else ""


FETCH_JARS = (
    "echo 'allprojects { task fetchAll { doLast { configurations.findAll { it.canBeResolved }.each { "
    "it.resolvedConfiguration.lenientConfiguration.files } } } }' > ~/all.gradle && "
    "{} --no-daemon -q -I ~/all.gradle fetchAll && rm ~/all.gradle"
)
"""Gradle has no word of its own for it, and fetches nothing for sources that are not there."""


def jvm_prepare(look: FolderFiles) -> str:
    """What Maven needs, of one module: those of several are not there yet when they are asked for. What Gradle needs,
    unless a part of its build is code, which is not there either.
    """
    if not look.has("pom.xml"):
        is_code = look.is_folder("buildSrc") or any("includeBuild" in look.text(name) for name in GRADLE)
        return FETCH_JARS.replace("{} --no", f"{_gradle(look)} --no") if look.has(*GRADLE) and not is_code else ""
    if "<modules>" in look.text("pom.xml"):
        return ""
    return f"{'./mvnw' if look.has('mvnw') else 'mvn'} -q -B dependency:go-offline"


def jvm(look: FolderFiles) -> list[CheckRule]:
    """Maven, else Gradle: by the wrapper that the project brings along, with the reports that they write by class."""
    if look.has("pom.xml"):
        run = f"{'./mvnw' if look.has('mvnw') else 'mvn'} -q -B test"
        return [CheckRule(name="tests", run=run, report="junit", report_files=SUREFIRE, env=JAVA)]
    if look.has(*GRADLE):
        run = f"{_gradle(look)} --no-daemon -q test"
        return [CheckRule(name="tests", run=run, report="junit", report_files=GRADLES, env=JAVA)]
    return []


def _gradle(look: FolderFiles) -> str:
    return "./gradlew" if look.has("gradlew") else "gradle"


def make(look: FolderFiles) -> list[CheckRule]:
    return _offered(set(TARGET.findall(look.text("Makefile"))), "make")


def just(look: FolderFiles) -> list[CheckRule]:
    return _offered(set(RECIPE.findall(look.text(look.first(*JUST)))), "just") if look.has(*JUST) else []


def _offered(names: set[str], program: str) -> list[CheckRule]:
    wanted = {"check": "checks"} if "check" in names else {"test": "tests", "lint": "lint"}
    return [CheckRule(name=label, run=f"{program} {name}") for name, label in wanted.items() if name in names]


def pre_commit(look: FolderFiles) -> list[CheckRule]:
    """It looks at what git knows, and there is no repository in a throwaway checkout: it gets one."""
    run = "git init -q && git add -A && pre-commit run --all-files"
    return [CheckRule(name="lint", run=run)] if look.text(PRE_COMMIT) else []
