// OpenCL C on a functional GPU of one SM: compiled as clBuildProgram does, and run with checked results.
//
//   std::vector<int> a(64);
//   Program program("kernel void k(global int* a, int n) { a[get_global_id(0)] = n; }");
//   program.run("k", {64}, {32}, {buffer(a), value(7)});      // a is all 7
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "gpu/functional/functional_sm.h"
#include "gpu/work_space.h"
#include "memory/address_space.h"
#include "one_sm.h"
#include "opencl/compiler/compiler.h"
#include "ptx/compiler.h"
#include "ptx/semantics/semantics.h"

namespace duet::test {

struct Argument {
  std::vector<std::byte> bytes;
  void* back = nullptr;  // of a buffer: where its bytes come from and go to
  Bytes local_bytes = 0;
};
template <typename T>
Argument buffer(std::vector<T>& values) {
  Argument argument;
  argument.bytes.resize(values.size() * sizeof(T));
  std::memcpy(argument.bytes.data(), values.data(), argument.bytes.size());
  argument.back = values.data();
  return argument;
}
template <typename T>
Argument value(const T& value) {
  Argument argument;
  argument.bytes.resize(sizeof value);
  std::memcpy(argument.bytes.data(), &value, sizeof value);
  return argument;
}
inline Argument local(Bytes bytes) {
  Argument argument;
  argument.local_bytes = bytes;
  return argument;
}

class Program {
 public:
  explicit Program(const std::string& text, const std::string& options = "") {
    setenv("XDG_CACHE_HOME", (testing::TempDir() + "duet-component-opencl").c_str(), 1);
    const opencl::Compiled compiled = opencl::compile({.text = text, .name = "test.cl", .options = options});
    EXPECT_TRUE(compiled.succeeded) << compiled.log;
    ptx_ = compiled.ptx;
    if (!compiled.succeeded) return;
    module_ = ptx::compile_module(ptx_, "test.cl");
    load_variables();
    for (ptx::Kernel& kernel : module_.kernels)
      if (kernel.unsupported.empty()) ptx::bind_handlers(kernel);
  }

  // Gives what it printed.
  std::string run(const std::string& name, gpu::Dim3 global, gpu::Dim3 group,
                  const std::vector<Argument>& arguments, const gpu::WorkSpace& space = {}) {
    const ptx::Kernel* kernel = module_.find_kernel(name);
    EXPECT_NE(kernel, nullptr) << name;
    if (kernel == nullptr) return {};
    EXPECT_EQ(kernel->unsupported, "");
    EXPECT_EQ(kernel->parameters.size(), arguments.size());
    if (!kernel->unsupported.empty() || kernel->parameters.size() != arguments.size()) return {};
    gpu::Grid grid;
    grid.kernel = kernel;
    grid.grid = {global.x / group.x, global.y / group.y, global.z / group.z};
    grid.block = group;
    grid.stack_bytes = 1_KiB;
    grid.parameters.resize(kernel->parameter_bytes);
    std::vector<const memory::Allocation*> buffers(arguments.size(), nullptr);
    for (std::size_t i = 0; i < arguments.size(); ++i)
      buffers[i] = place(arguments[i], kernel->parameters[i], grid);
    gpu::set_work_space(grid, space);
    const std::string printed = execute(grid);
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (buffers[i] == nullptr) continue;
      std::memcpy(arguments[i].back, space_.bytes(buffers[i]->base), arguments[i].bytes.size());
      space_.release(buffers[i]->base);
    }
    return printed;
  }

  const std::string& ptx() const { return ptx_; }

