// Moves as push-buffer commands and back: CopyRange, FillRange and FullEmptyRange. The driver writes them,
// the GigaThread engine reads them.
#pragma once

#include "gpu/front_end/push_buffer.h"
#include "gpu/front_end/task.h"

namespace duet::gpu {

// FullEmptyRange for a move with bits_only, FillRange for one with a pattern, else CopyRange.
void write_move(PushBufferWriter& writer, const DataMove& move);
// Throws duet::Error for words that are no move.
DataMove read_move(const PushBufferCommand& command);

}  // namespace duet::gpu
