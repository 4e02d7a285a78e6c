"""What goes between a process and its sandbox: frames of a length and so many bytes.

A call is pickled, for the sandbox trusts who started it: the function by itself, once, so that what all calls have in
common (`functools.partial`) costs next to nothing on either side. A reply is a kind and msgpack, decoded to the type
that the function promises: nothing in it can run. Before it stands the processor time that the call took.
"""

from __future__ import annotations

import pickle
import struct
import time
from collections.abc import Callable
from functools import cache, lru_cache, partial
from typing import Any, get_type_hints

import msgspec

from phasa import errors
from phasa.errors import ParserCrashedError

CALL = struct.Struct("<III")
"""What a call begins with: the lengths of the pickled function and of the pickled arguments, and of the large body that
comes after them as it is."""
REPLY = struct.Struct("<If")
"""What a reply begins with: its length, and processor seconds."""
ORDER = struct.Struct("<III")
"""The number of a worker that is wanted, its megabytes and how far it stands back (nice); without a socket, of one that
is to be killed."""
ENDED = struct.Struct("<ii")
"""The number of a worker and its wait status, as the control socket tells it."""
VALUE, REFUSED, FAILED = b"V", b"R", b"F"

_LARGE = 64 * 1024
_encode = msgspec.msgpack.Encoder().encode


def call_frame(function: Callable[..., Any], args: tuple[Any, ...], options: dict[str, Any]) -> list[bytes]:
    """What asks for `function(*args, **options)`, in pieces to be sent one after another. The first large body among
    the arguments is a piece of its own: no copy is made of it."""
    body = next((arg for arg in args if isinstance(arg, bytes) and len(arg) > _LARGE), b"")
    if body:
        args = tuple(pickle.PickleBuffer(arg) if arg is body else arg for arg in args)
    called = _pickled(function)
    call = pickle.dumps((args, options), protocol=5, buffer_callback=lambda _: False)
    head = CALL.pack(len(called), len(call), len(body)) + called
    start = [head, call] if len(call) > _LARGE else [head + call]
    return [*start, body] if body else start


def reply_to(called: bytes, call: bytes, body: bytes = b"") -> bytes:
    """Do what a call says; the frame that tells what came of it. Raises MemoryError alone."""
    begun = time.process_time()
    try:
        function = _function(called)
        args, options = pickle.loads(call, buffers=(body,))
        reply = VALUE + _encoded(function(*args, **options))
    except MemoryError:
        raise
    except errors.PhasaError as problem:
        reply = REFUSED + _encoded((type(problem).__name__, str(problem)))
    except Exception as problem:  # noqa: BLE001 - whatever a parser does ends here
        reply = FAILED + _encoded(errors.with_place(problem, __file__))
    return REPLY.pack(len(reply), time.process_time() - begun) + reply


def value_of(reply: bytes | bytearray | memoryview, function: Callable[..., Any]) -> Any:
    """What the function returned. Raises what it raised on purpose, and ParserCrashedError for everything else."""
    kind, body = bytes(reply[:1]), memoryview(reply)[1:]
    try:
        if kind == VALUE:
            return _decoder(function.func if isinstance(function, partial) else function).decode(body)
        if kind == REFUSED:
            name, message = msgspec.msgpack.decode(body, type=tuple[str, str])
            raise getattr(errors, name, errors.InputError)(message)
        raise ParserCrashedError(f"parser_crashed: {msgspec.msgpack.decode(body, type=str)}")
    except msgspec.MsgspecError as problem:
        raise ParserCrashedError(f"parser_crashed: an answer that is none ({problem})") from None


@lru_cache(maxsize=64)
def _pickled(function: Callable[..., Any]) -> bytes:
    return pickle.dumps(function, protocol=5)


@lru_cache(maxsize=64)
def _function(pickled: bytes) -> Callable[..., Any]:
    function: Callable[..., Any] = pickle.loads(pickled)
    return function


@cache
def _decoder(function: Callable[..., Any]) -> msgspec.msgpack.Decoder[Any]:
    return msgspec.msgpack.Decoder(get_type_hints(function)["return"])


def _encoded(value: Any) -> bytes:
    try:
        return _encode(value)
    except UnicodeEncodeError:  # half a surrogate pair
        return _encode(_whole(msgspec.to_builtins(value)))


def _whole(value: Any) -> Any:
    """The same with every lone surrogate replaced."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {_whole(key): _whole(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_whole(item) for item in value]
    return value
