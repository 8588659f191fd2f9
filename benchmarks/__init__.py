"""Speed, memory and quality, measured afresh: run one with `python -m benchmarks.NAME`."""
