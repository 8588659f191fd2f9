"""OpenAPI documents: one document, and one chunk, per operation."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from opened import hear, opened
from site_server import Says, Site, page, serving

from firstline.documents.chunk import chunk
from firstline.documents.parse import parse
from firstline.errors import InvalidInput
from firstline.wiring import count_tokens

PETS = {
    "openapi": "3.1.0",
    "info": {"title": "Pets", "version": "2.3", "description": "Everything about pets."},
    "servers": [{"url": "https://api.example/v2"}],
    "paths": {
        "/pets": {
            "parameters": [{"$ref": "#/components/parameters/Trace"}],
            "get": {
                "operationId": "listPets",
                "summary": "List pets",
                "tags": ["pets"],
                "parameters": [
                    {
                        "name": "limit",
                        "in": "query",
                        "schema": {"type": "integer"},
                        "description": "How many, up to 100.",
                    },
                    {"name": "X-Trace", "in": "header", "required": True, "schema": {"type": "string"}},
                ],
                "responses": {
                    "200": {
                        "description": "A page of pets.",
                        "content": {
                            "application/json": {
                                "schema": {"type": "array", "items": {"$ref": "#/components/schemas/Pet"}}
                            }
                        },
                    },
                    "429": {"$ref": "#/components/responses/Limited"},
                },
            },
            "post": {
                "summary": "Create a pet",
                "description": "# Notes\n\nNames are unique.",
                "deprecated": True,
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}},
                },
                "responses": {"201": {"description": "Created."}},
            },
        },
        "/pets/{id}": {"delete": {"responses": {"default": {"description": "Gone."}}}},
    },
    "components": {
        "parameters": {"Trace": {"name": "X-Trace", "in": "header", "description": "Shared."}},
        "responses": {"Limited": {"description": "Too many requests."}},
        "schemas": {
            "Pet": {
                "type": "object",
                "required": ["name"],
                "properties": {
                    "name": {"type": "string", "description": "Its name."},
                    "kind": {"type": "string", "enum": ["cat", "dog"]},
                    "parent": {"$ref": "#/components/schemas/Pet"},
                },
            }
        },
        "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}},
    },
}


@pytest.fixture
async def site() -> AsyncGenerator[Site]:
    async with serving() as started:
        yield started


async def of(tmp_path: Path, document: object):
    path = tmp_path / "api.json"
    path.write_text(json.dumps(document))
    return await hear(opened("openapi", tmp_path, place=str(path)))


async def test_every_operation_is_one_document_and_one_chunk(tmp_path: Path):
    said = await of(tmp_path, PETS)
    assert set(said.items) == {"overview", "GET /pets", "POST /pets", "DELETE /pets/{id}"}
    assert said.complete == ["src/"]
    for item in said.items.values():
        parsed = parse(item)
        assert len(chunk(parsed.text, tokens_aim=200, count_tokens=count_tokens)) == 1, item.item_id
    assert said.items["GET /pets"].title == "GET /pets: List pets"
    assert said.items["GET /pets"].metadata["operation_id"] == "listPets"


async def test_an_operation_says_method_path_parameters_and_responses(tmp_path: Path):
    texts = (await of(tmp_path, PETS)).texts
    assert texts["GET /pets"] == (
        "# GET /pets: List pets\n\n"
        "Parameters:\n\n"
        "- `X-Trace` (header, string, required)\n"
        "- `limit` (query, integer): How many, up to 100.\n\n"
        "Responses:\n\n"
        "- `200` (array of Pet): A page of pets.\n"
        "- `429`: Too many requests.\n"
    )
    post = texts["POST /pets"]
    assert "Deprecated." in post and "**Notes**" in post and "\n# Notes" not in post
    assert "Request body (application/json, Pet, required):" in post
    assert "- `name` (string, required): Its name." in post
    assert "- `kind` (string, one of cat, dog)" in post
    assert texts["overview"].startswith("# Pets\n\nEverything about pets.")
    assert "`https://api.example/v2`" in texts["overview"] and "`key` (apiKey header X-Key)" in texts["overview"]


async def test_swagger_2_is_read_too(tmp_path: Path):
    said = await of(
        tmp_path,
        {
            "swagger": "2.0",
            "info": {"title": "Old", "version": "1"},
            "host": "api.example",
            "paths": {
                "/a": {
                    "put": {
                        "parameters": [
                            {"name": "id", "in": "query", "type": "string"},
                            {"name": "b", "in": "body", "schema": {"properties": {"x": {"type": "integer"}}}},
                        ],
                        "responses": {"200": {"description": "Fine."}},
                    }
                }
            },
        },
    )
    assert "- `id` (query, string)" in said.texts["PUT /a"]
    assert "- `x` (integer)" in said.texts["PUT /a"]


async def test_yaml_at_an_address(site: Site, tmp_path: Path):
    site.routes["/api.yaml"] = Says(
        body="openapi: 3.0.0\ninfo: {title: Y, version: 1.0}\npaths:\n  /a:\n    get:\n      summary: Read a\n",
        headers={"ETag": '"1"'},
    )
    said = await hear(opened("openapi", tmp_path, place=f"{site.url}/api.yaml", allow_private=True))
    assert set(said.items) == {"GET /a"}
    site.routes["/api.yaml"] = Says(status=304)
    again = await hear(opened("openapi", tmp_path, place=f"{site.url}/api.yaml", allow_private=True), said.cursor)
    assert again.changes == []
    assert site.asked[-1].headers["if-none-match"] == '"1"'


@pytest.mark.parametrize(
    "body",
    [
        "{",
        "[1]",
        "just words",
        '{"openapi": "3.0.0", "paths": []}',
        "a: &a [*a]",
        "x: !!python/object/apply:os.system [ls]",
    ],
)
async def test_what_is_none_yields_nothing(site: Site, tmp_path: Path, body: str):
    site.routes["/api"] = Says(body=body)
    said = await hear(opened("openapi", tmp_path, place=f"{site.url}/api", allow_private=True))
    assert isinstance(said.error, InvalidInput)
    assert said.changes == []


async def test_a_login_page_is_an_alert(site: Site, tmp_path: Path):
    site.routes["/api"] = page("<h1>Log in</h1>")
    said = await hear(opened("openapi", tmp_path, place=f"{site.url}/api", allow_private=True))
    assert (said.keeps, said.items, said.complete) == (True, {}, [])


async def test_odd_documents_are_no_accident(tmp_path: Path):
    said = await of(
        tmp_path,
        {
            "openapi": 3,
            "info": "none",
            "paths": {
                "/a": {"$ref": "#/paths/~1a"},
                "/b": None,
                "/c#d": {
                    "get": {"parameters": "x", "responses": [1], "requestBody": {"$ref": "other.yaml#/x"}, "tags": 5}
                },
                "/e": {"get": {"parameters": [{"name": f"p{n}", "in": "query"} for n in range(90)]}},
                "/f": {"get": "none"},
            },
        },
    )
    assert (set(said.items), said.error) == ({"GET /c%23d", "GET /e"}, None)
    assert "and 50 more" in said.texts["GET /e"]


async def test_a_changed_operation_changes_alone(tmp_path: Path):
    before = await of(tmp_path, PETS)
    changed = json.loads(json.dumps(PETS))
    changed["paths"]["/pets"]["get"]["summary"] = "List all pets"
    after = await of(tmp_path, changed)
    different = {name for name in after.items if after.items[name].content_hash != before.items[name].content_hash}
    assert different == {"GET /pets"}
