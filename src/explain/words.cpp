#include "explain/words.h"

#include <fmt/format.h>

#include "report/terminal/table_text.h"

namespace duet::explain {

namespace {
std::string size_text(const std::uint32_t size[3]) {
  if (size[2] != 1) return fmt::format("({}, {}, {})", size[0], size[1], size[2]);
  return size[1] != 1 ? fmt::format("({}, {})", size[0], size[1]) : std::to_string(size[0]);
}
}  // namespace

std::string bytes_text(Bytes bytes) {
  static constexpr const char* kUnits[] = {"bytes", "KiB", "MiB", "GiB"};
  std::size_t unit = 0;
  while (unit + 1 < std::size(kUnits) && bytes >= 1024 && bytes % 1024 == 0) bytes /= 1024, ++unit;
  return fmt::format("{} {}", bytes, kUnits[unit]);
}

std::string moment_text(Picoseconds time) {
  return fmt::format("{}.{:03} us", time / 1'000'000, time / 1000 % 1000);
}

std::string short_time_text(Picoseconds time) {
  return time < 1'000'000 ? fmt::format("{}.{} ns", time / 1000, time / 100 % 10) : report::duration(time);
}

std::string launch_text(const Launch& launch) {
  return fmt::format("{} <<<{}, {}>>>", launch.name, size_text(launch.record.grid),
                     size_text(launch.record.block));
}

std::string copy_text(const report::CopyRecord& copy) {
  switch (copy.kind) {
    case report::CopyKind::HostToDevice:
      return bytes_text(copy.bytes) + " to the device";
    case report::CopyKind::DeviceToHost:
      return bytes_text(copy.bytes) + " to the host";
    case report::CopyKind::DeviceToDevice:
      return bytes_text(copy.bytes) + " in the device";
    case report::CopyKind::HostToHost:
      return bytes_text(copy.bytes) + " in the host";
    case report::CopyKind::Fill:
      return "fill " + bytes_text(copy.bytes);
    default:
      return "full/empty bits of " + bytes_text(copy.bytes);
  }
}

std::string effect_text(const PushBufferStep& step, const Command& command, const Launch* launch) {
  if (step.name == "AcquireSemaphore") return fmt::format("waits for command #{}", step.argument);
  if (step.name == "ReleaseSemaphore")
    return fmt::format("the stream's semaphore rises to {}{}", step.argument,
                       command.end_ps != 0 ? fmt::format(": #{} is complete", command.number) : "");
  if (step.name == "SetParameterSize") return bytes_text(step.argument) + " for the blocks' parameters";
  if (step.name == "CopyRange" || step.name == "FillRange") return bytes_text(step.argument) + " a row";
  if (step.name == "SetRefCntValue")
    return fmt::format("WaitRefCnt will wait for {} complete", step.argument);
  if (step.name == "SetStream") return fmt::format("stream {}, command #{}", step.argument, command.number);
  if (step.name == "DefineSemaphore") return "where the stream's semaphore lies in host memory";
  if (step.name == "SetProgram") return "kernel, grid and block";
  if (step.name == "Parameter") return fmt::format("from byte {} on", step.argument);
  if (step.name == "ResetRefCnt") return "launched and complete are 0";
  if (launch == nullptr || launch->set_launch_id_ps == 0) return "";
  if (step.name == "SetLaunchID")
    return fmt::format("reference counter {} taken at {}", launch->counter,
                       moment_text(launch->set_launch_id_ps));
  if (step.name == "Launch" && !launch->quarters.empty())
    return fmt::format("one for each block, {}: dispatched to SMs {} to {}", step.argument,
                       moment_text(launch->quarters.front().time_ps), moment_text(launch->last_dispatch_ps));
  if (step.name == "WaitRefCnt" && launch->wait_ref_cnt_ps != 0)
    return fmt::format("{} complete at {}", launch->blocks, moment_text(launch->wait_ref_cnt_ps));
  return "";
}

}  // namespace duet::explain
