"""How do connectors speak HTTP? With limits on everything, politely, and to nobody they were not pointed at."""

from firstline.connectors.http.client import HttpClient, HttpLimits
from firstline.connectors.http.reply import HttpReply, shown_url

__all__ = ["HttpClient", "HttpLimits", "HttpReply", "shown_url"]
