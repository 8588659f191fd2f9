"""What is an error, a version, a setting, a command, a thing with a name, by its shape? Each with what is not."""

from __future__ import annotations

import pytest
from tests.steps.extracting import edges_of, keys, named

from firstline.documents.extract.messages import masked, message_key
from firstline.documents.extract.versions import versions
from firstline.domain import EntityKind, Relation

ERRORS = [
    ("The log shows QKPX0255E.", ["QKPX0255E"]),
    ("It ends with ABC-00942 at night.", ["ABC-00942"]),
    ("connect ECONNREFUSED to the host", ["ECONNREFUSED"]),
    ("the error E11000 comes up", ["E11000"]),
    ("ERR_NAME_RESOLVED_FAIL is shown", ["ERR_NAME_RESOLVED_FAIL"]),
    ("a shop.pump.ValveStuckException is thrown", ["ValveStuckException"]),
    ("The state is `CrashLoopBackOff`.", ["CrashLoopBackOff"]),
    ("The server answers 404 Not Found.", ["404 Not Found"]),
    ("It returns HTTP status 503 then.", ["HTTP 503"]),
    ("a 502 error is seen", ["HTTP 502"]),
    ("It fails with exit code 137.", ["exit code 137"]),
    ("SQLCODE=-204 is returned", ["SQLCODE -204"]),
    ("error code 1603 is shown", ["error 1603"]),
    ("error 0x80070005 is shown", ["0x80070005"]),
    ('The error "cannot open the valve 7" is shown.', ["cannot open the valve <n>"]),
    ("会出现错误「无法连接服务器」。", ["无法连接服务器"]),
    ("エラー「接続できません」が表示されます。", ["接続できません"]),
]
NO_ERRORS = [
    "Use SHA256, UTF-8, ISO-8859 and RFC-2616 here.",
    "The fix is APAR PK12345 and IV37040 is another.",
    "There was an Error. Failure is no option. Exception handling is hard.",
    "The room 404 is on floor 5, with 503 seats.",
    "It failed 500 times within 404 days.",
    'He said "this is a nice long quote" to her.',
    "`MAX_RETRIES` and `POOL_SIZE` are set.",
    "KB123456 and CVE-2020-12345 tell more.",
]


@pytest.mark.parametrize(("text", "wanted"), ERRORS)
def test_errors(text: str, wanted: list[str]) -> None:
    assert named(text, EntityKind.ERROR) == wanted


@pytest.mark.parametrize("text", NO_ERRORS)
def test_no_errors(text: str) -> None:
    assert named(text, EntityKind.ERROR) == []


MASKED = [
    ("port 8080 is in use", "port <n> is in use"),
    ("cannot open /var/log/app.log", "cannot open <path>"),
    (r"cannot open C:\data\app.log", "cannot open <path>"),
    ("user 'anna' is locked", "user <name> is locked"),
    ("no route to 10.1.2.3:443", "no route to <ip>"),
    ("id 0f8fad5b-d9cb-469f-a165-70867728950e is unknown", "id <id> is unknown"),
    ("see https://shop.io/x?y=1", "see <url>"),
]


@pytest.mark.parametrize(("message", "wanted"), MASKED)
def test_the_variable_parts_of_a_message_are_masked(message: str, wanted: str) -> None:
    assert masked(message) == wanted


def test_two_messages_that_differ_in_variable_parts_are_one() -> None:
    assert message_key(masked("port 8080 in use by 'a'")) == message_key(masked("Port 9090 in use by 'b'."))
    assert message_key(masked("port 8080 in use")) != message_key(masked("port 8080 not in use"))


def test_a_message_in_a_log_is_an_error() -> None:
    text = "```\n12:00:01 ERROR: could not reach pump 42 at /dev/p1\n```"
    assert named(text, EntityKind.ERROR) == ["could not reach pump <n> at <path>"]


