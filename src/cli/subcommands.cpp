#include "cli/subcommands.h"

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/compile/hsacc.h"
#include "cli/options/json_output.h"
#include "cli/reference.h"
#include "cli/usage.h"
#include "reproduce/reproduce.h"

namespace duet::cli {

void add_word_commands(CLI::App& duet) {
  CLI::App* help = duet.add_subcommand("help", "what a command does: `duet help run` is `duet run --help`");
  help->add_option("command", "one of these commands")->expected(0, 2);
  duet.add_subcommand("version", "print the version");
}

Subcommand cc_command(CLI::App& duet) {
  CLI::App* app = duet.add_subcommand("cc", "compile CUDA C++ with clang and Duet's headers");
  app->footer(
      "All arguments go to clang++, except: -o FILE, -c, -ptx (device code only), -arch=sm_NN (default "
      "sm_60), --cuda-include DIR (Thrust and CUB of the toolkit whose include folder that is; CUDA 13's "
      "want "
      "sm_75), --precompile-headers (alone: makes what later compilations start from; building and "
      "installing "
      "Duet does it).\n"
      "Several .cu files and objects are linked into one program:  duet cc a.cu b.cu util.o -O3 -I include "
      "-o app\n"
      "OpenCL C becomes PTX, as clBuildProgram compiles it and with its options:  duet cc k.cl -o k.ptx "
      "-cl-std=CL2.0 -DN=4");
  app->prefix_command();
  return {app, [app](const config::Installation& installation) {
            return compile(installation, app->remaining());
          }};
}

Subcommand nvcc_command(CLI::App& duet) {
  CLI::App* app = duet.add_subcommand(
      "nvcc", "run the installed nvcc so that `duet run` can run what it builds (adds -cudart shared)");
  app->footer("The same for a build system:  NVCC_APPEND_FLAGS=\"-cudart shared\" make");
  app->prefix_command();
  return {app, [app](const config::Installation&) { return run_nvcc(app->remaining()); }};
}

Subcommand hsacc_command(CLI::App& duet) {
  CLI::App* app = duet.add_subcommand("hsacc", "compile OpenCL C to a code object for HSA programs");
  app->footer(
      "One file, to the file of -o or NAME.hsaco; all other words are clBuildProgram's options:\n"
      "  duet hsacc k.cl -o k.hsaco -DN=4    kernel copy is symbol copy, and copy.kd\n"
      "  duet hsacc k.cl -o k.brig           as CLOC's: &__OpenCL_copy_kernel, with six words of 8 bytes "
      "before\n"
      "                                      its arguments\n"
      "  --symbols '&__*_kernel'             kernel copy is &__copy_kernel, with nothing before its "
      "arguments\n"
      "The program runs with `duet run --machine mi300a` (docs/use/hsa.md).");
  app->prefix_command();
  return {app, [app](const config::Installation&) { return compile_for_hsa(app->remaining()); }};
}

Subcommand machines_command(CLI::App& duet) {
  struct Options {
    std::string name, other;
    std::vector<std::string> sets;
    bool markdown = false;
    std::string json;
  };
  CLI::App* app =
      duet.add_subcommand("machines", "list the machines or their keys, show one, or compare two");
  CLI::App* show = app->add_subcommand("show", "print the resolved machine with sources");
  const auto options = std::make_shared<Options>();
  show->add_option("name", options->name, "machine, or .toml file")->required();
  show->add_option("--set", options->sets, "change one parameter: key=value; each --set takes one key")
      ->allow_extra_args(false);
  CLI::App* diff = app->add_subcommand("diff", "print the keys in which two machines differ");
  diff->add_option("first", options->name, "machine, or .toml file")->required();
  diff->add_option("second", options->other, "another one")->required();
  CLI::App* keys =
      app->add_subcommand("keys", "every key of machine files, with values, unit and who reads it");
  keys->add_option("name", options->name, "those that have this in their names");
  keys->add_flag("--markdown", options->markdown, "write the list as a page of Markdown");
  add_json_option(*app, options->json, "the list of machines");
  add_json_option(*show, options->json, "every key with its value, unit, description and source");
  add_json_option(*diff, options->json, "the keys that differ, with both values (null: it has none)");
  add_json_option(*keys, options->json, "the list of keys");
  return {app, [show, diff, keys, options](const config::Installation& installation) {
            if (show->parsed())
              return show_machine(installation, options->name, options->sets, options->json);
            if (keys->parsed())
              return list_keys(installation, options->name, options->markdown, options->json);
            if (diff->parsed())
              return diff_machines(installation, options->name, options->other, options->json);
            return list_machines(installation, options->json);
          }};
}

Subcommand model_command(CLI::App& duet) {
  CLI::App* app = duet.add_subcommand(
      "model", "hu2016's descriptive model: print and execute one, or replay a run (docs/design/model.md)");
  const auto options = std::make_shared<ModelOptions>();
  app->footer(
      "  duet model workloads/hu2016/d2.toml          structure, scripts and each step of their execution\n"
      "  duet model --machine h100 --host             a machine in the model's words (Tables II to IV)\n"
      "  duet model --replay duet-out                 a run that `duet explain` made, judged by the rules");
  app->add_option("file", options->file, "a model, a .toml file");
  app->add_option("-m,--machine", options->machine,
                  "the model's instance for a machine: a name (`duet machines`) or a .toml file");
  app->add_option("--view", options->view, "whose terms; without it CUDA's")
      ->check(CLI::IsMember({"cuda", "opencl"}))
      ->type_name("cuda|opencl");
  app->add_flag("--host", options->host, "with a level for the processor above the GPU: d = 3");
  app->add_option("--set", options->sets, "change one machine parameter: key=value; each --set takes one key")
      ->allow_extra_args(false);
  app->add_option(
         "--replay", options->replay,
         "the folder of a run that `duet explain` made: its task events go through the model again, and "
         "are compared with its stats.json; the status is 1 when something differs or breaks a rule")
      ->type_name("FOLDER");
  app->add_option("--steps", options->steps,
                  "execute so many steps; without it until the program has ended, with --machine none; of "
                  "--replay print so many operations")
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40));
  add_json_option(*app, options->json, "all of it (duet.model/1, duet.model_replay/1)");
  return {app,
          [options](const config::Installation& installation) { return show_model(installation, *options); }};
}

