"""Trees of HTML parsers beside the expectations of html5lib-tests (tree-construction), scripting off.

The data is not part of this repository. Either of these puts it where `python bench/parsers.py --agreement` looks:

    git clone --depth 1 https://github.com/html5lib/html5lib-tests ../shared/data/html5lib-tests
    tar xf html5lib-1.1.tar.gz --strip-components=4 -C ../shared/data/html5lib-tests --wildcards '*/testdata'

(the second: from the source distribution of html5lib 1.1, with the tests of 2020).

Compared is what lies below <html>: elements, attributes, texts, comments. Not every parser tells of doctypes, of
namespaces and of what is in a <template>, so these are left out for all; `strict` has them, for those that do.
Fragments and cases for scripting are not of our concern: pages are documents, and no script runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

DATA = Path(__file__).parents[2] / "shared" / "data" / "html5lib-tests"

Line = tuple[int, str, tuple[tuple[str, str], ...]]
"""Depth, what stands there (`<p>`, `"text`, `<!-- comment -->`, `content`, `<!DOCTYPE …>`), attributes by name."""
Tree = list[Line]


class Case(NamedTuple):
    """A document and its tree."""

    html: str
    tree: Tree


def cases(folder: Path) -> Iterator[Case]:
    """Those for whole documents that hold without scripting."""
    for path in sorted((folder / "tree-construction").glob("*.dat")):
        text = path.read_bytes().decode("utf-8", "surrogatepass")
        for block in text.removeprefix("#data\n").split("\n\n#data\n"):
            html, _, rest = ("\n" + block).partition("\n#errors")
            if "\n#document-fragment" in rest or "\n#script-on" in rest:
                continue
            yield Case(html[1:], _expected(rest.partition("\n#document\n")[2]))


def _expected(text: str) -> Tree:
    lines: list[str] = []
    for line in text.rstrip("\n").split("\n"):
        if line.startswith("| "):
            lines.append(line[2:])
        elif lines:
            lines[-1] += "\n" + line
    tree: Tree = []
    for line in lines:
        what = line.lstrip(" ")
        depth = (len(line) - len(what)) // 2
        if what[:1] not in '<"' and "=" in what and tree:
            name, _, value = what.partition("=")
            where = tree[-1]
            tree[-1] = (*where[:2], tuple(sorted((*where[2], (name.replace(" ", ":"), value.strip('"'))))))
        else:
            tree.append((depth, what[:-1] if what[:1] == '"' else what, ()))
    return tree


def loose(tree: Tree) -> Tree:
    """What every parser tells: without doctype, what stands beside <html>, namespaces and contents of templates."""
    kept: Tree = []
    hidden = 1 << 30
    for depth, what, attributes in tree:
        if depth > hidden:
            continue
        hidden = 1 << 30
        if what == "content" or (not depth and not what.startswith("<html")):
            hidden = depth
            continue
        if what[:1] == "<" and what[:2] != "<!":
            what = "<" + what[1:-1].rpartition(" ")[2] + ">"
        kept.append((depth, what, attributes))
    return kept


def merged(tree: Tree) -> Tree:
    """Texts that follow each other are one."""
    kept: Tree = []
    for line in tree:
        if kept and line[1][:1] == '"' and kept[-1][1][:1] == '"' and kept[-1][0] == line[0]:
            kept[-1] = (line[0], kept[-1][1] + line[1][1:], ())
        else:
            kept.append(line)
    return kept


def _attributes(found: Any) -> tuple[tuple[str, str], ...]:
    pairs = ((name, " ".join(value) if isinstance(value, list) else value or "") for name, value in dict(found).items())
    return tuple(sorted(pairs))


def turbohtml_tree(html: str) -> Tree:
    import turbohtml

    spaces = {turbohtml.Namespace.SVG: "svg ", turbohtml.Namespace.MATHML: "math "}
    tree: Tree = []

    def walk(node: Any, depth: int) -> None:
        for child in node.children:
            match child:
                case turbohtml.Element():
                    space = spaces.get(child.namespace, "")
                    tree.append((depth, f"<{space}{child.tag}>", _attributes(child.attrs)))
                    walk(child, depth + 1)
                case turbohtml.DocumentFragment():
                    tree.append((depth, "content", ()))
                    walk(child, depth + 1)
                case turbohtml.Comment():
                    tree.append((depth, f"<!-- {child.data} -->", ()))
                case turbohtml.Doctype():
                    tree.append((depth, f"<!DOCTYPE {child.name}>", ()))
                case turbohtml.Text():
                    tree.append((depth, '"' + child.data, ()))

    walk(turbohtml.parse(html, positions=False, allow_declarative_shadow_roots=False), 0)
    return merged(tree)


def selectolax_tree(html: str) -> Tree:
    from selectolax.lexbor import LexborHTMLParser  # type: ignore[import-not-found, unused-ignore]

    tree: Tree = []

    def walk(node: Any, depth: int) -> None:
        if node.is_element_node:
            tree.append((depth, f"<{node.tag}>", _attributes(node.attributes)))
            for child in node.iter(include_text=True, skip_empty=False):
                walk(child, depth + 1)
        elif node.is_text_node:
            tree.append((depth, '"' + (node.text_content or ""), ()))
        elif node.is_comment_node:
            tree.append((depth, f"<!-- {node.comment_content} -->", ()))

    walk(LexborHTMLParser(html).root, 0)
    return merged(tree)


def resiliparse_tree(html: str) -> Tree:
    from resiliparse.parse.html import ELEMENT, TEXT, HTMLTree, NodeType  # type: ignore[attr-defined, unused-ignore]

    tree: Tree = []

    def walk(node: Any, depth: int) -> None:
        if node.type == ELEMENT:
            pairs = {name: node.getattr(name) for name in node.attrs}
            tree.append((depth, f"<{node.tag}>", _attributes(pairs)))
            for child in node.child_nodes:
                walk(child, depth + 1)
        elif node.type == TEXT:
            tree.append((depth, '"' + (node.value or ""), ()))
        elif node.type == NodeType.COMMENT:
            tree.append((depth, f"<!-- {node.value} -->", ()))

    for child in HTMLTree.parse(html).document.child_nodes:
        walk(child, 0)
    return merged(tree)


def lxml_tree(html: str) -> Tree:
    import lxml.html

    tree: Tree = []

    def walk(node: Any, depth: int) -> None:
        if isinstance(node.tag, str):
            tree.append((depth, f"<{node.tag}>", _attributes(node.attrib)))
            if node.text:
                tree.append((depth + 1, '"' + node.text, ()))
            for child in node:
                walk(child, depth + 1)
                if child.tail:
                    tree.append((depth + 1, '"' + child.tail, ()))
        else:
            tree.append((depth, f"<!-- {node.text} -->", ()))

    walk(lxml.html.document_fromstring(html or "<p>"), 0)
    return merged(tree)


TREES: dict[str, Callable[[str], Tree]] = {
    "turbohtml": turbohtml_tree,
    "resiliparse": resiliparse_tree,
    "selectolax": selectolax_tree,
    "lxml": lxml_tree,
}
STRICT = frozenset(("turbohtml",))
"""Those that tell of namespaces, doctypes and what is in a template."""


class Agreement(NamedTuple):
    """Of so many cases, how many trees are as expected, loosely and strictly (-1 where that cannot be said); and how
    many of the others have a <select>, whose contents the standard of 2025 reads otherwise than the tests of 2020."""

    cases: int
    agreed: int
    strict: int
    select: int


def agreement(folder: Path) -> dict[str, Agreement]:
    """For each parser that is installed."""
    known = list(cases(folder))
    found: dict[str, Agreement] = {}
    for name, parse in TREES.items():
        agreed, select, strict = 0, 0, 0 if name in STRICT else -1
        try:
            parse("<p>")
        except ImportError:
            continue
        for case in known:
            try:
                tree = parse(case.html)
            except Exception:  # noqa: BLE001 - a refusal is no tree
                tree = []
            if loose(tree) == loose(case.tree):
                agreed += 1
            else:
                select += "<select" in case.html.lower()
            if name in STRICT:
                strict += _bare_doctypes(tree) == _bare_doctypes(case.tree)
        found[name] = Agreement(len(known), agreed, strict, select)
    return found


def _bare_doctypes(tree: Tree) -> Tree:
    """Doctypes by their name alone."""
    return [
        (d, what.partition(' "')[0].rstrip(">") + ">" if what[:9] == "<!DOCTYPE" else what, a) for d, what, a in tree
    ]
