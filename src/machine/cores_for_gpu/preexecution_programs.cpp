#include "machine/cores_for_gpu/preexecution_programs.h"

#include <fmt/format.h>

#include "base/error.h"
#include "preexec/elf.h"

namespace duet::machine {

namespace {

preexec::DataGuards data_guards(const std::string& name) {
  return name == "keep"   ? preexec::DataGuards::Keep
         : name == "drop" ? preexec::DataGuards::Drop
                          : preexec::DataGuards::InSlice;
}

}  // namespace

unsigned PreexecutionPrograms::skip_factor_of(const ptx::Kernel& kernel) const {
  if (options_.skip_factor != 0) return options_.skip_factor;
  if (options_.mode != PreexecutionMode::Profiled) return own_skip_factor_;
  const auto known = options_.profile.find(kernel.name);
  if (known == options_.profile.end())
    throw Error(
        fmt::format("the profile does not have kernel '{}': make it anew with --profile", kernel.name));
  return known->second;
}

PreexecutionPrograms::Shape PreexecutionPrograms::shape_of(const gpu::Grid& grid) {
  return {grid.block.x, grid.block.y, grid.block.z, grid.grid.dimensions()};
}

void PreexecutionPrograms::prepare(const gpu::Grid& grid) {
  std::map<Shape, PreexecutionProgram>& of_kernel = programs_[grid.kernel];
  const Shape shape = of_kernel.size() < kMostShapes ? shape_of(grid) : Shape{};
  if (!of_kernel.contains(shape_of(grid)) && !of_kernel.contains(shape))
    of_kernel.emplace(shape, make(*grid.kernel, shape));
}

const PreexecutionProgram& PreexecutionPrograms::of(const gpu::Grid& grid) const {
  const std::map<Shape, PreexecutionProgram>& of_kernel = programs_.at(grid.kernel);
  const auto own = of_kernel.find(shape_of(grid));
  return own != of_kernel.end() ? own->second : of_kernel.at(Shape{});
}

PreexecutionProgram PreexecutionPrograms::make(const ptx::Kernel& kernel, const Shape& shape) {
  KernelSource& source = sources_.of(kernel);
  PreexecutionProgram made;
  made.skip_factor = skip_factor_of(kernel);
  try {
    preexec::Options options;
    options.unroll_factor = options_.unroll_factor;
    options.kernel_loop_unroll = options_.kernel_loop_unroll;
    options.adaptive = options_.mode == PreexecutionMode::Adaptive;
    options.data_guards = data_guards(options_.data_guards);
    options.forwarded_blocks = options_.blocks == "forwarded";
    options.bounded_skip_factor = options_.skip_factor_most != 0;
    options.paced_blocks = options_.is_paced();
    if (shape != Shape{}) {
      options.block = preexec::Dimensions{shape[0], shape[1], shape[2]};
      options.grid_dimensions = shape[3];
    }
    const preexec::Program program = preexec::generate(source.parsed_module(), kernel.name, options);
    made.accesses = program.accesses.size();
    for (const preexec::Access& access : program.accesses) {
      made.covered += access.covered();
      if (!access.covered())
        made.not_prefetched.push_back(fmt::format("{}:{}: {}", source.name, access.ptx_line, access.reason));
    }
    made.symbols = source.addresses_of(program.symbols);
    if (program.fetches())
      made.entry = place_program(program.c, program.entry, memory_, next_);
    else
      made.reason = "it has no access that could be prefetched";
  } catch (const preexec::ToolError&) {
    throw;
  } catch (const Error& error) {  // the kernel runs without
    made.reason = error.what();
  }
  return made;
}

}  // namespace duet::machine
