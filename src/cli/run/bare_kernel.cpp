// `duet run k.ptx --kernel NAME ...`: one launch of a kernel from a PTX file, without a host program. Buffers
// are in device memory before simulated time begins; only the launch is simulated.
#include <fmt/format.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bit>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "base/error.h"
#include "base/file.h"
#include "cli/beside/end_signals.h"
#include "cli/beside/run_monitor.h"
#include "cli/commands.h"
#include "cli/options/dimensions.h"
#include "cli/run/otherwise.h"
#include "cli/run/run_folder.h"
#include "config/loader.h"
#include "machine/process.h"
#include "machine/rules/check_machine.h"

namespace duet::cli {

namespace {

// The machine's state goes into huge pages, where the kernel has them: a simulated cycle touches it all over,
// and with small pages this costs a tenth of the time. Only here, where no program shares the heap.
void prefer_huge_pages() {
  constexpr std::size_t kBytes = 64 << 20, kHugePage = 2 << 20;
  mallopt(M_MMAP_THRESHOLD, kBytes);
  mallopt(M_TRIM_THRESHOLD, 2 * kBytes);
  mallopt(M_TOP_PAD, kBytes);
  void* const heap = std::malloc(kBytes / 2);  // where the heap ends now
  if (heap == nullptr) return;
  const auto begin = reinterpret_cast<std::uintptr_t>(heap);
  const std::uintptr_t first = (begin + kHugePage - 1) / kHugePage * kHugePage;
  madvise(reinterpret_cast<void*>(first), kBytes, MADV_HUGEPAGE);  // advice: an error changes nothing
  // Memory before the first huge page stays taken and is never touched.
  constexpr std::size_t kBookkeeping = 64;  // of the allocator, before the next block
  [[maybe_unused]] static void* unused = nullptr;
  if (first - begin > kBookkeeping)
    unused = std::realloc(heap, first - begin - kBookkeeping);
  else
    std::free(heap);
}

class NoHost : public memory::HostPort {
 public:
  void read(const std::byte* host, std::byte* to, Bytes bytes) override { std::memcpy(to, host, bytes); }
  void write(std::byte* host, const std::byte* from, Bytes bytes) override { std::memcpy(host, from, bytes); }
};

struct Buffer {
  const memory::Allocation* allocation;
};

template <typename T>
T number(std::string_view text, const std::string& argument) {
  T value{};
  int base = 10;
  std::string_view digits = text;
  if constexpr (std::is_integral_v<T>)
    if (digits.starts_with("0x")) {
      base = 16;
      digits.remove_prefix(2);
    }
  std::from_chars_result result{};
  if constexpr (std::is_integral_v<T>)
    result = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  else
    result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || result.ec != std::errc() || result.ptr != digits.data() + digits.size())
    throw Error(fmt::format("--arg {}: '{}' is no number of this type", argument, text));
  return value;
}

// A small generator with a fixed start, for repeatable runs (xorshift64*).
class Random {
 public:
  std::uint32_t next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return static_cast<std::uint32_t>((state_ * 0x2545F4914F6CDD1Dull) >> 32);
  }

 private:
  std::uint64_t state_ = 0x9E3779B97F4A7C15ull;
};

template <typename F>
void fill_words(std::byte* memory, Bytes bytes, F value_of) {
  for (Bytes at = 0; at + 4 <= bytes; at += 4) {
    const std::uint32_t value = value_of(static_cast<std::uint32_t>(at / 4));
    std::memcpy(memory + at, &value, 4);
  }
}

void initialize(std::byte* memory, Bytes bytes, std::string_view how, const std::string& argument,
                Random& random) {
  if (how.empty()) return;  // zeros
  if (how[0] == '@') {
    const std::string path(how.substr(1));
    std::ifstream file(path, std::ios::binary);
    if (!file) throw Error(fmt::format("--arg {}: cannot read {}", argument, path));
    file.read(reinterpret_cast<char*>(memory), static_cast<std::streamsize>(bytes));
    if (static_cast<Bytes>(file.gcount()) != bytes)
      throw Error(fmt::format("--arg {}: {} has only {} of {} bytes", argument, path, file.gcount(), bytes));
    return;
  }
  Random own = random;  // which no store to `memory` changes
  if (how == "random_u32") {
    fill_words(memory, bytes, [&](std::uint32_t) { return own.next(); });
  } else if (how == "iota_u32") {
    fill_words(memory, bytes, [](std::uint32_t index) { return index; });
  } else if (how == "random_f32") {  // in [0, 1)
    fill_words(memory, bytes, [&](std::uint32_t) {
      return std::bit_cast<std::uint32_t>(static_cast<float>(own.next() >> 8) * 0x1p-24f);
    });
  } else {
    throw Error(fmt::format("--arg {}: unknown contents '{}' (random_f32, random_u32, iota_u32, @file)",
                            argument, how));
  }
  random = own;
}

