#include "driver/command_feed.h"

#include "base/error.h"
#include "driver/push_buffer_encoder.h"
#include "gpu/front_end/task.h"

namespace duet::driver {

namespace {

constexpr Bytes kSemaphoreStride = 64;  // so that none crosses a line
constexpr std::size_t kSemaphoresPerPage = 1024;

Bytes extent(const Endpoint& end, const CopyJob& copy) {
  if (copy.bytes() == 0) return 0;
  return (copy.slices - 1) * end.slice_pitch + (copy.rows - 1) * end.row_pitch + copy.width_bytes;
}

gpu::DataMove cache_move(const CacheJob& job) {
  gpu::DataMove move;
  move.to = job.address.value();
  move.width_bytes = job.bytes;
  move.cache_operations = (job.clean ? gpu::kCacheClean : 0) | (job.invalidate ? gpu::kCacheInvalidate : 0);
  return move;
}

gpu::DataMove bits_move(const FullEmptyJob& job) {
  gpu::DataMove move;
  move.bits_only = true;
  move.to = job.address.value();
  move.width_bytes = job.bytes;
  move.action = job.action;
  return move;
}

}  // namespace

CommandFeed::CommandFeed(const config::FrontEnd& config, gpu::GpuPort& gpu) : gpu_(gpu) {
  const Bytes ring = config.push_buffer_bytes;
  if (ring < 256 || ring % memory::kLineBytes != 0)
    throw Error("gpu.front_end.push_buffer_bytes must be a multiple of 128 and at least 256");
  for (std::uint64_t i = 0; i < config.hardware_channels; ++i) rings_.emplace_back(gpu, ring);
}

// A place in host memory that the GPU writes when it releases a stream's semaphore.
PhysicalAddress CommandFeed::new_semaphore() {
  if (semaphores_ % kSemaphoresPerPage == 0) {
    auto& page = semaphore_pages_.emplace_back(kSemaphoreStride * kSemaphoresPerPage);
    page_base_ = gpu_.memory.lend(page.data(), page.size());
  }
  return page_base_ + kSemaphoreStride * (semaphores_++ % kSemaphoresPerPage);
}

// The address under which the GPU reaches one end of a copy. Host memory that the address space maps is
// reached under its own address; other host memory is lent frames for as long as the command runs, and named
// by their physical address.
Address CommandFeed::gpu_address(PendingCommand& pending, const Endpoint& end, Bytes bytes_there,
                                 std::uint64_t host_flag, std::uint64_t physical_flag, std::uint64_t& flags) {
  if (!end.host) {
    if (memory::behind_link(gpu_.address_space.pages().find(end.address).attributes.home)) flags |= host_flag;
    return end.address.value();
  }
  const memory::Allocation* allocation = gpu_.address_space.find(end.address);
  if (allocation != nullptr && end.address + bytes_there <= allocation->end()) {
    if (memory::behind_link(gpu_.address_space.pages().find(end.address).attributes.home)) flags |= host_flag;
    return end.address.value();
  }
  return lend(pending, static_cast<std::byte*>(pointer_of(end.address)), bytes_there, true,
              host_flag | physical_flag, flags);
}

// Frames of host DRAM, reached by their physical address.
Address CommandFeed::lend(PendingCommand& pending, std::byte* bytes, Bytes count, bool through_port,
                          std::uint64_t flags_there, std::uint64_t& flags) {
  constexpr std::uint64_t kHostFlags = gpu::kCopyFromHost | gpu::kCopyToHost;
  const PhysicalAddress lent = gpu_.memory.lend(bytes, count, 0, through_port);
  pending.lent.push_back(lent);
  flags |= memory::behind_link(gpu_.memory.map().home_of(lent)) ? flags_there : flags_there & ~kHostFlags;
  return lent.value();
}

gpu::DataMove CommandFeed::copy_move(PendingCommand& pending) {
  const CopyJob& copy = pending.command.copy;
  gpu::DataMove move;
  move.width_bytes = copy.width_bytes;
  move.rows = copy.rows;
  move.slices = copy.slices;
  move.trigger = copy.trigger;
  move.action = copy.action;
  if (copy.bounced != nullptr) {
    move.to = lend(pending, copy.bounced->data(), copy.bounced->size(), false,
                   gpu::kCopyToHost | gpu::kCopyToPhysical, move.flags);
    move.to_row_pitch = copy.width_bytes;
    move.to_slice_pitch = copy.width_bytes * copy.rows;
  } else {
    move.to = gpu_address(pending, copy.to, extent(copy.to, copy), gpu::kCopyToHost, gpu::kCopyToPhysical,
                          move.flags);
    move.to_row_pitch = copy.to.row_pitch;
    move.to_slice_pitch = copy.to.slice_pitch;
  }
  if (copy.staged != nullptr) {
    // What is lent is only read.
    auto* staged = const_cast<std::byte*>(copy.staged->data());
    move.from = lend(pending, staged, copy.staged->size(), false, gpu::kCopyFromHost | gpu::kCopyFromPhysical,
                     move.flags);
    move.from_row_pitch = copy.width_bytes;
    move.from_slice_pitch = copy.width_bytes * copy.rows;
  } else {
    move.from = gpu_address(pending, copy.from, extent(copy.from, copy), gpu::kCopyFromHost,
                            gpu::kCopyFromPhysical, move.flags);
    move.from_row_pitch = copy.from.row_pitch;
    move.from_slice_pitch = copy.from.slice_pitch;
  }
  pending.record.bytes = copy.bytes();
  pending.record.from_host =
      copy.staged != nullptr || copy.from.host || (move.flags & gpu::kCopyFromHost) != 0;
  pending.record.to_host = copy.to.host || (move.flags & gpu::kCopyToHost) != 0;
  return move;
}

void CommandFeed::encode(PendingCommand& pending, Stream& stream, std::size_t channel) {
  Command& command = pending.command;
  bytes_.clear();
  written_ = 0;
  channel_ = channel;
  PushBufferEncoder encoder(bytes_);
  encoder.begin(command.stream, command.priority.value_or(stream.rules.priority), pending.record.id);
  if (pending.waits_for_record != 0) encoder.acquire(pending.record_stream, pending.waits_for_record);
  if (!stream.semaphore_defined) {
    stream.semaphore = new_semaphore();
    stream.semaphore_defined = true;
    encoder.define_semaphore(command.stream, stream.semaphore);
  }
  switch (command.kind) {
    case CommandKind::Copy:
      for (const CacheJob& job : command.caches_before) encoder.move(cache_move(job));
      encoder.move(copy_move(pending));
      for (const CacheJob& job : command.caches_after) encoder.move(cache_move(job));
      break;
    case CommandKind::Fill: {
      gpu::DataMove move;
      move.to = command.fill.address.value();
      move.width_bytes = command.fill.width_bytes;
      move.rows = command.fill.rows;
      move.to_row_pitch = command.fill.row_pitch;
      move.pattern = command.fill.pattern;
      move.pattern_bytes = command.fill.pattern_bytes;
      pending.record.bytes = move.width_bytes * move.rows;
      encoder.move(move);
      break;
    }
    case CommandKind::FullEmptySet:
      pending.record.bytes = command.full_empty.bytes;
      encoder.move(bits_move(command.full_empty));
      break;
    case CommandKind::CacheMaintenance:
      for (const CacheJob& job : command.caches_before) encoder.move(cache_move(job));
      break;
    case CommandKind::Launch:
      for (const CacheJob& job : command.caches_before) encoder.move(cache_move(job));
      command.grid->stream = command.stream;
      if (command.grid->launch_id == 0) command.grid->launch_id = pending.record.id;
      pending.grid_slot = gpu_.grids.insert(command.grid.get());
      encoder.launch(*pending.grid_slot, *command.grid);
      for (const FullEmptyJob& job : command.at_end) {
        // Another thread may have freed it while this launch waited for its place.
        if (gpu_.address_space.find(job.address) == nullptr) continue;
        pending.record.bytes += job.bytes;
        encoder.move(bits_move(job));
      }
      for (const CacheJob& job : command.caches_after) encoder.move(cache_move(job));
      break;
    default:
      break;  // an event's record or wait is nothing but its semaphores
  }
  encoder.release_and_end(command.stream, pending.record.id);
}

// Writes what has room into the channel's push buffer and rings the doorbell; true when all is written.
bool CommandFeed::send(Picoseconds now) {
  PushBufferRing& ring = rings_[channel_];
  if (ring.room() == 0 || !gpu_.to_gpu->can_push(now)) return false;
  written_ += ring.write({bytes_.data() + written_, bytes_.size() - written_});
  memory::Packet doorbell;
  doorbell.kind = memory::PacketKind::Doorbell;
  doorbell.payload_bytes = sizeof doorbell.argument;
  doorbell.tag = static_cast<std::uint16_t>(channel_);
  doorbell.source = gpu_.driver_number;
  doorbell.destination = gpu_.front_end_number;
  doorbell.argument = ring.put();
  gpu_.to_gpu->push(now, doorbell);
  return written_ == bytes_.size();
}

void CommandFeed::close(PendingCommand& pending) {
  for (const PhysicalAddress lent : pending.lent) gpu_.memory.take_back(lent);
  if (pending.grid_slot) gpu_.grids.remove(*pending.grid_slot);
}

}  // namespace duet::driver
