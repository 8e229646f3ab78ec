#include <cstddef>

#include "model/operation.h"

namespace duet::model {

const char* name_of(Verb verb) {
  constexpr const char* kNames[] = {"submit", "fetch",      "enter",    "begin", "dispatch",
                                    "finish", "move begin", "move end", "end",   "leave"};
  return kNames[static_cast<std::size_t>(verb)];
}

const char* name_of(Resource resource) {
  constexpr const char* kNames[] = {"warps", "threads", "registers", "bytes of shared memory"};
  return kNames[static_cast<std::size_t>(resource)];
}

}  // namespace duet::model
