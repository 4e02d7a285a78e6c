"""Parsers of files: archives, settings, models, lists, logs; and of what is sent to the application."""

from __future__ import annotations

import gzip
import random
from contextlib import suppress

from tests.fuzz import corpora
from tests.fuzz.target import Check, Target, folder, in_file

HTTP = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: 5\r\n\r\n<p>x\n"
WARC = (
    b"WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Date: 2020-01-02T03:04:05Z\r\n"
    b"WARC-Target-URI: http://a.th/\r\nWARC-Payload-Digest: sha1:AAAA\r\nContent-Type: application/http"
    b"\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n" % (len(HTTP), HTTP)
)
ARC = (
    b"filedesc://a.arc 0.0.0.0 20200102030405 text/plain 69\n1 0 phasa\nURL IP-address Archive-date Content-type "
    b"Archive-length\n\nhttp://a.th/ 1.2.3.4 20200102030405 text/html %d\n%s\n" % (len(HTTP), HTTP)
)
CDXJ = b"".join(
    b'th,a)/%d 20200102030405 {"url":"http://a.th/%d","mime":"text/html","status":"200","digest":"sha1:A",'
    b'"length":"9","offset":"0","filename":"a.warc.gz"}\n' % (k, k) for k in range(3)
)  # fmt: skip
ARFF = (
    b"@relation all\n@attribute parent real\n@attribute anchor real\n@attribute domain real\n@attribute distance real\n"
    b"@attribute output {thai, non}\n@data\n0.55,1.00,1,0.69,thai\n0.1,0,0,0.5,non % note\n"
)
SEEDS = "# seeds\nhttp://a.th/ 1 0.5 2 3\nwww.b.th\n\nhttps://ไทย.ไทย/\nnot one\n".encode()
LEXICON = "phasa lexicon 1\nC\t5\tกรุงเทพ\nR\t10\tบ้าน\n".encode()


def _warc() -> Check:
    from phasa.archive.reader import index_entries, read_warc

    def check(data: bytes) -> None:
        path = in_file("a.warc.gz", data)
        for stored in read_warc(path):
            assert isinstance(stored.url, str)
            _ = stored.content, stored.content_type, stored.time
        for entry in index_entries(path):
            _ = entry.time, entry.line()

    return check


def _arc() -> Check:
    from phasa.archive.reader import positions

    def check(data: bytes) -> None:
        for start, end, stored in positions(in_file("a.arc.gz", data)):
            assert 0 <= start <= end
            _ = stored.content, stored.time

    return check


def _cdxj() -> Check:
    from phasa.archive.capture import ArchiveError
    from phasa.archive.cdxj import lookup, read_index, sample
    from phasa.archive.reader import read_entry

    where = folder() / "index"
    where.mkdir(exist_ok=True)

    def check(data: bytes) -> None:
        (where / "index.cdxj").write_bytes(data)
        for entry in read_index(where):
            for ask in (lambda e: e.time, lambda e: read_entry(where, e)):
                with suppress(ArchiveError):
                    ask(entry)
        lookup(where, "http://a.th/1")
        list(sample(where, 2))

    return check


def _arff() -> Check:
    from phasa.crawl.learn.knowledge import read_arff, read_knowledge, write_arff

    def check(data: bytes) -> None:
        base = read_knowledge(in_file("k.arff", data))
        assert len(read_arff(write_arff(base))) == len(base)
        if len(base):
            base.model()

    return check


def _settings() -> Check:
    from phasa.collection import Collection
    from phasa.frontier.scope import Scope
    from phasa.settings import write_settings

    def check(data: bytes) -> None:
        in_file("collection.toml", data)
        settings = Collection.open(folder()).settings
        Scope(settings.scope)
        in_file("collection.toml", write_settings(settings).encode())
        assert Collection.open(folder()).settings == settings

    return check


def _profile() -> Check:
    from phasa.language.profile import load_profile

    return lambda data: load_profile(str(in_file("p.toml", data)))


