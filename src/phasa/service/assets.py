"""Style sheets and scripts: ours only, named by their content so that browsers may keep them for ever."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

_TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}


@cache
def _assets() -> dict[str, bytes]:
    from phasa.overview.cloud_page import cloud_script, cloud_style

    folder = files("phasa.service") / "static"
    cloud = {"cloud.css": cloud_style().encode(), "cloud.js": cloud_script().encode()}
    return cloud | {item.name: item.read_bytes() for item in folder.iterdir() if item.name.rsplit(".", 1)[-1] in _TYPES}


@cache
def asset_address(name: str) -> str:
    """The address of a file in static/, which changes when its content does. Raises KeyError when there is none."""
    return f"/static/{name}?{hashlib.sha256(_assets()[name]).hexdigest()[:12]}"


async def _serve(request: Request) -> Response:
    name = request.path_params["name"]
    content = _assets().get(name)
    if content is None:
        return PlainTextResponse("no such file\n", 404)
    kept = {"cache-control": "public, max-age=31536000, immutable"}
    return Response(content, media_type=_TYPES[name.rsplit(".", 1)[-1]], headers=kept)


def asset_routes() -> list[Route]:
    return [Route("/static/{name}", _serve, methods=["GET"])]
