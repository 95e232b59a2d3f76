"""Small projects as people have them: sources, tests, a dependency that has to be fetched, and a lock file where the
tool has one. What is written here is ours; what it depends on comes from the registries.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence

import msgspec

Files = Mapping[str, str]


class Kind(msgspec.Struct, frozen=True, kw_only=True):
    """`set_up`: commands that somebody types once in a new checkout; `path`: where they leave programs. `checks`: what
    `fe init --try` has to find. `good` works, `broken` does not, and only the project's own tests see it.
    """

    name: str
    needs: tuple[str, ...]
    files: Files
    set_up: tuple[Sequence[str], ...] = ()
    path: str = ""
    checks: tuple[str, ...] = ("tests",)
    good: Files
    broken: Files
    ignored: tuple[str, ...] = ()

    def missing(self) -> list[str]:
        """The programs that are not here."""
        return [name for name in self.needs if shutil.which(name) is None]


PYTHON = {
    "src/shop/__init__.py": "from shop.prices import gross\n\n__all__ = ['gross']\n",
    "src/shop/prices.py": "def gross(net: int) -> int:\n    return net * 119 // 100\n",
    "tests/test_prices.py": "import idna\nfrom shop import gross\n\n\ndef test_gross():\n    assert gross(100) == 119\n"
    "    assert idna.encode('ä.de')\n",
}
PYTHON_GOOD = {"src/shop/prices.py": "def gross(net: int) -> int:\n    return (net * 119) // 100\n"}
PYTHON_BROKEN = {"src/shop/prices.py": "def gross(net: int) -> int:\n    return net\n"}
PYPROJECT = """\
[project]
name = "shop"
version = "1"
requires-python = ">=3.11"
dependencies = ["idna"]

[project.optional-dependencies]
dev = ["pytest"]

[dependency-groups]
dev = ["pytest"]

[build-system]
requires = ["setuptools>=64"]
build-backend = "setuptools.build_meta"

[tool.pytest.ini_options]
testpaths = ["tests"]
"""
PIP = Kind(
    name="pip with src and an editable install",
    needs=("python3",),
    files={**PYTHON, "pyproject.toml": PYPROJECT},
    set_up=(("python3", "-m", "venv", ".venv"), (".venv/bin/pip", "install", "-q", "-e", ".[dev]")),
    path=".venv/bin",
    good=PYTHON_GOOD,
    broken=PYTHON_BROKEN,
    ignored=(".venv", "*.egg-info", "__pycache__"),
)
UV = Kind(
    name="uv",
    needs=("uv",),
    files={**PYTHON, "pyproject.toml": PYPROJECT + "\n[tool.uv]\nnative-tls = true\n"},
    set_up=(("uv", "lock", "-q"),),
    good=PYTHON_GOOD,
    broken=PYTHON_BROKEN,
    ignored=(".venv", "*.egg-info", "__pycache__"),
)

PRICES_JS = """\
const isOdd = require('is-odd');
exports.gross = (net) => Math.floor(net * 1.19 + 1e-9);
exports.odd = isOdd;
"""
NET_JS = "exports.net = (gross) => Math.round(gross / 1.19);\n"


def js_test(of: str) -> str:
    """A test of node's own runner."""
    return f"""\
const test = require('node:test');
const assert = require('node:assert');
const {{ gross, odd }} = require('{of}');
test('gross', () => {{
  assert.strictEqual(gross(100), 119);
  assert.strictEqual(odd(3), true);
}});
"""


