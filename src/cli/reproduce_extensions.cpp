#include "cli/reproduce_extensions.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace duet::cli {

using Json = nlohmann::ordered_json;
using Strings = std::vector<std::string>;

namespace {

constexpr const char* kBaseline = "baseline";
constexpr const char* kFull = "full-overlap";

// Runs of an extension, over all that it is compared with. What says that it does not run so (a benchmark
// whose data do not end with a granule, or that finds no tracked memory) is not wrong.
struct Tally {
  unsigned runs = 0, wrong = 0, refused = 0;
  std::string first_wrong;

  void count(const std::string& name, const Outcome& outcome) {
    ++runs;
    if (outcome.right()) return;
    if (outcome.status == 2 ||
        (outcome.status == 1 && outcome.error.find("cudaErrorMemoryAllocation") != std::string::npos))
      ++refused;
    else if (wrong++ == 0)
      first_wrong = fmt::format("{}: status {}, {}", name, outcome.status, outcome.error.substr(0, 200));
  }
};

// The mean over the benchmarks that ran.
struct Mean {
  double sum = 0;
  unsigned count = 0;
  std::optional<double> value() const { return count == 0 ? std::nullopt : std::optional(sum / count); }
};

// One point of a key's range.
struct Setting {
  std::string label;
  Strings sets, arguments;
  bool changes_baseline = false;
};

std::string percent(std::optional<double> value) { return value ? fmt::format("{:.1f} %", *value) : "-"; }

class Extensions {
 public:
  Extensions(Runner& runner, Offloads& offloads, const std::string& machine, const ReproduceOptions& options,
             Measurements& out)
      : runner_(runner), offloads_(offloads), machine_(machine), options_(options), out_(out) {}

  // Full-overlap on machines that differ in one key: its mean gain at the last setting; `over_own`: in points
  // over the gain on the machine as it is.
  void sweep(const std::string& stem, const std::string& what, const std::vector<Setting>& settings,
             bool over_own) {
    Tally tally;
    std::string note;
    Mean last = gains(own(), nullptr);
    const auto add = [&](const std::string& label) {
      note += fmt::format("{}{}: {}", note.empty() ? "mean gain at " : ", ", label, percent(last.value()));
      if (last.count < benchmarks().size()) note += fmt::format(" of {} benchmarks", last.count);
      out_.figures["extensions"][stem].push_back(
          {{"setting", label},
           {"mean_gain_percent", last.value() ? Json(*last.value()) : Json()},
           {"benchmarks", last.count}});
    };
    add("the machine's own");
    const double own_gain = last.value().value_or(0);
    for (const Setting& setting : settings) {
      last = gains(grid(fmt::format("L-ext, {} {}", what, setting.label), setting), &tally);
      add(setting.label);
    }
    keep(stem, tally);
    if (last.value()) out_.values[stem + "_gain"] = *last.value() - (over_own ? own_gain : 0);
    out_.notes[stem + "_gain"] = note;
  }

  // A bounded region; each benchmark takes the fastest variant for which there is tracked memory.
  void region() {
    const unsigned bytes = options_.quick ? 16384 : 262144;
    const Grid all = offloads_.grid(fmt::format("L-ext, region of {} bytes", bytes), nullptr, "",
                                    {fmt::format("gpu.full_empty.region_bytes={}", bytes)});
    Tally tally;
    Mean mean;
    unsigned full = 0;
    for (const auto& [benchmark, variants] : all.outcomes) {
      double best = 0;
      for (const auto& [variant, outcome] : variants) {
        tally.count(benchmark + ", " + variant, *outcome);
        best = std::max(best, all.gain(benchmark, variant).value_or(0));
      }
      full += variants.at(kFull)->right();
      mean.sum += best;
      ++mean.count;
    }
    keep("ext_region", tally);
    out_.values["ext_region_gain"] = *mean.value();
    out_.notes["ext_region_gain"] =
        fmt::format("{} bytes; full-overlap fits for {} of {}", bytes, full, benchmarks().size());
  }

  struct Way {
    const char* name;
    Strings sets;
  };
  // One program of workloads/lustig2013/extensions in several ways and at several sizes: the least that the
  // first way gains over the second. The times of all stand in the note.
  void compare(const std::string& stem, const std::string& program, const std::vector<Way>& ways,
               const std::vector<Strings>& sizes) {
    std::vector<Job> jobs;
    for (const Strings& size : sizes)
      for (const Way& way : ways) {
        Job job{"lustig2013/extensions/" + program, {}, {"--way", way.name}, machine_, options_.sets};
        job.arguments.insert(job.arguments.end(), size.begin(), size.end());
        job.sets.insert(job.sets.end(), way.sets.begin(), way.sets.end());
        jobs.push_back(std::move(job));
      }
    const std::vector<const Outcome*> outcomes = runner_.run("L-ext, " + program, jobs);
    Tally tally;
    for (std::size_t i = 0; i < jobs.size(); ++i)
      tally.count(fmt::format("{} {}", program, fmt::join(jobs[i].arguments, " ")), *outcomes[i]);
    keep(stem, tally);
    if (tally.wrong + tally.refused != 0) return;
    double least = std::numeric_limits<double>::infinity();
    std::string note;
    for (std::size_t s = 0; s < sizes.size(); ++s) {
      const auto us = [&](std::size_t way) { return outcomes[s * ways.size() + way]->runtime_us(); };
      least = std::min(least, 100 * (1 - us(0) / us(1)));
      Json cell{{"arguments", fmt::format("{}", fmt::join(sizes[s], " "))}};
      note += fmt::format("{}{}:", note.empty() ? "us at " : "; ", fmt::join(sizes[s], " "));
      for (std::size_t w = 0; w < ways.size(); ++w) {
        cell["runtime_us"][ways[w].name] = us(w);
        note += fmt::format("{} {} {:.1f}", w == 0 ? "" : ",", ways[w].name, us(w));
      }
      out_.figures["extensions"][stem].push_back(cell);
    }
    out_.values[stem + "_gain"] = least;
    out_.notes[stem + "_gain"] = note;
  }