def _options() -> Check:
    from phasa.strategy_settings import StrategySettings, with_options

    def check(data: bytes) -> None:
        name, *options = data.decode("utf-8", "surrogateescape").split(":")
        with_options(StrategySettings(), name, options)

    return check


def _seeds() -> Check:
    from phasa.crawl.seeds import read_seeds
    from phasa.web.url import parse

    def check(data: bytes) -> None:
        found = read_seeds(in_file("seeds.txt", data))
        assert all(parse(seed.url) == seed.url for seed in found.seeds)

    return check


def _lexicon() -> Check:
    from phasa.language.lexicon.corpus import raw_text, read_line
    from phasa.language.lexicon.lexicon import load_lexicon

    def check(data: bytes) -> None:
        raw_text(read_line(data.decode("utf-8", "replace")))
        load_lexicon(in_file("l.lex", data))

    return check


def _dictionary() -> Check:
    from phasa.crawl.segments.dictionary import load_dictionary

    def check(data: bytes) -> None:
        load_dictionary(in_file("d.zst" if data[:4] == b"\x28\xb5\x2f\xfd" else "d.txt", data))

    return check


def _model() -> Check:
    import zstandard

    from phasa.crawl.segments.predictor import load_predictor
    from phasa.crawl.topics.topic import load_topic
    from phasa.errors import PhasaError

    def check(data: bytes) -> None:
        packed = data if data[:1] == b"\x28" else zstandard.compress(data, 1)
        path = in_file("m.model", packed)
        for load in (load_predictor, load_topic):
            try:
                load(path)
            except PhasaError:
                continue

    return check


def _log() -> Check:
    from phasa.crawl.run.crawl_log import parse_line

    return lambda data: parse_line(data.decode("utf-8", "replace"))


def _api() -> Check:
    import msgspec
    from starlette.datastructures import QueryParams

    from phasa.errors import InputError, PhasaError
    from phasa.service.application import SECTIONS
    from phasa.service.routing import json_of, question

    asked = {view.asked for section in SECTIONS for view in section.views}
    asked |= {call.asked for section in SECTIONS for call in section.calls}
    asked |= {stream.asked for section in SECTIONS for stream in section.streams}
    kinds = sorted(asked, key=lambda kind: kind.__name__)
    rng = random.Random(1)

    def check(data: bytes) -> None:
        try:
            values = json_of(data)
        except InputError:
            values = dict(QueryParams(data.decode("latin-1")))
        for kind in rng.sample(kinds, 4):
            for strict in (True, False):
                try:
                    msgspec.json.encode(question(kind, values, strict=strict))
                except PhasaError:
                    continue

    return check


def _host() -> Check:
    from starlette.datastructures import Headers

    from phasa.service.guards import Access, own_origin
    from phasa.service.routing import local_path

    access = Access.to("127.0.0.1", None, ["Mine.Example", "[2001:db8::1]"])

    def check(data: bytes) -> None:
        host = data.decode("latin-1")
        if access.answers_to(host):
            name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() or host.endswith(":") else host
            ours = ("localhost", "127.0.0.1", "mine.example")
            assert name.lower().removesuffix(".") in ours or (name.startswith("[") and name.endswith("]"))
        own_origin(Headers({"origin": host, "host": "127.0.0.1"}))
        assert local_path(host).startswith("/")

    return check


def _toml() -> bytes:
    return (
        b'language = "th"\ncontact = "m"\nconnections=9\ntolerance = 1\n[scope]\ndomains = ["th"]\npatterns = ["^h"]\n'
        b"[politeness]\ndelay = 1.5\n[strategies.hybrid]\nfloor = -2.0\n[limits]\nredirects = 9\n[feeds]\nfeeds = 3\n"
    )