template <typename T>
void put(std::vector<std::byte>& out, T value) {
  out.resize(sizeof value);
  std::memcpy(out.data(), &value, sizeof value);
}

// One --arg as the bytes of a kernel parameter.
std::vector<std::byte> argument_bytes(const std::string& text, memory::AddressSpace& space, Random& random,
                                      std::vector<std::optional<Buffer>>& buffers) {
  const auto colon = text.find(':');
  const std::string type = text.substr(0, colon);
  const std::string_view rest =
      colon == std::string::npos ? std::string_view() : std::string_view(text).substr(colon + 1);
  std::vector<std::byte> out;
  buffers.emplace_back();
  if (type == "buffer") {
    const auto equals = rest.find('=');
    const Bytes bytes = number<std::uint64_t>(rest.substr(0, equals), text);
    space.called("--arg buffer");
    const memory::Allocation* allocation = space.allocate_device(bytes, memory::AllocationKind::Device);
    if (allocation == nullptr) throw Error(fmt::format("--arg {}: no room in device memory", text));
    if (equals != std::string_view::npos) {  // otherwise zeros, as nobody has used it
      std::vector<std::byte> initial(bytes);
      initialize(initial.data(), bytes, rest.substr(equals + 1), text, random);
      space.write(allocation->base, initial.data(), bytes);
    }
    buffers.back() = Buffer{allocation};
    put(out, allocation->base);
  } else if (type == "i32" || type == "s32") {
    put(out, number<std::int32_t>(rest, text));
  } else if (type == "u32") {
    put(out, number<std::uint32_t>(rest, text));
  } else if (type == "i64" || type == "s64") {
    put(out, number<std::int64_t>(rest, text));
  } else if (type == "u64") {
    put(out, number<std::uint64_t>(rest, text));
  } else if (type == "f32") {
    put(out, number<float>(rest, text));
  } else if (type == "f64") {
    put(out, number<double>(rest, text));
  } else {
    throw Error(
        fmt::format("--arg {}: unknown type '{}' (i32, u32, i64, u64, f32, f64, buffer)", text, type));
  }
  return out;
}

std::string kernel_names(const ptx::Module& module) {
  std::string names;
  for (const ptx::Kernel& kernel : module.kernels) names += (names.empty() ? "" : ", ") + kernel.name;
  return names.empty() ? "none" : names;
}

void dump(const std::string& request, const std::vector<std::optional<Buffer>>& buffers,
          machine::System& system) {
  const auto equals = request.find('=');
  std::size_t index = 0;
  const auto result =
      std::from_chars(request.data(), request.data() + std::min(equals, request.size()), index);
  if (equals == std::string::npos || result.ptr != request.data() + equals || index >= buffers.size() ||
      !buffers[index])
    throw Error(fmt::format("--dump {}: write N=FILE, N the position (from 0) of an --arg that is a buffer",
                            request));
  const memory::Allocation& allocation = *buffers[index]->allocation;
  system.settle(allocation.base, allocation.bytes);
  std::vector<std::byte> bytes(allocation.bytes);
  system.address_space().read(allocation.base, bytes.data(), bytes.size());
  std::ofstream file(request.substr(equals + 1), std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) throw Error(fmt::format("--dump {}: cannot write the file", request));
}

std::string text_of(const std::string& path) {
  std::optional<std::string> text = read_file(path);
  if (!text) throw Error(fmt::format("cannot read {}", path));
  return *std::move(text);
}

const ptx::Kernel& chosen_kernel(const ptx::Module& module, const BareKernelOptions& request) {
  if (const ptx::Kernel* kernel = module.find_kernel(request.kernel); kernel != nullptr) return *kernel;
  if (request.kernel.empty() && module.kernels.size() == 1) return module.kernels[0];
  throw Error(fmt::format("{} has no kernel '{}': --kernel one of {}", request.file, request.kernel,
                          kernel_names(module)));
}

std::vector<std::byte> parameter_bytes(const ptx::Kernel& kernel, const BareKernelOptions& request,
                                       memory::AddressSpace& space,
                                       std::vector<std::optional<Buffer>>& buffers) {
  if (request.arguments.size() != kernel.parameters.size())
    throw Error(fmt::format("kernel '{}' has {} parameters, {} --arg were given", kernel.name,
                            kernel.parameters.size(), request.arguments.size()));
  std::vector<std::byte> parameters(kernel.parameter_bytes);
  Random random;
  for (std::size_t i = 0; i < request.arguments.size(); ++i) {
    const auto bytes = argument_bytes(request.arguments[i], space, random, buffers);
    const ptx::Parameter& parameter = kernel.parameters[i];
    if (bytes.size() != parameter.bytes)
      throw Error(fmt::format("--arg {}: parameter {} of '{}' has {} bytes, not {}", request.arguments[i], i,
                              kernel.name, parameter.bytes, bytes.size()));
    std::memcpy(parameters.data() + parameter.offset, bytes.data(), bytes.size());
  }
  return parameters;
}

