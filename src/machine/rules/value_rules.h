// Values of a machine file that are each within their range, and together no machine: what is no power of
// two, what does not divide another one, what leaves no time or takes more memory than there is. Every
// message names the keys, with the file and the line of the first one. Components refuse such values too,
// where they can be built without a machine file.
#pragma once

#include "config/loader.h"

namespace duet::machine {

// Throws duet::Error for the first rule that is broken; `functional`: for the functional GPU, which has no
// caches and no DRAM timing.
void check_values(const config::ResolvedMachine& machine, bool functional);

}  // namespace duet::machine
