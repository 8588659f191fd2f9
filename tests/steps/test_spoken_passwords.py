"""Passwords that are told in a sentence."""

from __future__ import annotations

import pytest

from firstline.api.auth import new_key
from firstline.documents.redact import PatternRedactor
from firstline.domain import Level

PASSWORD = "Xk9!mmPq2"


@pytest.mark.parametrize(
    "text",
    [
        "I log in with user anna and password {} but it fails",
        "my password is {}, why does it fail?",
        "the password I use is {}",
        "Password {} does not work",
        "pw: {}",
        "mein Passwort ist {}.",
        "Passwort lautet {}",
        "mot de passe : {}",
        "contraseña: {}",
        "パスワードは {} です",
    ],
)
@pytest.mark.parametrize("password", [PASSWORD, "Tr0ub4dor&3!x"])
def test_a_password_in_a_sentence_is_replaced_whole(text: str, password: str) -> None:
    redacted = PatternRedactor().redact(text.format(password)).text
    assert redacted == text.format("[SECRET_1]")


@pytest.mark.parametrize(
    "text",
    [
        "The password is wrong.",
        "password authentication v2.1.3 is the default",
        "the password was added in 4.2.1",
        "password is set in config.yaml",
        "passwords are base64-encoded",
        "password: ${DB_PASS1}",
        "The password is at least 8 characters long.",
        "Set the password to your own.",
        "password file /etc/passwd1",
    ],
)
def test_prose_about_passwords_stays(text: str) -> None:
    assert PatternRedactor().redact(text).text == text


TOLD = [
    "pw is {}",
    "pw: {}",
    "passphrase {}",
    "my passphrase is {}.",
    "password\n{}",
    "Password:\n{}\nhost db1",
    "password ({})",
    "user admin pass {}",
    "I use {} as password",
    "we set {} as the new password",
    "the password for admin was changed to {}",
    "the password was reset to {} yesterday",
    "the password for the db user: {}",
    "Passwort lautet {}",
    "das Passwort für admin lautet {}.",
    "mein Kennwort: {}",
    "mot de passe : {}",
    "contraseña es {}",
    "curl -u admin:{} https://db.test/a",
    "curl -s -X GET \\\n  -u 'admin:{}' https://db.test/a",
    "tool login -u admin -p {}",
    "sshpass -p {} ssh db1",
    "mysql -uroot -p{} orders",
    "login root/{}",
    "login: root / {}",
]


@pytest.mark.parametrize("text", TOLD)
@pytest.mark.parametrize("password", [PASSWORD, "Sommer2024", "hunter2", "tr0ub4dor", "Winter#Regen"])
def test_a_password_is_found_by_the_form_it_is_told_in(text: str, password: str) -> None:
    assert PatternRedactor().redact(text.format(password)).text == text.format("[SECRET_1]")


@pytest.mark.parametrize(
    "text",
    ["curl -u admin:geheim https://db.test", "login root/toor", "Das Passwort lautet geheim", "mongosh -u x -p geheim"],
)
def test_a_sure_form_needs_no_digits(text: str) -> None:
    assert "[SECRET_1]" in PatternRedactor().redact(text).text


@pytest.mark.parametrize("key", ["fl_9505a27e11d2_" + "314b" * 16, "fl_9505a27e11d2_314b"])
def test_a_key_of_ours_is_a_secret(key: str) -> None:
    assert PatternRedactor().redact(f"I send {key}, why 401?").text == "I send [SECRET_1], why 401?"


def test_every_key_we_make_is_a_secret() -> None:
    _, token = new_key(name="", tenant="default", kb="docs", level=Level.PUBLIC)
    assert PatternRedactor().redact(token).text == "[SECRET_1]"


@pytest.mark.parametrize(
    "text",
    [
        "the password policy is strict",
        "pass the flag -p 8080",
        "password authentication",
        "enter your password",
        "docker run -u root -p 8080:80 nginx",
        "mkdir -p foo/bar1",
        "ssh -p 2222 host1",
        "curl -u user:pass https://x",
        "curl -u $USER:$PASS x",
        "docker run -u 1000:1000 x",
        "docker exec -u root:root app1 ls",
        "login user/password",
        "login page/v2",
        "log in to api/v2",
        "the password was changed to meet the policy of 2024",
        "password for user1 is stored in db2",
        "the password is set to expire after 90days",
        "password (SHA256)",
        "password (min. 8 characters)",
        "Password\nUsername",
        "Password\nserver1\n",
        "passwords are base64-encoded",
        "passphrase protection v2.1",
        "use OAuth2 as password grant",
        "use SHA256 for password hashing",
        "use bcrypt12 for passwords",
        "Passwort lautet wie folgt:",
        "Das Passwort ist falsch",
        "mot de passe : obligatoire",
        "contraseña es obligatoria",
        "pw is wrong",
        "the password of the user must be 8 to 64characters",
        "mysql -u root -p mydb",
        "mysql -u root -p",
        "mysql -P 3306 -p",
        "login -p 22",
        "kubectl logs -p pod-1a2b3c",
        "kubectl create -p '{\"spec\":1}'",
        "user admin pass the test",
        "pass 2 of 3",
        "set password to config.yaml",
        "password for db2 on host3 is required",
        "login oauth2/saml2",
        "the password is in /etc/app1/secret.conf",
        "tar -p x9",
        "password reset link v2",
        "set a password in application.properties",
        "cp -p file1.txt file2.txt",
        "password in Windows10 is",
        "the password to log in to Windows10 has changed",
        "Passwort für SAP2000 zurücksetzen",
        "password reset to Office365 fails",
        "changed password to Kubernetes1.29 secret",
        "password for user admin1",
        "reset the password for db2inst1 on node7",
        "as password manager",
        "use KeePass2 as password manager",
        "use 1Password as password vault",
    ],
)
def test_what_only_looks_like_a_told_password_stays(text: str) -> None:
    assert PatternRedactor().redact(text).text == text
