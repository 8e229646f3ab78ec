// `duet reproduce PAPER`: runs the experiment behind each claim with a program that uses only the runtime
// API, and compares. The rows and their bands are data; one function gives every verdict.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.h"
#include "cli/commands.h"
#include "config/loader.h"

namespace duet::cli {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

// A claim and the band within which a measurement holds: |measured - paper| <= absolute + relative * |paper|.
struct Claim {
  const char* id;
  const char* quantity;  // key of the measurement; "" when nothing measures it yet
  const char* claim;
  double paper;
  const char* unit;
  double absolute, relative;
  const char* note;
};

// lustig2013. Table 2 sets the machine's parameters and hardware latency comes on top, so intercepts may lie
// 1 us apart and slopes 1 %; a call's own latency has nothing on top.
constexpr Claim kLustig2013[] = {
    {"L-T2", "sync_h2d_intercept", "cudaMemcpy to the device: 7 us + n / 6.8 GB/s, intercept", 7.0, "us", 1.0,
     0, ""},
    {"L-T2", "sync_h2d_rate", "cudaMemcpy to the device: 7 us + n / 6.8 GB/s, slope", 6.8, "GB/s", 0, 0.01,
     ""},
    {"L-T2", "sync_d2h_intercept", "cudaMemcpy to the host: intercept", 7.0, "us", 1.0, 0, ""},
    {"L-T2", "sync_d2h_rate", "cudaMemcpy to the host: slope", 6.8, "GB/s", 0, 0.01, ""},
    {"L-T2", "async_call", "cudaMemcpyAsync: the call", 1.2, "us", 0, 0.01, ""},
    {"L-T2", "async_h2d_intercept", "cudaMemcpyAsync and synchronize: 9 us + n / 6.8 GB/s, intercept", 9.0,
     "us", 1.0, 0, ""},
    {"L-T2", "async_h2d_rate", "cudaMemcpyAsync and synchronize: slope", 6.8, "GB/s", 0, 0.01, ""},
    {"L-T2", "async_128k", "128 KB asynchronous copy: 1.2 us + 7 us + 128 KB / (6.8 GB/s)",
     1.2 + 7 + 131072 / 6800.0, "us", 1.0, 0, "synchronization's own 1 us taken off"},
    {"L-T2", "launch_call", "kernel launch: the call", 1.5, "us", 0, 0.01, ""},
    {"L-T2", "launch_driver", "kernel launch: driver", 3.0, "us", 1.0, 0,
     "launch and synchronize, less the launch call and 1 us; an empty kernel's run is contained"},
    {"L-T2", "stream_synchronize", "cudaStreamSynchronize, nothing to wait for: 1 us, then 1 us", 2.0, "us",
     0, 0.01, ""},
    {"L-T2", "device_synchronize", "cudaDeviceSynchronize, nothing to wait for: 1 us, then 1 us", 2.0, "us",
     0, 0.01, ""},
    {"L-F9", "driver_latency", "one copy of N against two of N/2 recovers the driver's latency per call", 6.0,
     "us", 0, 0.02, "the paper's column is what the machine file sets; halves in two streams, smallest N"},
    {"L-F8", "", "profiler counters serialize kernels, light timers do not distort", 0, "", 0, 0,
     "needs the CPU model"},
    {"L-F2", "", "small copies: the discrete GPU has the lower latency", 0, "", 0, 0,
     "needs the integrated machine"},
    {"L-F1", "", "BFS: crossover of one CPU thread and the GPU near 4,000 nodes", 4000, "nodes", 0, 0,
     "needs the CPU model"},
    {"L-F11a", "", "full-overlap: 26 % mean gain, 43 % at best", 26, "%", 0, 0, "needs full/empty bits"},
    {"L-F11b", "", "no full/empty scenario is slower than baseline", 0, "", 0, 0, "needs full/empty bits"},
    {"L-F11c", "", "histogram64: overlap-start gives most", 0, "", 0, 0, "needs full/empty bits"},
    {"L-F11d", "", "matrixMul: overlap-finish slightly better", 0, "", 0, 0, "needs full/empty bits"},
    {"L-F11e", "", "vectorAdd: full-overlap beyond either", 0, "", 0, 0, "needs full/empty bits"},
    {"L-F11f", "", "full-overlap is the best everywhere", 0, "", 0, 0, "needs full/empty bits"},
    {"L-F12", "", "vectorAdd break-even 128K, with full-overlap 32K elements", 131072, "elements", 0, 0,
     "needs full/empty bits and the CPU model"},
    {"L-7.1", "", "the baseline GPU beats one CPU thread", 0, "", 0, 0, "needs the CPU model"},
    {"L-val", "", "agreement with hardware within 5 % on average", 5, "%", 0, 0, "needs a real GPU"},
    {"L-int", "", "the techniques pay on an integrated machine", 0, "", 0, 0, "needs full/empty bits"},
    {"L-safe", "", "an early launch is wrong without the bits, right with them", 0, "", 0, 0,
     "needs full/empty bits"},
    {"L-hol", "", "one queue instead of three deadlocks", 0, "", 0, 0, "needs full/empty bits"},
    {"L-mshr", "", "outstanding triggered reads hold MSHRs", 0, "", 0, 0, "needs full/empty bits"},
    {"L-dram", "", "one bit per 4 bytes is 3 % of DRAM", 3, "%", 0, 0, "needs full/empty bits"},
    {"L-tab3", "", "seven benchmarks in four variants", 0, "", 0, 0, "baseline variant only so far"},
    {"L-ext", "", "what the paper leaves open", 0, "", 0, 0, "needs full/empty bits"},
};

using Measurements = std::map<std::string, double>;

const char* verdict(const Claim& claim, std::optional<double> measured, double paper) {
  if (!measured) return "not run";
  return std::abs(*measured - paper) <= claim.absolute + claim.relative * std::abs(paper) ? "holds"
                                                                                          : "falls short";
}

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// Compiles a probe and runs it on the machine; its standard output, one JSON object a line.
std::vector<Json> run_probe(const Installation& installation, const ReproduceOptions& options,
                            const std::string& machine, const std::string& name, const std::string& arguments,
                            const fs::path& folder) {
  if (!options.quiet) std::fprintf(stderr, "duet: probe %s on %s\n", name.c_str(), machine.c_str());
  const std::string program = folder / name;
  if (compile(installation, {installation.workloads_directory + "/probe/" + name + ".cu", "-o", program}) !=
      0)
    throw Error(fmt::format("cannot compile the probe {}", name));
  std::string command =
      quoted(installation.prefix + "/bin/duet") + " run --quiet --machine " + quoted(machine);
  for (const std::string& set : options.sets) command += " --set " + quoted(set);
  command += " --out " + quoted(folder / (name + "-results")) + " " + quoted(program) + " " + arguments;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) throw Error("cannot start a process");
  std::vector<Json> lines;
  std::string line;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) {
    if (c != '\n') {
      line += static_cast<char>(c);
      continue;
    }
    lines.push_back(Json::parse(line));
    line.clear();
  }
  const int status = pclose(pipe);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw Error(fmt::format("the probe {} failed", name));
  return lines;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Slope from the two largest sizes; intercept is the median over all sizes of what the slope leaves.
