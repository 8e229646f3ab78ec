#include "model/instance.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace duet::model {

namespace {

// The terms of the two programming models. OpenCL's are from its specification, and from hu2016, section 3.4
// (wavefront); parts without an OpenCL term have a description.
struct Terms {
  const char *gpu, *sm, *sms, *thread_controller, *warp_scheduler, *warp_state, *registers;
  const char *engine, *distributor, *counters, *transfer, *memory;
  const char *computing_stream, *moving_stream, *control_stream;
  const char *computing_instruction, *access_instruction, *control_instruction;
  const char *runtime, *driver, *queues, *call;
  const char *launch, *copy_in, *copy_out, *program, *kernel, *instances;
};
constexpr Terms kCuda{"the GPU",
                      "an SM",
                      "SM",
                      "thread controller",
                      "warp scheduler",
                      "program counters, reconvergence stacks, scoreboard (a queue a warp)",
                      "local and shared registers",
                      "GigaThread engine",
                      "CUDA work distributor",
                      "state registers, reference counters, push buffer (a queue a stream)",
                      "data transfer engine",
                      "local and global memory",
                      "computing PBS",
                      "data-move PBS",
                      "control PBS",
                      "computing instruction",
                      "data access instruction",
                      "control instruction",
                      "CUDA runtime",
                      "GPU driver",
                      "commands of a hardware channel",
                      "GPU driver call",
                      "launch",
                      "copy_in",
                      "copy_out",
                      "process",
                      "kernel",
                      "blocks"};
constexpr Terms kOpenCl{"the compute device",
                        "a compute unit",
                        "compute unit",
                        "work-group controller",
                        "wavefront scheduler",
                        "program counters, execution masks, scoreboard (a queue a wavefront)",
                        "private and local memory",
                        "command processor",
                        "work-group dispatcher",
                        "kernel states, counters, command ring (a queue a command-queue)",
                        "DMA engine",
                        "global and constant memory",
                        "kernel-execution command",
                        "memory command",
                        "synchronization command",
                        "computing instruction",
                        "memory instruction",
                        "control instruction",
                        "OpenCL runtime",
                        "device driver",
                        "commands of a hardware queue",
                        "device driver call",
                        "clEnqueueNDRangeKernel",
                        "clEnqueueWriteBuffer",
                        "clEnqueueReadBuffer",
                        "process",
                        "kernel",
                        "work-groups"};

// Threads of a unit in a cycle: 32/p waves a warp (section 3.4).
std::uint64_t width_of(const config::Sm& sm, const config::Sm::Timing& timing) {
  return std::max<std::uint64_t>(sm.warp_width / std::max<std::uint64_t>(timing.interval_cycles, 1), 1);
}

Level sm_level(const config::Sm& sm, const Terms& terms) {
  Level level;
  level.name = terms.sm;
  level.tu = terms.thread_controller;
  level.tb = terms.warp_state;
  level.se = terms.warp_scheduler;
  level.memory = terms.registers;
  level.hardware_channels = level.queues = sm.max_warps;
  level.depth = std::max<std::uint64_t>(sm.instruction_buffer, 1);
  level.schedulers = std::max<std::uint64_t>(sm.schedulers, 1);
  level.memory_bytes = 4 * sm.registers + sm.shared_bytes;
  level.arrays = {
      {"ALU array", false, std::max<std::uint64_t>(sm.sp_units, 1), width_of(sm, sm.floating), 1}};
  if (sm.sfu_units != 0)
    level.arrays.push_back(
        {"special-function array", false, sm.sfu_units, width_of(sm, sm.special_function), 1});
  if (sm.dp_units != 0)
    level.arrays.push_back(
        {"double-precision array", false, sm.dp_units, width_of(sm, sm.double_precision), 1});
  level.arrays.push_back({"LSU array", true, 1, sm.warp_width, 1});
  level.computing = terms.computing_instruction;
  level.moving = terms.access_instruction;
  level.scheduling = terms.control_instruction;
  // Table IV, as PTX has them.
  level.commands = {{"add mul mad (integer)", "32 and 64 bit integer arithmetic"},
                    {"add mul fma (f32)", "single precision"},
                    {"add mul fma (f64)", "double precision"},
                    {"sin cos rcp sqrt ex2 lg2", "special functions"},
                    {"ld st tex atom", "load, store, texture, atomic operation"},
                    {"shl shr and or xor", "shift, logic"},
                    {"bra call ret", "branch, call, return"},
                    {"bar membar", "synchronization on computing, on data access"}};
  return level;
}

// Table III, and the further commands of Duet's push buffer (gpu/front_end/push_buffer.h).
std::vector<Level::CommandName> push_buffer_commands(const std::string& instances) {
  return {{"DefineSemaphore", "where a semaphore lies in memory"},
          {"AcquireSemaphore", "wait until an earlier command has released it"},
          {"SetLaunchID", "give the kernel's " + instances + " a reference counter"},
          {"SetRefCntValue", "to which WaitRefCnt waits"},
          {"ResetRefCnt", "wait for the " + instances + " of the kernel before"},
          {"WaitRefCnt", "wait for the kernel's own " + instances},
          {"Launch", "launch " + instances + ", a run of them at a time"},
          {"SetParameterSize", "room for the kernel's parameters"},
          {"Parameter", "the parameters"},
          {"SetStream", "beside Table III: whose commands follow"},
          {"SetProgram", "beside Table III: the kernel, how many " + instances + " of which size"},
          {"CopyRange", "beside Table III: a move by a data transfer engine"},
          {"FillRange", "beside Table III: a fill"},
          {"FullEmptyRange", "beside Table III: a change of full/empty bits"},
          {"CacheRange", "beside Table III: lines of L2 are written back, or given up"},
          {"ReleaseSemaphore", "beside Table III: what AcquireSemaphore waits for"}};
}

Level gpu_level(const config::Gpu& gpu, const Terms& terms) {
  Level level;
  level.name = fmt::format("{}, {}", terms.gpu, gpu.name);
  level.tu = terms.engine;
  level.tb = terms.counters;
  level.se = terms.distributor;
  level.memory = terms.memory;
  level.hardware_channels = gpu.front_end.hardware_channels;
  level.queues = gpu.front_end.queue_width;
  level.depth = gpu.front_end.queue_depth;
  level.memory_bytes = gpu.dram.bytes;
  level.arrays = {{terms.sms, false, 1, gpu.sm.count, gpu.sm.max_blocks},
                  {terms.transfer, true, gpu.copy_engines.count, 1, 1}};
  if (gpu.copy_engines.bit_engines != 0)
    level.arrays.push_back({"engine for full/empty bits", true, gpu.copy_engines.bit_engines, 1, 1});
  level.computing = terms.computing_stream;
  level.moving = terms.moving_stream;
  level.scheduling = terms.control_stream;
  level.commands = push_buffer_commands(terms.instances);
  return level;
}

Level host_level(const config::Topology& machine, const Terms& terms) {
  Level level;
  const std::string& name = machine.cpu ? machine.cpu->name : machine.host.name;
  level.name = name.empty() ? "the host" : fmt::format("the host, {}", name);
  level.tu = machine.gpu ? terms.runtime : "operating system";
  level.tb = machine.gpu ? terms.queues : "run queue";
  level.se = machine.gpu ? terms.driver : "scheduler of threads";
  level.memory = "host memory";
  level.memory_bytes = machine.host.dram_bytes;
  if (machine.gpu) {
    level.hardware_channels = level.queues = machine.gpu->front_end.hardware_channels;
    level.depth = std::max<std::uint64_t>(machine.driver.queue_commands, 1);
    level.arrays.push_back({"GPU", false, 1, 1, 1});
  }
  if (machine.cpu) level.arrays.push_back({"core", false, 1, machine.cpu->cores, 1});
  level.scheduling = machine.gpu ? terms.call : "system call";
  level.computing = machine.gpu ? "host command script, host function" : "function";
  return level;
}

Script computing(std::string name, std::string runs, std::uint64_t width) {
  Script script;
  script.name = std::move(name);
  script.runs = std::move(runs);
  script.width = width;
  return script;
}

Script moving(std::string name, Movement movement, std::string data, std::uint64_t width) {
  Script script;
  script.kind = ScriptKind::Moving;
  script.name = std::move(name);
  script.movement = movement;
  script.data = std::move(data);
  script.width = width;
  return script;
}

// out[i] = f(in[i]): Stage-In, Compute and Stage-Out, at both levels (section 3.5).
void add_program(Model& model, const config::Gpu& gpu, const Terms& terms) {
  constexpr std::uint64_t kBlocks = 2, kWarps = 2;
  const std::uint64_t threads = gpu.sm.warp_width;
  ScriptList process{terms.program, 2, 1, {}, 0}, kernel{terms.kernel, 1, kWarps, {}, 0};
  process.scripts = {moving(terms.copy_in, Movement::StageIn, "in", 1),
                     computing(terms.launch, terms.kernel, kBlocks),
                     moving(terms.copy_out, Movement::StageOut, "out", 1)};
  process.scripts[0].commands = process.scripts[2].commands = {"SetStream", "CopyRange", "ReleaseSemaphore"};
  process.scripts[1].commands = {"SetStream",   "SetProgram",      "SetParameterSize", "Parameter",
                                 "SetLaunchID", "SetRefCntValue",  "ResetRefCnt",      "Launch",
                                 "WaitRefCnt",  "ReleaseSemaphore"};
  process.scripts[1].needs = {"in"};
  process.scripts[1].makes = {"out"};
  for (Script& script : process.scripts)
    if (script.kind == ScriptKind::Moving) script.array = terms.transfer;
  Script multiply = computing("mul.f32", "", threads), barrier;
  multiply.needs = {"in"};
  multiply.makes = {"out"};
  barrier.kind = ScriptKind::Scheduling;
  barrier.name = "bar.sync";
  barrier.control = Control::Barrier;
  kernel.scripts = {moving("ld.global", Movement::StageIn, "in", threads), multiply, barrier,
                    moving("st.global", Movement::StageOut, "out", threads)};
  const Bytes bytes = kBlocks * kWarps * threads * 4;
  model.data = {{"in", bytes, false, false}, {"out", bytes, true, false}};
  model.lists = {process, kernel};
}

void add_host_program(Model& model, const Terms& terms) {
  ScriptList program{"program", model.structure.depth(), 1, {}, 0};
  if (model.structure.depth() == 1) {
    program.scripts = {computing("function", "", 1)};
  } else {
    Script call = computing(terms.call, terms.program, 1);
    call.array = "GPU";
    call.makes = {"out"};
    program.scripts = {call};
  }
  model.lists.insert(model.lists.begin(), program);
}

}  // namespace

Model instance_of(const config::Topology& machine, const InstanceOptions& options) {
  if (!machine.gpu && !options.host)
    throw Error(fmt::format("machine '{}' has no GPU: --host shows its processor", machine.name));
  const Terms& terms = options.view == View::Cuda ? kCuda : kOpenCl;
  Model model;
  model.name = machine.name;
  Structure& structure = model.structure;
  if (machine.gpu) {
    structure.levels = {sm_level(machine.gpu->sm, terms), gpu_level(*machine.gpu, terms)};
    if (machine.memory_fabric) structure.levels.back().arrays.push_back({"cache engine", true, 1, 1, 1});
    add_program(model, *machine.gpu, terms);
  }
  if (options.host) {
    structure.levels.push_back(host_level(machine, terms));
    add_host_program(model, terms);
  } else {
    structure.outside = "host memory";
  }
  check(model);
  return model;
}

}  // namespace duet::model
