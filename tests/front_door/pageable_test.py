#!/usr/bin/env python3
"""Copies of pageable host memory go through staging buffers, in time and as CUDA documents when they return.

Usage: pageable_test.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]."""
import json

from fixture import DUET, WORK, Fixture, call, main, stats

STAGING_MB_PER_S, LINK_MB_PER_S = 4690, 6800  # machines/gtx580.toml
CHUNK = 65536


class Pageable(Fixture):
    def copy(self, memory, direction, mode, size, *options, rows=1):
        """Microseconds of the call, and from its beginning to the end of the copy."""
        out = WORK / f"out-{self.id()}"
        result = call(DUET, "run", "-q", "--events", "--out", out, *options, self.compiled("tests/front_door/pageable.cu"), memory, direction, mode,
                      size, rows)
        self.assertEqual((result.returncode, result.stdout), (0, "right\n"), result.stderr)
        name = "cudaMemcpy2D" if mode == "sync" else "cudaMemcpy2DAsync"
        [event] = [event for event in json.loads((out / "events.json").read_text())["traceEvents"] if event.get("name") == name and "dur" in event]
        copies = [copy for copy in stats(out)["copies"] if copy["bytes"] == size and copy["queued_ps"] >= event["ts"] * 1e6]
        self.assertGreaterEqual(len(copies), 1)
        return event["dur"], copies[0]["end_ps"] / 1e6 - event["ts"]

    def test_large_copies_move_at_the_processors_rate(self):
        size = 4 << 20
        for direction in ("in", "out"):
            for mode in ("sync", "async"):
                with self.subTest((direction, mode)):
                    pageable, _ = self.copy("pageable", direction, mode, size)
                    self.assertGreater(pageable, size / STAGING_MB_PER_S)
                    # The first piece of a copy to the host is fetched before anything is staged.
                    self.assertLess(pageable, size / STAGING_MB_PER_S + CHUNK / LINK_MB_PER_S + 10)
            pinned, _ = self.copy("pinned", direction, "sync", size)
            self.assertAlmostEqual(pinned, 7 + size / LINK_MB_PER_S, delta=0.01 * pinned)

    def test_a_copy_to_the_device_returns_when_it_is_staged(self):
        for mode in ("sync", "async"):
            for size in (CHUNK, 8 * CHUNK):
                with self.subTest((mode, size)):
                    duration, end = self.copy("pageable", "in", mode, size)
                    self.assertLess(duration + 5, end)
                    self.assertGreater(duration, size / STAGING_MB_PER_S)
                    # A buffer may be free a little late, because the first piece takes longest to prepare.
                    self.assertLess(duration, size / STAGING_MB_PER_S + 6)

    def test_a_copy_to_the_host_returns_when_it_is_there(self):
        for mode in ("sync", "async"):
            duration, end = self.copy("pageable", "out", mode, 3 * CHUNK + 100)
            self.assertGreater(duration, end + 100 / STAGING_MB_PER_S - 0.001)

    def test_rows(self):
        # Narrow rows, rows longer than a piece, and what does not divide.
        for size, rows in ((200 * 1000, 1000), (3 * (CHUNK + 5000), 3), (7 * 30000, 7)):
            for direction in ("in", "out"):
                with self.subTest((size, rows, direction)):
                    duration, _ = self.copy("pageable", direction, "sync", size, rows=rows)
                    self.assertGreater(duration, size / STAGING_MB_PER_S)

    def test_without_staging_pageable_is_as_fast_as_pinned(self):
        for direction in ("in", "out"):
            with self.subTest(direction):
                none = ("--set", "driver.staging.mb_per_s=0")
                self.assertEqual(self.copy("pageable", direction, "sync", 1 << 20, *none)[0], self.copy("pinned", direction, "sync", 1 << 20)[0])

    def test_every_key_counts(self):
        usual, _ = self.copy("pageable", "out", "sync", 1 << 20)
        for key in ("mb_per_s=2000", "chunk_bytes=524288", "driver_ns=9000"):
            with self.subTest(key):
                self.assertGreater(self.copy("pageable", "out", "sync", 1 << 20, "--set", f"driver.staging.{key}")[0], usual + 20)


if __name__ == "__main__":
    main()
