#include "process/program.h"

#include <pthread.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <xmmintrin.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <utility>

#include "base/file.h"
#include "config/loader.h"
#include "machine/run_options.h"
#include "machine/watch/host_pages.h"
#include "machine/watch/trace_options.h"
#include "process/access_fault.h"

namespace duet::process {

namespace {

ProgramSide* program_side = nullptr;
bool is_forked = false;
std::atomic<bool> is_made = false;
thread_local Thread* this_thread = nullptr;  // never freed: global destructors still make calls

std::string text_of(const std::string& path) {
  std::optional<std::string> text = read_file(path);
  if (!text) throw Error("cannot read " + path);
  return *std::move(text);
}

std::string own_command() {
  std::ifstream file("/proc/self/cmdline");
  std::string text, argument;
  while (std::getline(file, argument, '\0')) text += (text.empty() ? "" : " ") + argument;
  return text;
}

[[noreturn]] void refuse_to_start(const std::string& line) {
  std::fflush(nullptr);
  std::fprintf(stderr, "duet: %s\n", line.c_str());
  if (const char* journal = std::getenv("DUET_JOURNAL"))  // a script may go on: the run is told
    std::ofstream(std::string(journal) + "/refused");
  _exit(125);
}

Picoseconds real_clock_ps() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<Picoseconds>(time.tv_sec) * kPicosecondsPerSecond +
         static_cast<Picoseconds>(time.tv_nsec) * kPicosecondsPerNanosecond;
}

// Default rounding, all exceptions masked, subnormals kept.
constexpr unsigned kDefaultMxcsr = 0x1f80;

unsigned exchange_mxcsr(unsigned value) {
  const unsigned old = _mm_getcsr();
  _mm_setcsr(value);
  return old;
}

Program& entered(Program& program) {
  program.host_threads().enter();
  return program;
}

}  // namespace

// The program's memory: it lies in this process, or on its side.
class Program::Memory : public memory::HostPort {
 public:
  void read(const std::byte* host, std::byte* to, Bytes bytes) override {
    if (program_side != nullptr) return program_side->read(host, to, bytes);
    const HostAccess access("a copy", host, bytes, false);
    std::memcpy(to, place ? place(host) : host, bytes);
  }
  void write(std::byte* host, const std::byte* from, Bytes bytes) override {
    if (program_side != nullptr) return program_side->write(host, from, bytes);
    const HostAccess access("a copy", host, bytes, true);
    std::memcpy(place ? place(host) : host, from, bytes);
  }

  std::function<std::byte*(const std::byte*)> place;
};

// Behind another thread's turn the call of this one goes on.
class Program::Others : public host::OtherThreads {
 public:
  explicit Others(Program& program) : program_(program) {}
  bool any_waits() const override { return program_.host_threads_.any_waits(); }
  bool want_turn() const override { return program_.host_threads_.want_turn(); }
  void give_turn(const std::function<bool()>& done) override {
    const char* const calling = program_.space().calling();
    program_.host_threads_.give_turn(done);
    program_.space().called(calling);
  }
  bool wait_for_another() override {
    const char* const calling = program_.space().calling();
    const bool possible = program_.host_threads_.wait_for_another();
    program_.space().called(calling);
    return possible;
  }

 private:
  Program& program_;
};

bool Program::forked() { return is_forked; }
Thread* Program::known_thread() { return this_thread; }

Program& Program::get() {
  static Program* const program = new Program;
  return *program;
}

void Program::run_for(ProgramSide& side) { program_side = &side; }

Program::Program() : side_(program_side) {
  const char* journal_directory = std::getenv("DUET_JOURNAL");
  if (journal_directory == nullptr || *journal_directory == '\0')
    refuse_to_start("this program runs on a simulated machine: start it with `duet run " + own_command() +
                    "`");
  try {
    start(journal_directory);
  } catch (const std::exception& error) {
    if (journal_ != nullptr) journal_->header().failure = 125;
    refuse_to_start(message_of(error));
  }
  is_made = true;
  if (side_ != nullptr) return;
  watch_faults(*this);
  host_threads_.on_long_wait = [this] {
    std::fprintf(stderr, "duet: the machine stands still until another thread of the program acts: %s\n",
                 machine_->standstill().c_str());
  };
  host_clock_.begin(*this);
  pthread_atfork(nullptr, nullptr, [] {
    is_forked = true;
    if (machine::HostPages* const pages = get().machine().host_pages()) pages->open_all();
  });
}

void Program::start(const std::string& journal_directory) {
  const config::ResolvedMachine machine = config::load_machine(journal_directory + "/machine.toml", "");
  machine::RunOptions options = machine::run_options_of(text_of(journal_directory + "/run_options.json"));
  options.limits.alive = journal_directory + "/alive";
  journal_ = std::make_unique<report::JournalWriter>(journal_directory);
  report::JournalHeader& header = journal_->header();
  std::strncpy(header.command, (side_ != nullptr ? side_->command() : own_command()).c_str(),
               sizeof header.command - 1);
  const auto& trace = options.of<machine::TraceOptions>();
  header.events = trace.events || trace.all_calls;
  const std::string own = header.process_index == 0 ? "" : "/" + std::to_string(header.process_index);
  options.ptx_folder = journal_directory + "/../ptx" + own;
  options.ptx_name += own;
  host_time_real_ = options.host_time_real;
  if (host_time_real_) header.deterministic = 0;
  memory_ = std::make_unique<Memory>();
  others_ = std::make_unique<Others>(*this);
  machine_ = std::make_unique<machine::Process>(
      machine.machine, journal_.get(), *memory_, [this](const std::string& text) { printed_ += text; },
      options);
}