NPM = Kind(
    name="npm with a lock file",
    needs=("npm", "node"),
    files={
        "package.json": '{"name": "shop", "version": "1.0.0", "scripts": {"test": "node --test"}, '
        '"dependencies": {"is-odd": "3.0.1"}}\n',
        "prices.js": PRICES_JS,
        "prices.test.js": js_test("./prices.js"),
    },
    set_up=(("npm", "install", "--silent"),),
    good={"prices.js": PRICES_JS + NET_JS},
    broken={"prices.js": PRICES_JS.replace("1.19", "1.00")},
    ignored=("node_modules",),
)
PNPM = Kind(
    name="pnpm monorepo",
    needs=("pnpm", "node"),
    files={
        "package.json": '{"name": "all", "private": true, "packageManager": "pnpm@9.15.9", '
        '"scripts": {"test": "pnpm -r test"}}\n',
        "pnpm-workspace.yaml": "packages:\n  - 'packages/*'\n",
        "packages/prices/package.json": '{"name": "prices", "version": "1.0.0", "main": "prices.js", '
        '"dependencies": {"is-odd": "3.0.1"}}\n',
        "packages/prices/prices.js": PRICES_JS,
        "packages/shop/package.json": '{"name": "shop", "version": "1.0.0", "scripts": {"test": "node --test"}, '
        '"dependencies": {"prices": "workspace:*"}}\n',
        "packages/shop/prices.test.js": js_test("prices"),
    },
    set_up=(("pnpm", "install", "--silent"),),
    good={"packages/prices/prices.js": PRICES_JS + NET_JS},
    broken={"packages/prices/prices.js": PRICES_JS.replace("1.19", "1.00")},
    ignored=("node_modules",),
)

GO_SOURCE = """\
package shop

import "github.com/google/uuid"

// Gross of a net price.
func Gross(net int) int { return net * 119 / 100 }

// ID of an order.
func ID() string { return uuid.NewString() }
"""
GO_TEST = """\
package shop

import "testing"

func TestGross(t *testing.T) {
\tif Gross(100) != 119 || len(ID()) != 36 {
\t\tt.Fatal(Gross(100))
\t}
}
"""
GO = Kind(
    name="Go with modules",
    needs=("go",),
    files={"go.mod": "module example.org/shop\n\ngo 1.21\n", "shop.go": GO_SOURCE, "shop_test.go": GO_TEST},
    set_up=(("go", "mod", "tidy"),),
    good={"shop.go": GO_SOURCE + "\n// Net of a gross price.\nfunc Net(gross int) int { return gross * 100 / 119 }\n"},
    broken={"shop.go": GO_SOURCE.replace("119 / 100", "1")},
)

RUST_LIB = """\
/// Gross of a net price.
pub fn gross(net: u32) -> u32 {
    net * 119 / 100
}
"""
RUST_NET = """
/// Net of a gross price.
pub fn net(gross: u32) -> u32 {
    gross * 100 / 119
}
"""
RUST_SHOP = """\
pub use prices::gross;

#[cfg(test)]
mod tests {
    #[test]
    fn gross() {
        assert_eq!(super::gross(100), 119);
    }
}
"""
CRATE = '[package]\nname = "{name}"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]\n'
RUST = Kind(
    name="Rust workspace",
    needs=("cargo",),
    files={
        "Cargo.toml": '[workspace]\nmembers = ["prices", "shop"]\nresolver = "2"\n',
        "prices/Cargo.toml": CRATE.format(name="prices") + 'itoa = "1"\n',
        "prices/src/lib.rs": RUST_LIB,
        "shop/Cargo.toml": CRATE.format(name="shop") + 'prices = { path = "../prices" }\n',
        "shop/src/lib.rs": RUST_SHOP,
    },
    set_up=(("cargo", "generate-lockfile", "-q"),),
    good={"prices/src/lib.rs": RUST_LIB + RUST_NET},
    broken={"prices/src/lib.rs": RUST_LIB.replace("119", "107")},
    ignored=("target",),
)

# The kinds that the page about checks has a recipe for (tests/projects/page.py)

