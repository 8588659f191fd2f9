"""A figure that a question takes for granted, and that the quoted passages do not say, is told."""

from __future__ import annotations

import pytest
from tests.cost import costs_less

from firstline.questions.claims.asked_figures import figures_unsaid

BACKUPS = "To enable backups, run `backup enable` and then choose a target folder. Backups run every 24 hours."
TIMEOUT = "The connection timeout is 30 seconds by default. It is set with `timeout`."


@pytest.mark.parametrize(
    ("question", "text", "asked"),
    [
        ("How do I enable backups every 12 hours?", BACKUPS, "12 hours"),
        ("Is the connection timeout 90 seconds?", TIMEOUT, "90 seconds"),
        ("Is the default connection timeout ninety seconds?", TIMEOUT, "ninety seconds"),
        ("Does the trial last 14 days?", "The trial lasts 30 days.", "14 days"),
        ("Does the server listen on port 9090?", "The server listens on port 8080.", "port 9090"),
        ("Does the basic plan cost $20?", "The basic plan costs $12 a month.", "$20"),
        ("Can I upload files of 5 GB?", "Files of up to 2 GB can be uploaded.", "5 GB"),
        ("Why is the connection timeout 90 seconds?", TIMEOUT, "90 seconds"),
        ("Is the current version 3.2?", "The current version is 4.0.", "version 3.2"),
        ("How do I enable backups every 12 hours?", "To enable backups, run `backup enable`.", "12 hours"),
        ("Does the trial last 14 days?", "The trial lasts for a while.", "14 days"),
        ("Ist das Timeout 90 Sekunden?", "Das Timeout ist 30 Sekunden.", "90 Sekunden"),
        ("Wie aktiviere ich Backups alle 12 Stunden?", "Backups laufen alle 24 Stunden.", "12 Stunden"),
        ("Le délai est-il de 90 secondes ?", "Le délai est de 30 secondes.", "90 secondes"),
        ("¿Es el límite de 90 segundos?", "El límite es de 30 segundos.", "90 segundos"),
        ("How often do backups run, every 12 hours?", BACKUPS, "12 hours"),
        ("Do invoices have to be paid within 60 days?", "Invoices have to be paid within 30 days.", "60 days"),
        ("¿Las copias se hacen cada 6 horas?", "Las copias se hacen cada 24 horas.", "6 horas"),
        ("How do I enable hourly backups?", BACKUPS, "hourly"),
        ("How do I enable backups every hour?", BACKUPS, "every hour"),
        ("How do I enable backups twice a day?", BACKUPS, "twice a day"),
        ("The connection timeout is 90 seconds, right?", TIMEOUT, "90 seconds"),
    ],
)
def test_a_figure_that_is_not_said_is_told(question: str, text: str, asked: str) -> None:
    assert figures_unsaid(question, [text]) == (asked,)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("How do I enable backups every 24 hours?", BACKUPS),
        ("Do backups run once every day?", BACKUPS),
        ("Is the timeout 1800 seconds?", "The timeout is 30 minutes."),
        ("Can I upload files of 1 GB?", "Files of up to 2 GB can be uploaded."),
        ("Does it run with 16 GB of memory?", "It needs at least 8 GB of memory."),
        ("Is version 4.3 supported?", "Version 4.1 or later is supported."),
        ("How do I set the timeout to 90 seconds?", TIMEOUT),
        ("How can I increase the limit to 5 GB?", "The limit is 2 GB. Change it with `limit`."),
        ("Why does my query fail after 45 seconds?", "A query that takes longer than 30 seconds is stopped."),
        ("My disk of 500 GB is full. How do I clean it?", "Run `clean`. It frees at most 10 GB."),
        ("I have 3 nodes, how do I add one?", "Run `node add`. A cluster has up to 7 nodes."),
        ("What does error 1042 mean?", "Error 1042: the host is unknown."),
        ("2024-05-01 12:00:03 timeout after 30 ms. How do I fix the timeout?", TIMEOUT),
        ("Is there a fix since 2024-05-01?", "The fix was made in April."),
        ("How do I cancel my plan after 14 days?", "To cancel a plan, press Cancel."),
        ("Does the backup fail because I waited 10 minutes?", "Backups fail when the disk is full."),
        ("How do I enable backups?", BACKUPS),
        ("How do I enable daily backups?", BACKUPS),
        ("How do I enable backups once a day?", BACKUPS),
        ("How do I see the daily report?", "Reports are under Reports. They are kept for 30 days."),
        ("How many requests per hour can I send?", "You can send 100 requests a minute."),
        ("Is the limit 10 requests per day?", "The limit is 10 requests per day."),
        ("Does the free plan include 5 GB?", "The free plan includes 5000 MB of storage."),
        ("My export of 3 GB failed after 20 minutes, how do I restart it?", "An export may take 10 minutes."),
        ("Can I pay in 3 parts?", "A bill can be paid in 2 parts within 30 days."),
    ],
)
def test_a_figure_that_describes_is_not(question: str, text: str) -> None:
    assert figures_unsaid(question, [text]) == ()


@pytest.mark.parametrize("unit", ["1 ", "is 5 GB ", "every 12 hours ", "port ", "$"])
def test_the_same_over_and_over_costs_little(unit: str) -> None:
    assert costs_less(lambda: figures_unsaid(unit * 20_000, [unit * 20_000]), than_s=1.0)
