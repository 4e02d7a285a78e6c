"""The web over HTTP and TLS on one port of the loopback: what `server = "127.0.0.1:PORT"` of a collection leads to.

The first byte of a connection says whether it is TLS. Hosts are told apart by the Host header, certificates are made
for the name that a client asks for, signed by an authority of this web's own.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from pathlib import Path
from typing import cast

from bench.debian.answers import Answer, Web
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

_TLS_HELLO = b"\x16"
_HEAD_BYTES = 64 * 1024
_LIFE = timedelta(days=7)
_REASONS = {status.value: status.phrase for status in HTTPStatus}


class Authority:
    """Signs a certificate for every name that is asked for. Lives as long as its server."""

    def __init__(self) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "phasa bench authority")])
        made = self._builder(self._name, self._key.public_key())
        made = made.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        made = made.add_extension(
            x509.SubjectKeyIdentifier.from_public_key(self._key.public_key()), critical=False
        ).add_extension(_usage(signs=True), critical=True)
        self.pem = made.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
        self._leaf_key = ec.generate_private_key(ec.SECP256R1())
        self._contexts: dict[str, ssl.SSLContext] = {}
        self.context = self._context("localhost")
        self.context.sni_callback = self._choose

    def _choose(self, connection: ssl.SSLObject, name: str | None, _: ssl.SSLContext) -> None:
        connection.context = self._context((name or "localhost").lower())

    def _context(self, name: str) -> ssl.SSLContext:
        if name not in self._contexts:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            with tempfile.NamedTemporaryFile(suffix=".pem") as file:
                file.write(self._leaf(name))
                file.flush()
                context.load_cert_chain(file.name)
            self._contexts[name] = context
        return self._contexts[name]

    def _leaf(self, name: str) -> bytes:
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name[:64])])
        made = self._builder(subject, self._leaf_key.public_key())
        made = made.add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        made = made.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        made = made.add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        made = made.add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()), critical=False
        )
        signed = made.sign(self._key, hashes.SHA256())
        secret = self._leaf_key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        return secret + signed.public_bytes(serialization.Encoding.PEM)

    def _builder(self, subject: x509.Name, key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
        now = datetime.now(UTC)
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(hours=1))
            .not_valid_after(now + _LIFE)
        )


def _usage(*, signs: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs, content_commitment=False, key_encipherment=False, data_encipherment=False,
        key_agreement=False, key_cert_sign=signs, crl_sign=signs, encipher_only=False, decipher_only=False,
    )  # fmt: skip


class Connection(asyncio.Protocol):
    """One connection: reads requests, writes the answers of the web."""

    def __init__(self, web: Web, *, secure: bool) -> None:
        self._web = web
        self._secure = secure
        self._buffer = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's are no subclass

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        transport = self._transport
        assert transport is not None
        while (end := self._buffer.find(b"\r\n\r\n")) >= 0:
            head, self._buffer = self._buffer[:end], self._buffer[end + 4 :]
            transport.write(self.respond(head.decode("latin-1")))
        if len(self._buffer) > _HEAD_BYTES:
            transport.close()

    def respond(self, head: str) -> bytes:
        """The bytes of the answer to the head of a request."""
        first, *lines = head.split("\r\n")
        words = first.split(" ")
        if len(words) != 3 or words[0] not in ("GET", "HEAD"):
            return written(Answer(405), with_body=True)
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        host = headers.get("host", "").rpartition(":")[0] or headers.get("host", "")
        answer = self._web.answer(host, words[1], headers.get("accept-language", ""), secure=self._secure)
        known = headers.get("if-modified-since")
        if known and ("Last-Modified", known) in answer.headers:
            answer = Answer(304)
        return written(answer, with_body=words[0] == "GET")


def written(answer: Answer, *, with_body: bool) -> bytes:
    """An answer as it goes over the wire."""
    lines = [f"HTTP/1.1 {answer.status} {_REASONS[answer.status]}"]
    lines += [f"{name}: {value}" for name, value in (("Server", "Apache"), *answer.headers)]
    if answer.status != 304:
        lines.append(f"Content-Length: {len(answer.body)}")
    head = ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "replace")
    return head + answer.body if with_body else head


@asynccontextmanager
async def serving(web: Web, authority: Authority, port: int = 0) -> AsyncIterator[int]:
    """Serve the web on the loopback while the block runs; gives the port."""
    with socket.create_server(("127.0.0.1", port), backlog=2048) as listening:
        listening.setblocking(False)
        accepting = asyncio.create_task(_accept(listening, web, authority))
        try:
            yield int(listening.getsockname()[1])
        finally:
            accepting.cancel()
            await asyncio.gather(accepting, return_exceptions=True)


async def _accept(listening: socket.socket, web: Web, authority: Authority) -> None:
    loop = asyncio.get_running_loop()
    begun: set[asyncio.Task[None]] = set()
    while True:
        try:
            accepted, _ = await loop.sock_accept(listening)
        except OSError:  # too many open files, or the client has gone: the next one may find room
            await asyncio.sleep(0.05)
            continue
        task = asyncio.create_task(_begin(accepted, web, authority))
        begun.add(task)
        task.add_done_callback(begun.discard)


async def _begin(accepted: socket.socket, web: Web, authority: Authority) -> None:
    """Give a new connection its protocol: TLS, or not, by its first byte."""
    loop = asyncio.get_running_loop()
    accepted.setblocking(False)
    accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    try:
        secure = await _first_byte(accepted) == _TLS_HELLO
        context = authority.context if secure else None
        await loop.connect_accepted_socket(lambda: Connection(web, secure=secure), accepted, ssl=context)
    except OSError:  # reset, or a client that does not trust the authority
        accepted.close()


async def _first_byte(accepted: socket.socket) -> bytes:
    """The first byte that a client sends, left where it is."""
    loop = asyncio.get_running_loop()
    readable: asyncio.Future[None] = loop.create_future()

    def heard() -> None:
        if not readable.done():
            readable.set_result(None)

    loop.add_reader(accepted.fileno(), heard)
    try:
        await asyncio.wait_for(readable, 30)
    finally:
        loop.remove_reader(accepted.fileno())
    return accepted.recv(1, socket.MSG_PEEK)


def serve_forever(web: Web, port: int, folder: Path) -> None:
    """Serve until interrupted; address and authority (a PEM file in the folder) go to standard output."""
    import uvloop

    async def run() -> None:
        authority = Authority()
        async with serving(web, authority, port) as bound:
            ca_file = folder / f"ca-{bound}.pem"
            ca_file.write_bytes(authority.pem)
            try:
                print(f"http://127.0.0.1:{bound}/ {ca_file.resolve()}", flush=True)
                await asyncio.Event().wait()
            finally:
                ca_file.unlink(missing_ok=True)

    uvloop.run(run())
