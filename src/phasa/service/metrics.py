"""/metrics for Prometheus: the numbers that each page contributes."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from phasa.crawl.run.prometheus import Metric, exposition
from phasa.service.section import Section
from phasa.service.service import Service


def metrics_routes(sections: Sequence[Section]) -> list[Route]:
    """The address that Prometheus asks."""

    def collect(service: Service) -> list[Metric]:
        return [metric for section in sections for metric in section.metrics(service)]

    async def serve(request: Request) -> Response:
        text = exposition(await run_in_threadpool(collect, request.app.state.service))
        return Response(text.encode("utf-8", "replace"), media_type="text/plain; version=0.0.4")

    return [Route("/metrics", serve, methods=["GET"])]
