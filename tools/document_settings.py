"""Write docs/settings.md from the settings themselves."""

from pathlib import Path

from firstline.settings import Settings

HEAD = """# Settings

In `firstline.toml`, as `FIRSTLINE_<NAME>` in the environment, or as a flag where a command has one; later ones win.
An unknown key is an error. `FIRSTLINE_CONFIG` names another settings file.

| setting | default | meaning |
|---|---|---|
"""


def main() -> None:
    rows = [f"| `{name}` | `{info.default!s}` | {info.description} |" for name, info in Settings.model_fields.items()]
    Path("docs/settings.md").write_text(HEAD + "\n".join(rows) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
