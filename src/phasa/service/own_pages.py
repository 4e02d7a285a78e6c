"""HTML files that phasa itself wrote (clouds, reports), served so that they can do nothing but show themselves.

They are made by us but hold text of the web: a sandbox takes away their origin, and the policy allows styles, data
images and the one script whose hash is known.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files
from urllib.parse import quote

from starlette.responses import Response


@cache
def own_policy() -> str:
    """The content-security policy of such a file."""
    script = (files("phasa.overview") / "page" / "cloud.js").read_bytes()
    known = base64.b64encode(hashlib.sha256(script).digest()).decode()
    return (
        f"sandbox allow-scripts allow-downloads; default-src 'none'; script-src 'sha256-{known}'; "
        "style-src 'unsafe-inline'; img-src blob: data:; frame-ancestors 'self'; base-uri 'none'; form-action 'none'"
    )


def own_page(html: bytes) -> Response:
    """Such a file to be shown, alone or inside a page of the application."""
    headers = {"content-security-policy": own_policy(), "x-frame-options": "SAMEORIGIN"}
    return Response(html, media_type="text/html; charset=utf-8", headers=headers)


def attachment(content: bytes, name: str, media: str = "application/octet-stream") -> Response:
    """Bytes to be saved under a name."""
    shown = f"attachment; filename*=utf-8''{quote(name, safe='')}"
    return Response(content, media_type=media, headers={"content-disposition": shown})
