// How wide the terminal behind a stream is.
#pragma once

#include <sys/ioctl.h>

#include <cstddef>

namespace duet::cli {

// In characters; 0: it is none.
inline std::size_t terminal_width(int stream) {
  winsize size{};
  return ioctl(stream, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : 0;
}

}  // namespace duet::cli
