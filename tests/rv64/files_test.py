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


class Root(Fixture):
    def setUp(self):
        self.root = WORK / "root"
        self.outside = WORK / "outside"
        for folder in (self.root / "etc", self.root / "data", self.outside):
            folder.mkdir(parents=True, exist_ok=True)
        (self.root / "etc/name").write_text("of the root")
        (self.outside / "secret").write_text("outside")
        for link, target in (("up", "../../../../../../../../etc/name"), ("absolute", "/etc/name"),
                             ("loop", "/data/loop"), ("out", self.outside / "secret"),
                             ("out-folder", self.outside)):
            path = self.root / "data" / link
            if not path.is_symlink():
                path.symlink_to(target)

    def ends(self, *arguments, options=()):
        return in_folder("root-folder", *RUN, "--root", self.root, *options, compiled("ends.c", "-fno-omit-frame-pointer"),
                         *arguments)

    def test_files_under_the_root_come_first(self):
        self.assertEqual(self.ends("read", "/etc/name").stdout, "11 of the root\n")
        self.assertEqual(self.ends("read", self.outside / "secret").stdout, "7 outside\n")  # of this computer
        self.assertEqual(self.ends("list", "/etc/name", "/etc/none", "/proc/self/maps", "/").stdout,
                         "there No such file or directory No such file or directory there \n")

    def test_neither_links_nor_dots_lead_out(self):
        for path in ("/data/up", "/data/absolute", "/../../etc/name", "/data/../../../etc/name", "/data/./../etc/name"):
            self.assertEqual(self.ends("read", path).stdout, "11 of the root\n", path)
        self.assertEqual(self.ends("open", "/data/loop").stdout, "Too many levels of symbolic links\n")
        self.assertEqual(self.ends("list", "/etc/name/").stdout, "Not a directory \n")

    def test_the_root_is_read_only(self):
        for path in ("/etc/name", "/data/new", "/data/absolute", "/data/out", "/data/out-folder/new", "/tmp/new"):
            self.assertEqual(self.ends("open", path).stdout, READ_ONLY, path)
        self.assertEqual(self.ends("remove", "/etc/name").stdout, READ_ONLY)
        self.assertEqual(self.ends("rename", "/etc/name", "mine").stdout, READ_ONLY)
        self.assertEqual((self.root / "etc/name").read_text(), "of the root")

    def test_writable_folders(self):
        writable = ("--writable", self.root / "data")
        self.assertEqual(self.ends("open", "/data/new", options=writable).stdout, "opened\n")
        self.assertTrue((self.root / "data/new").exists())
        self.assertEqual(self.ends("open-in", "/data", "newer", options=writable).stdout, "0 opened\n")
        self.assertTrue((self.root / "data/newer").exists())
        for path in ("/etc/name", "/data/absolute", "/data/out", "/data/out-folder/new", "/data/../etc/new"):
            self.assertEqual(self.ends("open", path, options=writable).stdout, READ_ONLY, path)
        both = (*writable, "--writable", self.outside)
        self.assertEqual(self.ends("open", "/data/out-folder/new", options=both).stdout, "opened\n")
        self.assertTrue((self.outside / "new").exists())
        self.assertEqual(self.ends("remove", "/data/out-folder", options=writable).stdout, "removed\n")
        self.assertTrue(self.outside.exists())
        self.assertEqual(self.ends("open", "mine").stdout, "opened\n")  # in the current folder

    def test_bad_options(self):
        for options, what in ((("--root", WORK / "none"), "--root .*/none: No such file"),
                              (("--root", self.root, "--writable", self.root / "etc/name"), "it is no folder")):
            result = call(*RUN, *options, compiled("ends.c"))
            self.assertEqual((result.returncode, result.stderr.count("\n")), (125, 1), result.stderr)
            self.assertRegex(result.stderr, what)
        result = call(DUET, "run", "--root", self.root, "/bin/true")
        self.assertEqual((result.returncode, result.stderr.count("\n")), (125, 1), result.stderr)
        self.assertIn("--host simulated", result.stderr)


if __name__ == "__main__":
    main()
