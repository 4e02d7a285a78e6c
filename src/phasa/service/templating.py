"""The templates: escaped always, with the filters that show foreign text."""

from __future__ import annotations

from functools import cache
from typing import Any

import jinja2
from starlette.requests import Request
from starlette.responses import HTMLResponse

from phasa import __version__
from phasa.service import formatting
from phasa.service.assets import asset_address


@cache
def templates() -> jinja2.Environment:
    """The environment of all pages, made once."""
    made = jinja2.Environment(
        loader=jinja2.PackageLoader("phasa.service"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(
        foreign=formatting.foreign,
        address=formatting.address,
        number=formatting.number,
        percent=formatting.percent,
        size=formatting.size,
        hours=formatting.hours,
        json_text=formatting.json_text,
        when=formatting.when,
        stamp=formatting.stamp,
        capture=formatting.capture,
        plain=formatting.plain,
        visible=formatting.visible,
    )
    made.globals.update(asset=asset_address, shade=formatting.shade, version=__version__)
    return made


def render(request: Request, template: str, values: dict[str, Any], *, status: int = 200) -> HTMLResponse:
    """A page. Every template knows `service`, `csrf`, `menu`, `here` (path of its section) and what is in `values`."""
    state = request.app.state
    context = {
        "service": state.service,
        "csrf": state.service.csrf,
        "menu": state.menu,
        "here": "",
        "alone": False,
        "locked": bool(state.access.token),
        "path": request.url.path + (f"?{request.url.query}" if request.url.query else ""),
        **values,
    }
    html = templates().get_template(template).render(context)
    return HTMLResponse(html.encode("utf-8", "replace"), status)