 private:
  const Grid& own() {
    static constexpr const char* kVariants[] = {kBaseline, kFull};
    if (own_.outcomes.empty())
      own_ = offloads_.grid("L-ext, the machine's own keys", nullptr, "", {}, {}, kVariants);
    return own_;
  }

  // The baseline tracks nothing: keys of the controllers' queues do not change it. Where memory lies does.
  Grid grid(const std::string& title, const Setting& setting) {
    static constexpr const char* kVariants[] = {kFull, kBaseline};
    Grid result = offloads_.grid(title, nullptr, "", setting.sets, setting.arguments,
                                 std::span(kVariants).first(setting.changes_baseline ? 2 : 1));
    if (!setting.changes_baseline)
      for (auto& [benchmark, variants] : result.outcomes)
        variants[kBaseline] = own().outcomes.at(benchmark).at(kBaseline);
    return result;
  }

  static Mean gains(const Grid& grid, Tally* tally) {
    Mean mean;
    for (const auto& [benchmark, variants] : grid.outcomes) {
      if (tally != nullptr) tally->count(benchmark + ", " + kFull, *variants.at(kFull));
      if (const auto gain = grid.gain(benchmark, kFull)) {
        mean.sum += *gain;
        ++mean.count;
      }
    }
    return mean;
  }

  void keep(const std::string& stem, const Tally& tally) {
    out_.values[stem + "_wrong"] = tally.wrong;
    std::string& note = out_.notes[stem + "_wrong"];
    note = fmt::format("of {}", tally.runs);
    if (tally.refused != 0) note += fmt::format(", {} refused by name", tally.refused);
    if (!tally.first_wrong.empty()) note += "; first " + tally.first_wrong;
  }

  Grid own_;
  Runner& runner_;
  Offloads& offloads_;
  const std::string& machine_;
  const ReproduceOptions& options_;
  Measurements& out_;
};

}  // namespace

void measure_extensions(Runner& runner, Offloads& offloads, const std::string& machine,
                        const ReproduceOptions& options, Measurements& out) {
  Extensions extensions(runner, offloads, machine, options, out);
  const bool quick = options.quick;
  const auto granule = [](const std::string& bytes) {
    return Setting{bytes + " B", {"gpu.full_empty.granule_bytes=" + bytes}, {"--granule", bytes}, true};
  };
  const auto packet = [](const std::string& bytes) {
    return Setting{bytes + " B", {"link.packet_payload_bytes=" + bytes}, {}, true};
  };
  using Settings = std::vector<Setting>;
  extensions.sweep("ext_granule", "granule of",
                   quick ? Settings{granule("4096")} : Settings{granule("256"), granule("4096")}, false);
  extensions.sweep("ext_packet", "packet of",
                   quick ? Settings{packet("4096")} : Settings{packet("4"), packet("4096")}, false);
  extensions.sweep("ext_look_ahead", "observed", {{"64 entries", {"gpu.full_empty.look_ahead=64"}, {}}},
                   true);
  extensions.sweep("ext_nack", "refused after", {{"500 tCK", {"gpu.full_empty.nack_cycles=500"}, {}}}, true);
  extensions.region();

  // Streams that wait for each other's kernels and copies have hardware channels of their own.
  const std::string channels = "gpu.front_end.hardware_channels=4";
  const std::vector<Strings> frames =
      quick ? std::vector<Strings>{{"--size", "8192", "--frames", "4"}}
            : std::vector<Strings>{{"--size", "8192", "--frames", "16"},
                                   {"--size", "65536", "--frames", "8", "--work", "100"}};
  extensions.compare("ext_counter", "reuse",
                     {{"counter", {channels, "gpu.full_empty.reads_per_fill=2"}},
                      {"host", {channels}},
                      {"set", {channels}},
                      {"kernel-end", {channels}}},
                     frames);
  extensions.compare(
      "ext_kernel_end", "reuse",
      {{"kernel-end", {channels}}, {"host", {channels}}, {"set", {channels}}, {"none", {channels}}}, frames);
  const std::vector<Strings> sizes =
      quick ? std::vector<Strings>{{"--size", "4096"}, {"--size", "65536"}}
            : std::vector<Strings>{{"--size", "4096"}, {"--size", "65536"}, {"--size", "1048576"}};
  extensions.compare("ext_set", "override", {{"set", {}}, {"copy", {}}, {"launch", {}}}, sizes);
  extensions.compare("ext_release", "override", {{"release", {}}, {"copy", {}}, {"set", {}}}, sizes);
  const std::vector<Strings> values = {quick ? Strings{"--values", "16"} : Strings{"--values", "64"}};
  const std::string look_ahead = "gpu.full_empty.look_ahead=64";
  extensions.compare("ext_ring", "hand_over",
                     {{"ring", {look_ahead}}, {"kernels", {}}, {"flags", {}}, {"array", {}}}, values);
  extensions.compare("ext_array", "hand_over", {{"array", {}}, {"fixed", {}}, {"kernels", {}}}, values);
}

}  // namespace duet::cli
