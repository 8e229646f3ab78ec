#!/usr/bin/env python3
"""Counts pronouns without a noun in the comments of src/ and runtime/, and the lines of each file's opening comment.

    comments.py SOURCE_DIRECTORY              the worst files, each room, and the whole
    comments.py SOURCE_DIRECTORY --rooms      each room and the whole only
    comments.py SOURCE_DIRECTORY --check      warnings; exit status 1 where an opening has more than 25 lines
    comments.py --self-test                   judges texts of its own, of which the counts are known

Files: *.h, *.cpp, *.cu and *.def, without runtime/cuda/include (CUDA's interface, whose words are given).
Comments: // and /* */ outside string and character literals.
Words: sequences of letters, digits, "_" and "'" that begin with a letter, after everything between backquotes is
taken away. "shared_from_this" is one word and "2 + b" has one.
Pronouns: the words who, what, those, that and which, in any case, wherever they stand. "that" as a conjunction or
before a noun ("that line") counts too, because a program cannot tell; so does "in which". A few are right. More than
2 in 100 words are a habit.
Opening: the comment before everything else of a file, to the first line that is code or empty.
"""
import argparse
import collections
import contextlib
import io
import pathlib
import re
import sys

PRONOUNS = {"who", "what", "those", "that", "which"}
MANY_PRONOUNS = 2.0      # in 100 words: a warning
FEW_WORDS = 100          # with fewer, one pronoun more or less decides nothing
LONG_OPENING = 15        # lines: a warning
TOO_LONG_OPENING = 25    # lines: an error
SUFFIXES = {".h", ".cpp", ".cu", ".def"}

TOKEN = re.compile(r'''
    (?P<comment> //(?:\\\n|[^\n])* | /\*.*?\*/ )
  | R"(?P<mark>[^()\\\s]*)\(.*?\)(?P=mark)"
  | "(?:\\.|[^"\\\n])*"
  | (?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'
  | .
''', re.DOTALL | re.VERBOSE)

Counts = collections.namedtuple("Counts", "words pronouns opening")


def comments_of(text):
    """The comments of a file, in order, with their marks."""
    return [match["comment"] for match in TOKEN.finditer(text) if match["comment"]]


def words_of(comment):
    """The words of a comment."""
    return re.findall(r"[A-Za-z][A-Za-z0-9_']*", re.sub(r"`[^`\n]*`", " ", comment))


def opening_of(text):
    """How many lines the comment has with which a file begins."""
    match = re.match(r"/\*.*?\*/|(?://[^\n]*\n)+", text.lstrip("\n"), re.DOTALL)
    return len(match[0].rstrip("\n").split("\n")) if match else 0


def count(text):
    words = [word.lower() for comment in comments_of(text) for word in words_of(comment)]
    return Counts(len(words), sum(word in PRONOUNS for word in words), opening_of(text))


def files_of(root):
    """Each file's path below `root`, with its counts."""
    result = {}
    for tree in ("src", "runtime"):
        for path in sorted((root / tree).rglob("*")):
            file = path.relative_to(root)
            if path.suffix in SUFFIXES and file.parts[:3] != ("runtime", "cuda", "include"):
                result[file] = count(path.read_text())
    return result


def rate(counts):
    return 100 * counts.pronouns / counts.words if counts.words else 0.0


def many_pronouns(counts):
    return counts.words > FEW_WORDS and rate(counts) > MANY_PRONOUNS


def rooms_of(files):
    rooms = collections.defaultdict(dict)
    for file, counts in files.items():
        rooms["/".join(file.parts[:2]) if file.parts[0] == "src" else "runtime"][file] = counts
    return rooms


def line_of(name, counts):
    """A row of the table of rooms: the sums, and how many openings are long."""
    words, pronouns = sum(c.words for c in counts), sum(c.pronouns for c in counts)
    long = sum(c.opening > LONG_OPENING for c in counts)
    return (f"{name:16}{words:8}{rate(Counts(words, pronouns, 0)):10.1f}"
            f"{sum(map(many_pronouns, counts)):8}{long:10}")


def print_rooms(files):
    print(f"{'room':16}{'words':>8}{'per 100':>10}{'over 2':>8}{'openings':>10}   (pronouns; files; openings over 15 lines)")
    for room, of_room in sorted(rooms_of(files).items()):
        print(line_of(room, list(of_room.values())))
    print(line_of("all", list(files.values())))


def print_worst(files):
    worst = sorted((f for f in files if many_pronouns(files[f])), key=lambda f: -rate(files[f]))
    for file in worst[:40]:
        print(f"{rate(files[file]):5.1f} in 100 words of {files[file].words:5}   {file}")
    for file in sorted(files, key=lambda f: -files[f].opening):
        if files[file].opening > LONG_OPENING:
            print(f"{files[file].opening:5} lines of opening     {file}")


def check(files):
    """Prints the warnings and errors. The exit status."""
    status = 0
    for file, counts in files.items():
        if counts.opening > TOO_LONG_OPENING:
            print(f"{file}: an opening of {counts.opening} lines, at most {TOO_LONG_OPENING} are allowed: move its contract "
                  "to a page beside the file")
            status = 1
        elif counts.opening > LONG_OPENING:
            print(f"{file}: warning: an opening of {counts.opening} lines, {LONG_OPENING} are enough")
        if many_pronouns(counts):
            print(f"{file}: warning: {rate(counts):.1f} pronouns in 100 words, {MANY_PRONOUNS:g} are enough: name the noun")
    return status


def self_test():
    for text, expected in (
            ("// Who waits?\n// What `that_is` does.\nint a;  // that one\n", Counts(6, 3, 2)),
            ("/* Those\n   which */ int a = 1'000'000; // b\n", Counts(3, 2, 2)),
            ('const char* a = "// what"; char b = \'"\';  // x\n', Counts(1, 0, 0)),
            ('auto a = R"(\n// who\n")";\n// that\n', Counts(1, 1, 0)),
            ("// 2 + b, That\n\n// which\n", Counts(3, 2, 1)),
            ("#pragma once\n// what's left_of that's\n", Counts(3, 0, 0))):
        if count(text) != expected:
            print(f"{text!r}: {count(text)}, expected {expected}")
            return 1
    long = "// a\n" * (TOO_LONG_OPENING + 1) + "int a;\n"
    with contextlib.redirect_stdout(io.StringIO()):
        statuses = [check({"seeded": count(text)}) for text in (long, long[5:])]
    if statuses != [1, 0]:
        print(f"an opening of more than {TOO_LONG_OPENING} lines must fail, one of {TOO_LONG_OPENING} must not")
        return 1
    return 0


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("root", nargs="?", type=pathlib.Path)
    parser.add_argument("--rooms", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if options.self_test:
        return self_test()
    if not options.root or not (options.root / "src").is_dir():
        parser.error("SOURCE_DIRECTORY is the folder in which src/ lies")
    files = files_of(options.root)
    if options.check:
        return check(files)
    if not options.rooms:
        print_worst(files)
    print_rooms(files)
    return 0


if __name__ == "__main__":
    sys.exit(main())
