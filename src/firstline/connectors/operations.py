"""What does an OpenAPI document say of each operation? References inside it are followed, others are only named."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from firstline.errors import InvalidInput

METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
OPERATIONS_MAX: Final = 20_000
LINES_MAX: Final = 40
TEXT_CHARS_MAX: Final = 1_200
LINE_CHARS_MAX: Final = 200
REFERENCES_MAX: Final = 20
_SPACE: Final = re.compile(r"\s+")

Node = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Operation:
    method: str
    path: str
    operation_id: str
    tags: tuple[str, ...]
    title: str
    text: str
    link: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Api:
    title: str
    version: str
    overview: str
    operations: tuple[Operation, ...]


def api_of(document: Any) -> Api:
    """InvalidInput when it is no OpenAPI document."""
    root = _node(document)
    if not ("openapi" in root or "swagger" in root) or not isinstance(root.get("paths", {}), Mapping):
        raise InvalidInput(
            "It is no OpenAPI document: `openapi` or `swagger` is missing.", remedy="Check the address of the source."
        )
    reader = _Reader(root)
    info = _node(root.get("info"))
    return Api(
        title=_line(info.get("title")) or "API",
        version=_line(info.get("version"))[:60],
        overview=reader.overview(info),
        operations=tuple(reader.operations()),
    )


class _Reader:
    def __init__(self, root: Node) -> None:
        self._root = root

    def operations(self) -> list[Operation]:
        found: list[Operation] = []
        for path, given in _node(self._root.get("paths")).items():
            shared = self._resolved(given)
            for method in METHODS:
                if isinstance(shared.get(method), Mapping) and len(found) < OPERATIONS_MAX:
                    found.append(self._operation(method.upper(), str(path), shared, _node(shared[method])))
        return found

    def overview(self, info: Node) -> str:
        servers = [_line(_node(one).get("url")) for one in _list(self._root.get("servers"))]
        if self._root.get("host"):
            servers.append(f"{_line(self._root.get('host'))}{_line(self._root.get('basePath'))}")
        parts = [
            _text(info.get("description")),
            _listed("Servers", [f"`{server}`" for server in servers if server]),
            _listed("Authentication", self._schemes()),
        ]
        body = "\n\n".join(part for part in parts if part)
        return f"# {_line(info.get('title')) or 'API'}\n\n{body}\n" if body else ""

    def _schemes(self) -> list[str]:
        components = _node(self._root.get("components"))
        schemes = _node(components.get("securitySchemes")) or _node(self._root.get("securityDefinitions"))
        lines: list[str] = []
        for name, given in schemes.items():
            scheme = self._resolved(given)
            kind = " ".join(_line(scheme.get(key)) for key in ("type", "scheme", "in", "name") if scheme.get(key))
            lines.append(_joined(f"`{name}` ({kind})", _line(scheme.get("description"))))
        return lines

    def _operation(self, method: str, path: str, shared: Node, own: Node) -> Operation:
        summary = _line(own.get("summary")) or _line(shared.get("summary"))
        operation_id = _line(own.get("operationId"))
        head = f"{method} {path}"
        title = f"{head}: {summary}" if summary else head
        parameters = self._parameters(shared, own)
        body = self._body(own, parameters)
        parts = [
            f"# {title}",
            "Deprecated." if own.get("deprecated") is True else "",
            _text(own.get("description")),
            _listed("Parameters", [self._parameter(one) for one in parameters if one.get("in") != "body"]),
            body,
            _listed("Responses", self._responses(own)),
        ]
        return Operation(
            method=method,
            path=path,
            operation_id=operation_id,
            tags=tuple(_line(tag) for tag in _list(own.get("tags")))[:20],
            title=title[:200],
            text="\n\n".join(part for part in parts if part) + "\n",
            link=_link(_node(own.get("externalDocs")).get("url")),
        )

    def _parameters(self, shared: Node, own: Node) -> list[Node]:
        """Those of the path, then those of the operation, which outrank them."""
        found: dict[tuple[str, str], Node] = {}
        for given in (*_list(shared.get("parameters")), *_list(own.get("parameters"))):
            parameter = self._resolved(given)
            found[str(parameter.get("in")), str(parameter.get("name"))] = parameter
        return list(found.values())

    def _parameter(self, parameter: Node) -> str:
        told = [_line(parameter.get("in")), self._type(parameter.get("schema") or parameter)]
        told.append("required" if parameter.get("required") is True else "")
        head = f"`{_line(parameter.get('name'))}` ({', '.join(part for part in told if part)})"
        return _joined(head, _line(parameter.get("description")))

    def _body(self, own: Node, parameters: list[Node]) -> str:
        given = self._resolved(own.get("requestBody"))
        schema: Any = None
        kinds = ""
        if given:
            content = _node(given.get("content"))
            kinds = ", ".join(str(kind) for kind in content)
            schema = next((_node(one).get("schema") for one in content.values()), None)
        else:
            given = next((one for one in parameters if one.get("in") == "body"), _node(None))
            schema = given.get("schema")
        if not given:
            return ""
        told = [kinds, self._type(schema), "required" if given.get("required") is True else ""]
        head = f"Request body ({', '.join(part for part in told if part) or 'any'})"
        return _listed(head, self._fields(schema)) or f"{head}."

    def _responses(self, own: Node) -> list[str]:
        lines: list[str] = []
        for status, given in _node(own.get("responses")).items():
            response = self._resolved(given)
            content = _node(response.get("content"))
            schema = next((_node(one).get("schema") for one in content.values()), response.get("schema"))
            kind = self._type(schema)
            lines.append(_joined(f"`{status}`" + (f" ({kind})" if kind else ""), _line(response.get("description"))))
        return lines

    def _fields(self, schema: Any) -> list[str]:
        """The fields of an object, or of the objects of a list, at its first level."""
        node = self._resolved(schema)
        if node.get("type") == "array":
            node = self._resolved(node.get("items"))
        lines: list[str] = []
        for part in (node, *(self._resolved(one) for one in _list(node.get("allOf")))):
            required = {str(name) for name in _list(part.get("required"))}
            for name, given in _node(part.get("properties")).items():
                told = [self._type(given), "required" if name in required else ""]
                head = f"`{name}` ({', '.join(part for part in told if part) or 'any'})"
                lines.append(_joined(head, _line(self._resolved(given).get("description"))))
        return lines

    def _type(self, schema: Any) -> str:
        """In a few words: `array of Pet`, `string, one of a, b`."""
        given = _node(schema)
        name = str(given["$ref"]).rsplit("/", 1)[-1] if isinstance(given.get("$ref"), str) else ""
        node = self._resolved(schema)
        kind = node.get("type")
        text = " or ".join(str(one) for one in _list(kind)) if isinstance(kind, list) else _line(kind)
        if text == "array":
            items = _node(node.get("items"))
            inner = str(items["$ref"]).rsplit("/", 1)[-1] if "$ref" in items else _line(items.get("type"))
            return f"array of {inner}" if inner else "array"
        choices = [_line(one) for one in _list(node.get("enum"))][:12]
        if choices:
            text = f"{text or 'value'}, one of {', '.join(choices)}"
        return name if name and not choices else text

    def _resolved(self, given: Any) -> Node:
        node = _node(given)
        for _ in range(REFERENCES_MAX):
            reference = node.get("$ref")
            if not isinstance(reference, str):
                return node
            if not reference.startswith("#/"):
                return {"description": f"see {reference}"}
            node = self._at(reference)
        return {}

    def _at(self, reference: str) -> Node:
        node: Any = self._root
        for part in reference[2:].split("/"):
            node = _node(node).get(part.replace("~1", "/").replace("~0", "~"))
        return _node(node)


def _node(value: Any) -> Node:
    return cast("Node", value) if isinstance(value, Mapping) else {}


def _list(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def _line(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return _SPACE.sub(" ", str(value)).strip()[:LINE_CHARS_MAX]


def _text(value: Any) -> str:
    if not isinstance(value, str):
        return ""
    text = value.replace("\r\n", "\n").strip()
    # A heading of its own would cut the operation in two.
    text = re.sub(r"^#{1,6}[ \t]+(.{1,200})$", r"**\1**", text, flags=re.MULTILINE)
    return text if len(text) <= TEXT_CHARS_MAX else text[:TEXT_CHARS_MAX].rsplit(" ", 1)[0] + " …"


def _listed(head: str, lines: list[str]) -> str:
    if not lines:
        return ""
    shown = lines[:LINES_MAX]
    if len(lines) > LINES_MAX:
        shown.append(f"and {len(lines) - LINES_MAX} more")
    return f"{head}:\n\n" + "\n".join(f"- {line}" for line in shown)


def _joined(head: str, said: str) -> str:
    return f"{head}: {said}" if said else head


def _link(value: Any) -> str:
    text = _line(value)
    return text if text.startswith(("http://", "https://")) else ""
