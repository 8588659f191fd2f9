"""A product and its version look like a street and its number: versions must survive, addresses must not."""

import pytest

from firstline.documents.redact import PatternRedactor
from firstline.models.names import open_name_finder


@pytest.fixture(scope="module")
def redactor() -> PatternRedactor:
    return PatternRedactor(names=open_name_finder())


@pytest.mark.parametrize(
    "text",
    [
        "Nous sommes sous Debian 12 depuis hier",
        "It runs on SUSE 15 SP4",
        "Nous sommes sous Debian 12, les sauvegardes vont vers un partage NFS.",
        "Python 3.11 on macOS Sonoma 14",
        "VMware ESXi 8 U2 and Rocky Linux 8.9",
        "saída 137 no container",
        "Kubernetes 1.29 on Azure West Europe 2",
    ],
)
def test_a_product_and_its_version_is_no_address(redactor: PatternRedactor, text: str) -> None:
    assert redactor.redact(text).text == text


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("my address is 12 Baker Street, London NW1 6XE", "Baker"),
        ("Send it to Hauptstraße 5, 10115 Berlin", "Hauptstraße"),
        ("I live at Lindenhof 5", "Lindenhof"),
        ("We moved to Elm Street 5", "Elm"),
    ],
)
def test_an_address_goes(redactor: PatternRedactor, text: str, gone: str) -> None:
    assert gone not in redactor.redact(text).text