TOML = (
    b"[",
    b"]",
    b"=",
    b"inf",
    b"nan",
    b"{",
    b"}",
    b'"',
    b"'''",
    b'"""',
    b".",
    b"#",
    b"[[",
    b"limits",
    b"1e400",
    b"0x",
)
JSON = (
    b"{",
    b"}",
    b"[",
    b"]",
    b'"',
    b":",
    b",",
    b"null",
    b"true",
    b"1e9",
    b"-1",
    b'"url"',
    b'"most"',
    b'"id"',
    b'"\\ud800"',
)
PROFILE = b'code = "xx"\nname = "X"\nscripts = ["Thai"]\naliases = ["x"]\nthreshold = 0.2\ncharsets = ["tis-620"]\n'
LOG = b"2020-01-02T03:04:05.000Z   200       1234 http://a.th/ L http://b.th/ text/html #001 20200102 sha1:A - lang:th"
TARGETS = (
    Target("warc", _warc, (WARC, WARC * 2, gzip.compress(WARC, mtime=0) * 2), (b"WARC/1.1\r\n", b"Content-Length: ",
           b"\r\n\r\n", b"WARC-Type: revisit", b"HTTP/1.1 ", b"\x1f\x8b\x08\0"), 800, 3000, corpora.samples),
    Target("arc", _arc, (ARC, gzip.compress(ARC, mtime=0)), (b"\n", b" ", b"filedesc://", b"HTTP/1.1 "),
           800, 2500, corpora.samples),
    Target("cdxj", _cdxj, (CDXJ,), (*JSON, b" 2020", b"th,a)/1 "), 1000, 1500, corpora.index_lines),
    Target("arff", _arff, (ARFF,), (b"@attribute", b"@data", b"@relation", b"{", b"}", b",", b"%", b"'"), 1500, 1500),
    Target("settings", _settings, (_toml(),), TOML, 300, 1500, corpora.settings),
    Target("profile", _profile, (PROFILE,), TOML, 1500, 800, corpora.profiles),
    Target("options", _options, (b"hybrid:step=0.1:every=5", b"lswc:distance=4", b"best-segment:strict=true"),
           (b"=", b":", b"nan", b"inf", b"true", b"floor"), 3000, 200),
    Target("seeds", _seeds, (SEEDS,), (b"http://", b" ", b"\n", b"#", b"nan", b"1e999"), 1500, 800),
    Target("lexicon", _lexicon, (LEXICON, b"a\nb\n", "<NE>กรุง</NE>|บ้าน|".encode()), (b"\t", b"\n", b"C\t", b"R\t", b"|",
           b"<NE>", b"</NE>", b"\x28\xb5\x2f\xfd"), 2000, 600, corpora.word_lists),
    Target("dictionary", _dictionary, (b"# source\nBangkok\nWat Pho\n", b"\x28\xb5\x2f\xfd\x00\x58\x11\0\0abc"),
           (b"\n", b"#", b"\x28\xb5\x2f\xfd"), 2000, 500, corpora.word_lists),
    Target("model", _model, (b'{"kind":"phasa topic 1","language":"en"}', b'{"kind":"x","terms":[],"weights":[1.5]}',
           b"\x28\xb5\x2f\xfd\x00\x58\x11\0\0abc"), JSON, 2000, 800, corpora.models),
    Target("crawl-log", _log, (LOG,), (b" ", b"lang:", b"-", b"http://"), 8000, 400),
    Target("api", _api, (b'{"url":"http://a.th/","category":"x","opml":"<opml/>","id":1,"most":5,"by":"host"}',
           b"order=pages&page=2&most=9&zone=Asia%2FBangkok"), (*JSON, b"&", b"=", b"%00", b"["), 1500, 1200),
    Target("host", _host, (b"127.0.0.1:9610", b"localhost", b"[::1]:80", b"127.0.0.1:9610.evil.example",
           b"mine.example.:1"), (b"127.0.0.1", b":", b".", b"@", b"[::1]", b"evil", b"/", b"\\", b"%00"), 8000, 80),
)  # fmt: skip
