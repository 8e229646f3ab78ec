// The commands behind `duet NAME`. Each returns the process's exit status; a duet::Error is a line and 125.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "cli/options/run_words.h"
#include "config/installation.h"
#include "config/loader.h"
#include "explain/selection.h"
#include "machine/run_options.h"
#include "report/run_report.h"
#include "rv64/process/paths.h"

namespace duet::cli {

class RunFolder;

// Of `duet run`, besides how the run itself is made.
struct RunOptions {
  machine::RunOptions run;
  std::string machine = "gtx580";
  std::vector<std::string> sets;
  std::string json;  // --json: a file, "-", or empty
  std::string out;   // empty: duet-out, or the next free name
  bool quiet = false;
  bool no_html = false;      // no report.html
  int check_exit = 0;        // the status when the checks found something; 0: the program's
  std::string check_output;  // a file for the findings, as SARIF
  std::uint64_t records = report::RunReport::kRecords;
  bool wall_clock = false;  // programs see the host's clock
  double spin_diagnosis_seconds = 10;
  double timeout_seconds = 0;  // 0: no limit
  bool simulated_host = false;
  bool profile = false;         // makes a profile for pre-execution first (cli/run/preexec_profile.h)
  rv64::FileOptions files;      // of a program on the simulated host
  bool no_environment = false;  // that program gets no variables of this process
  std::vector<std::string> command;
  RunWords words;
  // Called with each process's results before its journal is gone; may be null. `into`: its folder in the
  // run's, "" or "2/".
  std::function<void(const RunFolder& folder, const std::string& into, const report::RunReport& report,
                     const config::Machine& machine)>
      on_report;
  bool keep_journal = false;  // as explain.journal
  // The same for a program on the simulated host without a GPU: its stats.json.
  std::function<void(const std::string& stats)> on_host_stats;
};

struct BareKernelOptions {
  std::string file;
  std::string kernel;
  std::string grid = "1", block = "1";
  std::uint64_t shared_bytes = 0;
  std::vector<std::string> arguments;
  std::vector<std::string> dumps;
};

// The request in the words behind `duet run`.
struct RunRequest {
  enum What { Program, BareKernel, Rv64 } what;
  BareKernelOptions bare;
};

// Checks a run's options and machine before it begins: throws duet::Error, or returns a line for each key
// without effect.
std::vector<std::string> check_run(const config::Installation& installation, const RunOptions& options,
                                   RunRequest::What what);
// Throws duet::Error where options contradict each other.
void check(const RunOptions& options);
int run_program(const config::Installation& installation, const RunOptions& options);
int run_bare_kernel(const config::Installation& installation, const RunOptions& options,
                    const BareKernelOptions& kernel);
// A static RV64 program on the simulated host.
int run_rv64(const config::Installation& installation, const RunOptions& options);
struct ReportOptions {
  std::string folder;
  std::uint64_t records = report::RunReport::kRecords;
  bool quiet = false;
  bool no_html = false;
};
int report_run(const config::Installation& installation, const ReportOptions& options);
int compile(const config::Installation& installation, const std::vector<std::string>& arguments);
// Becomes nvcc; returns only by an error.
int run_nvcc(const std::vector<std::string>& arguments);
// `json`: a file, "-", or empty.
int list_machines(const config::Installation& installation, const std::string& json);
int show_machine(const config::Installation& installation, const std::string& name,
                 const std::vector<std::string>& sets, const std::string& json);
int diff_machines(const config::Installation& installation, const std::string& first,
                  const std::string& second, const std::string& json);
// Keys with `within` in their names.
int list_keys(const config::Installation& installation, const std::string& within, bool markdown,
              const std::string& json);
struct CompareOptions {
  std::string first, second;  // folders of runs
  std::string json, html;     // empty: no file
  std::size_t rows = 12;      // of a list on the terminal
};
int compare_runs(const config::Installation& installation, const CompareOptions& options);
struct AdviseOptions {
  std::string folder;
  unsigned jobs = 0;  // runs at once; 0: as many as there are cores
  std::string json;   // a file, "-", or empty
};
int advise_run(const AdviseOptions& options);
struct ExplainOptions {
  explain::Selection selection;
  std::string json;  // of explain_folder(): a file, "-", or empty
};
// For a run by explain_run().
int explain_folder(const config::Installation& installation, const ExplainOptions& options,
                   const std::string& folder);
// `make` makes the run, with these options as they then are, and returns its status.
int explain_run(const config::Installation& installation, const ExplainOptions& options, RunOptions& run,
                const std::function<int()>& make);
struct PredictOptions {
  std::size_t rows = 20;  // kernels of the table
  bool sampled = false;   // execute only the slices that decide the kernels' time
};
// `make` makes the run, with these options as they then are, and returns its status.
int predict_run(const PredictOptions& options, RunOptions& run, const std::function<int()>& make);
struct ModelOptions {
  std::string file;     // of a model
  std::string machine;  // or a machine's instance of it
  std::string view;     // "cuda", also when empty, or "opencl"
  bool host = false;    // with a level for the processor
  std::vector<std::string> sets;
  std::string replay;       // or the folder of a run
  std::uint64_t steps = 0;  // 0: to the end
  std::string json;         // empty: no file
};
int show_model(const config::Installation& installation, const ModelOptions& options);
struct StatsOptions {
  std::string folder;
  std::string list;              // of stats.json; of describe(): a field, or empty
  std::string schema = "stats";  // or host_stats, comparison, advice, run
  std::string json;              // a file, "-", or empty
};
int describe_statistics(const config::Installation& installation, const StatsOptions& options);
int print_csv(const StatsOptions& options);

// The public names of a machine's statistics.
std::set<std::string> statistic_names(const config::Installation& installation, const std::string& machine,
                                      const std::vector<std::string>& sets);
int list_statistics(const config::Installation& installation, const std::string& machine, bool markdown,
                    const std::string& json);

struct PtxCoverageOptions {
  std::string opcode;  // of all when empty
  bool forms = false;  // every form, instead of the table
  bool markdown = false;
};
int show_ptx_coverage(const config::Installation& installation, const PtxCoverageOptions& options);

struct PreexecOptions {
  std::string file;    // PTX
  std::string kernel;  // all when empty
  std::string out;     // of the C; empty: standard output
  std::string elf;
  std::string grid, block;  // of the launch; empty: any
  bool report = false, forwarded_blocks = false;
  bool blocks = false;  // the kernel itself, block by block, instead
};
int preexecute(const PreexecOptions& options);

}  // namespace duet::cli
