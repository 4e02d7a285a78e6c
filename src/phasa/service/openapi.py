"""The OpenAPI 3.1 file, made from the declarations of the pages: what is checked is what is documented."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from phasa import __version__
from phasa.service.section import Call, Nothing, Problem, Section, Stream

_PROBLEMS = {
    "400": "The question is not valid.",
    "401": "A token is needed.",
    "403": "Refused: it came from another site.",
    "404": "Not here.",
    "409": "Not possible in the present state.",
    "413": "Too large.",
    "415": "Wrong media type.",
    "421": "Asked under a name that is not ours.",
    "503": "The collection cannot be read now.",
}


def openapi(sections: Sequence[Section]) -> dict[str, Any]:
    """The whole description as plain values."""
    declared: list[tuple[str, Call | Stream]] = []
    for section in sections:
        tag = section.name or "Jobs"
        declared += [(tag, call) for call in section.calls] + [(tag, stream) for stream in section.streams]
    kinds = [Problem, Nothing, *(one.asked for _, one in declared)]
    kinds += [one.answer for _, one in declared if isinstance(one, Call) and one.answer is not None]
    kinds += [kind for _, one in declared if isinstance(one, Stream) for kind in one.events.values()]
    unique = list({str(kind): kind for kind in kinds}.values())
    schemas, components = msgspec.json.schema_components(unique, ref_template="#/components/schemas/{name}")
    schema_of = {str(kind): schema for kind, schema in zip(unique, schemas, strict=True)}
    paths: dict[str, dict[str, Any]] = {}
    for tag, one in declared:
        method = one.method.lower() if isinstance(one, Call) else "get"
        paths.setdefault(one.path, {})[method] = _operation(tag, one, schema_of, components)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "phasa",
            "version": __version__,
            "description": "A collection as JSON. With a token: `Authorization: Bearer …`.",
        },
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"token": []}],
    }


def _operation(tag: str, one: Call | Stream, schema_of: dict[str, Any], components: dict[str, Any]) -> dict[str, Any]:
    fields = _fields(schema_of[str(one.asked)], components)
    in_path = [name for name in fields["properties"] if f"{{{name}}}" in one.path or f"{{{name}:" in one.path]
    method = one.method if isinstance(one, Call) else "GET"
    made: dict[str, Any] = {
        "tags": [tag],
        "summary": one.summary,
        "operationId": _identifier(method, one.path),
        "parameters": [
            _parameter(name, schema, name in in_path, name in fields.get("required", ()))
            for name, schema in fields["properties"].items()
            if method == "GET" or name in in_path
        ],
        "responses": {"200": _success(one, schema_of)},
    }
    if method == "POST":
        body = {key: value for key, value in fields.items() if key not in ("title", "description")}
        body["properties"] = {name: value for name, value in fields["properties"].items() if name not in in_path}
        body["required"] = [name for name in fields.get("required", ()) if name not in in_path]
        made["requestBody"] = {"content": {"application/json": {"schema": body}}, "required": True}
    problem = {"application/json": {"schema": schema_of[str(Problem)]}}
    made["responses"] |= {code: {"description": text, "content": problem} for code, text in _PROBLEMS.items()}
    return made


def _fields(schema: dict[str, Any], components: dict[str, Any]) -> dict[str, Any]:
    found = components[schema["$ref"].rsplit("/", 1)[-1]] if "$ref" in schema else schema
    return {"properties": {}, **found}


def _parameter(name: str, schema: dict[str, Any], in_path: bool, required: bool) -> dict[str, Any]:
    return {"name": name, "in": "path" if in_path else "query", "required": in_path or required, "schema": schema}


def _success(one: Call | Stream, schema_of: dict[str, Any]) -> dict[str, Any]:
    if isinstance(one, Stream):
        names = ", ".join(one.events)
        text = f"Server-sent events: {names}. The data of each is JSON."
        carried = {"oneOf": [schema_of[str(kind)] for kind in one.events.values()]}
        return {
            "description": text,
            "content": {"text/event-stream": {"schema": {"type": "string"}}},
            "x-data": carried,
        }
    if one.answer is None:
        return {"description": "The file.", "content": {one.media: {}}}
    return {"description": "Done.", "content": {one.media: {"schema": schema_of[str(one.answer)]}}}


def _identifier(method: str, path: str) -> str:
    words = [word.strip("{}").split(":")[0] for word in path.removeprefix("/api/").split("/")]
    return "_".join([method.lower(), *words]).replace("-", "_").replace(".", "_")


def openapi_routes(sections: Sequence[Section]) -> list[Route]:
    """The address of the file, which is made when it is asked for the first time."""
    made: list[bytes] = []

    async def serve(request: Request) -> Response:
        if not made:
            made.append(msgspec.json.encode(openapi(sections)))
        return Response(made[0], media_type="application/json")

    return [Route("/api/openapi.json", serve, methods=["GET"])]
