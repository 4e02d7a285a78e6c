"""Feed documents made to hurt: seconds and memory of each, in a process of its own.

    python bench/feeds_hostile.py                  every document, a line each
    python bench/feeds_hostile.py --only "a|b"     those whose name has a or b in it
    python bench/feeds_hostile.py --json           the same as JSON, one object a line

CPU seconds are those of `read_feed` alone. Peak is the resident memory of the whole process (VmHWM), the document and
all imports in it; growth is the peak less what the process had before the document was made.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import subprocess
import sys
import zlib
from collections.abc import Callable
from typing import Any

MOST_SECONDS, MOST_MEGABYTES = 1.0, 100.0
SIZE = 10 * 1024 * 1024


def filled(piece: bytes | str, around: str = "<rss><channel>{}</channel></rss>", size: int = SIZE) -> bytes:
    """A document of `size` bytes: a piece again and again between the two halves of `around`."""
    unit = piece if isinstance(piece, bytes) else piece.encode()
    first, last = (half.encode() for half in around.split("{}"))
    return first + unit * ((size - len(first) - len(last)) // len(unit)) + last


def numbered(form: str, around: str = "<rss><channel>{}</channel></rss>", size: int = SIZE) -> bytes:
    """The same with a number in each piece, so that no two are alike."""
    first, last = around.split("{}")
    pieces, length, k = [first], len(first) + len(last), 0
    while length < size:
        pieces.append(form.replace("#", str(k)))
        length += len(pieces[-1])
        k += 1
    return "".join([*pieces, last]).encode()


ITEM = "<rss><channel><item><title>t</title>{}</item></channel></rss>"
TEXT = "<rss><channel><item><title>t</title><description>{}</description></item></channel></rss>"
XHTML = (
    "<feed xmlns='http://www.w3.org/2005/Atom'><entry><id>1</id><content type='xhtml'><div>{}</div></content></entry>"
    "</feed>"
)
ENTITIES = "".join(f'<!ENTITY e{k} "{f"&e{k - 1};" * 10}">' for k in range(1, 16))


def json_feed(piece: str, size: int = SIZE) -> bytes:
    head = b'{"version":"https://jsonfeed.org/version/1.1","items":['
    return head + (piece.encode() + b",") * ((size - 100) // (len(piece) + 1)) + b"{}]}"


DOCUMENTS: dict[str, Callable[[], bytes]] = {
    # Entities.
    "billion laughs": lambda: (
        f'<!DOCTYPE r [<!ENTITY e0 "lol">{ENTITIES}]><rss><channel><item><title>[&e15;]</title></item></channel></rss>'
    ).encode(),
    "billion laughs in an attribute": lambda: (
        f'<!DOCTYPE r [<!ENTITY e0 "lol">{ENTITIES}]><rss><channel><item><link href="&e15;"/></item></channel></rss>'
    ).encode(),
    "quadratic entities": lambda: (
        f'<!DOCTYPE r [<!ENTITY a "{"a" * 50_000}">]><rss><channel><item><title>{"&a;" * 50_000}</title></item>'
        "</channel></rss>"
    ).encode(),
    "external entity": lambda: (
        b'<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><rss><channel><item><title>[&x;]</title></item>'
        b"</channel></rss>"
    ),
    "external document type": lambda: b'<!DOCTYPE r SYSTEM "http://127.0.0.1:9/x.dtd"><rss><channel/></rss>',
    "parameter entities": lambda: (
        b'<!DOCTYPE r [<!ENTITY % a SYSTEM "http://127.0.0.1:9/"> %a;]><rss><channel/></rss>'
    ),
    "10 MB of entity declarations": lambda: numbered('<!ENTITY a# "b">', "<!DOCTYPE r [{}]><rss><channel/></rss>"),
    "10 MB of undefined entities": lambda: filled("&nosuch;", TEXT),
    "10 MB of document types": lambda: filled("<!DOCTYPE", "{}"),
    # Levels.
    "100,000 levels": lambda: b"<rss><channel>" + b"<a>" * 100_000 + b"</a>" * 100_000 + b"</channel></rss>",
    "levels without end": lambda: b"<a>" * (SIZE // 3),
    "items in items": lambda: b"<rss><channel>" + b"<item>" * 100_000 + b"</item>" * 100_000 + b"</channel></rss>",
    "deep xhtml": lambda: XHTML.format("<b>" * 100_000 + "</b>" * 100_000).encode(),
    "wide xhtml": lambda: filled("<b>x</b>", XHTML),
    "deep JSON": lambda: b'{"items":' * 100_000,
    "deep JSON items": lambda: json_feed("", 200) + b"[" * 1_000_000,
    # Many of a thing.
    "100,000 posts": lambda: numbered(
        "<item><title>post #</title><link>http://e.example/#</link><guid>#</guid><description>d</description>"
        "<pubDate>Thu, 17 Mar 2011 10:25:49 GMT</pubDate></item>", size=14_000_000,
    ),
    "empty posts": lambda: filled("<item/>"),
    "posts with odd dates": lambda: numbered("<item><pubDate>the #th of March, 2011</pubDate></item>"),
    "empty elements": lambda: filled("<a/>"),
    "empty elements in a post": lambda: filled("<a/>", ITEM),
    "names of elements": lambda: numbered("<a#/>"),
    "namespaces": lambda: numbered('<a xmlns:n#="u#"/>'),
    "nested namespaces": lambda: (
        "<rss>" + "".join(f'<a xmlns:n{k}="u{k}">' for k in range(190)) + "</a>" * 190 + "</rss>"
    ).encode(),
    "attributes of one tag": lambda: numbered(' a#="b"', "<rss><channel{}></channel></rss>"),
    "attributes of many tags": lambda: filled('<a b="1" c="2" d="3" e="4"/>'),
    "colliding attributes": lambda: filled('<a b="1" b="2"/>'),
    "comments": lambda: filled("<!---->"),
    "instructions": lambda: filled("<?a b?>"),
    "sections": lambda: filled("<![CDATA[]]>", TEXT),
    "links": lambda: filled('<link rel="alternate" href="http://e.example/"/>'),
    "hubs": lambda: filled('<atom:link rel="hub" href="http://e.example/"/>'),
    "hints": lambda: filled("<skipHours><hour>1</hour></skipHours><ttl>5</ttl>"),
    "JSON objects": lambda: json_feed("{}"),
    "JSON numbers": lambda: json_feed("1"),
    "JSON lists": lambda: json_feed("[]"),
    "JSON posts": lambda: json_feed('{"id":"1","title":"t"}'),
    "JSON names": lambda: (
        b'{"version":"https://jsonfeed.org/version/1","items":[{' + numbered('"a#":1,', "{}") + b'"z":1}]}'
    ),
    # Much of a thing.
    "one post of 10 MB": lambda: filled("a", TEXT),
    "one post of 10 MB in Thai": lambda: filled("ภาษาไทย", TEXT),
    "one post of 10 MB with an emoji": lambda: filled("a", TEXT.replace("{}", "{}\U0001f600")),
    "titles with an emoji each": lambda: filled(
        "<item><title>" + "a" * 20_000 + "\U0001f600</title></item>"
    ),
    "texts with an emoji each": lambda: filled(
        "<item><description>" + "a" * 400_000 + "\U0001f600</description></item>"
    ),
    "one line of 10 MB": lambda: b"a" * SIZE,
    "10 MB of space": lambda: b" " * SIZE,
    "10 MB of newlines": lambda: filled("\n", TEXT),
    "10 MB of escaped text": lambda: filled("&amp;", TEXT),
    "10 MB of escaped xhtml": lambda: filled("&lt;&amp;", XHTML),
    "huge attribute": lambda: filled("a", '<rss><channel><item><link href="{}"/></item></channel></rss>'),
    "huge name of an element": lambda: filled("a", "<rss><{}/></rss>"),
    "huge comment": lambda: filled("a", "<rss><!--{}--><channel/></rss>"),
    "huge section": lambda: filled("a", "<rss><channel><item><title><![CDATA[{}]]></title></item></channel></rss>"),
    "huge JSON text": lambda: b'{"version":"https://jsonfeed.org/version/1","title":"' + b"a" * SIZE + b'","items":[]}',
    "huge JSON number": lambda: b'{"version":"https://jsonfeed.org/version/1","items":[{"id":' + b"1" * SIZE + b"}]}",
    "30 MB": lambda: filled("<item><title>t</title></item>", size=3 * SIZE),
    "30 MB of large posts": lambda: filled(f"<item><title>{'t' * 9000}</title></item>", size=3 * SIZE),
    # Encodings.
    "10 MB of windows-874": lambda: filled("ภาษาไทย ".encode("cp874"), TEXT),
    "10 MB of UTF-16": lambda: filled("ภาษาไทย ", TEXT, SIZE // 2).decode().encode("utf-16"),
    "10 MB of UTF-32": lambda: filled("abc", TEXT, SIZE // 4).decode().encode("utf-32"),
    "10 MB of GB 18030": lambda: filled("语言".encode("gb18030"), TEXT),
    "random bytes": lambda: random.Random(0).randbytes(SIZE),
    "zero bytes": lambda: bytes(SIZE),
    "late broken UTF-8": lambda: filled("ไทย", TEXT)[:-60] + b"\xff</description></item></channel></rss>",
    # Damage.
    "ampersands": lambda: filled("&x", "<rss><channel><item><title>{}"),
    "open tags": lambda: b"<" * SIZE,
    "open tags in a feed": lambda: filled("<a", "<rss><channel>{}"),
    "open sections": lambda: filled("<![CDATA[", "<rss>{}"),
    "open comments": lambda: filled("<!--", "<rss>{}"),
    "sections in broken text": lambda: filled("<![CDATA[]]>&<!---->", "<rss><channel>{}"),
    "open link tags": lambda: filled("<link ", "<rss><channel>{}"),
    "unclosed links": lambda: filled("<link href='a'>\n", "<rss><channel>{}"),
    "broken items": lambda: filled("<item><title>a</b></item>"),
    "broken items, large": lambda: filled("<item><title>a</b>" + "x" * 100_000 + "</item>"),
    "one broken item at the end": lambda: filled("<item><title>a</title></item>", "<rss><channel>{}<item><b></item>"),
    "unquoted attributes": lambda: filled("<a b=c>", "<rss><channel>{}"),
    "end tags": lambda: filled("</a>", "<rss><channel>{}"),
    "forbidden characters": lambda: filled("\x01", TEXT),
    "HTML of 10 MB": lambda: filled("<p>no feed<br>", "<html><body>{}"),
    "XML of another kind": lambda: filled("<p>no feed</p>", "<html><body>{}</body></html>"),
    "CDF of 10 MB": lambda: filled('<item href="http://e.example/"><title>t</title></item>', "<channel>{}</channel>"),
    # Compressed: the fetcher inflates what HTTP names (and has limits of its own); a file that is not inflated is none.
    "gzip bomb": lambda: gzip.compress(bytes(100 * SIZE)),
    "deflate bomb": lambda: zlib.compress(bytes(100 * SIZE)),
}  # fmt: skip

CHILD = """
import json, sys, time
from phasa.feeds.parse import read_feed
def memory(name):
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith(name)) / 1024
read_feed(b"<rss><channel a=1><item><title>&</title></item></channel></rss>")  # loads the forgiving reader too
before = memory("VmRSS")
body = sys.stdin.buffer.read()
begun = time.process_time()
feed = read_feed(body, url="http://e.example/feed")
seconds = time.process_time() - begun
told = "; ".join(feed.faults)[:90]
leaked = any("root:" in p.title or "lollol" in p.title for p in feed.posts)
print(json.dumps(dict(seconds=seconds, peak=memory("VmHWM"), before=before, kind=feed.kind, posts=len(feed.posts),
    told=told, leaked=leaked)))
