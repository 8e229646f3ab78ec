#!/usr/bin/env python3
"""Files of programs on the simulated host: what they may open, --root and --writable. Arguments: BUILD_DIRECTORY
SOURCE_DIRECTORY."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "front_door"))
from fixture import DUET, WORK, Fixture, call  # noqa: E402
from simulated_host import QEMU, RUN, compiled, in_folder, main  # noqa: E402

READ_ONLY = "Read-only file system\n"


class Files(Fixture):
    @unittest.skipUnless(QEMU, "without qemu-riscv64")
    def test_calls_on_files_do_what_they_do_under_qemu(self):
        program = compiled("files.c")
        theirs = in_folder("files-theirs", QEMU, program)
        ours = in_folder("files-ours", *RUN, program)
        self.assertEqual((ours.stdout, ours.stderr, ours.returncode), (theirs.stdout, "", 0))
        written = [(WORK / folder / "sub/a.txt").read_bytes() for folder in ("files-theirs", "files-ours")]
        self.assertEqual(written[0], written[1])
        self.assertIn(b"rest\0", written[1])  # of a mapping that was there at the end


if __name__ == "__main__":
    main()
