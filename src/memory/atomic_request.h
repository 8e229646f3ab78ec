// What a memory does for an atomic request, wherever the machine's coherence point for its address is.
#pragma once

#include <string>

#include "memory/cache/byte_masks.h"

namespace duet::memory {

// Updates the elements that the request's mask names; `data` holds the bytes from the request's address on.
// The old values replace the operands in the request. `who` performs it, for messages.
void perform_atomic(RequestPool& pool, Request& request, std::byte* data, const std::string& who);

// What an answer carries: the bytes that were read, of an atomic the old values of its words.
inline std::uint16_t answer_bytes(const Request& request) {
  if (request.operation == Operation::Read) return request.bytes;
  if (request.operation != Operation::Atomic || !request.wants_result) return 0;
  return static_cast<std::uint16_t>(count(request.mask));
}

}  // namespace duet::memory
