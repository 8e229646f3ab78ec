"""Dependent chains on GPGPU-Sim 4.2 (gpgpu-sim_distribution 667834cf, its dev branch; configs/tested-cfgs/SM2_GTX480 without the power
model; PTX mode): the kernels of kernels.py, loaded as they are, measured as run.py measures them. Core cycles a link, recorded once. Of the
DRAM, the least and the most of a row's accesses without the first, its 2 cycles of stamps beside a load subtracted; for them copies to the
device did not leave their lines in L2 (-gpgpu_perf_sim_memcpy 0)."""

CHAINS = {
    "int add": 10, "logic": 7, "int mul": 10, "int mad": 11, "fp add": 10, "fp fma": 11, "to integer and back": 14, "double fma": 14,
    "special function": 14, "shared load": 32, "shared load, 32 words of a bank": 63, "shared atomic, 32 lanes, one word": 32,
    "constant load": 5, "L1 hit": 40, "L2 hit, past L1": 143, "L2 hit, through L1": 182,
    "DRAM, row hit, past L1": (256, 257), "DRAM, row conflict, past L1": (274, 275),
    "DRAM, row hit, through L1": (299, 300), "DRAM, row conflict, through L1": (318, 318),
    "atomic": 143, "atomic, 32 lanes, one word": 174, "atomic, 256 lanes, one word": 256, "atomic, 32 lanes, 32 words": 146,
}

# What gtx480's keys cannot say: cycles that Duet's chain takes more, and why.
FALLS_SHORT = {
    "logic": (3, "one class of integer instructions"),
    "int mul": (1, "one class with the multiply-add"),
    "fp add": (1, "one class with the multiply-add"),
    "shared atomic, 32 lanes, one word": (31, "there shared atomics of one word do not wait for each other"),
    "constant load": (1, "the least that Duet's cache takes"),
    "L2 hit, through L1": (-2, "there L2 answers a line as four sectors, and a miss waits a cycle in L1's queue"),
    "atomic, 32 lanes, 32 words": (3, "there L2 takes and answers a line as four sectors"),
}
