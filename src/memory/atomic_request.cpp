#include "memory/atomic_request.h"

#include "base/error.h"
#include "memory/cache/byte_masks.h"

namespace duet::memory {

void perform_atomic(RequestPool& pool, Request& request, std::byte* data, const std::string& who) {
  const unsigned element = atomic_type_bytes(request.atomic_type);
  // PTX ISA: additions of f32 in global memory flush subnormal numbers.
  const AtomicFunction function = atomic_function(request.atomic_operation, request.atomic_type, true);
  const std::byte* second = nullptr;
  if (request.atomic_operation == AtomicOperation::CompareAndSwap) {
    if (request.second == kNoRequest)
      throw Error(who + ": a compare-and-swap has no second operand (physical address " +
                  std::to_string(request.address) + ")");
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

std::uint16_t answer_bytes(const Request& request) {
  if (request.operation == Operation::Read) return request.bytes;
  if (request.operation != Operation::Atomic || !request.wants_result) return 0;
  return static_cast<std::uint16_t>(count(request.mask));
}

}  // namespace duet::memory
