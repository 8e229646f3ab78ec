// `duet`: the command line. Options are read here and in subcommands.cpp, and nowhere else.
#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/options/explain_options.h"
#include "cli/options/guest_words.h"
#include "cli/options/json_output.h"
#include "cli/options/option_fields.h"
#include "cli/options/option_groups.h"
#include "cli/run/preexec_profile.h"
#include "cli/subcommands.h"
#include "cli/usage.h"
#include "machine/features.h"
#include "machine/watch/line_options.h"
#include "machine/watch/trace_options.h"
#include "sweep/sweep.h"

namespace {

using namespace duet::cli;
namespace config = duet::config;
namespace sweep = duet::sweep;

constexpr const char* kIntroduction =
    "Duet runs CUDA and OpenCL programs on simulated CPU-GPU machines and tells where the time of an offload "
    "goes.\n\n"
    "First steps:\n"
    "  duet cc app.cu -o app            compile a CUDA program (clang, no NVIDIA file)\n"
    "  duet run ./app                   run it on the GTX 580 of lustig2013; results in duet-out/\n"
    "  duet run --set gpu.sm.count=8 ./app    the same on a changed machine\n"
    "  duet machines show gtx580        every parameter with its unit and source\n"
    "Binaries of nvcc, and of OpenCL, run as they are (stripped: with -cudart shared).\n"
    "Exit status: the program's own; 125 when Duet cannot run it, 124 on deadlock or time-out, 2 where the\n"
    "command line cannot be read.";

constexpr const char* kRunFooter =
    "Everything behind the first word that is no option belongs to the command.\n"
    "Examples:\n"
    "  duet run --machine gtx580 --out results ./app --size 1024\n"
    "  duet run -- ./script.sh          every CUDA process of a script; process k leaves results in DIR/k/\n"
    "  duet run k.ptx --kernel vecadd --grid 256 --block 256 \\\n"
    "      --arg buffer:262144=random_f32 --arg buffer:262144=random_f32 --arg buffer:262144 --arg i32:65536 "
    "--dump 2=c.bin";

void add_bare_kernel_options(CLI::App& app, BareKernelOptions& bare) {
  app.add_option("--kernel", bare.kernel, "kernel of the PTX file (when it has several)");
  app.add_option("--grid", bare.grid, "blocks X,Y,Z")->capture_default_str();
  app.add_option("--block", bare.block, "threads X,Y,Z")->capture_default_str();
  app.add_option("--shared", bare.shared_bytes, "dynamic shared memory, bytes")->capture_default_str();
  app.add_option("--arg", bare.arguments,
                 "a kernel argument, in order: i32:7, u64:7, f32:1.5, f64:1.5, buffer:BYTES (zeros), "
                 "buffer:BYTES=random_f32|random_u32|iota_u32|@file")
      ->allow_extra_args(false);
  app.add_option("--dump", bare.dumps, "N=FILE: write buffer argument N (from 0) after the run")
      ->allow_extra_args(false);
  group_run_options(app);
}

void add_records_option(CLI::App& app, std::uint64_t& records) {
  app.add_option(
         "--records", records,
         "kernels, and copies, that stats.json lists one by one, the first that complete; the rest are "
         "in groups of equal ones (kernel_groups, copy_groups)")
      ->capture_default_str();
}

// Options that end a run, or show why it does not end.
void add_limit_options(CLI::App& app, RunOptions& run) {
  app.add_option(
         "--spin-diagnosis", run.spin_diagnosis_seconds,
         "seconds of CPU time without a CUDA call, while GPU work is outstanding, after which one line "
         "says why the program may wait for ever; 0: never")
      ->capture_default_str();
  app.add_option("--timeout", run.timeout_seconds,
                 "end the run (status 124, results so far) after this many seconds of wall time")
      ->check(above_zero());
}

// Options with a choice of two words.
void add_choice_options(CLI::App& app, RunOptions& run) {
  app.add_option_function<std::string>(
         "--host", [&run](const std::string& host) { run.simulated_host = host == "simulated"; },
         "who executes the command: this computer (native, the default), or Duet (simulated): a static RV64 "
         "Linux program, also a CUDA program of `duet cc --host riscv64`, on the cores of --machine or, with "
         "--functional, without time and GPU (docs/use/simulated-host.md)")
      ->check(CLI::IsMember({"native", "simulated"}))
      ->type_name("native|simulated");
  app.add_option(
      "--root", run.files.root,
      "folder in which a program on the simulated host finds its files first; what is not there is "
      "looked for on this computer");
  app.add_option("--writable", run.files.writable,
                 "folder in which a program on the simulated host may change files, besides the current one; "
                 "each --writable takes one")
      ->allow_extra_args(false);
  app.add_flag("--no-environment", run.no_environment,
               "a program on the simulated host gets no variables of this shell");
  app.add_option_function<std::string>(
         "--clock", [&run](const std::string& clock) { run.wall_clock = clock == "wall"; },
         "which clock the program reads, and sleeps by: its thread's simulated one, from a fixed date "
         "(simulated, the default), or the host's (wall)")
      ->check(CLI::IsMember({"simulated", "wall"}))
      ->type_name("simulated|wall");
}

void add_run_options(CLI::App& app, RunOptions& run) {
  app.add_option("-m,--machine", run.machine, "machine: a name (`duet machines`) or a .toml file")
      ->capture_default_str();
  app.add_option("--set", run.sets, "change one machine parameter: key=value; each --set takes one key")
      ->allow_extra_args(false);
  app.add_option("-o,--out", run.out,
                 "folder for the results; without it, duet-out-2 and so on while another run writes into "
                 "duet-out")
      ->default_str("duet-out");
  add_json_option(app, run.json,
                  app.get_name() == "predict"   ? "the prediction (duet.prediction/1)"
                  : app.get_name() == "explain" ? "the explanation (duet.explanation/1)"
                                                : "stats.json, of several processes a list of them,")
      ->description(app.get_option("--json")->get_description() +
                    ": the command's own output goes to standard error");
  app.add_flag("-q,--quiet", run.quiet, "no table");
  app.add_flag("--no-html", run.no_html, "no report.html");
  add_records_option(app, run.records);
  add_limit_options(app, run);
  add_choice_options(app, run);
  add_fields(app, duet::machine::fields_of(run.run));
  app.add_flag(
      "--profile", run.profile,
      "with --preexec profiled: run the command with skip factors of 32 to 224 first, and keep what each "
      "kernel was fastest with in COMMAND.preexec.json");
  app.add_option("--check-exit", run.check_exit,
                 "exit status when --check has found something; without it the program's own")
      ->check(CLI::Range(1, 255));
  app.add_option("--check-output", run.check_output,
                 "what --check finds is written into this file too, as SARIF 2.1.0");
  group_run_options(app);
}

// CLI11 takes `--` for itself; here it only ends Duet's own options, so it is dropped where it stands before
// the command.
void drop_separator(const CLI::App& run_app, std::vector<std::string>& arguments) {
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    if (arguments[i] == "--") {
      arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(i));
      return;
    }
    if (!arguments[i].starts_with("-")) return;
    const CLI::Option* option = run_app.get_option_no_throw(arguments[i]);
    if (option != nullptr && option->get_items_expected_max() > 0) ++i;  // its value
  }
}