VERSIONS = [
    ("Queue Keeper 4.1.1 and later", ["4.1.1.."]),
    ("version 2.3 or earlier", ["..2.3"]),
    ("before version 2.3", ["..2.3)"]),
    ("releases prior to 2.3.1", ["..2.3.1)"]),
    ("versions 8.0 - 8.5.7", ["8.0..8.5.7"]),
    ("Keeper 5.0.0.0-5.0.6.4 are hit", ["5.0.0.0..5.0.6.4"]),
    ("versions between 9.0.1 and 9.0.3", ["9.0.1..9.0.3"]),
    ("since v1.20 it is there", ["1.20.."]),
    ("kubectl version >= 1.5 is asked for", ["1.5.."]),
    ("later than 2.0", ["(2.0.."]),
    ("up to 3.1 of Keeper", ["..3.1"]),
    ("versions 2.1, 2.2 and 2.3", ["2.1", "2.2", "2.3"]),
    ("Keeper 3.x", ["3.x"]),
    ("Keeper 3.2+", ["3.2.."]),
    ("version 8", ["8"]),
    ("Keeper v2.0.1-rc1", ["2.0.1-rc1"]),
    ("版本 4.1.1 及更高版本", ["4.1.1.."]),
]
NO_VERSIONS = [
    "It costs $4.50 and takes 2.5 seconds.",
    "See section 2.1 and Figure 3.4.",
    "The address is 192.168.0.1.",
    "CVSS Base Score: 4.3",
    "on 12.10.2019 it rained",
    "It grew by 3.5 to 4.5 percent.",
    "use 1.5 GiB of it",
]


def told(text: str) -> list[str]:
    return [one.told.key for one in versions(text, text)]


@pytest.mark.parametrize(("text", "wanted"), VERSIONS)
def test_versions_and_ranges(text: str, wanted: list[str]) -> None:
    assert told(text) == wanted


@pytest.mark.parametrize("text", NO_VERSIONS)
def test_no_versions(text: str) -> None:
    assert told(text) == []


