#!/usr/bin/env python3
"""Are the pages that people write short, and do all their links lead somewhere?

  docs/use/*.md   at most 600 words a page, README.md at most 900, docs/results/*.md at most 300 outside of tables
  docs/**/*.md    lines of text of at most 120 characters
  all *.md        every relative link leads to a file, and its #anchor to a heading of that file
  source files    every page of docs/ that a comment or a help text names is there

Usage: words_test.py [--root DIRECTORY]. Prints a line for each fault; exit status 1 where there is one."""
import argparse
import pathlib
import re
import sys

WORDS = [("README.md", 900), ("docs/use/*.md", 600)]
RESULTS = 300
WIDTH = 120
SOURCES = ("src", "runtime", "tests", "tools", "experiments", "workloads", "machines", "schema", "cmake", "web")
SUFFIXES = {".h", ".cpp", ".cu", ".c", ".py", ".sh", ".toml", ".json", ".js", ".md", ".txt", ".cmake", ".html"}
NOT_OURS = ("tests/report/scores", "tests/ptx/forms", "node_modules")  # recorded runs, generated tests, packages


def without_code(text):
    return re.sub(r"```.*?```", "", text, flags=re.S)


def anchors(text):
    """The names that GitHub gives to the headings of a page."""
    found = set()
    for heading in re.findall(r"^#+ (.*)$", without_code(text), re.M):
        name = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        found.add(name)
    return found


def own(root, pattern):
    for path in sorted(root.glob(pattern)):
        inside = path.relative_to(root).as_posix()
        if path.is_file() and not inside.startswith(("build", ".")) and not any(part in inside for part in NOT_OURS):
            yield path


def links_of(root, path):
    text = path.read_text()
    for target in re.findall(r"\]\(([^()\s]+)\)", without_code(text)):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        there = (path.parent / file) if file else path
        if not there.exists():
            yield f"{path.relative_to(root)}: the link {target} leads nowhere"
        elif anchor and there.suffix == ".md" and anchor not in anchors(there.read_text()):
            yield f"{path.relative_to(root)}: {file or path.name} has no heading for #{anchor}"


def faults(root):
    for pattern, most in WORDS:
        for path in own(root, pattern):
            words = len(path.read_text().split())
            if words > most:
                yield f"{path.relative_to(root)}: {words} words, at most {most}"
    for path in own(root, "docs/results/*.md"):
        words = len(re.sub(r"<!-- table .*?<!-- end -->", "", path.read_text(), flags=re.S).split())
        if words > RESULTS:
            yield f"{path.relative_to(root)}: {words} words beside its tables, at most {RESULTS}"
    for path in [root / "README.md", root / "CONTRIBUTING.md", *own(root, "docs/**/*.md")]:
        for number, line in enumerate(re.sub(r"```.*?```", lambda code: "\n" * code[0].count("\n"), path.read_text(), flags=re.S).split("\n"), 1):
            if len(line) > WIDTH and not line.startswith(("|", "    ", "![")):
                yield f"{path.relative_to(root)}:{number}: {len(line)} characters, at most {WIDTH}"
    for path in own(root, "**/*.md"):
        yield from links_of(root, path)
    sources = [root / "CMakeLists.txt", *(path for folder in SOURCES for path in own(root, folder + "/**/*") if path.suffix in SUFFIXES)]
    for path in sources:
        for number, line in enumerate(path.read_text(errors="replace").split("\n"), 1):
            for page in re.findall(r"(?<![\w/])docs/[\w/-]+\.md", line):
                if not (root / page).exists():
                    yield f"{path.relative_to(root)}:{number}: {page} is not there"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2])
    found = list(faults(parser.parse_args().root))
    print("\n".join(found) or "all pages are short, and all links lead somewhere")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
