"""/metrics for Prometheus: the numbers that each page contributes, in the text format 0.0.4."""

from __future__ import annotations

from collections.abc import Iterable

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from phasa.service.section import Metric
from phasa.service.sections import sections
from phasa.service.service import Service


def collect(service: Service) -> list[Metric]:
    """Every number of this moment."""
    return [metric for section in sections() for metric in section.metrics(service)]


def exposition(metrics: Iterable[Metric]) -> str:
    """The text format: help and type once per name, one line per number."""
    lines: list[str] = []
    named: dict[str, list[Metric]] = {}
    for metric in metrics:
        named.setdefault(metric.name, []).append(metric)
    for name, group in named.items():
        kind = "counter" if name.endswith("_total") else "gauge"
        lines += [f"# HELP phasa_{name} {_help(group[0].help)}", f"# TYPE phasa_{name} {kind}"]
        lines += [f"phasa_{name}{_labels(metric.labels)} {metric.value:.15g}" for metric in group]
    return "\n".join(lines) + "\n"


def _help(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n")


def _labels(labels: tuple[tuple[str, str], ...]) -> str:
    if not labels:
        return ""
    escaped = ((name, value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")) for name, value in labels)
    return "{" + ",".join(f'{name}="{value}"' for name, value in escaped) + "}"


async def _serve(request: Request) -> Response:
    text = exposition(await run_in_threadpool(collect, request.app.state.service))
    return Response(text.encode("utf-8", "replace"), media_type="text/plain; version=0.0.4")


def metrics_routes() -> list[Route]:
    return [Route("/metrics", _serve, methods=["GET"])]
