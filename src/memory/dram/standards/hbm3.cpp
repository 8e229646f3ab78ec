// HBM3 (JESD238): bank groups, also for ACT and for writes before reads; refresh of single banks; the stack's
// ranks (SID) share the data bus, where a burst of another rank comes rtrs cycles later (tCCDR - burst). A
// channel here is a pseudo channel, or two in step. Left out: row and column commands in one cycle, RD to PRE
// by bank group (tRTPL), ACT to WR shorter than ACT to RD (tRCDWR), REFpb in the window of four activates.
#include "memory/dram/standards/parameters.h"

namespace duet::memory {

namespace {

using namespace standards;

constexpr StandardRule kHbm3Rules[] = {
    {Read, Read, BankGroup, ccd_l},
    {Write, Write, BankGroup, ccd_l},
    {Write, Read, BankGroup, wl + burst + wtr_l},
    {Activate, Activate, BankGroup, rrd_l},
    {Read, Read, OtherRanks, burst + rtrs},
    {Write, Write, OtherRanks, burst + rtrs},
    {Read, Write, OtherRanks, cl + burst + rtrs - wl},
    {Write, Read, OtherRanks, wl + burst + rtrs - cl},
    // Refresh of one bank: its row must have been closed; other banks go on after a short while.
    {Activate, RefreshBank, Bank, rc},
    {Activate, RefreshBank, Rank, rrd},
    {Precharge, RefreshBank, Bank, rp},
    {RefreshBank, Activate, Bank, rfc_pb},
    {RefreshBank, Activate, Rank, rrefd},
    {RefreshBank, RefreshBank, Bank, rfc_pb},
    {RefreshBank, RefreshBank, Rank, rrefd},
    {RefreshBank, Refresh, Rank, rfc_pb},
    {Refresh, RefreshBank, Rank, rfc},
};

}  // namespace

const DramStandard kHbm3{"HBM3", true, true, true, kHbm3Rules};

}  // namespace duet::memory
