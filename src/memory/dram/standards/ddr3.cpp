// DDR3 (JESD79-3): ranks share the data bus. It needs rtrs cycles to pass from one rank to another (not
// JEDEC's; a property of the board and the controller). No bank groups. Left out: on-die termination.
#include "memory/dram/standards/parameters.h"

namespace duet::memory {

namespace {

using namespace standards;

constexpr StandardRule kDdr3Rules[] = {
    {Read, Read, OtherRanks, burst + rtrs},
    {Write, Write, OtherRanks, burst + rtrs},
    {Read, Write, OtherRanks, cl + burst + rtrs - wl},
    {Write, Read, OtherRanks, wl + burst + rtrs - cl},
};

}  // namespace

const DramStandard kDdr3{"DDR3", false, true, false, kDdr3Rules};

}  // namespace duet::memory
