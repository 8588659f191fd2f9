"""First-line support that answers only what it can prove, and hands over the rest."""

__version__ = "0.1.0"
