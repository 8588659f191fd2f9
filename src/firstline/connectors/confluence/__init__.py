"""Confluence: pages and blog posts, with what restricts them."""