Subcommand advise_command(CLI::App& duet) {
  CLI::App* app = duet.add_subcommand("advise", "measure what would shorten a run, on changed machines");
  const auto options = std::make_shared<AdviseOptions>();
  app->footer(
      "Runs the command of the run in FOLDER again, once for each piece of advice that a changed machine "
      "can\n"
      "answer, and writes advice.json and the page's section there (docs/use/advise.md).");
  app->add_option("folder", options->folder,
                  "the folder of a run, of one of its processes, or of a sweep's run (SWEEP/runs/0001)")
      ->required();
  app->add_option("-j,--jobs", options->jobs, "runs at once; without it as many as there are cores");
  add_json_option(*app, options->json, "what advice.json has (duet.advice/1)");
  return {app, [options](const config::Installation&) { return advise_run(*options); }};
}

Subcommand compare_command(CLI::App& duet) {
  CLI::App* app =
      duet.add_subcommand("compare", "two runs beside each other: what changed, the largest first");
  const auto options = std::make_shared<CompareOptions>();
  app->add_option("A", options->first, "folder of a run")->required();
  app->add_option("B", options->second, "folder of another run")->required();
  add_json_option(*app, options->json, "all of it (duet.comparison/1)");
  app->add_option("--html", options->html, "write all of it as a page to this file");
  app->add_option("--rows", options->rows, "at most so many rows of each list")->capture_default_str();
  return {app, [options](const config::Installation& installation) {
            return compare_runs(installation, *options);
          }};
}

Subcommand stats_command(CLI::App& duet) {
  CLI::App* app = duet.add_subcommand("stats", "what is in stats.json: its fields, or a list of it as CSV");
  app->require_subcommand(1);
  const auto options = std::make_shared<StatsOptions>();
  CLI::App* describe = app->add_subcommand("describe", "the fields of a file, with units");
  describe->add_option("field", options->list, "those below this field alone, as kernels");
  describe
      ->add_option(
          "--schema", options->schema,
          "stats, host_stats, comparison, advice, run, explanation, prediction, sweep, model or model_replay")
      ->capture_default_str();
  CLI::App* csv = app->add_subcommand("csv", "a list of a run's stats.json as CSV, an element a row");
  csv->add_option("folder", options->folder, "folder of a run")->required();
  csv->add_option("list", options->list, "kernels, copies, components, api, counters, ...")->required();
  add_json_option(*describe, options->json, "the fields");
  add_json_option(*csv, options->json, "the rows");
  return {app, [describe, options](const config::Installation& installation) {
            return describe->parsed() ? describe_statistics(installation, *options) : print_csv(*options);
          }};
}

Subcommand statistics_command(CLI::App& duet) {
  struct Options {
    std::string machine = "gtx580";
    bool markdown = false;
    std::string json;
  };
  CLI::App* app =
      duet.add_subcommand("statistics", "list what a machine counts, with units and descriptions");
  const auto options = std::make_shared<Options>();
  app->add_option("-m,--machine", options->machine, "machine, or .toml file")->capture_default_str();
  app->add_flag("--markdown", options->markdown, "write the list as a page of Markdown");
  add_json_option(*app, options->json, "the list");
  return {app, [options](const config::Installation& installation) {
            return list_statistics(installation, options->machine, options->markdown, options->json);
          }};
}

