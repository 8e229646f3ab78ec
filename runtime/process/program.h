// A program's process, for every API: the program's machine (one a process), the lock for calls, the threads
// with their clocks, the journal. An API's own parts (handles, errors, rules) stand on this. Made by the
// first call, never destroyed: a global destructor may still make calls.
//
//   CountedFunction function{"clFinish"};
//   return process::or_end(function.name, [&] { const Call call(function); ... call.thread().host ... });
//
// Rules for living in somebody's process: after fork the child's calls are refused (`forked`), as on silicon;
// MXCSR is saved, set to its default and restored around every call, because a program built with -ffast-math
// flushes subnormals; a standstill or an error of the machine ends the program with one line.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <string>

#include "base/error.h"
#include "host/native_thread.h"
#include "machine/process.h"
#include "memory/host_port.h"
#include "process/host_clock.h"
#include "process/host_threads.h"
#include "process/program_side.h"
#include "report/journal/journal.h"

namespace duet::process {

// A function of an API, whose calls are counted.
struct CountedFunction {
  const char* name;
  report::ApiCount* count = nullptr;
};

// A thread of the program.
struct Thread {
  std::unique_ptr<host::HostThread> host;
  std::uint32_t number = 0;
  unsigned calls_inside = 0;       // of its own call, and of calls by functions called there
  Picoseconds real_time_mark = 0;  // --host-time real: when the last call returned, by the real clock
};

class Program {
 public:
  // Ends the process with 125 and one line when it was not started by `duet run`.
  static Program& get();
  // The child of a fork: it has no machine.
  static bool forked();

  // Keeps other threads of the program out of the API. Calls of a program on simulated cores are served one
  // at a time anyway, and a waiting one lets others be served.
  std::unique_lock<std::recursive_mutex> lock() {
    return side_ != nullptr ? host_threads_.no_lock() : host_threads_.lock();
  }
  // The same, without waiting for it.
  std::unique_lock<std::recursive_mutex> try_lock() { return host_threads_.try_lock(); }
  HostThreads& host_threads() { return host_threads_; }
  Thread& thread();
  // The program is not this process: it is there. Before the first get().
  static void run_for(ProgramSide& side);
  // Null: this process is the program.
  ProgramSide* side() const { return side_; }
  // Bytes of the program's memory. `what` reads or writes them, for messages.
  void read_memory(const char* what, const void* from, void* to, Bytes bytes) const;
  void write_memory(const char* what, void* to, const void* from, Bytes bytes) const;
  // Pages of the program, zeroed; null where it may have no more.
  void* allocate_memory(Bytes bytes, bool uncached = false);
  void release_memory(void* first, Bytes bytes);
  // Null before the thread's first call.
  static Thread* known_thread();
  machine::Process& machine() { return *machine_; }
  driver::Driver& driver() { return machine_->driver(); }
  memory::AddressSpace& space() { return machine_->system().address_space(); }
  const config::Machine& config() const { return machine_->config(); }
  report::JournalWriter& journal() { return *journal_; }
  bool host_time_real() const { return host_time_real_; }

  // An API that keeps memory from the program at times gives the place of its bytes then.
  void reach_memory_by(std::function<std::byte*(const std::byte*)> place);

  // --host-time real: the processor time since the thread's last call passes for it.
  void pass_real_time(Thread& thread) const;
  // The machine comes to where the thread is, outside of a call.
  void simulate_to(host::HostThread& host);
  // Device code's output appears at flush_print(): here, or, for a program outside this process, in
  // text_for_program(), to be taken from there.
  void flush_print();
  std::string& text_for_program() { return text_for_program_; }
  // A mark at the thread's time, with the machine's statistics then.
  void mark(const char* name);
  // Says the line and ends the whole process; `duet run` passes the status on.
  [[noreturn]] void end(int status, const std::string& line);
  // The same with 125, for programs that Duet does not run at all. Makes no machine where there is none yet.
  [[noreturn]] static void refuse(const std::string& line);

 private:
  class Memory;
  class Others;
  friend class Call;
  Program();
  void start(const std::string& journal_directory);

  ProgramSide* const side_;
  HostThreads host_threads_;
  HostClock host_clock_;
  std::unique_ptr<report::JournalWriter> journal_;
  std::unique_ptr<Memory> memory_;
  std::unique_ptr<Others> others_;
  std::unique_ptr<machine::Process> machine_;
  std::string printed_, text_for_program_;
  std::uint32_t threads_ = 0;
  bool host_time_real_ = false;
};

// While it lives, the thread is inside a call: under the lock, in the default floating-point environment, its
// clock not behind the machine's.
class Call {
 public:
  explicit Call(CountedFunction& function);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  Thread& thread() const { return thread_; }

 private:
  HostTime host_time_;
  unsigned mxcsr_;
  Program& program_;
  std::unique_lock<std::recursive_mutex> lock_;
  Thread& thread_;
  CountedFunction& function_;
  const bool timed_;  // real time, for `duet predict`
  std::chrono::steady_clock::time_point entered_;
  Picoseconds start_ps_;
  std::uint64_t number_, outer_number_;  // from 1; 0: this call is not made from inside another
};

// Runs `body`; a standstill or an error of the machine ends the program, with the call as the last fact of
// its report.
template <typename Body>
auto or_end(const char* function, Body&& body) {
  const auto in_call = [&] { return std::string("\n  the host is in ") + function; };
  try {
    return body();
  } catch (const Stopped& stopped) {
    Program::get().end(stopped.status(), stopped.what() + in_call());
  } catch (const Deadlock& error) {
    Program::get().end(124, error.what() + in_call());
  } catch (const std::exception& error) {
    Program::get().end(125, message_of(error));
  }
}

}  // namespace duet::process
