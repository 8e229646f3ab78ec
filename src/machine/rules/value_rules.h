// Values of a machine file within their ranges that make no machine together: a number other than a power of
// two, one that does not divide another, no time left, more memory than there is. Every message names the
// keys, with the file and the line of the first one. Components refuse such values too, where they can be
// built without a machine file.
#pragma once

#include "config/loader.h"

namespace duet::machine {

// Throws duet::Error for the first rule that is broken; `functional`: for the functional GPU, which has no
// caches and no DRAM timing.
void check_values(const config::ResolvedMachine& machine, bool functional);

}  // namespace duet::machine
