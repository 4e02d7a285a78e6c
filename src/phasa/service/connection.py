"""One connection to the application: it must ask in time, and read its answer; the oldest that do not make room."""

from __future__ import annotations

import asyncio
from typing import Any, Literal

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from phasa.service_settings import ServiceSettings

Phase = Literal["header", "body", "idle", "asked"]


class Connection(H11Protocol):
    """uvicorn's protocol with bounds. `unasked` are the connections of one server whose request has not come whole,
    oldest first; it is shared by all of them."""

    def __init__(self, *given: Any, bounds: ServiceSettings, unasked: dict[Connection, None], **named: Any) -> None:
        super().__init__(*given, **named)
        self._bounds = bounds
        self._unasked = unasked
        self._phase: Phase = "asked"
        self._request_timer: asyncio.TimerHandle | None = None
        self._answer_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._enter("header")
        if len(self.connections) > self._bounds.connections:
            next(iter(self._unasked)).drop()

    def connection_lost(self, exc: Exception | None) -> None:
        self._enter("asked")
        self._cancel_answer_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._enter(self._phase_now())

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._enter(self._phase_now())

    def pause_writing(self) -> None:
        super().pause_writing()
        if self._answer_timer is None:
            self._answer_timer = self.loop.call_later(self._bounds.answer_seconds, self.drop)

    def resume_writing(self) -> None:
        self._cancel_answer_timer()
        super().resume_writing()

    def drop(self) -> None:
        """Close it now; what was not sent is lost."""
        self._unasked.pop(self, None)
        self.transport.abort()

    def _phase_now(self) -> Phase:
        match self.conn.their_state:
            case h11.IDLE:
                return "header" if self.conn.trailing_data[0] else "idle"
            case h11.SEND_BODY:
                return "body"
        return "asked"

    def _enter(self, phase: Phase) -> None:
        """The phase that the client is in; a timer runs from its beginning, however many bytes come meanwhile."""
        if phase == self._phase or (phase != "asked" and self.transport.is_closing()):
            return
        self._phase = phase
        self._unasked.pop(self, None)
        if self._request_timer is not None:
            self._request_timer.cancel()
            self._request_timer = None
        if phase == "asked":
            return
        self._unasked[self] = None
        if phase != "idle":  # uvicorn closes those that are
            seconds = self._bounds.header_seconds if phase == "header" else self._bounds.request_seconds
            self._request_timer = self.loop.call_later(seconds, self.drop)

    def _cancel_answer_timer(self) -> None:
        if self._answer_timer is not None:
            self._answer_timer.cancel()
            self._answer_timer = None