// Of a program on the simulated host: without time no machine has a part in it, and some options are of a
// GPU.
void refuse_idle_options(const CLI::App& app, bool functional, bool has_gpu) {
  static const std::set<std::string> kAlways = {"--host", "--functional", "--timeout",       "--quiet",
                                                "--root", "--writable",   "--no-environment"};
  static const std::set<std::string> kWithTime = {"--machine", "--set",     "--out",        "--json",
                                                  "--no-html", "--shuffle", "--two-threads"};
  static const std::set<std::string> kOfNativeHost = {"--clock", "--host-time", "--spin-diagnosis"};
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_name();
    const bool acts = kAlways.contains(name) || (!functional && kWithTime.contains(name)) ||
                      (has_gpu && !kOfNativeHost.contains(name)) ||
                      (name == "--trace-detail" && option->as<std::string>() == "none");
    if (option->count() != 0 && !acts)
      throw duet::Error(fmt::format("{} does nothing with --host simulated{}: leave it out", name,
                                    functional ? " --functional"
                                    : has_gpu  ? ""
                                               : " on a machine without a GPU"));
  }
}

// Fills in the words behind Duet's own options. Returns the request.
RunRequest read_run(const config::Installation& installation, const CLI::App& app, RunOptions& run) {
  run.command = app.remaining();
  if (run.command.empty())
    throw UsageError("run what? give a command or a .ptx file (see `duet " + app.get_name() + " --help`)");
  if (run.command[0].starts_with("-"))
    throw UsageError("unknown option " + run.command[0] + " before the command (see `duet " + app.get_name() +
                     " --help`)");
  const std::string& first = run.command[0];
  check_preexecution(run);
  if (!run.sets.empty() && first.find('=') != std::string::npos && !std::filesystem::exists(first))
    throw UsageError("'" + first +
                     "' stands where the program is expected: each --set takes one key: write --set " +
                     first);
  if (run.simulated_host) {
    const bool has_gpu =
        !run.run.functional && config::load_topology(run.machine, installation.machines_directory, run.sets)
                                   .topology.gpu.has_value();
    refuse_idle_options(app, run.run.functional, has_gpu);
    run.run.simulated_host = has_gpu;
    return {has_gpu ? RunRequest::Program : RunRequest::Rv64, {}};
  }
  if (const auto own = guest_words(run); !own.empty())
    throw duet::Error(own[0] + " is for --host simulated: leave it out");
  if (!first.ends_with(".ptx")) return {RunRequest::Program, {}};
  RunRequest request{RunRequest::BareKernel, {}};
  request.bare.file = run.command[0];
  CLI::App rest("duet run " + request.bare.file);
  add_run_options(rest, run);
  add_bare_kernel_options(rest, request.bare);
  std::vector<std::string> arguments(run.command.rbegin(), run.command.rend() - 1);
  rest.parse(arguments);
  return request;
}