 private:
  void load_variables() {
    std::vector<const memory::Allocation*> placed;
    for (const ptx::Variable& variable : module_.variables) {
      placed.push_back(space_.allocate_device(variable.bytes, variable.constant
                                                                  ? memory::AllocationKind::Constants
                                                                  : memory::AllocationKind::Module));
      std::memset(space_.bytes(placed.back()->base), 0, variable.bytes);
      std::memcpy(space_.bytes(placed.back()->base), variable.initial.data(), variable.initial.size());
    }
    const auto address_of = [&](std::int32_t variable) {
      return placed[static_cast<std::size_t>(variable)]->base.value();
    };
    for (std::size_t i = 0; i < module_.variables.size(); ++i)
      for (const auto& relocation : module_.variables[i].relocations) {
        std::byte* const at = space_.bytes(placed[i]->base) + relocation.offset;
        std::uint64_t value = 0;
        std::memcpy(&value, at, relocation.bytes);
        value += address_of(relocation.variable);
        std::memcpy(at, &value, relocation.bytes);
      }
    for (ptx::Kernel& kernel : module_.kernels)
      for (ptx::Immediate& immediate : kernel.immediates)
        if (immediate.variable >= 0) immediate.value += address_of(immediate.variable);
  }

  // A __local pointer's value is a place in the block's dynamic shared memory.
  const memory::Allocation* place(const Argument& argument, const ptx::Parameter& parameter,
                                  gpu::Grid& grid) {
    std::byte* const at = grid.parameters.data() + parameter.offset;
    if (argument.back != nullptr) {
      EXPECT_EQ(parameter.pointed_space == ptx::PointedSpace::Global ||
                    parameter.pointed_space == ptx::PointedSpace::Const,
                true);
      const auto* allocation = space_.allocate_device(std::max<std::size_t>(argument.bytes.size(), 1),
                                                      memory::AllocationKind::Device);
      std::memcpy(space_.bytes(allocation->base), argument.bytes.data(), argument.bytes.size());
      std::memcpy(at, &allocation->base, sizeof allocation->base);
      return allocation;
    }
    if (argument.local_bytes != 0) {
      EXPECT_EQ(parameter.pointed_space, ptx::PointedSpace::Shared);
      const Bytes offset =
          round_up(grid.kernel->dynamic_shared_offset + grid.dynamic_shared_bytes, Bytes{128});
      std::memcpy(at, &offset, sizeof offset);
      grid.dynamic_shared_bytes = offset + argument.local_bytes - grid.kernel->dynamic_shared_offset;
      return nullptr;
    }
    EXPECT_EQ(argument.bytes.size(), parameter.bytes);
    std::memcpy(at, argument.bytes.data(), std::min<std::size_t>(argument.bytes.size(), parameter.bytes));
    return nullptr;
  }

  std::string execute(gpu::Grid& grid) {
    std::string printed;
    const config::Gpu config = one_sm();
    sim::Engine engine;
    gpu::DeviceServices services;
    services.print = [&](const std::string& text) { printed += text; };
    gpu::FunctionalSm sm(engine, nullptr, 0, config, space_, services);
    const std::uint64_t blocks = grid.grid.count();
    std::uint64_t ended = 0, launched = 0;
    constexpr std::uint64_t kTogether = 2;
    sim::Queue<gpu::BlockLaunch> launches(kTogether, nullptr, &sm);
    sim::Queue<gpu::BlockDone> done(kTogether, &sm, nullptr);
    sm.connect(launches, done);
    while (ended < blocks) {
      for (; launched < blocks && launched - ended < kTogether && launches.can_push(engine.now()); ++launched)
        launches.push(engine.now(), {&grid, launched});
      engine.run_while_not([&] { return done.size() != 0; });
      if (done.size() == 0) break;
      engine.run_until(engine.now() + 1);
      for (; done.can_pop(engine.now()); ++ended) gpu::take_report(done.pop(engine.now()));
    }
    EXPECT_EQ(grid.fault.text, "");
    EXPECT_EQ(ended, blocks);
    return printed;
  }

  std::string ptx_;
  ptx::Module module_;
  memory::PhysicalMemory physical_{64_MiB, 4_KiB};
  memory::AddressSpace space_{physical_};
};

}  // namespace duet::test