void fit(const std::map<double, double>& time_ns_by_bytes, const std::string& name, Measurements& out) {
  const auto last = std::prev(time_ns_by_bytes.end()), before = std::prev(last);
  const double ns_per_byte = (last->second - before->second) / (last->first - before->first);
  std::vector<double> intercepts;
  for (const auto& [bytes, ns] : time_ns_by_bytes) intercepts.push_back(ns - bytes * ns_per_byte);
  out[name + "_rate"] = 1 / ns_per_byte;
  out[name + "_intercept"] = median(intercepts) / 1000;
}

Measurements measure_latencies(const std::vector<Json>& lines) {
  std::map<std::string, std::map<double, double>> times;
  for (const Json& line : lines) {
    const std::vector<double> samples = line.at("ns").get<std::vector<double>>();
    times[line.at("operation").get<std::string>()][line.at("bytes").get<double>()] = median(samples);
  }
  Measurements out;
  fit(times.at("memcpy_h2d"), "sync_h2d", out);
  fit(times.at("memcpy_d2h"), "sync_d2h", out);
  fit(times.at("memcpy_async_h2d_sync"), "async_h2d", out);
  out["async_call"] = times.at("memcpy_async_h2d_call").begin()->second / 1000;
  out["async_128k"] = times.at("memcpy_async_h2d_sync").at(131072) / 1000 - 1;
  out["launch_call"] = times.at("launch_call").at(0) / 1000;
  out["launch_driver"] = (times.at("launch_sync").at(0) - times.at("launch_call").at(0)) / 1000 - 1;
  out["stream_synchronize"] = times.at("stream_synchronize_idle").at(0) / 1000;
  out["device_synchronize"] = times.at("device_synchronize_idle").at(0) / 1000;
  return out;
}

