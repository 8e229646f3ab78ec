#include "cli/beside/spin_watch.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

namespace duet::cli {

namespace {

// User and system time of a process in all its threads; 0 when it is gone.
double cpu_seconds_of(int pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string line;
  std::getline(file, line);
  const std::size_t name_end = line.rfind(')');  // the name may hold anything
  if (name_end == std::string::npos) return 0;
  std::istringstream fields(line.substr(name_end + 1));
  std::string skipped;
  for (int field = 3; field < 14; ++field) fields >> skipped;
  std::uint64_t user = 0, system = 0;
  fields >> user >> system;
  return static_cast<double>(user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace

std::string SpinWatch::look(const report::JournalHeader& header, double limit_seconds) {
  if (told_) return {};
  const double cpu_seconds = cpu_seconds_of(header.pid);
  const std::uint64_t left = header.left_calls;
  const Picoseconds simulated_ps = header.simulated_ps;  // a loop with sleeps or reads of the clock moves it
  if (left != left_calls_ || header.entered_calls != left || header.outstanding == 0 ||
      simulated_ps != simulated_ps_) {
    left_calls_ = left;
    simulated_ps_ = simulated_ps;
    cpu_seconds_ = cpu_seconds;
    return {};
  }
  if (cpu_seconds - cpu_seconds_ < limit_seconds) return {};
  told_ = true;
  return fmt::format(
      "process {} has computed for {:.3g} s without a CUDA call while GPU work is outstanding: if "
      "it waits for the GPU in a loop on mapped or managed memory it waits for ever, because simulated "
      "time advances only inside API calls; call cudaStreamQuery, cudaDeviceSynchronize or clFinish in the "
      "loop",
      header.pid, cpu_seconds - cpu_seconds_);
}

}  // namespace duet::cli