// A pipe whose reader has gone (`duet run ./a 2>&1 | head -1`) is an error of write(): the results are
// written all the same. A command finds the signal as it was.
void outlive_readers() {
  std::signal(SIGPIPE, [](int) {});
}

int run(const config::Installation& installation, CLI::App& app, RunOptions& run) {
  outlive_readers();
  const RunRequest request = read_run(installation, app, run);
  std::optional<bool>& lines = run.run.of<duet::machine::LineOptions>().asked;
  if (!lines) lines = !run.no_html && !run.run.functional;
  if (request.what == RunRequest::Rv64 && run.run.of<duet::machine::TraceOptions>().explain)
    throw duet::Error("explain: there is nothing to explain without a GPU: use `duet run`");
  if (request.what == RunRequest::Rv64) return run_rv64(installation, run);
  if (run.profile) make_profile(installation, run);
  read_profile(run);
  if (request.what == RunRequest::Program) return run_program(installation, run);
  return run_bare_kernel(installation, run, request.bare);
}

// The remarks of `duet run` on these words before anything runs.
std::vector<std::string> check_run_words(const config::Installation& installation,
                                         std::vector<std::string> words) try {
  CLI::App app("duet run");
  RunOptions options;
  add_run_options(app, options);
  app.prefix_command();
  std::reverse(words.begin(), words.end());  // as CLI11 wants them
  app.parse(words);
  const RunRequest request = read_run(installation, app, options);
  return check_run(installation, options, request.what);
} catch (const CLI::ParseError& error) {
  throw duet::Error(error.what());
} catch (const UsageError& error) {  // the line is in a file
  throw duet::Error(error.what());
}

Subcommand run_command(CLI::App& duet, const std::vector<std::string>& arguments) {
  CLI::App* app =
      duet.add_subcommand("run", "run a CUDA or OpenCL program, a script of them, or a bare PTX kernel");
  const auto options = std::make_shared<RunOptions>();
  app->footer(kRunFooter);
  add_run_options(*app, *options);
  app->prefix_command();
  return {app, [app, options, &arguments](const config::Installation& installation) {
            options->words = run_words({arguments.begin() + 1, arguments.end()}, app->remaining());
            JsonOutput json(options->json, JsonOutput::Rest::StandardError);
            std::vector<std::string> all;
            if (json.wanted()) {
              options->on_report = [&](const RunFolder&, const std::string&,
                                       const duet::report::RunReport& report, const config::Machine&) {
                std::ostringstream text;
                duet::report::write_stats_json(text, report);
                all.push_back(text.str());
              };
              options->on_host_stats = [&](const std::string& stats) { all.push_back(stats); };
            }
            const int status = run(installation, *app, *options);
            json.write(all);
            return status;
          }};
}

Subcommand explain_command(CLI::App& duet, const std::vector<std::string>& arguments) {
  CLI::App* app = duet.add_subcommand(
      "explain", "run a program and show it as the five sub-models of hu2016 do (docs/use/explain.md)");
  const auto options = std::make_shared<ExplainOptions>();
  const auto made = std::make_shared<RunOptions>();
  add_explain_options(*app, *options);
  add_run_options(*app, *made);
  app->prefix_command();
  return {app, [app, options, made, &arguments](const config::Installation& installation) {
            if (app->remaining().empty())
              throw UsageError(
                  "explain what? give a program, or the folder of a run that `duet explain` made (see `duet "
                  "explain --help`)");
            if (std::filesystem::is_directory(app->remaining()[0])) {
              options->json = made->json;
              return explain_folder(installation, options_behind_folder(*app, *options), app->remaining()[0]);
            }
            made->words = run_words({arguments.begin() + 1, arguments.end()}, app->remaining());
            return explain_run(installation, *options, *made, [&] { return run(installation, *app, *made); });
          }};
}