Subcommand ptx_command(CLI::App& duet) {
  CLI::App* app = duet.add_subcommand("ptx", "what Duet knows of PTX");
  app->require_subcommand(1);
  CLI::App* coverage = app->add_subcommand(
      "coverage", "which instruction forms are accepted, with the test of each, and which are refused");
  const auto options = std::make_shared<PtxCoverageOptions>();
  coverage->add_option("opcode", options->opcode, "list the forms of this opcode, one a line");
  coverage->add_flag("--forms", options->forms, "list every form, one a line");
  coverage->add_flag("--markdown", options->markdown, "write the list as a page of Markdown");
  return {app, [options](const config::Installation& installation) {
            return show_ptx_coverage(installation, *options);
          }};
}

Subcommand preexec_command(CLI::App& duet) {
  CLI::App* app = duet.add_subcommand(
      "preexec", "a kernel's pre-execution program (yang2012), as C or for a simulated core");
  const auto options = std::make_shared<PreexecOptions>();
  app->add_option("file", options->file, "a .ptx file")->required();
  app->add_option("--kernel", options->kernel, "one kernel; without it all of the file");
  app->add_option("-o,--out", options->out, "write the C to this file");
  app->add_option("--elf", options->elf, "compile it for RV64 into this file");
  app->add_flag("--report", options->report,
                "list the kernel's accesses: where each is prefetched, or why not");
  CLI::Option* const grid = app->add_option("--grid", options->grid, "X,Y,Z of the launch, with --block:");
  app->add_option("--block", options->block, "the program that `duet run` makes for it; without, for any")
      ->needs(grid);
  grid->needs("--block");
  app->add_flag("--forwarded-blocks", options->forwarded_blocks,
                "the program is told which blocks the GPU has dispatched (docs/use/preexec.md)");
  app->add_flag("--blocks", options->blocks,
                "the program that executes the kernel's thread blocks (section 5.5) instead");
  return {app, [options](const config::Installation&) { return preexecute(*options); }};
}

Subcommand reproduce_command(CLI::App& duet) {
  CLI::App* app = duet.add_subcommand("reproduce", "measure what a paper claims");
  const auto options = std::make_shared<reproduce::Options>();
  app->add_option("paper", options->paper, "lustig2013, yang2012 or dashti2017")->required();
  app->add_option("--only", options->only, "claims and choices, separated by commas; 'choices': all of these")
      ->delimiter(',');
  add_json_option(*app, options->json, "the scorecard, or with --list the claims,");
  app->add_option("--html", options->html,
                  "write the scorecard and the paper's figures as a page to this file");
  app->add_option("--from", options->from,
                  "measure nothing: make the page of this scorecard, which --json wrote");
  app->add_option("-m,--machine", options->machine, "another machine than the paper's");
  app->add_option("--set", options->sets, "change one machine parameter: key=value; each --set takes one key")
      ->allow_extra_args(false);
  app->add_option("--work", options->work,
                  "keep finished runs in this folder, and take from it what the same Duet has run before");
  app->add_flag("--quick", options->quick, "smaller inputs than the paper's");
  app->add_flag("--list", options->list, "name the claims, one a line, and measure nothing");
  app->add_flag("--controls", options->controls,
                "measure each claim again on the machine or variant on which it must not hold");
  app->add_flag("-q,--quiet", options->quiet, "no progress");
  for (const char* const measuring :
       {"--only", "--json", "--machine", "--set", "--work", "--quick", "--list", "--controls"})
    app->get_option("--from")->excludes(measuring);
  return {app, [options](const config::Installation& installation) {
            const JsonOutput json(options->json, JsonOutput::Rest::Nowhere);
            if (json.wanted()) options->write_json = [&](const std::string& text) { json.write(text); };
            return reproduce::run(installation, *options);
          }};
}

Subcommand reference_command(CLI::App& duet) {
  CLI::App* app = duet.add_subcommand("reference",
                                      "print the manual page, what a shell completes, or where duet.py lies");
  const auto what = std::make_shared<std::string>();
  app->add_option("what", *what,
                  "man (for man -l), bash, zsh, fish, or python: the folder of duet.py (docs/use/python.md)")
      ->required()
      ->check(CLI::IsMember({"man", "bash", "zsh", "fish", "python"}))
      ->type_name("man|bash|zsh|fish|python");
  return {app, [&duet, what](const config::Installation& installation) {
            if (*what == "python")
              std::cout << installation.prefix << "/share/duet/python\n";
            else if (*what == "man")
              write_manual(std::cout, duet);
            else
              write_completion(std::cout, duet,
                               *what == "bash"  ? Shell::Bash
                               : *what == "zsh" ? Shell::Zsh
                                                : Shell::Fish);
            std::cout.flush();
            if (!std::cout) throw Error("cannot write the reference");
            return 0;
          }};
}

}  // namespace duet::cli
