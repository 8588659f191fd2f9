"""Zendesk: solved tickets and the articles of its help centre, over the API or from export files."""
