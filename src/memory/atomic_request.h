// The update of an atomic request, wherever the machine's coherence point for its address is.
#pragma once

#include <string>

#include "memory/cache/byte_masks.h"

namespace duet::memory {

// Updates the elements in the request's mask; `data` holds the bytes from the request's address on. The old
// values replace the operands in the request. `who` performs it, for messages.
void perform_atomic(RequestPool& pool, Request& request, std::byte* data, const std::string& who);

// The bytes of an answer: those of a read, or the old values of an atomic's words.
inline std::uint16_t answer_bytes(const Request& request) {
  if (request.operation == Operation::Read) return request.bytes;
  if (request.operation != Operation::Atomic || !request.wants_result) return 0;
  return static_cast<std::uint16_t>(count(request.mask));
}

}  // namespace duet::memory
