#include "gpu/warp/device_services.h"

#include "gpu/warp/device_printf.h"

namespace duet::gpu {

namespace {

constexpr std::size_t kLongestString = 1u << 20;

struct BadAddress {
  Address address;
};

std::string read_string(const SystemCall& call, Address address) {
  std::string text;
  for (char c; text.size() < kLongestString; text += c) {
    if (!call.read(address + text.size(), reinterpret_cast<std::byte*>(&c), 1))
      throw BadAddress{address + text.size()};
    if (c == '\0') break;
  }
  return text;
}

// CUDA gives the number of arguments; as its documentation says only "non-negative", the format is counted.
std::uint32_t count_arguments(const std::string& format) {
  std::uint32_t count = 0;
  for (std::size_t i = 0; i + 1 < format.size(); ++i) {
    if (format[i] != '%') continue;
    if (format[i + 1] == '%')
      ++i;
    else
      ++count;
  }
  return count;
}

SystemCallResult print(const SystemCall& call, const DeviceServices& services, PrintfOf language) {
  const std::string format = read_string(call, call.arguments[0]);
  const std::string text = format_device_text(
      language, format,
      [&](Bytes offset, unsigned bytes) {
        std::uint64_t value = 0;
        if (!call.read(call.arguments[1] + offset, reinterpret_cast<std::byte*>(&value), bytes))
          throw BadAddress{call.arguments[1] + offset};
        return value;
      },
      [&](Address address) { return read_string(call, address); });
  if (services.print) services.print(text);
  return {language == PrintfOf::OpenCl ? 0 : count_arguments(format), FaultKind::None, {}};
}

SystemCallResult fail_assertion(const Grid& grid, const ptx::MicroOp& op, const SystemCall& call,
                                const DeviceServices& services) {
  const auto bracketed = [](const Dim3& index) {
    return "[" + std::to_string(index.x) + "," + std::to_string(index.y) + "," + std::to_string(index.z) +
           "]";
  };
  const std::string text = read_string(call, call.arguments[1]) + ":" +
                           std::to_string(static_cast<std::uint32_t>(call.arguments[2])) + ": " +
                           read_string(call, call.arguments[3]) + ": block: " + bracketed(call.thread.block) +
                           ", thread: " + bracketed(call.thread.thread) + " Assertion `" +
                           read_string(call, call.arguments[0]) + "` failed.";
  if (services.print) services.print(text + "\n");
  return {0, FaultKind::Assert,
          "kernel '" + grid.kernel->name + "': " + text + " (" + place_of(grid, op) + ")"};
}

}  // namespace

SystemCallResult perform_system_call(Grid& grid, const ptx::MicroOp& op, const SystemCall& call,
                                     const DeviceServices& services) {
  const auto fault = [&](FaultKind kind, const std::string& what) {
    return SystemCallResult{0, kind,
                            "kernel '" + grid.kernel->name + "': " + what + " by thread " +
                                name_of(call.thread.thread) + " of block " + name_of(call.thread.block) +
                                ", " + place_of(grid, op)};
  };
  const config::DeviceHeap& heap = services.heap_costs;
  try {
    switch (call.function) {
      case ptx::SystemFunction::Vprintf:
        return print(call, services, PrintfOf::Cuda);
      case ptx::SystemFunction::Printf:
        return print(call, services, PrintfOf::OpenCl);
      case ptx::SystemFunction::AssertFail:
        return fail_assertion(grid, op, call, services);
      case ptx::SystemFunction::Malloc:
        if (!services.allocate) return fault(FaultKind::IllegalInstruction, "malloc without a device heap");
        return {services.allocate(call.sm, call.arguments[0]).value(),
                FaultKind::None,
                {},
                {heap.malloc_cycles, heap.malloc_lane_cycles, heap.malloc_interval_cycles,
                 heap.malloc_lane_interval_cycles}};
      case ptx::SystemFunction::Free:
        if (call.arguments[0] == 0) return {};
        if (services.release && services.release(call.sm, VirtualAddress(call.arguments[0])))
          return {0, FaultKind::None, {}, {heap.free_cycles, heap.free_lane_cycles}};
        return fault(FaultKind::IllegalAddress,
                     "free of " + hexadecimal(call.arguments[0]) +
                         ", which device malloc did not give, or which has been freed already,");
      default: {
        if (!services.launches) return fault(FaultKind::IllegalInstruction, "a launch, which nobody takes,");
        SystemCallResult result = services.launches(grid, call);
        return result.fault == FaultKind::None ? result : fault(result.fault, result.text);
      }
    }
  } catch (const BadAddress&) {
    return fault(FaultKind::IllegalAddress,
                 "printf or assert reads a string or argument at an illegal address");
  }
  return {};
}

}  // namespace duet::gpu
