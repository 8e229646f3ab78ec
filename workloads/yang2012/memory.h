// Arrays of a benchmark in the memory that --memory names (common/array.h); --offset moves them against each
// other.
#pragma once

#include "options.h"

namespace yang2012 {

// Of a program's arrays, in the order of their making.
inline size_t next_number() {
  static size_t next = 0;
  return next++;
}

template <typename T>
struct Array : workload::Array<T> {
  Array(Memory memory, size_t count)
      : workload::Array<T>(memory, count, next_number() * offset_of_arrays()) {}
};

}  // namespace yang2012
