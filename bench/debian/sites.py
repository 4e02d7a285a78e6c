"""Which packages make the web, and where the web has their files: hosts, addresses, manners of each server."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

# Families whose members are named by language: every one that the mirror has is taken, unless languages are listed.
PACKAGES: tuple[str, ...] = (
    "apache2-doc", "bibletime-data", "debian-handbook", "debian-kernel-handbook", "debmake-doc", "git-doc",
    "gnucash-docs", "groonga-doc", "harden-doc", "installation-guide-amd64", "live-manual-html", "mplayer-doc",
    "omegat", "postgresql-doc-15", "python3.11-doc",
)  # fmt: skip
FAMILIES: tuple[str, ...] = (
    r"aptitude-doc-.+", r"debian-edu-doc-..(-..)?", r"debian-faq(-.+)?", r"debian-policy(-..)?", r"debian-reference-.+",
    r"developers-reference(-.+)?", r"gimp-help-(?!common).+", r"kicad-doc-.+",
    r"libreoffice-help-(de|en-us|fr|ja|ru)", r"lilypond-doc-html(-..)?", r"maint-guide(-.+)?",
    r"ubuntu-packaging-guide-html(-.+)?",
)  # fmt: skip


@dataclass(frozen=True)
class Mount:
    """Files of a package (a pattern of paths below the root) and the path they have on their host."""

    files: str
    path: str

    def place(self, file: str) -> str | None:
        """The path of a file on the host; None for a file of something else."""
        found = re.fullmatch(self.files, file)
        return found.expand(self.path) if found else None


@dataclass(frozen=True)
class Site:
    """One host: what stands there and how its server behaves."""

    host: str
    mounts: tuple[Mount, ...]
    secure: bool = True
    """http:// leads to https://."""
    charset: str = ""
    """Charset that the server adds to Content-Type; empty = it says none, and the page must."""
    robots: str | None = None
    """robots.txt; None = there is none (404)."""
    languages: str = ""
    """Prefix under which the folder of a language may be left out: Apache's manual chooses it by Accept-Language."""
    variants: bool = False
    """`page.html` and `page` stand for `page.xx.html`, chosen by Accept-Language (MultiViews)."""
    moved: tuple[tuple[str, str], ...] = field(default=())
    """Patterns of paths and where they lead, the first that matches: 301."""


def _usr(folder: str, path: str) -> Mount:
    """A folder of /usr/share as it is, below a path."""
    return Mount(rf"usr/share/{re.escape(folder)}/(.*)", rf"{path}\1")


