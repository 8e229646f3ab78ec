// Compiles workloads and runs them under `duet run` in child processes, two at a time. A finished run is not
// made again: choices and claims share most runs. With a folder for finished runs (--work), not in a later
// command either, as long as Duet, the machines and the workloads are the same.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "config/installation.h"
#include "reproduce/reproduce.h"

namespace duet::reproduce {

struct Job {
  std::string source;  // below the workloads folder, without .cu; or .cpp of a processor's program
  std::vector<std::string> defines;  // for the compiler; of a processor's program all its options
  std::vector<std::string> arguments;
  std::string machine;
  std::vector<std::string> sets;
  std::vector<std::string> run_options = {};  // of `duet run`
  bool check_races = false;
  // A program without a GPU: for RV64, on the cores of `machine`.
  bool on_processor = false;
  bool on_cores = false;  // one with a GPU, whose host code is for RV64, on the cores of `machine`
  // A C program, .c, with this library; its kernels lie beside it in .cl, and it finds them by --code FOLDER.
  std::string library = {};  // "OpenCL", "hsa-runtime64"; empty: none
};

struct Outcome {
  int status = 0;             // exit status of `duet run`
  std::string output;         // standard output
  std::string error;          // standard error
  nlohmann::json statistics;  // stats.json; null when the run left none

  bool right() const { return status == 0; }
  // The machine could not go on.
  bool deadlock() const { return status == 124 && error.find("no progress") != std::string::npos; }
  // The program found a wrong element.
  bool mismatch() const { return status == 1 && error.find(", expected ") != std::string::npos; }
  // The error, in a line.
  std::string error_line() const;
  // Between the marks "data ready" and "finish"; 0 without them.
  double runtime_us() const;
  // The time that a processor's program prints for its work in a state (fresh, warm, cold:
  // workloads/lustig2013/cpu/timed.h); 0 when it is missing.
  double processor_us(const std::string& state) const;
  // Between two marks; 0 without them.
  double us_between(const char* from, const char* to) const;
  // A statistic of the machine at the run's end; 0: it has none of this name.
  double counter(const char* name) const;
  // A statistic of the machine, or a state, at the last mark of this name; nothing without such a mark.
  std::optional<double> at_mark(const char* mark, const char* name) const;
};

class Runner {
 public:
  Runner(const config::Installation& installation, const Options& options);
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  // Whether programs for processors can be compiled here.
  static bool has_processor_compiler();

  // In the order of the jobs. A failed compilation is an Error; a failed run is an Outcome.
  std::vector<const Outcome*> run(const std::string& title, const std::vector<Job>& jobs);

 private:
  struct Child {
    std::string key;
    std::filesystem::path folder;
  };

  const std::string& compiled(const Job& job);
  std::vector<std::string> compilation(const Job& job, const std::string& program) const;
  void compile_kernels(const Job& job) const;
  std::filesystem::path kernels_of(const Job& job) const;
  int start(const Job& job, const std::filesystem::path& folder);
  std::filesystem::path kept(const std::string& key) const;
  bool recall(const std::string& key);
  void keep(const std::string& key) const;
  void show(const std::string& title, std::size_t done, std::size_t of) const;

  const config::Installation& installation_;
  bool quiet_, terminal_;
  std::filesystem::path folder_;
  std::filesystem::path work_;                   // empty: nothing is kept
  std::uint64_t build_ = 0;                      // of everything a run depends on but its job
  std::map<std::string, std::string> programs_;  // by source and definitions
  std::map<std::string, Outcome> outcomes_;      // by all of the job
  std::size_t runs_ = 0;
};

}  // namespace duet::reproduce
