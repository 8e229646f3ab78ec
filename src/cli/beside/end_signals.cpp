#include "cli/beside/end_signals.h"

#include <csignal>

namespace duet::cli {

namespace {

std::atomic<int> signal_to_end{0};

bool take_signals() {
  struct sigaction action {};
  action.sa_handler = [](int signal) { signal_to_end = signal; };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  return true;
}

}  // namespace

const std::atomic<int>& end_at_signals() {
  [[maybe_unused]] static const bool once = take_signals();
  return signal_to_end;
}

}  // namespace duet::cli
