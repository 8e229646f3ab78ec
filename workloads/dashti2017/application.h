// What the applications of dashti2017 Figure 4 share: what a run's time contains, and when a number is right.
//
// They are Rodinia's by algorithm, arrays and access pattern of the kernels, written anew. All arrays that Rodinia has from cudaMalloc come
// from the method; what only the host uses is the program's own memory. Where both sides use one array, the host fills it and reads results in
// place, as the paper's ports do.
#pragma once

#include <math.h>

#include "method.h"

namespace dashti2017 {

// `--time all`: from before the host fills the inputs until it has read the results. `offload`: from the first copy until the last one.
class Timed {
 public:
  explicit Timed(Arguments& arguments) : all_(arguments.one_of("time", {"all", "offload"}) == 0) {}
  void inputs() const { mark_if(all_, "start"); }
  void offload() const { mark_if(!all_, "start"); }
  void offloaded() const { mark_if(!all_, "finish"); }
  void results() const { mark_if(all_, "finish"); }

 private:
  static void mark_if(bool really, const char* name) {
    if (really) duetMark(name);
  }
  bool all_;
};

// The GPU contracts products and sums, the host need not.
inline bool close_to(double value, double expected, double tolerance = 1e-5) {
  return fabs(value - expected) <= tolerance * (1 + fabs(expected));
}

inline int wrong(const char* program, const char* what, size_t i, double value, double expected) {
  fprintf(stderr, "%s: %s %zu is %g, expected %g\n", program, what, i, value, expected);
  return 1;
}

}  // namespace dashti2017
