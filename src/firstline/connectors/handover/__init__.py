"""Where hand-overs go: webhook, e-mail, Slack."""
