"""The templates: escaped always, with the filters that show foreign text, and with the words of each language."""

from __future__ import annotations

from functools import cache, partial
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

import jinja2
from starlette.requests import Request
from starlette.responses import HTMLResponse

from phasa import __version__
from phasa.service import formatting
from phasa.service.assets import asset_address
from phasa.service.catalogue import OWN_NAMES, Words, chosen, words
from phasa.service.figures import Figures
from phasa.service.guards import csrf_for
from phasa.service.job_shelf import Job
from phasa.service.who import asker

COOKIE = "phasa_ui"
ASKED = "ui"
YEAR = 31_536_000


@cache
def templates(code: str = "en") -> jinja2.Environment:
    """The environment of all pages in one language, made once: `t` and the filters say everything in it."""
    made = jinja2.Environment(
        loader=jinja2.PackageLoader("phasa.service"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    say = words(code)
    figures = Figures(say)
    made.filters.update(
        foreign=formatting.foreign,
        address=formatting.address,
        json_text=formatting.json_text,
        plain=formatting.plain,
        visible=formatting.visible,
        said=say.said,
        language=say.language,
        digits=lambda value: say.digits(str(value)),
        number=figures.number,
        percent=figures.percent,
        size=figures.size,
        hours=figures.hours,
        when=figures.when,
        stamp=figures.stamp,
        capture=figures.capture,
        day=figures.day,
        short=figures.short,
    )
    made.globals.update(asset=asset_address, shade=formatting.shade, version=__version__, t=say, own_names=OWN_NAMES)
    made.globals.update(job_title=partial(_job_title, say), name_of=partial(_name_of, say))
    return made


def _job_title(say: Words, job: Job) -> str:
    """What a job is called: exports by their form, everything else by what it is about."""
    match job.task:
        case "exports":
            return str(say("exports.title", form=job.file.rpartition(".")[2].upper()))
        case "corpus_job":
            return str(say("exports.corpus"))
        case "published_job":
            return str(say(f"lab.p_{job.file.partition('.')[0].replace('-', '_')}"))
        case "upkeep_job":
            return str(say("jobs.upkeep"))
    return job.title


def _name_of(say: Words, key: str | None, languages: bool) -> str:
    """What a colour of a chart stands for."""
    if key is None:
        return str(say("common.other"))
    return say.language(key) if languages else key or "–"


def words_for(request: Request) -> Words:
    """The words in the language that this reader wants."""
    asked, kept = request.query_params.get(ASKED, ""), request.cookies.get(COOKIE, "")
    return words(chosen(asked, kept, request.headers.get("accept-language", "")))


def render(request: Request, template: str, values: dict[str, Any], *, status: int = 200) -> HTMLResponse:
    """A page. Every template knows `service`, `csrf`, `menu`, `here` (path of its section) and what is in `values`."""
    state = request.app.state
    say, who = words_for(request), asker(request.scope)
    context = {
        "service": state.service,
        "csrf": csrf_for(state.service.csrf, who),
        "who": who,
        "menu": [section for section in state.menu if who.may(section.views[0].role)],
        "here": "",
        "alone": False,
        "locked": who.way in ("token", "password"),
        "path": request.url.path + (f"?{request.url.query}" if request.url.query else ""),
        "in_language": {code: _in_language(request, code) for code in OWN_NAMES},
        **values,
    }
    html = templates(say.code).get_template(template).render(context)
    page = HTMLResponse(html.encode("utf-8", "replace"), status)
    if request.query_params.get(ASKED) == say.code:
        page.set_cookie(COOKIE, say.code, max_age=YEAR, samesite="lax", httponly=True)
    return page


def _in_language(request: Request, code: str) -> str:
    """The address of this page in another language; always one of ours, whatever the path looks like (//elsewhere)."""
    path = "/" + request.url.path.lstrip("/\\")
    pairs = [(name, value) for name, value in parse_qsl(request.url.query) if name != ASKED]
    return f"{quote(path)}?{urlencode([*pairs, (ASKED, code)])}"
