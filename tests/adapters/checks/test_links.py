"""Links and paths out of the tree into a checkout (D5): packages of node, Go and Cargo."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from foureyes.adapters.checks.code_use import leading_out
from foureyes.core.nouns.check import Elsewhere


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    place = tmp_path / "repo"
    for name in ("packages/a", "node_modules/third", "node_modules/.pnpm/x/node_modules/x", "mod"):
        (place / name).mkdir(parents=True)
    (place / "node_modules" / "@me").mkdir()
    return place


@pytest.fixture
def work(tmp_path: Path) -> Path:
    place = tmp_path / "foureyes-check-1" / "work"
    (place / "packages" / "a").mkdir(parents=True)
    return place


def out(work: Path, checkout: Path, env: Mapping[str, str] | None = None) -> Elsewhere | None:
    return leading_out(str(work), [str(checkout)], env or {})


def test_D5_a_tree_without_ways_out_is_sound(work: Path, checkout: Path) -> None:
    (work / "node_modules" / "@me").mkdir(parents=True)
    (work / "node_modules" / "@me" / "a").symlink_to("../../packages/a")
    (work / "node_modules" / "a").symlink_to(work / "packages" / "a")
    (work / "go.mod").write_text(
        "module x\nreplace y => ./packages/a // ../../repo/mod\nreplace z => example.com/z v1\n"
    )
    (work / "Cargo.toml").write_text('[lib]\npath = "src/lib.rs"\n[dependencies]\na = { path = "packages/a" }\n')
    assert out(work, checkout) is None


@pytest.mark.parametrize("linked", ["all", "one", "in a workspace"])
def test_D5_a_workspace_package_of_a_checkouts_node_modules_is_unsound(work: Path, checkout: Path, linked: str) -> None:
    (checkout / "node_modules" / "@me" / "a").symlink_to("../../packages/a")
    if linked == "all":
        (work / "node_modules").symlink_to(checkout / "node_modules")
    elif linked == "one":
        (work / "node_modules").mkdir()
        (work / "node_modules" / "a").symlink_to(checkout / "packages" / "a")
    else:
        (work / "packages" / "a" / "node_modules").symlink_to(checkout / "node_modules")
    found = out(work, checkout)
    assert found is not None
    assert (found.file, found.checkout) == ("packages/a", str(checkout))
    assert "npm ci" in found.advice
    assert "node_modules" in found.by


def test_D5_other_peoples_packages_may_come_from_a_checkouts_node_modules(work: Path, checkout: Path) -> None:
    (checkout / "node_modules" / "x").symlink_to(".pnpm/x/node_modules/x")
    (work / "node_modules").symlink_to(checkout / "node_modules")
    assert out(work, checkout) is None


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("go.work", "go 1.22\nuse (\n\t.\n\t{mod}\n)\n"),
        ("go.work", "use ../../repo/mod\n"),
        ("go.mod", 'module x\nreplace y v1 => "{mod}"\n'),
        ("packages/a/go.mod", "replace (\n\ty => ../../../../repo/mod\n)\n"),
        ("Cargo.toml", '[dependencies]\na = {{ path = "{mod}" }}\n'),
        ("Cargo.toml", '[patch.crates-io.a]\npath = "../../repo/mod"\n'),
        (".cargo/config.toml", 'paths = ["{mod}"]\n'),
        ("packages/a/.cargo/config", 'paths = ["../../../../repo/mod"]\n'),
    ],
)
def test_D5_a_path_of_go_or_cargo_into_a_checkout_is_unsound(work: Path, checkout: Path, file: str, text: str) -> None:
    (work / file).parent.mkdir(parents=True, exist_ok=True)
    (work / file).write_text(text.format(mod=checkout / "mod"))
    found = out(work, checkout)
    assert found is not None
    assert (found.file, found.by) == ("mod", file)
    assert found.advice.endswith(f"out of {file}")


def test_D5_settings_that_the_check_asks_for_lead_out_too(work: Path, checkout: Path, tmp_path: Path) -> None:
    (tmp_path / "cargo").mkdir()
    (tmp_path / "cargo" / "config.toml").write_text(f'paths = ["{checkout}/mod"]\n')
    assert out(work, checkout, {"GOWORK": str(checkout / "go.work")})
    assert out(work, checkout, {"CARGO_HOME": str(tmp_path / "cargo")})
    assert out(work, checkout, {"GOWORK": "off", "CARGO_HOME": str(tmp_path)}) is None


@pytest.mark.parametrize("name", ["go.mod", "Cargo.toml", "node_modules"])
def test_G1_odd_files_lead_nowhere_and_harm_nothing(work: Path, checkout: Path, name: str) -> None:
    (work / name).write_bytes(b"\xff => [[[ \0")
    assert out(work, checkout) is None
