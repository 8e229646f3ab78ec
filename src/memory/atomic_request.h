// What a memory does for an atomic request, wherever the machine's coherence point for its address is.
#pragma once

#include <string>

#include "memory/request.h"

namespace duet::memory {

// Updates the elements that the request's mask names; `data` holds the bytes from the request's address on.
// The old values replace the operands in the request. `who` performs it, for messages.
void perform_atomic(RequestPool& pool, Request& request, std::byte* data, const std::string& who);

// What an answer carries: the bytes that were read, of an atomic the old values of its words.
std::uint16_t answer_bytes(const Request& request);

}  // namespace duet::memory