REQUIREMENTS = "idna\npytest\nsetuptools\nwheel\n"
WITH_REQUIREMENTS = msgspec.structs.replace(
    PIP,
    name="pip with src and requirements",
    files={**PYTHON, "requirements.txt": REQUIREMENTS},
    set_up=(),
    path="",
)
FLAT_PYTHON = {name.removeprefix("src/"): text for name, text in PYTHON.items()}
FLAT = msgspec.structs.replace(
    WITH_REQUIREMENTS,
    name="pip without src",
    files={**FLAT_PYTHON, "requirements.txt": REQUIREMENTS},
    good={name.removeprefix("src/"): text for name, text in PYTHON_GOOD.items()},
    broken={name.removeprefix("src/"): text for name, text in PYTHON_BROKEN.items()},
)
VERSION = "\n\ndef test_version():\n    assert importlib.metadata.version('shop') == '1'\n"
INSTALLED = msgspec.structs.replace(
    WITH_REQUIREMENTS,
    name="pip with a project that is installed",
    files={
        **PYTHON,
        "tests/test_prices.py": "import importlib.metadata\n" + PYTHON["tests/test_prices.py"] + VERSION,
        "pyproject.toml": PYPROJECT,
        "requirements.txt": REQUIREMENTS,
    },
)

JAVA = """\
package org.example;

public class Prices {
    public static int gross(int net) {
        return net * 119 / 100;
    }
}
"""
JAVA_NET = "    public static int net(int gross) {\n        return gross * 100 / 119;\n    }\n}\n"
JAVA_TEST = """\
package org.example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class PricesTest {
    @Test
    void gross() {
        assertEquals(119, Prices.gross(100));
    }
}
"""
POM = """\
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>org.example</groupId>
  <artifactId>shop</artifactId>
  <version>1</version>
  <properties>
    <maven.compiler.source>11</maven.compiler.source>
    <maven.compiler.target>11</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
    <dependency>
      <groupId>org.junit.jupiter</groupId>
      <artifactId>junit-jupiter</artifactId>
      <version>5.10.2</version>
      <scope>test</scope>
    </dependency>
  </dependencies>
  <build>
    <plugins>
      <plugin><artifactId>maven-surefire-plugin</artifactId><version>3.2.5</version></plugin>
    </plugins>
  </build>
</project>
"""
MAVEN = Kind(
    name="Maven",
    needs=("mvn", "javac"),
    files={
        "pom.xml": POM,
        "src/main/java/org/example/Prices.java": JAVA,
        "src/test/java/org/example/PricesTest.java": JAVA_TEST,
    },
    good={"src/main/java/org/example/Prices.java": JAVA[:-2] + JAVA_NET},
    broken={"src/main/java/org/example/Prices.java": JAVA.replace("119", "107")},
    ignored=("target",),
)

GRADLE = Kind(
    name="Gradle",
    needs=("gradle", "javac"),
    files={
        "settings.gradle": "rootProject.name = 'shop'\n",
        "build.gradle": """\
apply plugin: 'java'

repositories { mavenCentral() }
dependencies { testImplementation 'junit:junit:4.13.2' }
""",
        "src/main/java/org/example/Prices.java": JAVA,
        "src/test/java/org/example/PricesTest.java": JAVA_TEST.replace("jupiter.api.Assertions", "Assert")
        .replace("jupiter.api.Test", "Test")
        .replace("class PricesTest", "public class PricesTest")
        .replace("    void", "    public void"),
    },
    good=MAVEN.good,
    broken=MAVEN.broken,
    ignored=("build", ".gradle"),
)


def _below(part: str, files: Files) -> dict[str, str]:
    return {f"{part}/{name}": text for name, text in files.items()}


SEVERAL = Kind(
    name="several projects in one repository",
    needs=("python3", "npm", "node"),
    files={**_below("api", FLAT.files), **_below("web", NPM.files)},
    set_up=(("npm", "install", "--silent", "--prefix", "web"),),
    checks=("tests-api", "tests-web"),
    good=_below("api", FLAT.good),
    broken=_below("web", NPM.broken),
    ignored=(*FLAT.ignored, *NPM.ignored),
)
BUILT = (PIP, UV, NPM, PNPM, GO, RUST, MAVEN, GRADLE)
OF_THE_PAGE = {
    "Python with src, uv": UV,
    "Python with src, pip": WITH_REQUIREMENTS,
    "Python without src": FLAT,
    "Python that has to be installed": INSTALLED,
    "Node": NPM,
    "Node monorepo, pnpm": PNPM,
    "Go": GO,
    "Rust": RUST,
    "Maven": MAVEN,
    "Gradle": GRADLE,
    "Several projects in one repository": SEVERAL,
}
