"""Intercom: closed conversations and published articles."""
