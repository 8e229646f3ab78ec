#include "cli/beside/progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "cli/beside/terminal.h"
#include "report/run_report.h"

namespace duet::cli {

namespace {

std::string with_prefix(double value) {
  for (const char* prefix : {"", " k", " M"}) {
    if (value < 1000) return fmt::format("{:.{}f}{}", value, *prefix == 0 ? 0 : 1, prefix);
    value /= 1000;
  }
  return fmt::format("{:.1f} G", value);
}

std::size_t columns() {
  const std::size_t width = terminal_width(STDERR_FILENO);
  return width != 0 ? width : 80;
}

void write_terminal(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace

void ProgressLine::draw(const report::Progress& progress) {
  if (progress.simulated_ps == 0) return;
  const auto now = std::chrono::steady_clock::now();
  const double seconds = std::chrono::duration<double>(now - time_).count();
  if (instructions_ != 0 && progress.warp_instructions >= instructions_)
    rate_ = static_cast<double>(progress.warp_instructions - instructions_) / seconds;
  time_ = now;
  instructions_ = progress.warp_instructions;

  std::string text =
      fmt::format("duet: {:.3f} us simulated", static_cast<double>(progress.simulated_ps) * 1e-6);
  if (progress.kernel_count != 0) {
    const report::RunningKernel& kernel = progress.kernels[0];
    const auto& grid = kernel.record.grid;
    text += fmt::format(", kernel {} {}/{} blocks", report::readable_name(kernel.name),
                        kernel.record.completed_blocks, std::uint64_t{grid[0]} * grid[1] * grid[2]);
    if (progress.kernel_count > 1) text += fmt::format(" and {} more", progress.kernel_count - 1);
  }
  text += fmt::format(", {} warp instructions, {}/s",
                      with_prefix(static_cast<double>(progress.warp_instructions)), with_prefix(rate_));
  text = text.substr(0, columns() - 1);  // a wrapped line cannot be wiped
  // The cursor stays at its start, so the program's output goes over it.
  write_terminal("\r" + text + "\033[K\r");
  drawn_ = text;
}

void ProgressLine::wipe() {
  if (!drawn_.empty()) write_terminal("\r\033[K");
  drawn_.clear();
}

}  // namespace duet::cli
