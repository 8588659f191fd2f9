"""Which sentences under "Cause" tell no cause: they deny one, or say that nobody knows."""

from __future__ import annotations

import pytest
from tests.cost import costs_less

from firstline.documents.communities.denied import tells_no_cause


@pytest.mark.parametrize(
    "words",
    [
        "The disk of the Relay Agent was not the cause.",
        "The disk wasn't the root cause.",
        "A full disk is clearly not the reason.",
        "It was not the certificate.",
        "The cause is not the certificate of the Relay Agent.",
        "The reason wasn't an expired key.",
        "The cause was not in the network.",
        "Die Ursache ist nicht das Zertifikat.",
        "La cause n'est pas le certificat.",
        "La causa no es el certificado.",
        "原因は証明書ではない。",
        "We ruled out the network.",
        "The network was ruled out.",
        "The failure is not related to the last upgrade.",
        "This is unrelated to the proxy.",
        "The upgrade did not cause this.",
        "The cause is unknown.",
        "The root cause has not been determined.",
        "Not yet known; under investigation.",
        "No root cause was found.",
        "We could not reproduce it.",
        "See ticket 4000.",
        "Die Platte war nicht die Ursache.",
        "Das Netzwerk wurde ausgeschlossen.",
        "Die Ursache ist noch unklar.",
        "Le disque n'était pas la cause.",
        "La cause est inconnue.",
        "El disco no era la causa.",
        "La causa es desconocida.",
        "ディスクが原因ではなかった。",
        "原因は不明です。",
        "磁盘不是原因。",
    ],
)
def test_it_tells_none(words: str) -> None:
    assert tells_no_cause(words)


@pytest.mark.parametrize(
    "words",
    [
        "The disk of the Relay Agent is not full.",
        "The disk was not mounted.",
        "The cause is not enough memory on the host.",
        "The cause was not the disk but the key of the agent.",
        "Die Ursache ist nicht genug Speicher.",
        "The certificate is not trusted.",
        "The file could not be found.",
        "The service does not log the reason, and the queue fills.",
        "The failure was not caused by the disk but by the certificate.",
        "The disk was not the cause; the certificate had expired.",
        "An unknown host name in relay.conf.",
        "The user is not known to the directory.",
        "The signing key seen by the agent was revoked.",
        "The agent did not restart after the upgrade.",
        "Der Dienst war nicht die ganze Nacht erreichbar.",
        "Das Zertifikat ist nicht gültig.",
        "Le certificat n'est pas valide.",
        "El certificado no es válido.",
        "証明書が有効ではない。",
    ],
)
def test_it_tells_one(words: str) -> None:
    assert not tells_no_cause(words)


@pytest.mark.parametrize("one", ["was not ", "cause ", "ruled a ", "the cause a", " ", "the ", "wurde a "])
def test_it_is_quick_whatever_it_reads(one: str) -> None:
    text = (one * 600)[:600]
    assert costs_less(lambda: tells_no_cause(text), 0.05)