constexpr const char* kPredictFooter =
    "Runs the program as `duet run --functional` does, with right results, and gives each kernel the time of "
    "a\n"
    "model instead of simulating it (docs/results/predict.md says how far off that is). The folder keeps "
    "prediction.json.\n"
    "  duet predict ./app\n"
    "  duet predict --machine h100 --set gpu.sm.count=66 ./app --size 1024";

Subcommand predict_command(CLI::App& duet, const std::vector<std::string>& arguments) {
  CLI::App* app = duet.add_subcommand(
      "predict", "the time of a program and what bounds its kernels, from a model (docs/use/predict.md)");
  const auto options = std::make_shared<PredictOptions>();
  const auto made = std::make_shared<RunOptions>();
  app->footer(kPredictFooter);
  app->add_option("--rows", options->rows, "kernels of the table")
      ->capture_default_str()
      ->group("Prediction");
  app->add_flag("--sampled", options->sampled,
                "execute only what decides the kernels' time: faster, but what the program computes is "
                "wrong, and where it decides by that so is the prediction")
      ->group("Prediction");
  add_run_options(*app, *made);
  app->prefix_command();
  return {app, [app, options, made, &arguments](const config::Installation& installation) {
            if (app->remaining().empty())
              throw UsageError("predict what? give a program (see `duet predict --help`)");
            made->words = run_words({arguments.begin() + 1, arguments.end()}, app->remaining());
            return predict_run(*options, *made, [&] { return run(installation, *app, *made); });
          }};
}

Subcommand report_command(CLI::App& duet) {
  CLI::App* app = duet.add_subcommand(
      "report",
      "the table and the page of a folder, of a run or a sweep; of a run that was killed its results");
  const auto options = std::make_shared<ReportOptions>();
  app->add_option("folder", options->folder, "the folder of a run, of one of its processes, or of a sweep")
      ->required();
  add_records_option(*app, options->records);
  app->add_flag("-q,--quiet", options->quiet, "no table");
  app->add_flag("--no-html", options->no_html, "no report.html");
  return {app, [options](const config::Installation& installation) {
            outlive_readers();
            return report_run(installation, *options);
          }};
}

Subcommand sweep_command(CLI::App& duet) {
  CLI::App* app =
      duet.add_subcommand("sweep", "a grid of machine keys x programs, here or by Slurm (docs/use/sweep.md)");
  const auto options = std::make_shared<sweep::Options>();
  const auto is_task = std::make_shared<bool>(false);
  app->add_option("file", options->file, "what to run, a .toml file")->required();
  app->add_option(
      "-o,--out", options->out,
      "folder for runs and results, in which a sweep that was cut off goes on; without it, FILE-sweep here");
  add_json_option(*app, options->json, "what results.json has (duet.sweep/1)");
  app->add_option("-j,--jobs", options->jobs, "runs at once; without it as many as there are cores");
  app->add_flag("--slurm", options->slurm, "let Slurm make the runs, as job arrays");
  app->add_option("--slurm-options", options->slurm_options, "words for sbatch, separated by spaces")
      ->needs("--slurm");
  app->add_option("--baseline", options->baseline,
                  "KEY=VALUE of an axis: a column `speedup` says how many times as fast as the run with it, "
                  "all other axes "
                  "equal; each --baseline takes one key")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  app->add_flag("--again", options->again, "make runs that failed again");
  app->add_flag("--dry-run", options->dry_run, "check everything and list the runs");
  app->add_flag("--no-html", options->no_html, "no report.html");
  app->add_flag("-q,--quiet", options->quiet, "no progress and no summary");
  app->add_flag("--task", *is_task, "")->group("");  // FILE is a batch: a task of a job array
  return {app, [options, is_task](const config::Installation& installation) {
            outlive_readers();
            if (*is_task) return sweep::work(installation, options->file);
            const JsonOutput json(options->json, JsonOutput::Rest::Nowhere);
            return sweep::run(installation, *options, [&](const std::string& text) { json.write(text); },
                              {[&](const auto& words) { return check_run_words(installation, words); },
                               [&](const auto& machine, const auto& sets) {
                                 return statistic_names(installation, machine, sets);
                               }});
          }};
}

