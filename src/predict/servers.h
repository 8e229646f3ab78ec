// What takes requests one after the other.
//   Server port;
//   const double start = port.take(now, 4);    at `now` or when earlier ones are done; it is taken for 4
#pragma once

#include <algorithm>

namespace duet::predict {

struct Server {
  double free = 0, busy = 0;

  double take(double now, double time) {
    const double start = std::max(now, free);
    free = start + time;
    busy += time;
    return start;
  }
};

}  // namespace duet::predict
