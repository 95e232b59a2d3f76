"""A hook of mkdocs: adds three pages of the repository's root to the site, and rewrites links.

Pages are written for GitHub. A link to a page of the site gets its address there. A link to any other file of the
repository becomes plain text. A broken link stays as it is, so that `mkdocs build --strict` refuses it.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent
FROM_ROOT = {"README.md": "index.md", "CHANGELOG.md": "changelog.md", "SECURITY.md": "security.md"}
"""Files of the root and their names on the site. The site's navigation stands in for docs/README.md."""

LINK = re.compile(r"(?P<image>!?)\[(?P<text>[^\]]*)\]\((?P<target>[^)#\s:]+)(?P<anchor>#[^)\s]*)?\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages of the root."""
    for source, page in FROM_ROOT.items():
        files.append(File.generated(config, page, content=(ROOT / source).read_text("utf-8")))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """Rewrites the links of one page."""
    return with_links_of_the_site(markdown, page.file.src_uri)


def with_links_of_the_site(markdown: str, page: str) -> str:
    """The text of a page with its links rewritten. `page` is its name on the site."""
    source = next((name for name, on_site in FROM_ROOT.items() if on_site == page), f"docs/{page}")

    def rewritten(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), link["target"]))
        if not (ROOT / target).exists():
            return link[0]
        address = address_of(target)
        if address is None:
            return link["text"]
        relative = posixpath.relpath(address, posixpath.dirname(page) or ".")
        return f"{link['image']}[{link['text']}]({relative}{link['anchor'] or ''})"

    return LINK.sub(rewritten, markdown)


def address_of(path: str) -> str | None:
    """Where a file of the repository is on the site, if it is there."""
    if (ROOT / path).is_dir():
        path = posixpath.join(path, "README.md")
    if path == "docs/README.md":
        return "index.md"
    is_page = path.startswith("docs/") and (ROOT / path).exists()
    return path.removeprefix("docs/") if is_page else FROM_ROOT.get(path)
