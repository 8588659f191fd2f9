"""How a model is compiled for the processor, and how much of its work the runtime may remember."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

REMEMBERED: Final = {"CPU_RUNTIME_CACHE_CAPACITY": 64}
"""OpenVINO prepares its operations anew for each shape of a batch, and keeps 5,000 of them by default: one to four
megabytes for each length and number of texts, gigabytes after some thousand questions. With so many kept memory stays
flat; a text alone and an ingestion take as long as before, batches of ever new shapes some 5% longer."""


def compiled_for_processor(model: Path, options: dict[str, Any]) -> Any:
    """RuntimeError when the file is no model."""
    import openvino

    core = openvino.Core()
    try:
        return core.compile_model(str(model), "CPU", {**options, **REMEMBERED})
    except RuntimeError as error:
        if next(iter(REMEMBERED)) not in str(error):
            raise
    # A runtime that does not know the option any more.
    return core.compile_model(str(model), "CPU", options)
