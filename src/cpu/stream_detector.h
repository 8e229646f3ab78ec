// Streams of consecutive lines in a page, upward or downward, and how far ahead of each a prefetcher may go.
// After Intel's description of the L2 streamer (64 and IA-32 Architectures Optimization Reference Manual,
// 2.3.5.4): one stream a page, of 32 pages; it goes up to so many lines ahead, by two lines whenever it is
// looked at.
#pragma once

#include <array>
#include <cstdint>

namespace duet::cpu {

class StreamDetector {
 public:
  // Lines to ask for: `count` from `first` on, each `step` lines behind the one before.
  struct Ahead {
    std::int64_t first = 0;
    unsigned count = 0;
    int step = 1;
  };

  // `line` is a line's number; `lines_a_page` lines make a page.
  Ahead observe(std::int64_t line, std::int64_t lines_a_page, std::int64_t most_ahead) {
    constexpr unsigned kAtOnce = 2;
    const std::int64_t page = line / lines_a_page;
    Stream& stream = find(page);
    latest_ = &stream;
    if (stream.page != page) {
      stream = {page, line, line, 0, ++uses_};
      return {};
    }
    stream.used = ++uses_;
    if (line == stream.last) return {};
    const int step = line > stream.last ? 1 : -1;
    stream.last = line;
    if (step != stream.step) {  // turned, or only begun: the next one confirms it
      stream.step = step;
      stream.ahead = line;
      return {};
    }
    if ((stream.ahead - line) * step < 0) stream.ahead = line;
    Ahead result{stream.ahead + step, 0, step};
    while (result.count < kAtOnce) {
      const std::int64_t next = stream.ahead + step;
      if (next < 0 || next / lines_a_page != page || (next - line) * step > most_ahead) break;
      stream.ahead = next;
      ++result.count;
    }
    return result;
  }

  // The last `lines` of the named lines could not be asked for: they will be named again.
  void give_back(unsigned lines) { latest_->ahead -= static_cast<std::int64_t>(lines) * latest_->step; }

 private:
  static constexpr unsigned kStreams = 32;
  struct Stream {
    std::int64_t page = -1, last = 0, ahead = 0;
    int step = 0;
    std::uint64_t used = 0;
  };
  // The page's, or the least recently used one.
  Stream& find(std::int64_t page) {
    Stream* oldest = &streams_[0];
    for (Stream& stream : streams_) {
      if (stream.page == page) return stream;
      if (stream.used < oldest->used) oldest = &stream;
    }
    return *oldest;
  }

  std::array<Stream, kStreams> streams_;
  Stream* latest_ = nullptr;
  std::uint64_t uses_ = 0;
};

}  // namespace duet::cpu
