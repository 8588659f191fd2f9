"""Wrong input at the command line: one sentence, a remedy, an exit code."""

import sys

import pytest

from firstline.cli.main import main


@pytest.mark.parametrize(
    ("arguments", "environment", "code", "said"),
    [
        (["ingest", "no/such/path"], {}, 2, "no/such/path"),
        (["ingest", "--level", "top", "."], {}, 2, "There is no level top"),
        (["ingest", "--kind", "bogus", "."], {}, 2, "There is no kind bogus"),
        (["ingest", "--map", "text", "."], {}, 2, "--map text"),
        (["ask", "--level", "top", "hi"], {}, 2, "There is no level top"),
        (["status", "--nonsense"], {}, 2, "--nonsense"),
        (["frobnicate"], {}, 2, "frobnicate"),
        (["status"], {"FIRSTLINE_FOO": "1"}, 2, "There is no setting 'foo'"),
        (["status"], {"FIRSTLINE_PROT": "1"}, 2, "Did you mean 'port'?"),
        (["status"], {"FIRSTLINE_PORT": "many"}, 2, "port"),
        (["status"], {"FIRSTLINE_CONFIG": "absent.toml"}, 2, "absent.toml"),
        (["handoffs", "--state", "gone"], {}, 2, "acknowledged"),
        (["status"], {}, 0, "no data folder"),
    ],
)
def test_wrong_input_says_what_to_do(arguments, environment, code, said, tmp_path, monkeypatch, capsys):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "argv", ["firstline", "--data", str(tmp_path / "none"), *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
        raise SystemExit(0)
    output = capsys.readouterr()
    assert ended.value.code == code
    assert said in output.out + output.err
    assert "Traceback" not in output.err
