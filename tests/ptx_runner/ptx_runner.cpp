// Runs PTX instruction tests: compiles each file with the assembler's peepholes on and off, runs its kernel
// on a functional SM and compares memory with what the file expects. Arguments: files or directories. One
// line a failure; the last line counts. Exit status 0 when nothing failed.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <sstream>

#include "base/error.h"
#include "gpu/functional/functional_sm.h"
#include "memory/address_space.h"
#include "one_sm.h"
#include "ptx/compiler.h"
#include "ptx/semantics/semantics.h"
#include "test_file.h"

namespace duet::test {
namespace {

// Gives module variables addresses, fills them, and puts the addresses into the kernel's immediates.
void load_module(ptx::Module& module, memory::AddressSpace& space) {
  std::vector<const memory::Allocation*> placed;
  for (const ptx::Variable& variable : module.variables) {
    const auto* allocation =
        space.allocate_device(variable.bytes, variable.constant ? memory::AllocationKind::Constants
                                                                : memory::AllocationKind::Module);
    if (allocation == nullptr) throw Error("no room for variable '" + variable.name + "'");
    std::memset(space.bytes(allocation->base), 0, variable.bytes);
    std::memcpy(space.bytes(allocation->base), variable.initial.data(), variable.initial.size());
    placed.push_back(allocation);
  }
  for (std::size_t i = 0; i < module.variables.size(); ++i)
    for (const auto& relocation : module.variables[i].relocations) {
      std::uint64_t value = 0;
      std::byte* at = space.bytes(placed[i]->base) + relocation.offset;
      std::memcpy(&value, at, relocation.bytes);
      value += placed[static_cast<std::size_t>(relocation.variable)]->base.value();
      std::memcpy(at, &value, relocation.bytes);
    }
  for (ptx::Kernel& kernel : module.kernels)
    for (ptx::Immediate& immediate : kernel.immediates)
      if (immediate.variable >= 0)
        immediate.value += placed[static_cast<std::size_t>(immediate.variable)]->base.value();
}

// Whether `got` is as expected; NaN matches NaN where a distance in units of the last place is allowed.
bool matches(const Expectation& expectation, std::uint64_t expected, std::uint64_t got) {
  if (expected == got) return true;
  if (!expectation.within_ulps) return false;
  const bool wide = expectation.type == ElementType::F64;
  const std::uint64_t sign = wide ? 1ull << 63 : 1ull << 31;
  const std::uint64_t infinity = wide ? 0x7ff0000000000000ull : 0x7f800000ull;
  const auto magnitude = [&](std::uint64_t x) { return x & (sign - 1); };
  const bool nan_expected = magnitude(expected) > infinity, nan_got = magnitude(got) > infinity;
  if (nan_expected || nan_got) return nan_expected && nan_got;
  if (magnitude(expected) == infinity || magnitude(got) == infinity) return false;
  const auto ordered = [&](std::uint64_t x) {
    const auto value = static_cast<std::int64_t>(magnitude(x));
    return x & sign ? -value : value;
  };
  const std::int64_t distance = ordered(expected) - ordered(got);
  return static_cast<std::uint64_t>(distance < 0 ? -distance : distance) <= expectation.ulps;
}

// Whether an instruction is refused that Duet names as unsupported; returns the lines that tell what failed.
std::vector<std::string> run_unsupported(const TestFile& file, bool peepholes) {
  std::string refusal;
  try {
    ptx::Module module = ptx::compile_module(file.text, "test.ptx", {0, peepholes});
    if (const ptx::Kernel* found = module.find_kernel(file.kernel)) {
      refusal = found->unsupported;
      ptx::Kernel kernel = *found;
      if (refusal.empty()) ptx::bind_handlers(kernel);
    }
  } catch (const Error& error) {
    refusal = error.what();
  }
  if (refusal.find(file.unsupported) != std::string::npos) return {};
  return {file.path + ": expected to be refused with '" + file.unsupported + "', " +
          (refusal.empty() ? "was not" : "was refused with '" + refusal + "'")};
}

// Returns the lines that tell what failed.
std::vector<std::string> run(const TestFile& file, bool peepholes) {
  const std::string name = std::filesystem::path(file.path).filename().string();
  ptx::Module module = ptx::compile_module(file.text, name, {0, peepholes});
  const config::Gpu config = one_sm();
  memory::PhysicalMemory physical(64_MiB, 4_KiB);
  memory::AddressSpace space(physical);
  load_module(module, space);
  const ptx::Kernel* found = module.find_kernel(file.kernel);
  if (found == nullptr) throw Error("no kernel '" + file.kernel + "'");
  if (!found->unsupported.empty()) throw Error(found->unsupported);
  ptx::Kernel kernel = *found;
  ptx::bind_handlers(kernel);

  gpu::Grid grid;
  grid.kernel = &kernel;
  grid.grid = file.grid;
  grid.block = file.block;
  grid.dynamic_shared_bytes = file.shared_bytes;
  grid.stack_bytes = 1_KiB;
  grid.parameters.resize(kernel.parameter_bytes);
  if (kernel.parameters.size() != file.arguments.size())
    throw Error("the kernel has " + std::to_string(kernel.parameters.size()) + " parameters, the test " +
                std::to_string(file.arguments.size()));
  std::vector<const memory::Allocation*> buffers(file.arguments.size(), nullptr);
  for (std::size_t i = 0; i < file.arguments.size(); ++i) {
    const TestArgument& argument = file.arguments[i];
    std::byte* parameter = grid.parameters.data() + kernel.parameters[i].offset;
    if (argument.kind == TestArgument::Kind::Scalar) {
      std::memcpy(parameter, argument.bytes.data(),
                  std::min<std::size_t>(argument.bytes.size(), kernel.parameters[i].bytes));
      continue;
    }
    buffers[i] = space.allocate_device(argument.bytes.size(), memory::AllocationKind::Device);
    std::memcpy(space.bytes(buffers[i]->base), argument.bytes.data(), argument.bytes.size());
    std::memcpy(parameter, &buffers[i]->base, 8);
  }

  sim::Engine engine;
  gpu::DeviceServices services;
  services.print = [](const std::string& text) { std::cout << text; };
  gpu::FunctionalSm sm(engine, nullptr, 0, config, space, services);
  const std::uint64_t blocks = grid.grid.count();
  sim::Queue<gpu::BlockLaunch> launches(16, nullptr, &sm);
  sim::Queue<gpu::BlockDone> done(16, &sm, nullptr);
  sm.connect(launches, done);
  std::uint64_t launched = 0, ended = 0, resident = 0;
  while (ended < blocks) {
    for (; launched < blocks && resident < 8 && launches.can_push(engine.now()); ++launched, ++resident)
      launches.push(engine.now(), {&grid, launched});
    engine.run_while_not([&] { return done.size() != 0; });
    if (done.size() == 0)
      throw Error("the SM sleeps with " + std::to_string(blocks - ended) + " blocks to go");
    engine.run_until(engine.now() + 1);
    for (; done.can_pop(engine.now()); ++ended, --resident) gpu::take_report(done.pop(engine.now()));
  }
  if (grid.fault.kind != gpu::FaultKind::None) throw Error(grid.fault.text);

  std::vector<std::string> failures;
  for (const Expectation& expectation : file.expectations) {
    const unsigned bytes = element_bytes(expectation.type);
    const memory::Allocation* buffer = buffers.at(expectation.argument);
    for (std::size_t i = 0; i < expectation.values.size(); ++i) {
      std::uint64_t got = 0;
      std::memcpy(&got, space.bytes(buffer->base) + i * bytes, bytes);
      std::uint64_t expected = expectation.values[i];
      if (bytes < 8) expected &= (1ull << (8 * bytes)) - 1;
      if (matches(expectation, expected, got)) continue;
      std::ostringstream line;
      line << file.path << (peepholes ? "" : " (peepholes off)") << ": argument " << expectation.argument
           << " element " << i << ": expected 0x" << std::hex << expected << ", got 0x" << got;
      failures.push_back(line.str());
    }
  }
  return failures;
}

}  // namespace
}  // namespace duet::test

