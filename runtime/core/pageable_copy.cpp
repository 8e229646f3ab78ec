#include "core/pageable_copy.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <vector>

namespace duet::core {

namespace {

using driver::Command;
using driver::CommandId;
using driver::CopyJob;

constexpr std::size_t kBuffers = 2;

// Rows of a slice, or a part of one row.
struct Piece {
  std::uint64_t slice, row, rows;
  Bytes column, width;
  Bytes bytes() const { return rows * width; }
};

std::vector<Piece> pieces_of(const CopyJob& job, Bytes most) {
  std::vector<Piece> pieces;
  const std::uint64_t rows = std::max<std::uint64_t>(most / job.width_bytes, 1);
  for (std::uint64_t z = 0; z < job.slices; ++z)
    for (std::uint64_t y = 0; y < job.rows; y += rows)
      for (Bytes x = 0; x < job.width_bytes; x += most)
        pieces.push_back({z, y, std::min(rows, job.rows - y), x, std::min<Bytes>(job.width_bytes - x, most)});
  return pieces;
}

Command command_of(const Command& whole, const Piece& piece, bool first, bool last,
                   const config::Driver& config) {
  Command command;
  command.kind = whole.kind;
  command.stream = whole.stream;
  command.cost = first ? whole.cost : &config.staging.piece;
  command.more_follow = !last;
  command.copy = whole.copy;
  command.copy.pageable = true;
  command.copy.width_bytes = piece.width;
  command.copy.rows = piece.rows;
  command.copy.slices = 1;
  for (driver::Endpoint* side : {&command.copy.to, &command.copy.from})
    side->address += piece.slice * side->slice_pitch + piece.row * side->row_pitch + piece.column;
  return command;
}

std::shared_ptr<std::vector<std::byte>> bytes_of(Runtime& runtime, const Piece& piece, const CopySide& from) {
  auto staged = std::make_shared<std::vector<std::byte>>(piece.bytes());
  const auto* const first = static_cast<const std::byte*>(from.pointer);
  for (std::uint64_t y = 0; y < piece.rows; ++y)
    runtime.program().read_memory(
        runtime.space().calling(),
        first + piece.slice * from.slice_pitch + (piece.row + y) * from.pitch + piece.column,
        staged->data() + y * piece.width, piece.width);
  return staged;
}

// The processor's part of a copy, piece by piece.
class Stager {
 public:
  Stager(Runtime& runtime, host::HostThread& host, const Command& whole)
      : runtime_(runtime),
        host_(host),
        whole_(whole),
        config_(runtime.config().driver),
        pieces_(pieces_of(whole.copy, config_.staging.chunk_bytes)) {
    host_.stage_one(*whole.cost);
  }

  void to_device(const CopySide& from) {
    if (pieces_.size() > 1) wait_for([&] { return runtime_.driver().stream_idle(whole_.stream); });
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      if (i >= kBuffers) wait_for_piece(i - kBuffers);
      move(pieces_[i]);
      submit(i, bytes_of(runtime_, pieces_[i], from));
    }
    host_.wait(*whole_.cost, [] { return true; });
  }

  void to_host() {
    for (std::size_t i = 0; i < std::min(kBuffers, pieces_.size()); ++i) submit(i, nullptr);
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      wait_for_piece(i);
      move(pieces_[i]);
      const CopyJob& done = jobs_[i % kBuffers];
      if (done.bounced != nullptr) write_bounced(runtime_, *done.bounced, done);
      if (i + kBuffers < pieces_.size()) submit(i + kBuffers, nullptr);
    }
    host_.wait(*whole_.cost, [] { return true; });
  }

 private:
  template <typename F>
  void wait_for(F done) {
    static constexpr config::CallLatency kNothing{};
    host_.wait(kNothing, done);
  }
  void wait_for_piece(std::size_t i) {
    wait_for([&] { return runtime_.driver().complete(ids_[i % kBuffers]); });
  }
  // Between the program's memory and the staging buffer.
  void move(const Piece& piece) {
    constexpr Bytes kPicosecondsPerMicrosecond = 1'000'000;  // MB/s are bytes per microsecond
    host_.work(piece.bytes() * kPicosecondsPerMicrosecond / config_.staging.mb_per_s);
    host_.enter();
  }
  void submit(std::size_t i, std::shared_ptr<const std::vector<std::byte>> staged) {
    Command command = command_of(whole_, pieces_[i], i == 0, i + 1 == pieces_.size(), config_);
    command.copy.staged = std::move(staged);
    if (command.copy.to.host) command.copy.bounced = bounce_buffer(runtime_, pieces_[i].bytes());
    jobs_[i % kBuffers] = command.copy;
    ids_[i % kBuffers] = host_.submit_further(std::move(command));
  }

  Runtime& runtime_;
  host::HostThread& host_;
  const Command& whole_;
  const config::Driver& config_;
  const std::vector<Piece> pieces_;
  std::array<CommandId, kBuffers> ids_{};
  std::array<CopyJob, kBuffers> jobs_;  // of them
};

}  // namespace

bool is_staged(Runtime& runtime, const CopyJob& job, bool pageable_source, bool pageable_target) {
  return runtime.config().driver.staging.mb_per_s != 0 && (pageable_source || pageable_target) &&
         job.from.host != job.to.host && job.trigger == memory::Trigger::None &&
         job.action == memory::Action::None;
}

void copy_to_device(Runtime& runtime, host::HostThread& host, Command command, const CopySide& from) {
  Stager(runtime, host, command).to_device(from);
}

void copy_to_host(Runtime& runtime, host::HostThread& host, Command command) {
  Stager(runtime, host, command).to_host();
}

}  // namespace duet::core
