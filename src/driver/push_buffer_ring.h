// The push buffer of one hardware channel: a ring of bytes in host memory, written by the driver and read by
// the GPU (hu2016 §3.2: the push buffer is implemented by software). put and get count bytes ever written and
// ever consumed.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "gpu/front_end/gpu_port.h"

namespace duet::driver {

class PushBufferRing {
 public:
  PushBufferRing(gpu::GpuPort& gpu, Bytes bytes) : bytes_(bytes) {
    gpu.rings.push_back({gpu.memory.lend(bytes_.data(), bytes), bytes});
  }

  Bytes room() const { return bytes_.size() - (put_ - get_); }
  std::uint64_t put() const { return put_; }
  void consumed(std::uint64_t get) { get_ = get; }
  // Writes as many of the bytes as there is room for and returns how many.
  std::size_t write(std::span<const std::byte> bytes) {
    const std::size_t count = std::min<std::size_t>(bytes.size(), room());
    const std::size_t at = put_ % bytes_.size();
    const std::size_t before_end = std::min(count, bytes_.size() - at);
    std::memcpy(&bytes_[at], bytes.data(), before_end);
    std::memcpy(bytes_.data(), bytes.data() + before_end, count - before_end);
    put_ += count;
    return count;
  }

 private:
  std::vector<std::byte> bytes_;
  std::uint64_t put_ = 0, get_ = 0;
};

}  // namespace duet::driver