int main(int argc, char** argv) {
  std::vector<std::string> paths;
  for (int i = 1; i < argc; ++i) {
    if (!std::filesystem::is_directory(argv[i])) {
      paths.emplace_back(argv[i]);
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(argv[i]))
      if (entry.path().extension() == ".ptx") paths.push_back(entry.path().string());
  }
  if (paths.empty()) {
    std::cerr << "usage: ptx_runner FILE-OR-DIRECTORY...\n";
    return 2;
  }
  std::sort(paths.begin(), paths.end());
  std::size_t passed = 0, failed = 0;
  for (const std::string& path : paths) {
    bool good = true;
    for (const bool peepholes : {true, false}) {
      try {
        const duet::test::TestFile file = duet::test::read_test_file(path);
        for (const std::string& line : file.unsupported.empty()
                                           ? duet::test::run(file, peepholes)
                                           : duet::test::run_unsupported(file, peepholes)) {
          std::cout << line << '\n';
          good = false;
        }
      } catch (const std::exception& error) {
        std::cout << path << (peepholes ? "" : " (peepholes off)") << ": " << error.what() << '\n';
        good = false;
      }
    }
    ++(good ? passed : failed);
  }
  std::cout << passed << " passed, " << failed << " failed\n";
  return failed == 0 ? 0 : 1;
}