SHAPES = [
    (EntityKind.METHOD, "Call `pump.open()` or close_valve() then.", ["pump.open()", "close_valve()"]),
    (EntityKind.SETTING, "Use `--max-size=7` and --quiet there.", ["--max-size", "--quiet"]),
    (EntityKind.SETTING, "Set `VALVE_HOME` and PUMP_SIZE.", ["VALVE_HOME", "PUMP_SIZE"]),
    (EntityKind.SETTING, "The field `spec.valve.openWide` and `maxRetries: 5`.", ["spec.valve.openWide", "maxRetries"]),
    (EntityKind.SETTING, "the pump_size_total metric", ["pump_size_total"]),
    (EntityKind.SETTING, "Leave maxOpenFiles=7 there.", ["maxOpenFiles"]),
    (EntityKind.COMMAND, "Run `git commit -m x` now.", ["git commit"]),
    (
        EntityKind.COMMAND,
        "```bash\n$ pumpctl open --wide\n# a comment is none\npumpctl close\n```",
        ["pumpctl open", "pumpctl close"],
    ),
    (
        EntityKind.SETTING,
        "```console\n$ export PUMP_SIZE=7\n$ pumpctl -n $VALVE_HOME\n```",
        ["PUMP_SIZE", "VALVE_HOME"],
    ),
    (EntityKind.SETTING, "```console\n$ pumpctl open \\\n  --wide\n```", ["--wide"]),
    (EntityKind.SETTING, "Start it with -Xgc:preferredBase=7 then.", ["preferredBase"]),
    (EntityKind.SETTING, "The label `valves.example.io/opened` is a key.", ["valves.example.io/opened"]),
    (
        EntityKind.COMPONENT,
        "Look at `blue-valve-keeper.example.io-signer-client-cert`.",
        ["blue-valve-keeper.example.io-signer-client-cert"],
    ),
    (EntityKind.COMPONENT, "In the list of valves: List of Valve Keepers is long.", ["Valve Keepers"]),
    (EntityKind.COMPONENT, "It runs there. Reduced VMX lifespan is seen.", ["VMX"]),
    (
        EntityKind.COMPONENT,
        "Apply Interim Fix AB12345 to Blue Keeper CD23456 there.",
        ["Interim Fix AB12345", "AB12345", "Blue Keeper"],
    ),
    (EntityKind.COMPONENT, "- **ValveSet:** opens.\n- **Blue Keeper:** closes.", ["ValveSet", "Blue Keeper"]),
    (EntityKind.COMPONENT, "The `ValveSet` and the `valve-keeper` talk.", ["ValveSet", "valve-keeper"]),
    (EntityKind.COMPONENT, "The Blue Valve Keeper opens it.", ["Blue Valve Keeper"]),
    (EntityKind.COMPONENT, "Open valve_keeper.yaml now.", ["valve_keeper.yaml"]),
    (EntityKind.COMPONENT, "使用「阀门管理器」打开。", ["阀门管理器"]),
    (EntityKind.COMPONENT, "`バルブ管理`を開きます。", ["バルブ管理"]),
    (EntityKind.COMPONENT, "See CVE-2020-12345, APAR IT18432 and KB123456.", ["CVE-2020-12345", "IT18432", "KB123456"]),
]
NO_SHAPES = [
    (EntityKind.COMPONENT, "However, The. When you open it, click OK. It is. Its use is old."),
    (EntityKind.COMPONENT, "NOTE: THE VALVE KEEPER IS OPEN AND SO IS THE DOOR"),
    (
        EntityKind.COMPONENT,
        "Click the Properties tab. On Monday, 3 March it rained. Affected Products Versions are many.",
    ),
    (EntityKind.COMPONENT, "Opens the valve. The opens are many. Running it helps."),
    (EntityKind.COMPONENT, "State:\nValveHome: /opt/valve\nValveKind: blue\n"),
    (
        EntityKind.COMPONENT,
        "2024-03-01 10:11:12 ValveKeeper W Blue Keeper opened\n[1/13/11 11:00:54:250 EST] ValveKeeper x",
    ),
    (EntityKind.COMPONENT, "- **Critical Alert:** a critical state, and an alert of it.\n"),
    (EntityKind.COMPONENT, "This is the LOWEST and the FASTEST."),
    (EntityKind.SETTING, "Neither `--valve-{red,blue}-file` nor --pump-<n> is one."),
    (EntityKind.SETTING, "`valves.default.svc.cluster.local`, `www.example.com`, `self.all` and `this.open.wide`."),
    (EntityKind.SETTING, "```console\n$ pumpctl status\n  health: PUMP_WARN\n```"),
    (EntityKind.SETTING, "```bash\npumpctl set-name USER_NAME\n```"),
    (EntityKind.SETTING, 'xsi:noNamespaceLocation="x"'),
    (EntityKind.SETTING, "`TLS_AES_256_GCM_SHA384` and it -- is so -- not."),
    (EntityKind.COMMAND, "`the valve is open` and `connection refused`"),
    (EntityKind.METHOD, "The valve(s) and pump (old) are open."),
]


@pytest.mark.parametrize(("kind", "text", "wanted"), SHAPES)
def test_shapes(kind: EntityKind, text: str, wanted: list[str]) -> None:
    assert named(text, kind) == wanted


@pytest.mark.parametrize(("kind", "text"), NO_SHAPES)
def test_no_shapes(kind: EntityKind, text: str) -> None:
    assert named(text, kind) == []


def test_a_stack_trace_names_its_exception_and_not_its_frames() -> None:
    frames = "    at shop.pump.Opener.open(Opener.java:42)\n    at shop.Main.main(Main.java:7)\n"
    text = f"shop.ValveStuckException: stuck\n{frames}"
    edges = edges_of(f"# Leak\n\nIt says:\n\n{text}", media_type="text/plain")
    assert keys(edges, Relation.MENTIONS, EntityKind.ERROR) == ["valvestuckexception"]
    assert not [key for key in keys(edges, Relation.MENTIONS, EntityKind.COMPONENT) if "java" in key]


def test_writing_a_name_in_other_ways_is_one_entity() -> None:
    text = "The `ReplicaSet`, the Replica Set and `replica-sets` are one.\n"
    assert keys(edges_of(f"# Page\n\n{text}"), Relation.MENTIONS, EntityKind.COMPONENT) == ["replicaset"]
