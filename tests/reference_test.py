#!/usr/bin/env python3
"""`duet reference`: has the manual page every option that `--help` shows, and does bash complete commands, options and values?

Usage: reference_test.py BUILD_DIRECTORY. zsh and fish only read their files, where they are installed; groff renders the manual page, where
it is."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

DUET = pathlib.Path(sys.argv[1]).resolve() / "bin/duet"


def output(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=True).stdout


def completed(line):
    """What bash offers behind this line, whose last word is begun."""
    words = line.split(" ")
    script = (f"source <({DUET} reference bash); COMP_WORDS=({' '.join(repr(w) for w in words)}); COMP_CWORD={len(words) - 1}; _duet; "
              'printf "%s\\n" "${COMPREPLY[@]}"')
    return subprocess.run(["bash", "-c", script], capture_output=True, text=True, cwd="/").stdout.split()


def main() -> int:
    wrong = []

    def expect(condition, text):
        if not condition:
            wrong.append(text)

    manual = output(DUET, "reference", "man").replace("\\-", "-")
    commands = re.findall(r"^  ([a-z]+) {2,}", output(DUET, "--help").split("Subcommands:")[-1], re.M)
    expect(len(commands) >= 14, f"only {len(commands)} commands in --help")
    for command in commands:
        expect(f'.SS "duet {command}"' in manual, f"the manual has no duet {command}")
        for option in re.findall(r"(?<![\w-])--[a-z][a-z-]*", "\n".join(re.findall(r"^  .*", output(DUET, command, "--help").split("Options:")[-1], re.M))):
            expect(option in manual, f"the manual has no {option} of duet {command}")
    expect(set(commands) <= set(completed("duet ")), "bash does not offer all commands")
    expect(completed("duet adv") == ["advise"], "duet adv: " + str(completed("duet adv")))
    expect("--trace-detail" in completed("duet run --tr"), "duet run --tr: " + str(completed("duet run --tr")))
    expect(completed("duet run --preexec p") == ["profiled"], "duet run --preexec p: " + str(completed("duet run --preexec p")))
    expect({"show", "diff", "keys"} <= set(completed("duet machines ")), "duet machines: " + str(completed("duet machines ")))
    expect("--markdown" in completed("duet machines keys --m"), "duet machines keys --m: " + str(completed("duet machines keys --m")))
    expect("usr/" in [w.rstrip("/") + "/" for w in completed("duet run us")], "no files behind duet run: " + str(completed("duet run us")))
    with tempfile.TemporaryDirectory() as folder:
        for shell, judge in (("bash", "bash -n"), ("zsh", "zsh -n"), ("fish", "fish -n")):
            file = pathlib.Path(folder) / shell
            file.write_text(output(DUET, "reference", shell))
            if shutil.which(shell):
                expect(subprocess.run([*judge.split(), file]).returncode == 0, f"{shell} cannot read its file")
        if shutil.which("groff"):
            page = pathlib.Path(folder) / "duet.1"
            page.write_text(output(DUET, "reference", "man"))
            told = subprocess.run(["groff", "-man", "-Tutf8", "-ww", page], capture_output=True, text=True)
            expect(told.returncode == 0 and not told.stderr, "groff: " + told.stderr[:500])
    bad = subprocess.run([DUET, "reference", "tcsh"], capture_output=True, text=True)
    expect(bad.returncode == 2 and bad.stderr.count("\n") == 1, "duet reference tcsh: " + bad.stderr)
    print("\n".join(wrong) or f"{len(commands)} commands")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
