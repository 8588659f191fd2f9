"""Slack: threads of channels, from an export of a workspace."""