Thread& Program::thread() {
  if (this_thread == nullptr) {
    this_thread = new Thread;
    this_thread->number = threads_++;
    if (side_ != nullptr) {
      this_thread->host = side_->new_thread(*machine_);
      return *this_thread;
    }
    auto host = machine_->new_thread();
    host->others = others_.get();
    this_thread->host = std::move(host);
    host_clock_.first_call(*this_thread);
    if (threads_ > 1) journal_->header().deterministic = 0;
  }
  return *this_thread;
}

void Program::reach_memory_by(std::function<std::byte*(const std::byte*)> place) {
  memory_->place = std::move(place);
}

void Program::pass_real_time(Thread& thread) const {
  if (!host_time_real_ || thread.real_time_mark == 0) return;
  const Picoseconds now = real_clock_ps();
  thread.host->work(now - std::exchange(thread.real_time_mark, now));
}

void Program::simulate_to(host::HostThread& host) {
  const unsigned mxcsr = exchange_mxcsr(kDefaultMxcsr);
  host.enter();
  machine_->note_time(host.clock());
  host_clock_.machine_at(machine_->engine().now());
  journal_->header().outstanding = driver().outstanding();
  _mm_setcsr(mxcsr);
}

void Program::flush_print() {
  if (printed_.empty()) return;
  if (side_ != nullptr) {
    text_for_program_ += std::exchange(printed_, {});
    return;
  }
  std::fwrite(printed_.data(), 1, printed_.size(), stdout);
  printed_.clear();
}

void Program::read_memory(const char* what, const void* from, void* to, Bytes bytes) const {
  if (side_ != nullptr) return side_->read(from, to, bytes);
  const HostAccess access(what, from, bytes, false);
  std::memcpy(to, from, bytes);
}

void Program::write_memory(const char* what, void* to, const void* from, Bytes bytes) const {
  if (side_ != nullptr) return side_->write(to, from, bytes);
  const HostAccess access(what, to, bytes, true);
  std::memcpy(to, from, bytes);
}

void* Program::allocate_memory(Bytes bytes, bool uncached) {
  if (side_ != nullptr) return side_->allocate(bytes, uncached);
  void* const first = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return first != MAP_FAILED ? first : nullptr;
}

void Program::release_memory(void* first, Bytes bytes) {
  if (side_ != nullptr)
    side_->release(first, bytes);
  else
    munmap(first, bytes);
}

void Program::mark(const char* name) {
  const auto own = lock();
  const HostTime host_time;
  const unsigned mxcsr = exchange_mxcsr(kDefaultMxcsr);
  host::HostThread& host = *thread().host;
  host.enter();  // the machine is where its statistics are asked for
  machine_->mark(name, host.clock());
  machine_->note_time(host.clock());
  _mm_setcsr(mxcsr);
}

void Program::end(int status, const std::string& line) {
  const auto own = lock();
  flush_print();
  std::fwrite(text_for_program_.data(), 1, text_for_program_.size(), stdout);
  std::fflush(nullptr);
  std::fprintf(stderr, "duet: %s\n", line.c_str());
  journal_->header().failure = static_cast<std::uint32_t>(status);
  machine_->publish_end();
  _exit(status);
}

void Program::refuse(const std::string& line) {
  if (is_made) get().end(125, line);
  refuse_to_start(line);
}

Call::Call(CountedFunction& function)
    : mxcsr_(exchange_mxcsr(kDefaultMxcsr)),
      program_(entered(Program::get())),
      lock_(program_.lock()),
      thread_(program_.thread()),
      function_(function),
      timed_(program_.machine().system().time_of_model()) {
  if (timed_) entered_ = std::chrono::steady_clock::now();
  number_ = ++program_.journal().header().entered_calls;
  outer_number_ = thread_.host->set_call(number_);
  program_.space().called(function_.name);
  if (function_.count == nullptr) function_.count = &program_.journal().api(function_.name);
  ++thread_.calls_inside;
  program_.pass_real_time(thread_);
  const Picoseconds clock = thread_.host->clock();
  start_ps_ = std::max(clock, program_.machine().engine().now());
  thread_.host->enter();
  program_.machine().call_begins(*thread_.host, number_, clock);
}

Call::~Call() {
  report::JournalHeader& header = program_.journal().header();
  thread_.host->set_call(outer_number_);
  program_.machine().call_ends(*thread_.host, outer_number_);
  function_.count->calls.fetch_add(1, std::memory_order_relaxed);
  function_.count->total_ps.fetch_add(thread_.host->clock() - start_ps_, std::memory_order_relaxed);
  if (header.events != 0 || number_ <= report::ApiCallRecord::kCalls)
    program_.journal().append(
        report::RecordType::ApiCall,
        report::ApiCallRecord{static_cast<std::uint32_t>(function_.count - header.api), thread_.number,
                              start_ps_, thread_.host->clock(), number_, outer_number_});
  program_.machine().note_time(thread_.host->clock());
  program_.host_clock_.machine_at(program_.machine().engine().now());
  header.outstanding = program_.driver().outstanding();
  ++header.left_calls;
  if (program_.host_time_real()) thread_.real_time_mark = real_clock_ps();
  if (--thread_.calls_inside == 0 && timed_) {
    const auto took = std::chrono::steady_clock::now() - entered_;
    header.inside_calls_ns +=
        static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(took).count());
  }
  program_.host_threads().leave();
  _mm_setcsr(mxcsr_);
}

}  // namespace duet::process
