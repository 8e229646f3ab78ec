// `duet statistics`: a machine's statistics, as the components declare them. `--markdown` writes the page.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/options/json_output.h"
#include "config/loader.h"
#include "machine/features.h"
#include "machine/host/processor.h"
#include "machine/system.h"
#include "machine/time_models/fast_forward.h"

namespace duet::cli {

namespace {

// For a machine that never runs.
class NoProgram : public memory::HostPort {
 public:
  void read(const std::byte*, std::byte*, Bytes) override {}
  void write(std::byte*, const std::byte*, Bytes) override {}
};

struct Known {
  sim::Statistic statistic;
  bool timed = false, functional = false, cpu = false, fused = false;
  std::string kind() const { return statistic.name.substr(0, statistic.name.find('.')); }
  std::string rest() const { return statistic.name.substr(statistic.name.find('.') + 1); }
  std::string remarks() const {
    std::string text;
    if (statistic.kind == sim::StatisticKind::Most) text = "largest of all";
    if (statistic.kind == sim::StatisticKind::State) text = "state";
    if (functional) text += std::string(text.empty() ? "" : ", ") + (timed ? "both GPUs" : "functional GPU");
    if (cpu) text += std::string(text.empty() ? "" : ", ") + "simulated host";
    if (text.empty() && !timed) text = "level shared with the processor";
    return text;
  }
};

void add(std::vector<Known>& all, const std::vector<sim::Statistic>& declared, bool Known::*where) {
  for (const sim::Statistic& statistic : declared) {
    auto found = std::find_if(all.begin(), all.end(),
                              [&](const Known& known) { return known.statistic.name == statistic.name; });
    if (found == all.end()) found = all.insert(all.end(), Known{statistic});
    (*found).*where = true;
  }
}

// In the order of the components; statistics of the functional GPU alone come last.
void add_gpu(std::vector<Known>& all, const config::Machine& machine) {
  for (const bool functional : {false, true}) {
    NoProgram program;
    machine::RunOptions options;
    options.functional = functional;
    if (!functional) options.of<machine::FastForwardOptions>().skip = 1;
    const machine::Features features = machine::features_of(options);
    machine::System system(machine, program, {}, options, features);
    add(all, system.statistics().declared(), functional ? &Known::functional : &Known::timed);
  }
}

// Of a machine whose cores share a level of cache with its GPU.
void add_fused(std::vector<Known>& all, const config::Machine& machine) {
  NoProgram program;
  machine::System system(machine, program, {}, {});
  add(all, system.statistics().declared(), &Known::fused);
}

void add_cpu(std::vector<Known>& all, const config::Topology& machine) {
  sim::Engine engine;
  const machine::Processor processor(engine, *machine.cpu, machine.host);
  add(all, sim::Statistics(engine).declared(), &Known::cpu);
}

constexpr const char* kHostOfPage = "xeon-e3-1245";
constexpr const char* kFusedOfPage = "fused";

constexpr const char* kStatisticsHead =
    "# Statistics\n\n"
    "What the components of a machine count, as they declare it (src/sim/statistics.h). This page is what\n"
    "`duet statistics --markdown` writes; docs/how-to/statistic.md adds one.\n\n"
    "`stats.json` gives them four times. `counters`: since the run began, of all components of a kind, as of "
    "the\n"
    "last command that completed. `kernels[].counters`: what rose between a kernel's first block and its\n"
    "completion as the driver sees it, by how much; what other work did in that time is among it. "
    "`marks[]`:\n"
    "`counters` and, as they stood then, `state` at every `duetMark`; what happened between two marks is "
    "their\n"
    "difference. `components`: each component with its name, `parent`, `kind`, `level` and `role` in "
    "hu2016's\n"
    "tree, and its own counters, as of `components_ps`, the last time at which a command completed and "
    "nothing\n"
    "was left outstanding (or the end of a run that was stopped; or, on the simulated host, the program's "
    "end).\n"
    "`kernels` and `components` leave out what is 0.\n\n"
    "The first 10000 kernels, in the order of their completion, and as many copies stand one by one;\n"
    "`--records N` takes another number. The rest are in `kernel_groups`, those of the same name,\n"
    "`grid` and `block` together, and in `copy_groups`, those of the same `kind`, `bytes`, `trigger`\n"
    "and `action`. A group has the number of its `launches`, or `copies`, `first_start_ps`,\n"
    "`last_end_ps`, and of its values `sum`, `min` and `max`: `queued_for_ps` (from the call to the\n"
    "driver), `driver_ps` (to the start), `executed_ps` (to the end), of kernels `cycles`,\n"
    "`warp_instructions`, `thread_instructions` and each of `counters` (a `min` of 0: it did not rise\n"
    "in all), of `stalls` the sums, of `registers` and `occupancy` `min` and `max`. Kernels that the\n"
    "end of the run cut off are always in `kernels`. There are no more than 4096 groups: further\n"
    "kernels that are like no other are grouped by name alone (`grid` and `block` are null), copies\n"
    "by all but `bytes`.\n\n"
    "`kernels[].stalls` shares out `sm.slots_*` among kernels. A slot in which nothing issues belongs to "
    "the\n"
    "kernel whose warp waits for the reason; a scheduler without a warp charges the oldest block on its SM\n"
    "that has warps left. `lines` (docs/reference/stats-json.md) shares them out among lines of the "
    "source.\n\n"
    "The public name is kind, dot, name: `l1.read_hits`. Counts are summed over the components of a kind; "
    "of\n"
    "the others the last column says what becomes of them: of the *largest of all* the total is the largest, "
    "a\n"
    "*state* is told by marks only. Without a remark a statistic is that of the timed GPU alone.\n\n"
    "Those of the *simulated host* are those of a run with `--host simulated` (docs/use/simulated-host.md): "
    "its\n"
    "`stats.json` has `counters` and `components`, as of its end, with a GPU too. `duet statistics --machine "
    "NAME`\n"
    "lists what one machine has.\n";

void print_markdown(const std::vector<Known>& all) {
  std::vector<std::string> kinds;
  std::map<std::string, std::string> tables;  // by kind
  for (const Known& known : all) {
    if (!tables.contains(known.kind())) kinds.push_back(known.kind());
    tables[known.kind()] += fmt::format("| `{}` | {} | {} | {} |\n", known.rest(), known.statistic.unit,
                                        known.statistic.description, known.remarks());
  }
  std::fputs(kStatisticsHead, stdout);
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    // Kinds with the same statistics share a table.
    std::string title;
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      if (tables[kinds[k]] != tables[kinds[i]]) continue;
      if (k < i) break;
      title += fmt::format("{}`{}`", title.empty() ? "" : ", ", kinds[k]);
    }
    if (title.empty()) continue;
    std::fputs(
        fmt::format("\n## {}\n\n| name | unit | what | |\n|---|---|---|---|\n{}", title, tables[kinds[i]])
            .c_str(),
        stdout);
  }
}

}  // namespace

