"""What the tests of `duet sweep` share: a sweep of fast runs, how to cut it off, and what its log must say."""
import os
import pathlib
import signal
import sys
import time

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1]))
from compile_once import compile_well  # noqa: E402

SOURCE = pathlib.Path(__file__).resolve().parents[2]

KERNEL = """.version 6.0
.target sm_60
.address_size 64
.visible .entry fill(.param .u64 p, .param .u32 n)
{
  .reg .b32 %r<6>;
  .reg .b64 %rd<4>;
  .reg .pred %q;
  ld.param.u64 %rd1, [p];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %q, %r5, %r1;
  @%q bra DONE;
  mul.wide.u32 %rd2, %r5, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r5;
DONE:
  ret;
}
"""
FILL = '["fill.ptx", "--kernel", "fill", "--grid", "8", "--block", "64", "--arg", "buffer:2048", "--arg", "i32:512"]'
GRID = """
machine = "gtx580"
[[program]]
name = "fill"
command = {fill}
[[program]]
name = "smooth"
command = ["./smooth", "--size", "512"]
[grid]
machine = ["gtx580", "gtx480"]
gpu.sm.count = [{counts}]
gpu.l2.mshrs = [{mshrs}]
[results]
columns = ["time_ps", "moments_ps", "gpu_cycles", "kernels.cycles.sum", "kernels[scale].time_ps.max", "counters.l2.read_hits"]
pareto = ["time_ps:min", "gpu.sm.count:min"]
"""


def make_programs(duet, folder):
    (folder / "fill.ptx").write_text(KERNEL)
    compile_well(duet, [SOURCE / "workloads/demo/smooth.cu"], folder / "smooth", timeout=300)


def grid(runs):
    """A multiple of 20."""
    counts, mshrs = range(1, 6), range(8, 8 + runs // 20)
    return GRID.format(fill=FILL, counts=", ".join(map(str, counts)), mshrs=", ".join(map(str, mshrs)))


def parent_of(process):
    """None: it has ended."""
    try:
        return int(pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[1])
    except OSError:
        return None


def children_of(process):
    """All processes below it, itself first."""
    found = [process]
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit() and parent_of(entry.name) == process:
            found += children_of(int(entry.name))
    return found


def kill(processes):
    for process in processes:
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            pass


def finished(folder):
    path = folder / "finished"
    return {entry.name for entry in path.iterdir()} if path.exists() else set()


def wait_for(is_so, what, seconds=120):
    """What it is when it is so."""
    end = time.monotonic() + seconds
    while not (found := is_so()):
        assert time.monotonic() < end, what
        time.sleep(0.005)
    return found


class Log:
    """What is started after a moment must not be what had ended by then."""

    def __init__(self, folder):
        self.folder = folder
        self.moments = []

    def lines(self):
        return (self.folder / "log.txt").read_text().splitlines()

    def moment(self):
        # What has ended first: a run that ends between the two is not asked for.
        done = finished(self.folder)
        self.moments.append((done, len(self.lines())))
        return len(done)

    def check(self, most_cut_off):
        lines = [line.split() for line in self.lines()]
        for done, at in self.moments:
            again = [line for line in lines[at:] if line[0] == "start" and line[2] in done]
            assert not again, again
        starts = sum(line[0] == "start" for line in lines)
        runs = len(finished(self.folder))
        assert runs <= starts <= runs + most_cut_off, (runs, starts)
        return starts
