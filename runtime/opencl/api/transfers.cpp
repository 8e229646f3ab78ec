#include "opencl/api/transfers.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/queues.h"

namespace duet::opencl {

cl_int submit_box(Session& session, HostThread& host, driver::StreamId stream, const Box& to, const Box& from,
                  const core::CopyShape& shape) {
  const core::CopySide target{to.first, to.pitch, to.slice_pitch};
  const core::CopySide source{from.first, from.pitch, from.slice_pitch};
  driver::Command command;
  if (const Status status =
          core::prepare_copy(session.core(), target, source, shape, core::Direction::Any, {}, command);
      status.failed())
    return error_of(status);
  command.stream = stream;
  core::submit_copy(session.core(), host, target, source, shape, std::move(command), true);
  return CL_SUCCESS;
}

void write_now(Session& session, HostThread& host, _cl_mem& buffer, const void* from) {
  static const driver::StreamId stream = core::create_stream(session.core(), {});
  static_cast<void>(submit_box(session, host, stream,
                               {duet::pointer_of(buffer.address), buffer.bytes, buffer.bytes},
                               {from, buffer.bytes, buffer.bytes}, {buffer.bytes, 1, 1}));
  host.wait(session.core().cost(CallKind::MemcpySync), [&] { return session.driver().stream_idle(stream); });
}

cl_int submit_pattern(Session& session, HostThread& host, driver::StreamId stream, VirtualAddress to,
                      std::vector<std::byte> pattern, std::size_t bytes) {
  // A pattern of equal words is a fill of words.
  std::size_t word = std::min<std::size_t>(pattern.size(), 4);
  const auto repeats = [&](std::size_t size) {
    for (std::size_t i = size; i < pattern.size(); ++i)
      if (pattern[i] != pattern[i - size]) return false;
    return true;
  };
  if (repeats(word)) {
    core::FillRequest request;
    request.to = duet::pointer_of(to);
    std::memcpy(&request.value, pattern.data(), word);
    request.element_bytes = static_cast<unsigned>(word);
    request.width = bytes / word;
    driver::Command command;
    if (const Status status = core::prepare_fill(session.core(), request, command); status.failed())
      return error_of(status);
    command.stream = stream;
    host.submit(std::move(command));
    return CL_SUCCESS;
  }
  // Of others the bytes come from the host, as a copy whose source is staged at the call.
  std::vector<std::byte> all(bytes);
  for (std::size_t i = 0; i < bytes; ++i) all[i] = pattern[i % pattern.size()];
  driver::Command command;
  command.kind = driver::CommandKind::Copy;
  command.cost = &session.core().cost(CallKind::Memset);
  command.stream = stream;
  command.copy.width_bytes = bytes;
  command.copy.to = {false, to, bytes, bytes};
  command.copy.from = {true, {}, bytes, bytes};
  command.copy.staged = std::make_shared<const std::vector<std::byte>>(std::move(all));
  host.submit(std::move(command));
  return CL_SUCCESS;
}

}  // namespace duet::opencl