const CLI::App* command_of(const CLI::App& app, const std::string& word) {
  const auto found = app.get_subcommands([&](const CLI::App* one) { return one->get_name() == word; });
  return found.empty() ? nullptr : found.front();
}

// `duet help run` is `duet run --help`, `duet help machines keys` that of the command below; `duet version`
// is `duet --version`.
std::vector<std::string> with_options_for_words(const CLI::App& app, std::vector<std::string> arguments) {
  if (arguments.empty()) return arguments;
  if (arguments[0] == "version" && arguments.size() == 1) return {"--version"};
  if (arguments[0] != "help") return arguments;
  arguments.erase(arguments.begin());
  const CLI::App* command = &app;
  for (const std::string& word : arguments) {
    command = command_of(*command, word);
    if (command == nullptr) {
      if (word == arguments[0]) return arguments;  // check_command() names the known ones
      throw UsageError("unknown command '" + arguments[0] + " " + word + "' (see `duet " + arguments[0] +
                       " --help`)");
    }
  }
  arguments.emplace_back("--help");
  return arguments;
}

// For an unknown command CLI11 would only report an unexpected word; this names the known ones.
void check_command(const CLI::App& app, const std::vector<std::string>& arguments) {
  if (!arguments.empty() && arguments[0].starts_with("-")) return;
  std::string known;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!arguments.empty() && command->get_name() == arguments[0]) return;
    known += (known.empty() ? "" : ", ") + command->get_name();
  }
  const std::string commands = "the commands are " + known + " (see `duet --help`)";
  if (arguments.empty()) throw UsageError("which command? " + commands);
  const std::string& word = arguments[0];
  if (std::filesystem::exists(word))
    throw UsageError("to run a program write `duet run " + word + "`; " + commands);
  throw UsageError("unknown command '" + word + "': " + commands);
}

// The command that was being read: "duet machines keys".
std::string parsed_words(const CLI::App& app) {
  std::string words = app.get_name();
  for (const CLI::App* command = &app; !command->get_subcommands().empty();) {
    command = command->get_subcommands().front();
    words += " " + command->get_name();
  }
  return words;
}

int command_line(int argc, char** argv) {
  CLI::App app(kIntroduction, "duet");
  app.set_version_flag("--version", "duet " DUET_VERSION);
  app.require_subcommand(1);
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const Subcommand run = run_command(app, arguments);
  const Subcommand commands[] = {run,
                                 explain_command(app, arguments),
                                 predict_command(app, arguments),
                                 report_command(app),
                                 cc_command(app),
                                 nvcc_command(app),
                                 hsacc_command(app),
                                 machines_command(app),
                                 model_command(app),
                                 advise_command(app),
                                 compare_command(app),
                                 statistics_command(app),
                                 stats_command(app),
                                 ptx_command(app),
                                 preexec_command(app),
                                 reproduce_command(app),
                                 sweep_command(app),
                                 reference_command(app)};
  add_word_commands(app);
  try {
    arguments = with_options_for_words(app, std::move(arguments));
    check_command(app, arguments);
    if (!arguments.empty() &&
        (arguments[0] == "run" || arguments[0] == "explain" || arguments[0] == "predict"))
      drop_separator(*app.get_subcommand(arguments[0]), arguments);
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // as CLI11 wants them
    app.parse(reversed);
    const config::Installation installation = config::find_installation();
    return std::find_if(std::begin(commands), std::end(commands),
                        [](const Subcommand& command) { return command.app->parsed(); })
        ->act(installation);
  } catch (const CLI::Success& success) {  // --help, --version
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "duet: %s (see `%s --help`)\n", error.what(), parsed_words(app).c_str());
    return kUsageStatus;
  } catch (const UsageError& error) {
    std::fprintf(stderr, "duet: %s\n", error.what());
    return kUsageStatus;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "duet: %s\n", duet::message_of(error).c_str());
    return 125;
  }
}

// The number of a closed standard stream would go to the next opened file, and the stream's output into it. A
// command finds its streams closed as before.
void hold_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", O_RDWR | O_CLOEXEC) != stream) std::abort();
}

}  // namespace

int main(int argc, char** argv) {
  hold_standard_streams();
  // A file beyond RLIMIT_FSIZE is an error of write(), not the end. A handler, unlike SIG_IGN, ends at exec.
  std::signal(SIGXFSZ, [](int) {});
  return command_line(argc, argv);
}