std::set<std::string> statistic_names(const config::Installation& installation, const std::string& machine,
                                      const std::vector<std::string>& sets) {
  const config::ResolvedTopology own = config::load_topology(machine, installation.machines_directory, sets);
  std::vector<Known> all;
  if (own.topology.gpu)
    add_gpu(all, config::load_machine(machine, installation.machines_directory, sets).machine);
  if (own.topology.cpu) add_cpu(all, own.topology);
  std::set<std::string> names;
  for (const Known& known : all) names.insert(known.statistic.name);
  return names;
}

int list_statistics(const config::Installation& installation, const std::string& machine, bool markdown,
                    const std::string& json) {
  const JsonOutput output(json, JsonOutput::Rest::Nowhere);
  const config::ResolvedTopology own = config::load_topology(machine, installation.machines_directory);
  std::vector<Known> all;
  // The page has a machine's optional parts too.
  const std::vector<std::string> of_page =
      markdown ? std::vector<std::string>{"gpu.l1.prefetcher=stride"} : std::vector<std::string>{};
  if (own.topology.gpu)
    add_gpu(all, config::load_machine(machine, installation.machines_directory, of_page).machine);
  if (own.topology.cpu) add_cpu(all, own.topology);
  if (markdown) {
    // The page has all.
    if (!own.topology.cpu)
      add_cpu(all, config::load_topology(kHostOfPage, installation.machines_directory).topology);
    add_fused(all, config::load_machine(kFusedOfPage, installation.machines_directory).machine);
    print_markdown(all);
    return 0;
  }
  for (const Known& known : all)
    std::fputs(fmt::format("{:<36} {:<13} {}\n", known.statistic.name, known.statistic.unit,
                           known.statistic.description)
                   .c_str(),
               stdout);
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Known& known : all)
    list.push_back({{"name", known.statistic.name},
                    {"unit", known.statistic.unit},
                    {"description", known.statistic.description},
                    {"remarks", known.remarks()}});
  output.write(list.dump(1));
  return 0;
}

}  // namespace duet::cli
