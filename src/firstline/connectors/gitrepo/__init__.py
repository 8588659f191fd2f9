"""How is a git repository read? Through the `git` program, as bare objects: nothing is ever checked out or run."""

from firstline.connectors.gitrepo.repository import Entry, Repository

__all__ = ["Entry", "Repository"]
