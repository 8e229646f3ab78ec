#include "memory/atomic_request.h"

#include "base/error.h"

namespace duet::memory {

void perform_atomic(RequestPool& pool, Request& request, std::byte* data, const std::string& who) {
  const unsigned element = atomic_type_bytes(request.atomic_type);
  // PTX ISA: additions of f32 in global memory flush subnormal numbers.
  const AtomicFunction function = atomic_function(request.atomic_operation, request.atomic_type, true);
  const std::byte* second = nullptr;
  if (request.atomic_operation == AtomicOperation::CompareAndSwap) {
    if (request.second == kNoRequest)
      throw Error(who + ": a compare-and-swap has no second operand (physical address " +
                  std::to_string(request.address.value()) + ")");
    second = pool[request.second].data.data();
  }
  for (unsigned i = 0; i + element <= request.bytes;) {
    if (!request.mask.test(i)) {
      ++i;
      continue;
    }
    function(data + i, request.data.data() + i, second == nullptr ? nullptr : second + i,
             request.data.data() + i);
    i += element;
  }
}

}  // namespace duet::memory
