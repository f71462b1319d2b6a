#!/usr/bin/env python3
"""Gathers the documents for a site by MkDocs, and checks the links of the finished site, for tools/site.

usage: site.py gather SOURCES WORK   writes WORK/mkdocs.yml and the folder WORK/docs
       site.py check SITE            fails if a link leads to no file or to no heading
"""
import html.parser
import pathlib
import re
import shutil
import sys
import urllib.parse

# Documents at the root of the sources, with their names in the site.
ROOT_PAGES = {"README.md": "index.md", "CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md",
              "THIRD_PARTY.md": "third-party.md", "LICENSE": "licence.md"}
LINK = re.compile(r"(!?\[[^\]]*\]\()([^)\s]+)(\))")


def with_empty_lines(text):
    """Puts an empty line between a paragraph and a list or table below it, which MkDocs wants and GitHub does not."""
    lines, fenced = [], False
    for line in text.split("\n"):
        follows_text = lines and re.match(r"[^\s|#>`-]", lines[-1])
        if not fenced and follows_text and re.match(r"- |\||1\. ", line):
            lines.append("")
        fenced ^= line.startswith("```")
        lines.append(line)
    return "\n".join(lines)


class Gatherer:
    """Copies documents and what they link to. Source files become texts below `sources/`."""

    def __init__(self, sources, target):
        self.sources = sources.resolve()
        self.target = target

    def place_of(self, path):
        """The place in the site of a file of the sources."""
        name = path.relative_to(self.sources).as_posix()
        if name in ROOT_PAGES:
            return ROOT_PAGES[name]
        return name.removeprefix("docs/") if name.startswith("docs/") else f"sources/{name}.txt"

    def new_link(self, link, page, place):
        """The link of a page of the sources in its copy at `place`; copies the source file that it names."""
        path, _, anchor = link.partition("#")
        if not path or re.match(r"[a-z]+:", link):
            return link
        named = (page.parent / path).resolve()
        if named.is_dir():
            return None
        there = self.place_of(named)
        copy = self.target / there
        if there.startswith("sources/") and not copy.exists():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(named, copy)
        up = "../" * place.count("/")
        return up + there + ("#" + anchor if anchor else "")

    def add_page(self, page):
        place = self.place_of(page)

        def replace(match):
            link = self.new_link(match[2], page, place)
            return match[1] + link + match[3] if link else match[0].split("]")[0].lstrip("![")

        text = LINK.sub(replace, page.read_text(encoding="utf-8"))
        if page.suffix == ".md":
            text = with_empty_lines(text)
        copy = self.target / place
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(text, encoding="utf-8")


def gather(sources, work):
    target = work / "docs"
    gatherer = Gatherer(sources, target)
    for folder in ("images", "measurements"):
        shutil.copytree(sources / "docs" / folder, target / folder)
    for page in [*(sources / name for name in ROOT_PAGES), *sorted((sources / "docs").rglob("*.md"))]:
        gatherer.add_page(page.resolve())
    shutil.copyfile(sources / "package" / "mkdocs.yml", work / "mkdocs.yml")


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.ids = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        named = dict(attributes)
        if "id" in named:
            self.ids.add(named["id"])
        for key in ("href", "src"):
            if named.get(key):
                self.links.append(named[key])


def check(site):
    pages = {path.resolve(): Page(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}
    faults = set()
    for path, page in pages.items():
        if path.name == "404.html":  # whose links are those of a server's root
            continue
        for link in page.links:
            if re.match(r"([a-z]+:|//)", link):
                continue
            name, _, anchor = urllib.parse.unquote(link).partition("#")
            there = (path.parent / name).resolve() if name else path
            if there.is_dir():
                there /= "index.html"
            if not there.exists():
                faults.add(f"{path.relative_to(site.resolve())}: {link} leads nowhere")
            elif anchor and there in pages and anchor not in pages[there].ids:
                faults.add(f"{path.relative_to(site.resolve())}: {link} leads to no heading")
    for fault in sorted(faults):
        print(fault, file=sys.stderr)
    print(f"{len(pages)} pages, {sum(len(page.links) for page in pages.values())} links, {len(faults)} of them broken")
    return bool(faults)


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] == "gather":
        gather(pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]))
    elif len(sys.argv) == 3 and sys.argv[1] == "check":
        sys.exit(check(pathlib.Path(sys.argv[2])))
    else:
        sys.exit(__doc__)
