// The list of passes from PTX text to micro-ops.
#include "ptx/compiler.h"

#include <cstring>

#include "base/error.h"
#include "ptx/passes/control_flow.h"
#include "ptx/passes/passes.h"
#include "ptx/state_spaces.h"
#include "ptx/text/parser.h"

namespace duet::ptx {

using ir::Function;
using ir::ParsedModule;

namespace {

// From sm_70 on the machine keeps two registers for the thread's program counter, and ptxas counts them.
// Never beyond the machine's 255 for this reason alone.
std::uint32_t with_reserved(std::uint32_t registers, unsigned target_sm) {
  constexpr std::uint32_t kMost = 255;
  return std::max(registers, std::min(kMost, registers + (target_sm >= 70 ? 2 : 0)));
}

// A call of the system keeps its weight.
void count_as_one_each(Kernel& kernel) {
  kernel.machine_instructions = 0;
  for (MicroOp& op : kernel.code) {
    if (op.kind != Kind::SystemCall) op.machine_instructions = 1;
    kernel.machine_instructions += op.machine_instructions;
  }
}

Kernel compile_kernel(ParsedModule& parsed, const Function& entry,
                      const std::vector<std::int32_t>& variable_number, const CompileOptions& options) {
  Kernel kernel;
  kernel.name = entry.name;
  kernel.module_name = parsed.name;
  kernel.max_threads = entry.max_threads;
  kernel.required_threads = entry.required_threads;
  kernel.min_blocks_per_sm = entry.min_blocks_per_sm;
  kernel.max_registers = entry.max_registers;
  for (const auto& formal : entry.parameters) {
    const auto& v = parsed.variables[formal.index];
    kernel.parameters.push_back(
        {v.name, v.parameter_offset, v.bytes, v.alignment, v.pointed_space, v.pointed_alignment});
    kernel.parameter_bytes = v.parameter_offset + v.bytes;
  }
  kernel.environment_offset = round_up(kernel.parameter_bytes, Bytes{4});
  try {
    ir::Routines routines = inline_calls(parsed, entry);
    Function function = join_routines(parsed, routines, kernel);
    lay_out_variables(parsed, function, kernel);
    std::vector<std::uint32_t> entries;
    for (const Kernel::CalledFunction& called : kernel.called_functions) entries.push_back(called.entry);
    remove_unused_labels(function, entries);
    ControlFlow flow = build_control_flow(function);
    remove_unreachable(function, flow);
    if (options.assembler_peepholes) optimise(function, flow);
    if (options.assembler_peepholes && options.machine_operands && !options.ptx_instructions) {
      place_operands(function, flow);
      hoist_loads(function, flow);
    }
    count_doubles(function, flow, kernel);
    const Allocation allocation = allocate_registers(function, flow);
    kernel.registers = options.registers_per_thread != 0
                           ? options.registers_per_thread
                           : with_reserved(allocation.registers, parsed.target_sm);
    kernel.register_slots = allocation.register_slots;
    kernel.predicates = allocation.predicates;
    kernel.names_32_lanes = function.names_32_lanes;
    kernel.independent_threads = parsed.target_sm >= 70;
    emit(function, flow, allocation, variable_number, kernel);
    if (options.names_exchanges)
      for (MicroOp& op : kernel.code)
        if (waits_for_members(op)) op.kind = Kind::Exchange;
    if (options.ptx_instructions) count_as_one_each(kernel);
  } catch (const ir::Unsupported& unsupported) {
    kernel.code.clear();
    kernel.unsupported = "kernel '" + kernel.name + "': " + unsupported.what;
  }
  return kernel;
}

void add_function_address(std::vector<std::uint8_t>& bytes, Bytes offset, Address address) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  value += address;
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

// Global and constant variables get their numbers in order of declaration; a declaration and its definition
// in the same module share one.
std::vector<std::int32_t> publish_variables(ParsedModule& parsed, Module& module) {
  std::vector<std::int32_t> number(parsed.variables.size(), -1);
  for (std::size_t i = 0; i < parsed.variables.size(); ++i) {
    auto& v = parsed.variables[i];
    if (v.space != StateSpace::Global && v.space != StateSpace::Const) continue;
    number[i] = static_cast<std::int32_t>(module.variables.size());
    Variable variable;
    variable.name = v.name;
    variable.constant = v.space == StateSpace::Const;
    variable.external = v.external;
    variable.managed = v.managed;
    variable.bytes = v.bytes;
    variable.alignment = v.alignment;
    variable.initial = v.initial;
    module.variables.push_back(std::move(variable));
  }
  for (std::size_t i = 0; i < parsed.variables.size(); ++i) {
    auto& v = parsed.variables[i];
    if (number[i] < 0) continue;
    for (const auto& r : v.relocations) {
      const auto found = parsed.variable_index.find(r.symbol);
      const std::int32_t target = found == parsed.variable_index.end() ? -1 : number[found->second];
      if (target >= 0) {
        module.variables[static_cast<std::size_t>(number[i])].relocations.push_back(
            {r.offset, r.bytes, target, r.generic});
        continue;
      }
      const auto function = parsed.function_index.find(r.symbol);
      if (found == parsed.variable_index.end() && function == parsed.function_index.end())
        throw Error(parsed.name + ":" + std::to_string(r.line) + ": '" + r.symbol + "' is not declared");
      if (found != parsed.variable_index.end() || parsed.functions[function->second].entry) {
        v.unsupported =
            "the address of '" + r.symbol + "' in the initialiser of '" + v.name + "' is not supported";
        continue;
      }
      parsed.address_taken.push_back(function->second);
      add_function_address(module.variables[static_cast<std::size_t>(number[i])].initial, r.offset,
                           function_address(parsed.first_function + function->second));
    }
  }
  return number;
}

}  // namespace

Module compile_module(std::string_view text, const std::string& name, const CompileOptions& options) {
  ParsedModule parsed = parse_module(text, name, options.first_function);
  Module module;
  module.name = name;
  module.target_sm = parsed.target_sm;
  module.version_major = parsed.version_major;
  module.version_minor = parsed.version_minor;
  module.functions = parsed.functions.size();
  const std::vector<std::int32_t> variable_number = publish_variables(parsed, module);
  for (std::size_t i = 0; i < parsed.functions.size(); ++i) {
    if (!parsed.functions[i].entry || !parsed.functions[i].has_body) continue;
    module.kernels.push_back(compile_kernel(parsed, parsed.functions[i], variable_number, options));
  }
  const auto sources = std::make_shared<const SourceMap>(std::move(parsed.sources));
  for (Kernel& kernel : module.kernels) kernel.sources = sources;
  return module;
}

std::string Kernel::place_of(std::uint32_t ptx_line) const {
  const std::string source = sources != nullptr ? sources->place_of(ptx_line) : std::string();
  return (source.empty() ? "" : source + ", ") + module_name + ":" + std::to_string(ptx_line);
}

const Kernel* Module::find_kernel(std::string_view kernel_name) const {
  for (const Kernel& kernel : kernels)
    if (kernel.name == kernel_name) return &kernel;
  return nullptr;
}

}  // namespace duet::ptx