driver::Command launch_command(machine::Process& process, const ptx::Kernel& kernel,
                               const BareKernelOptions& request,
                               std::vector<std::optional<Buffer>>& buffers) {
  const gpu::Dim3 grid = dimensions(request.grid, "--grid"), block = dimensions(request.block, "--block");
  std::vector<std::byte> parameters =
      parameter_bytes(kernel, request, process.system().address_space(), buffers);
  const config::Machine& machine = process.config();
  if (block.count() > machine.gpu.sm.max_threads_per_block)
    throw Error(
        fmt::format("--block {}: more than {} threads", request.block, machine.gpu.sm.max_threads_per_block));
  if (process.occupancy(kernel, block.count(), request.shared_bytes).blocks_per_sm == 0)
    throw Error(fmt::format(
        "a block of kernel '{}' does not fit on an SM of {}: too many registers or too much shared memory",
        kernel.name, machine.name));
  driver::Command command;
  command.kind = driver::CommandKind::Launch;
  command.cost = &machine.driver.launch;
  command.stream = process.driver().create_stream({});
  command.grid = process.make_grid(kernel, grid, block, request.shared_bytes, std::move(parameters), false);
  return command;
}

struct Ending {
  int status = 0;
  bool cut_off = false;  // the kernel was not complete
  bool fault = false;
};

// Launches the kernel and waits for it.
Ending run_to_end(machine::Process& process, driver::Command command, RunMonitor& monitor) {
  Ending ending;
  const auto stopped = [&](int status, const char* why) {
    monitor.end();
    std::fprintf(stderr, "duet: %s\n", why);
    process.publish_end();
    ending = {status, true};
  };
  const auto thread = process.new_thread();
  process.call_begins(*thread, 0, 0);  // as a program's launch and wait
  try {
    const auto id = thread->submit(std::move(command));
    thread->wait(process.config().driver.device_synchronize, [&] { return process.driver().complete(id); });
  } catch (const Stopped& reason) {
    stopped(reason.status(), reason.what());
  } catch (const Deadlock& error) {
    stopped(124, error.what());
  }
  process.call_ends(*thread, 0);
  monitor.end();
  process.note_time(thread->clock());
  if (process.driver().fault()) {
    std::fprintf(stderr, "duet: %s\n", process.driver().fault()->text.c_str());
    ending.status = 125;
    ending.fault = true;
  }
  return ending;
}

// Runs the kernel on its buffers, with its records.
Ending simulate(const config::Machine& machine, const std::string& ptx, const RunOptions& options,
                const BareKernelOptions& request, const RunFolder& folder) {
  report::JournalWriter journal(folder.journal_directory());
  std::strncpy(journal.header().command, request.file.c_str(), sizeof journal.header().command - 1);
  NoHost host;
  machine::RunOptions run = options.run;
  run.limits.wall_time = wall_time_limit(options);
  run.limits.otherwise = otherwise(options);
  run.limits.signal = &end_at_signals();
  machine::Process process(
      machine, &journal, host, [](const std::string& line) { std::fputs(line.c_str(), stdout); }, run);
  RunMonitor monitor(folder.journal_directory(), options);
  const std::string name = request.file.substr(request.file.rfind('/') + 1);
  const ptx::Kernel& kernel = chosen_kernel(process.load_module(ptx, name).module, request);
  std::vector<std::optional<Buffer>> buffers;
  driver::Command command = launch_command(process, kernel, request, buffers);
  Ending ending = run_to_end(process, std::move(command), monitor);
  for (const std::string& one : request.dumps) try {
      dump(one, buffers, process.system());
    } catch (const Error& error) {  // the measurements stay
      std::fprintf(stderr, "duet: %s\n", error.what());
      ending.status = 125;
    }
  return ending;
}

}  // namespace

int run_bare_kernel(const config::Installation& installation, const RunOptions& options,
                    const BareKernelOptions& request) {
  prefer_huge_pages();
  check(options);
  RunFolder folder(options.out);
  const config::ResolvedMachine machine =
      config::load_machine(options.machine, installation.machines_directory, options.sets);
  machine::check_machine(machine, options.run.functional);
  const std::string ptx = text_of(request.file);
  folder.begin(machine);
  folder.write_words(options.words);
  folder.write_run_options(options.run);
  const auto started = std::chrono::steady_clock::now();
  end_at_signals();  // also while the PTX is read
  Ending ending;
  try {
    ending = simulate(machine.machine, ptx, options, request, folder);
  } catch (const Error&) {  // nothing has run
    std::error_code ignored;
    std::filesystem::remove_all(folder.journal_directory(), ignored);
    throw;
  }
  const double wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  const RunFolder::Outcome outcome =
      folder.render(installation, machine, wall_seconds, options, ending.cut_off, ending.fault);
  if (!options.quiet) std::fprintf(stderr, "duet: results in %s\n", folder.name().c_str());
  return ending.status == 0 && outcome.findings != 0 ? options.check_exit : ending.status;
}

}  // namespace duet::cli
