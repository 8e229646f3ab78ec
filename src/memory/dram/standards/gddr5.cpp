// GDDR5 (JESD212): bank groups, and a window of 32 activates beside the one of four. One rank. Left out: ACT
// to WR shorter than ACT to RD (tRCDWR).
#include "memory/dram/standards/parameters.h"

namespace duet::memory {

namespace {

using namespace standards;

constexpr StandardRule kGddr5Rules[] = {
    {Read, Read, BankGroup, ccd_l},
    {Write, Write, BankGroup, ccd_l},
    {Activate, Activate, Rank, aw32, 32},
};

}  // namespace

const DramStandard kGddr5{"GDDR5", true, false, false, kGddr5Rules};

}  // namespace duet::memory
