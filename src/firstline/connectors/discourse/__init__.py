"""Discourse: topics of a forum with their posts and solutions."""
