"""One git for whoever reads a repository and whoever changes it: what one let into the clean room, the other finds."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from foureyes.adapters.git.client.git import Git
    from foureyes.adapters.git.client.locate import Located


class SharedGit:
    """Made when first needed, because files alone answer the commonest questions."""

    def __init__(self, here: Located) -> None:
        self._here = here

    @cached_property
    def git(self) -> Git:
        from foureyes.adapters.git.client.git import Git

        return Git(self._here.git_dir, self._here.common_dir)

    def close(self) -> None:
        """Remove what is temporary now rather than at exit. It stays usable."""
        if "git" in self.__dict__:
            self.git.close()