"""


def measure(name: str) -> dict[str, Any]:
    """What one document costs, and what was made of it."""
    done = subprocess.run([sys.executable, "-c", CHILD], input=DOCUMENTS[name](), capture_output=True, check=False)
    if done.returncode:
        return {"name": name, "raised": done.stderr.decode().strip().splitlines()[-1:]}
    row = json.loads(done.stdout)
    return {"name": name, **row, "growth": row["peak"] - row["before"]}


def line(row: dict[str, Any]) -> str:
    """A row of the table; what is beyond a limit is marked."""
    if "raised" in row:
        return f"{row['name']:<34}  RAISED {row['raised']}  <<<"
    good = row["seconds"] <= MOST_SECONDS and row["peak"] <= MOST_MEGABYTES and not row["leaked"]
    result = f"{row['kind']:<5}{row['told'] or ('read' if row['kind'] else 'no feed')}{'' if good else '  <<<'}"
    figures = f"{row['seconds']:>7.2f}{row['peak']:>9.1f}{row['growth']:>8.1f}{row['posts']:>7}"
    return f"{row['name']:<34}{figures}  {result}"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--only", default="")
    options.add_argument("--json", action="store_true")
    arguments = options.parse_args()
    rows = []
    if not arguments.json:
        print(f"{'document':<34}{'CPU s':>7}{'peak MB':>9}{'growth':>8}{'posts':>7}  result")
    for name in DOCUMENTS:
        if any(part in name for part in arguments.only.split("|")):
            rows.append(measure(name))
            print(json.dumps(rows[-1], ensure_ascii=False) if arguments.json else line(rows[-1]), flush=True)
    good = [row for row in rows if "raised" not in row]
    if good and not arguments.json:
        most = {name: max(row[name] for row in good) for name in ("seconds", "peak", "growth")}
        print(
            f"{len(rows)} documents, {len(rows) - len(good)} raised; at most {most['seconds']:.2f} CPU s, "
            f"{most['peak']:.1f} MB, {most['growth']:.1f} MB growth"
        )


if __name__ == "__main__":
    main()
