"""Freshdesk: resolved tickets and the solutions of its portal."""
