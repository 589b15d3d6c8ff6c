"""HTML that is safe by construction: text is escaped where it becomes `Html`, and only `Html` is put on a page."""

import html
from collections.abc import Iterable

from fastagent.report.text import clean

STYLE = """
:root { color-scheme: light dark; --line: #8884; --soft: #8882; --quiet: #777; --bad: #d23f3f; --good: #2e8b3d;
        --bar: #4a7fd6 }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.5rem; line-height: 1.25; margin: .5rem 0 } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem }
a { color: inherit } p { margin: .4rem 0 } ol, ul { margin: .4rem 0; padding-left: 1.4rem } li { margin: .25rem 0 }
table { border-collapse: collapse; width: 100%; font-size: .9rem }
th, td { text-align: left; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top }
th { font-weight: 600; white-space: nowrap }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
.quiet { color: var(--quiet) } .small { font-size: .85rem } .scroll { overflow-x: auto }
.cause { border-left: 4px solid var(--bar); padding: .4rem 1rem; background: var(--soft); font-size: 1.05rem }
.tag { border: 1px solid var(--line); border-radius: 4px; padding: 0 .4rem; font-size: .85rem; white-space: nowrap }
.bad { color: var(--bad) } .good { color: var(--good) }
pre { margin: .2rem 0; padding: .4rem .6rem; background: var(--soft); white-space: pre-wrap; overflow-wrap: anywhere;
      font: .85rem/1.4 ui-monospace, monospace }
.lane { position: relative; height: .9rem; min-width: 10rem; background: var(--soft) }
.lane i { position: absolute; top: 0; bottom: 0; min-width: 2px; background: var(--bar) }
"""


class Html(str):
    """Markup that may stand on a page as it is."""

    __slots__ = ()


def shown(value: object) -> Html:
    """Anything as text."""
    return Html(html.escape(clean(str(value))))


def lines(value: object) -> Html:
    """Text whose line breaks matter."""
    return Html("\n".join(shown(line) for line in str(value).splitlines()))


def tag(name: str, *parts: Html, **attributes: str) -> Html:
    """An element. `class_` is the attribute `class`."""
    said = "".join(f' {key.rstrip("_")}="{html.escape(value)}"' for key, value in attributes.items() if value)
    return Html(f"<{name}{said}>{''.join(parts)}</{name}>")


def joined(parts: Iterable[Html], between: str = "") -> Html:
    """One after the other, with text in between."""
    return Html(html.escape(between).join(parts))


def table(heads: Iterable[tuple[str, str]], rows: Iterable[Iterable[Html]]) -> Html:
    """A table; each head is a title and the class of its column."""
    heads = list(heads)
    head = tag("tr", *(tag("th", shown(title), class_=kind) for title, kind in heads))
    body = (
        tag("tr", *(tag("td", cell, class_=kind) for cell, (_, kind) in zip(row, heads, strict=True))) for row in rows
    )
    return tag("div", tag("table", head, *body), class_="scroll")


def page(title: str, *parts: Html, refresh_s: int = 0) -> str:
    """A whole document: no script, nothing fetched from elsewhere."""
    refresh = f'<meta http-equiv="refresh" content="{refresh_s}">' if refresh_s else ""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"{refresh}<title>{shown(title)}</title><style>{STYLE}</style></head><body>{''.join(parts)}</body></html>\n"
    )