struct TemporaryFolder {
  fs::path path;
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "duet-reproduce-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw Error("cannot make a temporary folder");
    path = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};

}  // namespace

int reproduce(const Installation& installation, const ReproduceOptions& options) {
  if (options.paper != "lustig2013")
    throw Error(fmt::format("no experiments for '{}': this version reproduces lustig2013", options.paper));
  for (const std::string& id : options.only)
    if (std::none_of(std::begin(kLustig2013), std::end(kLustig2013),
                     [&](const Claim& claim) { return id == claim.id; }))
      throw Error(fmt::format("lustig2013 has no claim '{}'", id));
  const std::string machine = options.machine.empty() ? "gtx580" : options.machine;
  const auto resolved = config::load_machine(machine, installation.machines_directory, options.sets);
  auto wanted = [&](const char* id) {
    return options.only.empty() ||
           std::find(options.only.begin(), options.only.end(), id) != options.only.end();
  };

  const TemporaryFolder folder;
  Measurements measured;
  if (wanted("L-T2"))
    measured = measure_latencies(run_probe(installation, options, machine, "latency", "", folder.path));
  if (wanted("L-F9")) {
    const auto lines = run_probe(installation, options, machine, "fig9", "8 1024 65536", folder.path);
    measured["driver_latency"] = lines.at(0).at("driver_ns").get<double>() / 1000;
  }

  Json rows = Json::array();
  std::fputs(fmt::format("{:<8} {:<11} {:>10} {:>10} {:<6} {}\n", "id", "verdict", "paper", "measured",
                         "unit", "claim")
                 .c_str(),
             stdout);
  for (const Claim& claim : kLustig2013) {
    if (!wanted(claim.id)) continue;
    const auto found = measured.find(claim.quantity);
    const std::optional<double> value = found == measured.end() ? std::nullopt : std::optional(found->second);
    // L-F9 asks whether the machine's own setting is recovered.
    const double paper = std::string_view(claim.quantity) == "driver_latency"
                             ? static_cast<double>(resolved.machine.driver.memcpy_async.driver_ns) / 1000
                             : claim.paper;
    const char* result = verdict(claim, value, paper);
    rows.push_back({{"id", claim.id},
                    {"claim", claim.claim},
                    {"paper", paper},
                    {"unit", claim.unit},
                    {"measured", value ? Json(*value) : Json()},
                    {"verdict", result},
                    {"note", claim.note}});
    std::fputs(
        fmt::format("{:<8} {:<11} {:>10} {:>10} {:<6} {}{}{}{}\n", claim.id, result,
                    fmt::format("{:.4g}", paper), value ? fmt::format("{:.4g}", *value) : "-", claim.unit,
                    claim.claim, *claim.note ? " (" : "", claim.note, *claim.note ? ")" : "")
            .c_str(),
        stdout);
  }
  if (!options.json.empty()) {
    std::ofstream file(options.json);
    file << Json{{"paper", options.paper}, {"machine", machine}, {"rows", rows}}.dump(1) << "\n";
    if (!file.flush()) throw Error(fmt::format("cannot write {}", options.json));
  }
  return 0;
}

}  // namespace duet::cli
