// A CUDA, OpenCL or HSA program on simulated cores: its process, its calls, and their runtime here.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <string>

#include "guest/served_calls.h"
#include "machine/host/simulated_host.h"
#include "process/program.h"

namespace duet::guest {

class GuestProgram final : public process::ProgramSide {
 public:
  // Throws duet::Error where the program cannot be run. Started by `duet run`, with a journal.
  explicit GuestProgram(const rv64::ProcessOptions& options);
  ~GuestProgram() override;

  // To the program's end. A standstill or an error of the machine ends this process, with one line.
  rv64::ProcessEnd run();

  std::string command() const override;
  void read(const void* from, void* to, Bytes bytes) override;
  void write(void* to, const void* from, Bytes bytes) override;
  void check(const char* what, const void* first, Bytes bytes, bool writes) override;
  void* allocate(Bytes bytes, bool uncached) override;
  std::uint64_t word_at(const void* place) override;
  void* doorbells() override;
  void release(void* first, Bytes bytes) override;
  void hide(void* first, Bytes bytes, bool hidden) override;
  std::uint64_t call(const Function& function) override;
  void begin(const Function& function, std::function<void()> ended) override;
  void expect_functions() override;
  std::unique_ptr<host::HostThread> new_thread(machine::Process& machine) override;

  // For the program's thread of host functions: its last one has ended; waits for the next one.
  Function next_function();

 private:
  struct Name {
    std::string text;
    ServedName served;
  };
  struct Due {
    Function function;
    std::function<void()> ended;
  };
  [[noreturn]] void end_by_fault(const char* what, const void* first, Bytes bytes, const rv64::Fault& fault);
  std::uint64_t result_of(const Name& name, ArgumentWords& words);
  std::uint64_t serve(const host::GuestCall& call);
  std::uint64_t hand_over(std::uint64_t result, const Function* function, std::uint64_t due);
  void meet(const Name& name);
  std::uint64_t take_text(std::uint64_t to, std::uint64_t room);
  const Name& name_at(std::uint64_t address);

  const rv64::ProcessOptions options_;
  std::map<std::uint64_t, Name> names_;  // by where they lie in the program
  process::Program& program_;
  const Name* first_call_ = nullptr;  // of an API
  std::deque<Due> due_;               // host functions not yet begun in the program
  std::function<void()> ended_;       // of the begun one; empty: none
  void* doorbells_ = nullptr;         // null: not made yet
  host::GuestCalls calls_;
  machine::SimulatedHost host_;
};

}  // namespace duet::guest
