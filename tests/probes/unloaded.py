"""What one access costs on an empty machine, computed from the keys of the machine file alone: an independent statement of the
timing that docs/design/memory-timing.md describes, in absolute clock edges, so that it is exact where clock domains are crossed too.

Left out: everything that needs company (queues, ports taken by others, bank conflicts, refresh)."""

import tomllib

SECOND = 10**12
COLLECT = 2         # an operand read, and the way to the unit: the SM's own, not a key
LINE = 128
POINTER = 8         # bytes that the chains load


class Clock:
    """Edge k lies at floor(k * 10^12 / hertz) picoseconds."""

    def __init__(self, khz):
        self.hertz = khz * 1000

    def edge(self, k):
        return k * SECOND // self.hertz

    def cycle_at(self, time):
        k = time * self.hertz // SECOND
        while self.edge(k + 1) <= time:
            k += 1
        return k

    def after(self, time, cycles=1):
        return self.edge(self.cycle_at(time) + cycles)


class Unloaded:
    def __init__(self, resolved_toml):
        machine = tomllib.loads(resolved_toml)
        self.gpu, self.link, self.host = machine["gpu"], machine["link"], machine["host"]
        self.core = Clock(self.gpu["core_clock_khz"])
        self.icnt = Clock(self.gpu["interconnect"]["clock_khz"])
        self.dram = Clock(self.gpu["dram"]["command_clock_khz"])

    # Distances between dependent instructions, in core cycles.
    def arithmetic(self, unit):
        timing = self.gpu["sm"][unit]
        return COLLECT + max(timing["latency_cycles"], timing["interval_cycles"])

    # The special function unit makes an approximation; what scales and refines it are additions and multiplications.
    def refined(self, instructions):
        sm = self.gpu["sm"]
        interval = max(sm["sequence_interval_cycles"], 1)
        return max(sm["special_function"]["latency_cycles"], interval) + (instructions - 2) * interval + self.arithmetic("floating")

    def shared(self, passes=1):
        return COLLECT + (passes - 1) * self.gpu["sm"]["shared_pass_cycles"] + self.gpu["sm"]["shared_latency_cycles"]

    # Times. An access issues at core cycle k; each function below takes and returns picoseconds.
    def sent(self, time):
        """The load-store unit hands the request to L1 (or the constant cache)."""
        return self.core.after(time, COLLECT)

    def looked_up(self, time, clock, cache):
        """Accepted at the first edge after the push, looked up latency_cycles later."""
        return clock.after(clock.after(time), cache["latency_cycles"])

    def crossed(self, time, payload):
        """Pushed into the interconnect; the last edge strictly before which the other side does not see it."""
        icnt = self.gpu["interconnect"]
        flits = max(1, -(-(payload + icnt["header_bytes"]) // icnt["flit_bytes"]))
        return self.icnt.after(self.icnt.after(time), flits - 1 + icnt["latency_cycles"])

    def answered(self, time):
        """An answer is in the queue from L1: taken at the next core edge, usable one cycle later."""
        return self.core.after(time, 2)

    def dram_answer(self, time, commands, asked):
        """From the push of a fetch by L2, for a request of `asked` bytes, until its bytes are there."""
        d, t = self.gpu["dram"], self.gpu["dram"]["timing"]
        bursts = max(1, max(asked, self.gpu["l2"]["sector_bytes"]) // (d["read_bytes"] or d["burst_bytes"]))
        cycle = self.dram.cycle_at(time) + 1
        cycle += {"hit": 0, "miss": t["rcd"], "conflict": t["rp"] + t["rcd"]}[commands]
        cycle += (bursts - 1) * max(t["ccd_l"], t["ccd"], d["burst_cycles"])
        return self.dram.edge(cycle + t["cl"] + d["burst_cycles"] + d["controller_cycles"])

    def past_l1(self):
        """L1 as what it neither holds nor serves sees it."""
        l1 = self.gpu["l1"]
        return dict(l1, latency_cycles=l1["pass_cycles"] or l1["latency_cycles"])

    def load(self, time, level, payload=LINE, request_payload=0, row=None, past=False):
        """`level` is what serves it: constant, L1, L2 or DRAM; payload is that of the answer's packet; `past`: it bypasses L1."""
        time = self.sent(time)
        if level == "constant":
            return self.answered(self.looked_up(time, self.core, self.gpu["constant_cache"]))
        time = self.looked_up(time, self.core, self.past_l1() if past else self.gpu["l1"])
        if level == "L1":
            return self.answered(time)
        time = self.crossed(time, request_payload)
        time = self.looked_up(time, self.icnt, self.gpu["l2"])
        if level == "DRAM":
            time = self.icnt.after(self.dram_answer(time, row, payload))
        time = self.crossed(time, payload)
        return self.answered(self.core.after(time))

    def mapped_load(self, time, segment=32):
        """A load of host memory: interconnect, bridge, link, host DRAM and back."""
        time = self.looked_up(self.sent(time), self.core, self.past_l1())
        time = self.icnt.after(self.crossed(time, 0))                       # the bridge hands it to the link
        time += 1 + self.link["latency_ns"] * 1000                          # a request has no payload
        time += 1 + self.host["dram_latency_ns"] * 1000
        time += 1 + segment * 10**6 // self.link["payload_mb_per_s_to_host"] + self.link["latency_ns"] * 1000
        time = self.icnt.after(time)                                        # the bridge again
        return self.answered(self.core.after(self.crossed(time, segment)))

    def load_cycles(self, cycle, *how, **more):
        """Core cycles from the issue at `cycle` until a dependent instruction may issue."""
        return self.core.cycle_at(self.load(self.core.edge(cycle), *how, **more)) - cycle

    def atomic_cycles(self, cycle, warps=1, requests=1, words=2):
        """`requests` of each warp to the same words, so one after the other at L2; a warp's next ones need the answers to its last."""
        l2 = self.gpu["l2"]
        one = self.load_cycles(cycle, "L2", payload=4 * words, request_payload=4 * words, past=True)
        one += -(-words // l2["atomic_words_per_cycle"]) - 1
        apart = max(1, l2["atomic_conflict_cycles"])
        return max(one + (requests - 1) * apart, warps * requests * apart)

    def load_bounds(self, *how, **more):
        """Least and most of load_cycles, over the positions of the clocks against each other."""
        cycles = [self.load_cycles(k, *how, **more) for k in range(1, 4 * 1002)]
        return min(cycles), max(cycles)
