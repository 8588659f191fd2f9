"""Does anything ever show somebody what they may not see? Random trials against an oracle of its own.

python -m benchmarks.leaks [--trials N] [--seed N]
"""
