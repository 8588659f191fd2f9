"""Who asks how NOT to do something is not told how to do it; who says that something does not work is answered."""

from __future__ import annotations

import pytest
from tests.cost import costs_less

from firstline.questions.message.opposites import opposed

BACKUPS = "Backups. To enable backups, run `backup enable` and then choose a target folder. Backups run every 24 hours."
LOCK = "How do I free a lock? Run `locks clear`."


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("How do I not enable backups?", BACKUPS),
        ("Why should I never enable backups?", BACKUPS),
        ("How can I avoid enabling backups?", BACKUPS),
        ("How not to enable backups", BACKUPS),
        ("Is it possible to not activate backups?", BACKUPS),
        ("How do I prevent backups from being switched on?", BACKUPS),
        ("I don't want to enable backups, what now?", BACKUPS),
        ("When should we not enable backups?", BACKUPS),
        ("How do I not free a lock?", LOCK),
        ("What is a way to not enable backups?", BACKUPS),
        ("How can I refrain from enabling backups on my laptop?", BACKUPS),
        ("How do I keep my account from being deleted?", "Delete an account. To delete your account, press Delete."),
        ("Pourquoi ne devrais-je jamais activer les sauvegardes ?", "Pour activer les sauvegardes, lancez `backup`."),
        ("Wie vermeide ich es, Backups zu aktivieren?", "Um Backups zu aktivieren, rufen Sie `backup` auf."),
        ("How do I make sure backups are never enabled?", BACKUPS),
        ("How do I keep backups turned off?", BACKUPS),
        ("What happens if I don't enable backups?", BACKUPS),
        ("Is it ok not to enable backups?", BACKUPS),
        ("never enable backups", BACKUPS),
        ("how to make backups not be enabled", BACKUPS),
        ("Why is it not recommended to enable backups?", BACKUPS),
        ("Can I use the product and never enable backups?", BACKUPS),
        ("How do I undo enabling backups?", BACKUPS),
        ("Can I skip switching on backups?", BACKUPS),
        ("How do I not enable backups?", "Backups. Run `backup enable` for backups."),
        ("How do I keep from freeing a lock by accident?", LOCK),
        ("Wie aktiviere ich Backups nicht?", "Backups. Um Backups zu aktivieren, führen Sie `backup enable` aus."),
        ("Warum sollte ich Backups nie aktivieren?", "Aktivieren Sie Backups mit `backup enable`."),
        ("Comment éviter d'activer les sauvegardes ?", "Pour activer les sauvegardes, lancez `backup enable`."),
        ("Comment ne pas activer les sauvegardes ?", "Activez les sauvegardes avec `backup enable`."),
        ("¿Cómo puedo evitar activar las copias?", "Para activar las copias, ejecute `backup enable`."),
        ("¿Por qué no debería activar las copias nunca?", "Para activar las copias, ejecute `backup enable`."),
    ],
)
def test_an_instruction_to_do_it_is_opposed(question: str, text: str) -> None:
    assert opposed(question, text)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("How do I enable backups?", BACKUPS),
        ("Why does the export not start?", "Start an export. To start an export, press Export on the page."),
        ("How do I fix it when backups are not running?", BACKUPS),
        ("I cannot enable backups", BACKUPS),
        ("Why can I not enable backups?", BACKUPS),
        ("Why can't I enable backups?", BACKUPS),
        ("How do I stop it from restarting?", "Restarts. To stop it from restarting, set `restart = no`."),
        ("How do I export a page without enabling scripts?", "To export a page without scripts, run `export`."),
        ("How do I make sure a page is not deleted?", "Protect a page. To protect a page, set `keep = true`."),
        ("How can I avoid enabling backups?", f"{BACKUPS} To skip backups, set `backup = off`."),
        ("How do I not enable backups?", "Backups are enabled by default. To disable backups, run `backup disable`."),
        ("Why should I never share my key?", "Keys. Never share your key: it opens the account."),
        ("How do I avoid losing messages?", "To keep messages, set `acks = all`."),
        ("How do I avoid running out of disk space?", "Prune the disk. Delete old logs when space is low."),
        (
            "How do I prevent users from deleting pages?",
            "Roles. Only editors can delete pages: give users another role.",
        ),
        ("How do I not only enable backups but also check them?", BACKUPS),
        ("I enabled backups but did not get a mail. How do I enable backups again?", BACKUPS),
        ("I do not want to lose data. How do I move the folder?", "Move a folder. To move the folder, run `mv`."),
        ("I don't know how to enable backups", BACKUPS),
        ("What if I don't receive the mail?", "To receive the mail, confirm your address."),
        ("How do I ensure old pages are not deleted?", "Pages. Keep pages with `keep`. Delete pages with `rm`."),
        ("How do I keep backups enabled?", BACKUPS),
        ("Why are backups not running although I enabled them?", BACKUPS),
        ("How do I enable backups, not snapshots?", BACKUPS),
        ("Why didn't the agent restart?", "Restart the agent. To restart the agent, run `agentctl restart`."),
        ("Wie lösche ich ein Konto, das ich nicht mehr brauche?", "Um ein Konto zu löschen, öffnen Sie es."),
        ("Explain how to enable backups and not snapshots", BACKUPS),
        ("How do I get backups and not lose files?", BACKUPS),
        ("Why should I enable backups?", BACKUPS),
        ("Backups are not enabled. What should I do?", BACKUPS),
        ("How do I enable backups if I am not an admin?", BACKUPS),
        ("Warum kann ich Backups nicht aktivieren?", "Um Backups zu aktivieren, führen Sie `backup enable` aus."),
        ("Wie aktiviere ich Backups, wenn ich nicht Admin bin?", "Um Backups zu aktivieren, rufen Sie `backup` auf."),
        ("Pourquoi je n'arrive pas à activer les sauvegardes ?", "Pour activer les sauvegardes, lancez `backup`."),
        ("¿Por qué no puedo activar las copias?", "Para activar las copias, ejecute `backup enable`."),
    ],
)
def test_a_failure_that_is_told_and_a_page_on_not_doing_it_are_not(question: str, text: str) -> None:
    assert not opposed(question, text)


@pytest.mark.parametrize(
    "unit", ["how do I not ", "avoid ", "to enable ", "prevent it from ", "not ", "wie ich nicht "]
)
def test_the_same_over_and_over_costs_little(unit: str) -> None:
    assert costs_less(lambda: opposed(unit * 20_000, unit * 20_000), than_s=1.0)
