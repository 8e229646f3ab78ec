// The pre-execution compiler, pass by pass.
#include <fmt/format.h>

#include "base/error.h"
#include "preexec/plan/plan.h"
#include "preexec/preexec.h"
#include "preexec/text/driver.h"
#include "preexec/text/function.h"
#include "preexec/text/prologue.h"

namespace duet::preexec {

namespace {

std::string head_of(const Program& program) {
  std::string text = fmt::format(
      "// Pre-execution program of kernel {}, made by duet preexec (yang2012, section 4).\n", program.kernel);
  std::size_t covered = 0;
  for (const Access& access : program.accesses) covered += access.covered();
  text +=
      fmt::format("// It fetches {} of the kernel's {} global accesses.\n", covered, program.accesses.size());
  for (const Access& access : program.accesses)
    if (!access.covered())
      text += fmt::format("// not prefetched: {}PTX line {}, because {}\n",
                          access.source.empty() ? "" : access.source + ", ", access.ptx_line, access.reason);
  return text + "\n";
}

// Of what the functions divide by.
std::vector<std::string> inverses_in(const std::string& functions) {
  std::vector<std::string> used;
  for (const char* of : {"tb_size", "ntid_x", "ntid_y", "nctaid_x", "nctaid_y"})
    if (functions.find(std::string("k->by_") + of + ")") != std::string::npos) used.push_back(of);
  return used;
}

std::string struct_of(const Names& names, const Plan& plan, const std::vector<std::string>& inverses) {
  std::string text =
      "\n// Parameters, module variables and dimensions, as long as the program runs.\nstruct kernel {\n  "
      "struct duet_preexec *context;\n";
  for (const Member& member : names.members()) text += "  " + member.type + " " + member.name + ";\n";
  text += "  u32 ntid_x, ntid_y, ntid_z, nctaid_x, nctaid_y, nctaid_z, tb_size;\n";
  for (const std::string& of : inverses) text += fmt::format("  u64 by_{};\n", of);
  if (names.options().forwarded_blocks)
    text += "  u32 *first_thread;  // of blocks that are fetched for\n  u64 tb_inverse;  // 2^40 / tb_size\n";
  for (const LoopPlan& loop : plan.loops)
    if (loop.mode == LoopMode::Traversed && !loop.uniform)
      text += fmt::format("  u32 loop_{}_iterations;\n", loop.number);
  return text + "};\n";
}

void check(const Options& options) {
  if (options.unroll_factor == 0 || options.unroll_factor > 64)
    throw Error("preexec: an unroll factor is 1 to 64");
  if (options.kernel_loop_unroll == 0 || options.kernel_loop_unroll > 64)
    throw Error("preexec: the unroll factor of kernel loops is 1 to 64");
  if (options.block && (options.block->x == 0 || options.block->y == 0 || options.block->z == 0))
    throw Error("preexec: a block has at least one thread in each dimension");
  if (options.grid_dimensions == 0 || options.grid_dimensions > 3)
    throw Error("preexec: a grid has one to three dimensions");
}

bool has_function(const std::vector<Step>& steps, std::uint32_t loop) {
  for (const Step& step : steps)
    if (step.is_loop && (step.loop == loop || has_function(step.steps, loop))) return true;
  return false;
}

}  // namespace

std::vector<std::string> kernels_of(const ptx::ir::ParsedModule& module) {
  std::vector<std::string> names;
  for (const auto& function : module.functions)
    if (function.entry && function.has_body) names.push_back(function.name);
  return names;
}

Program generate(const ptx::ir::ParsedModule& parsed, const std::string& kernel, const Options& options) {
  check(options);
  ptx::ir::ParsedModule module = parsed;  // calls' parameters become registers in it
  const ptx::ir::Function& entry = entry_named(module, kernel);

  const Form form = form_of(module, entry);
  Graph graph;
  if (options.block) graph.fix_block({options.block->x, options.block->y, options.block->z});
  graph.fix_grid(options.grid_dimensions);
  Reader reader(module, form, graph);
  Conditions conditions(form, graph, reader);
  Resolver resolver(module, form, graph, reader, conditions);
  const Plan plan = Planner(module, form, graph, reader, conditions, resolver, options).make();

  Names names(module, entry, form, options);
  FunctionWriter functions(names, graph, reader, resolver, plan);
  std::string body;
  for (std::uint32_t l = 0; l < plan.loops.size(); ++l)
    if (plan.loops[l].mode == LoopMode::Traversed && plan.loops[l].uniform && has_function(plan.steps, l))
      body += "\n" + functions.iterations(l);
  for (const FunctionPlan& function : plan.functions) {
    body += "\n" + functions.fetch(function);
    if (functions.ends_decide(function))
      body += "\n" + functions.runs(function) + "\n" + functions.unconditional(function);
  }
  const std::vector<std::string> inverses = inverses_in(body);
  body += "\n" + DriverWriter(names, plan, functions, inverses).write();

  Program program;
  program.kernel = kernel;
  program.entry = "duet_preexecute";
  program.accesses = plan.accesses;
  program.symbols = names.symbols();
  program.parameter_bytes = form.parameter_bytes;
  for (const FunctionPlan& function : plan.functions) {
    bool heavy = function.loop != kNoLoop;
    for (const PlannedAccess& access : function.accesses) heavy |= access.loop != kNoLoop;
    program.functions.push_back({function.name, heavy ? Workload::Heavy : Workload::Light,
                                 static_cast<unsigned>(function.accesses.size())});
  }
  program.c = head_of(program) + prologue() + operations(body) + struct_of(names, plan, inverses) +
              pace(options.adaptive, options.bounded_skip_factor) +
              (options.forwarded_blocks ? forwarded_blocks()
               : options.paced_blocks   ? paced_blocks()
                                        : std::string()) +
              body + epilogue();
  return program;
}

}  // namespace duet::preexec
