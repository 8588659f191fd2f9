"""Which settings make which channels, and what is said of those that do not."""

from __future__ import annotations

import pytest

from firstline.connectors.handover.channels import ChannelSettings, open_channels
from firstline.errors import InvalidInput
from firstline.settings import Settings, load_settings
from firstline.wiring import channels_of

SECRET = "hunter2-hunter2-hunter2"
WEBHOOK = {"handoff_webhook_url": "https://example.com/hook", "handoff_webhook_secret": SECRET}
MAIL = {
    "handoff_email_to": "team@acme.test, boss@acme.test",
    "handoff_email_from": "bot@acme.test",
    "smtp_url": "smtp://bot:p%40ss%3Aword@mail.acme.test",
}
SLACK = {"handoff_slack_webhook": "https://hooks.slack.example/services/T/B/X"}
BOT = {"handoff_slack_token": "xoxb-1", "handoff_slack_channel": "C0123"}


def names(**given: str) -> list[str]:
    return [channel.name for channel in open_channels(ChannelSettings(**given))]


def test_channels_are_those_that_are_configured() -> None:
    assert names() == []
    assert names(**WEBHOOK) == ["webhook"]
    assert names(**MAIL) == ["email"]
    assert names(**SLACK) == names(**BOT) == ["slack"]
    assert names(**SLACK, **MAIL, **WEBHOOK) == ["webhook", "email", "slack"]


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:9/x", "https://10.0.0.7/hook", "https://[::1]:8443/h", "https://bücher.example/h"]
)
def test_any_host_may_be_named_private_ones_too(url: str) -> None:
    assert names(handoff_webhook_url=url, handoff_webhook_secret=SECRET) == ["webhook"]


@pytest.mark.parametrize(
    ("given", "setting"),
    [
        ({**WEBHOOK, "handoff_webhook_url": "ftp://example.com"}, "handoff_webhook_url"),
        ({**WEBHOOK, "handoff_webhook_url": "example.com/hook"}, "handoff_webhook_url"),
        ({**WEBHOOK, "handoff_webhook_url": "https://"}, "handoff_webhook_url"),
        ({**WEBHOOK, "handoff_webhook_url": "https://a:99999/"}, "handoff_webhook_url"),
        ({**WEBHOOK, "handoff_webhook_url": f"https://bot:{SECRET}@example.com"}, "handoff_webhook_url"),
        ({**WEBHOOK, "handoff_webhook_secret": ""}, "handoff_webhook_secret"),
        ({**WEBHOOK, "handoff_webhook_secret": "hunter2-short"}, "handoff_webhook_secret"),
        ({**WEBHOOK, "handoff_webhook_secret": "whsec_hunter2!"}, "handoff_webhook_secret"),
        ({"handoff_webhook_secret": SECRET}, "handoff_webhook_url"),
        ({**MAIL, "handoff_email_to": "team"}, "handoff_email_to"),
        ({**MAIL, "handoff_email_to": "a@b.test\nBcc: c@d.test"}, "handoff_email_to"),
        ({**MAIL, "handoff_email_to": " , "}, "handoff_email_to"),
        ({**MAIL, "handoff_email_to": ",".join(f"u{n}@acme.test" for n in range(21))}, "handoff_email_to"),
        ({**MAIL, "handoff_email_from": ""}, "handoff_email_from"),
        ({**MAIL, "handoff_email_from": "Bot <bot@acme.test>"}, "handoff_email_from"),
        ({**MAIL, "smtp_url": ""}, "smtp_url"),
        ({**MAIL, "smtp_url": "https://mail.acme.test"}, "smtp_url"),
        ({**MAIL, "smtp_url": f"smtp://bot:{SECRET}@mail.acme.test:0"}, "smtp_url"),
        ({**MAIL, "smtp_url": f"smtp://bot:{SECRET}@mail.acme.test:x"}, "smtp_url"),
        ({**MAIL, "smtp_url": f"smtp://bot:{SECRET}@mail.acme.test/path"}, "smtp_url"),
        ({**MAIL, "smtp_url": "smtp://bot@mail.acme.test"}, "smtp_url"),
        ({**MAIL, "smtp_url": f"smtp://bot:{SECRET}#@mail.acme.test"}, "smtp_url"),
        ({"smtp_url": "smtp://mail.acme.test"}, "handoff_email_to"),
        ({**SLACK, **BOT}, "handoff_slack_webhook"),
        ({"handoff_slack_webhook": "hooks.slack.example"}, "handoff_slack_webhook"),
        ({"handoff_slack_token": "xoxb-1"}, "handoff_slack_channel"),
        ({"handoff_slack_channel": "C0123"}, "handoff_slack_token"),
        ({**BOT, "handoff_slack_token": "xoxb-hunter2\né"}, "handoff_slack_token"),
    ],
)
def test_what_cannot_work_is_refused_by_name_and_without_its_value(given: dict[str, str], setting: str) -> None:
    with pytest.raises(InvalidInput, match=f"`{setting}`") as refused:
        open_channels(ChannelSettings(**given))
    assert refused.value.remedy
    for text in (str(refused.value), repr(ChannelSettings(**given))):
        assert "hunter2" not in text


def test_settings_make_channels_and_change_no_outcome() -> None:
    everything = {**WEBHOOK, **MAIL, **SLACK}
    settings = load_settings(environ={f"FIRSTLINE_{name.upper()}": value for name, value in everything.items()})
    assert [channel.name for channel in channels_of(settings)] == ["webhook", "email", "slack"]
    assert settings.settings_hash == Settings().settings_hash
    for secret in (SECRET, "p%40ss", "hooks.slack.example"):
        assert secret not in repr(settings)


def test_every_setting_of_a_channel_reaches_it() -> None:
    mine = set(ChannelSettings.__dataclass_fields__)
    assert mine == {name for name in Settings.model_fields if name.startswith("handoff_") or name == "smtp_url"}
