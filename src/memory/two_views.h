// Pages that the program and the simulator see through mappings of their own: the program's can be closed to
// it while the simulator goes on.
//   const TwoViews views = map_two_views("managed", bytes);    // null pointers: there are no more pages
//   unmap(views, bytes);
#pragma once

#include <cstddef>

#include "base/units.h"

namespace duet::memory {

struct TwoViews {
  std::byte *program = nullptr, *simulator = nullptr;
};
// `bytes` are whole pages; zeroed. `name`: in /proc/PID/maps.
TwoViews map_two_views(const char* name, Bytes bytes);
void unmap(const TwoViews& views, Bytes bytes);

}  // namespace duet::memory
