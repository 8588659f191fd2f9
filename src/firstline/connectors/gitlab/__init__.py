"""GitLab: issues with their comments."""
