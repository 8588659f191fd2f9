"""Write the rows of docs/settings.md from the settings themselves; what stands above the table stays."""

import re
from pathlib import Path
from typing import Any

from pydantic.fields import FieldInfo

from firstline.settings import Settings

PAGE = Path("docs/settings.md")
RULE = "|---|---|---|\n"


def main() -> None:
    above, rule, _ = PAGE.read_text(encoding="utf-8").partition(RULE)
    rows = [f"| `{name}` | {_default(info)} | {_linked(info)} |\n" for name, info in Settings.model_fields.items()]
    PAGE.write_text(above + rule + "".join(rows), encoding="utf-8")


def _default(info: FieldInfo) -> str:
    value: Any = info.default
    if info.default_factory is not None:
        return "`{}`"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return "(empty)" if value in ("", ()) else f"`{value}`"


def _linked(info: FieldInfo) -> str:
    return re.sub(r"\(docs/([a-z-]+)\.md\)", r"([\1](\1.md))", info.description or "")


if __name__ == "__main__":
    main()
