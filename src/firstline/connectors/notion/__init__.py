"""Notion: pages as Markdown, databases as tables."""