_SEARCH = "User-agent: *\nDisallow: /search\nDisallow: /*/search.html$\n"
SITES: tuple[Site, ...] = (
    Site(
        "httpd.apache.org",
        (_usr("doc/apache2-doc/manual", "/docs/2.4/"),),
        robots="User-agent: *\nDisallow: /websrc/\n",
        languages="/docs/2.4/",
        moved=((r"/docs/?", "/docs/2.4/"), (r"/docs/(?:current|trunk|2\.\d|1\.3)(/.*)?", r"/docs/2.4\1")),
    ),
    Site(
        "www.debian.org",
        (
            Mount(r"usr/share/doc/debian/FAQ/(?:[a-z-]{2,5}/)?([^/]+)", r"/doc/manuals/debian-faq/\1"),
            _usr("debian-reference", "/doc/manuals/debian-reference/"),
            Mount(r"usr/share/doc/maint-guide[a-z-]*/html/(.*)", r"/doc/manuals/maint-guide/\1"),
            _usr("doc/debmake-doc/html", "/doc/manuals/debmake-doc/"),
            _usr("developers-reference", "/doc/manuals/developers-reference/"),
            _usr("doc/aptitude/html", "/doc/manuals/aptitude/"),
            _usr("doc/harden-doc/html", "/doc/manuals/securing-debian-manual/"),
            Mount(r"usr/share/doc/debian-policy/((?:ja/)?)policy\.html/(.*)", r"/doc/debian-policy/\1\2"),
        ),
        robots="User-agent: *\nDisallow: /cgi-bin/\nDisallow: /*/search.html$\n",
        variants=True,
        moved=((r"/doc/(?:manuals/)?(reference|faq)(/.*)?", r"/doc/manuals/debian-\1\2"),),
    ),
    Site(
        "d-i.debian.org",
        (Mount(r"usr/share/doc/installation-guide-amd64/([^/]+)/(.*)", r"/manual/\1.amd64/\2"),),
    ),
    Site("debian-handbook.info", (_usr("doc/debian-handbook/html", "/browse/"),), robots="User-agent: *\nDisallow:\n"),
    Site(
        "live-team.pages.debian.net",
        (_usr("doc/live-manual/html", "/live-manual/html/"),),
        variants=True,
    ),
    Site(
        "kernel-team.pages.debian.net",
        (_usr("doc/debian-kernel-handbook/kernel-handbook.html", "/kernel-handbook/"),),
    ),
    Site(
        "jenkins.debian.net",
        (Mount(r"usr/share/doc/(debian-edu-doc-[a-z-]+)/(.*)", r"/userContent/debian-edu-doc/\1/\2"),),
        robots="User-agent: *\nDisallow: /job/\nDisallow: /view/\n",
    ),
    Site(
        "docs.gimp.org",
        (_usr("gimp/2.0/help", "/2.10/"),),
        moved=((r"/([a-z]{2}(?:_[A-Z]{2})?/.*)", r"/2.10/\1"), (r"/2\.[0-8]/(.*)", r"/2.10/\1")),
    ),
    Site(
        "help.libreoffice.org",
        (_usr("libreoffice/help", "/7.4/"),),
        charset="utf-8",
        robots="User-agent: *\nDisallow: /Special:\nDisallow: /index.php\n",
        moved=((r"/(?:latest|[3-6]\.\d|7\.[0-35-9])/(.*)", r"/7.4/\1"),),
    ),
    Site(
        "docs.python.org",
        (_usr("doc/python3.11/html", "/3.11/"),),
        charset="utf-8",
        robots="User-agent: *\nDisallow: /dev\nDisallow: /release\nDisallow: /2.5\nDisallow: /2.6\n",
        moved=((r"/(?:3/)?", "/3.11/"), (r"/(?:3|3\.\d+|dev|release/3[^/]*)/(.*)", r"/3.11/\1")),
    ),
    Site(
        "www.postgresql.org",
        (_usr("doc/postgresql-doc-15/html", "/docs/15/"),),
        charset="utf-8",
        robots="User-agent: *\nDisallow: /admin/\nDisallow: /account/\nDisallow: /list/\nDisallow: /search/\n",
        moved=((r"/docs/(?:current|devel|\d\d?(?:\.\d)?)/(?:static/|interactive/)?(.*)", r"/docs/15/\1"),),
    ),
    Site(
        "lilypond.org",
        (_usr("doc/lilypond/html/Documentation", "/doc/v2.24/Documentation/"),),
        robots="User-agent: *\nDisallow: /doc/v1\nDisallow: /doc/v2.0\n",
        variants=True,
        moved=((r"/doc/(?:stable|latest|v2\.\d+)/(.*)", r"/doc/v2.24/\1"),),
    ),
    Site("www.kernel.org", (_usr("doc/git-doc", "/pub/software/scm/git/docs/"),), robots="User-agent: *\nDisallow:\n"),
    Site(
        "groonga.org",
        (
            _usr("doc/groonga-doc/en/html", "/docs/"),
            _usr("doc/groonga-doc/ja/html", "/ja/docs/"),
        ),
        robots=_SEARCH,
    ),
    Site(
        "docs.kicad.org",
        (Mount(r"usr/share/doc/kicad/help/([^/]+)/([^/]+)\.html", r"/6.0/\1/\2/\2.html"),),
        moved=((r"/(?:master|stable|[4578]\.\d)/(.*)", r"/6.0/\1"),),
    ),
    Site(
        "www.gnucash.org",
        (Mount(r"usr/share/doc/gnucash-docs/gnucash-(guide|help)-([^/]+)/(.*)", r"/docs/v4/\2/gnucash-\1/\3"),),
        robots="User-agent: *\nDisallow: /~\n",
    ),
    Site("www.mplayerhq.hu", (_usr("doc/mplayer/HTML", "/DOCS/HTML/"),), secure=False, variants=True),
    Site("omegat.sourceforge.io", (_usr("doc/omegat/html", "/manual-standard/"),), secure=False),
    Site(
        "bibletime.info",
        (Mount(r"usr/share/doc/bibletime-data/(handbook|howto)/html/(.*)", r"/\1/\2"),),
        secure=False,
    ),
    Site(
        "packaging.ubuntu.com",
        (
            Mount(r"usr/share/doc/ubuntu-packaging-guide-html/(.*)", r"/html/\1"),
            Mount(r"usr/share/doc/ubuntu-packaging-guide-html-([^/]+)/(.*)", r"/\1/html/\2"),
        ),
        secure=False,
        robots=_SEARCH,
    ),
)
