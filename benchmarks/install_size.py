"""What `pip install` of the default package puts on the disk."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
SOURCES: Final = ("src", "pyproject.toml", "README.md", "LICENSE", "constraints.txt")


def install_size_mb() -> float:
    """Megabytes (10^6 bytes on disk) that a fresh environment gains by the default package, without extras.

    Needs a package index. The sources are copied first: building in place would leave files behind.
    """
    with tempfile.TemporaryDirectory(prefix="firstline-install-") as scratch:
        copy, target = Path(scratch) / "copy", Path(scratch) / "venv"
        copy.mkdir()
        for name in SOURCES:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, copy / name, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
            elif source.is_file():
                shutil.copy2(source, copy / name)
        venv.create(target, with_pip=True)
        empty = bytes_on_disk(target)
        subprocess.run(  # noqa: S603 - pip of the environment made above
            [
                str(target / "bin" / "python"),
                *("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-cache-dir"),
                *("-c", str(copy / "constraints.txt"), str(copy)),
            ],
            check=True,
            stdout=sys.stderr,
        )
        return (bytes_on_disk(target) - empty) / 1e6


def bytes_on_disk(folder: Path) -> int:
    """Blocks taken, links not followed."""
    return sum(path.lstat().st_blocks * 512 for path in folder.rglob("*") if not path.is_dir() or path.is_symlink())
