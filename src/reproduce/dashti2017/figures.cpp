#include "reproduce/dashti2017/figures.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <sstream>

#include "reproduce/dashti2017/jobs.h"

namespace duet::reproduce::dashti2017 {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::array<const char*, 4> kMethods = {"default", "hostalloc", "managed", "sharedalloc"};

std::string size(std::uint64_t bytes) { return std::to_string(bytes); }

// GB/s of a run of `bandwidth`; nothing when it failed.
std::optional<double> rate(const Outcome& outcome, std::uint64_t bytes, unsigned passes) {
  const double us = outcome.us_between("start", "finish");
  if (!outcome.right() || us <= 0) return std::nullopt;
  return static_cast<double>(bytes) * passes / us / 1000;
}

}  // namespace

// Table 1 has them so.
struct Cells {
  const char* method;
  bool cpu, gpu, both_at_once;
};
constexpr Cells kTable1[] = {{"default", true, true, true},
                             {"hostalloc", false, false, true},
                             {"managed", true, true, false},
                             {"sharedalloc", true, true, true}};

void measure_table_1(Experiments& experiments, const Setup& setup, Measurements& out) {
  constexpr unsigned kEntries = 2048, kPasses = 8;
  std::vector<Job> jobs;
  for (const char* method : kMethods) {
    const Strings read = {"--access",         "read",     "--bytes",
                          size(kEntries * 8), "--passes", std::to_string(kPasses)};
    for (const char* by : {"cpu", "gpu"}) {
      Strings words = read;
      words.insert(words.end(), {"--by", by});
      jobs.push_back(job_of(experiments, setup, "bandwidth", method, words));
    }
    jobs.push_back(
        job_of(experiments, setup, "halves", method, {"--count", "4096", "--rounds", "1", "--turns", "no"}));
  }
  const auto outcomes = experiments.runner().run("D-T1", jobs);
  unsigned caching = 0, together = 0;
  std::string wrong;
  constexpr int kSegmentationFault = 139, kCannotRun = 125;
  for (const Outcome* const outcome : outcomes) {
    if (outcome->status != kCannotRun) continue;
    for (const char* quantity : {"caching", "together", "managed_status"})
      out.notes[quantity] = outcome->error_line();
    return;
  }
  for (std::size_t i = 0; i < kMethods.size(); ++i) {
    const Cells& cells = kTable1[i];
    const Outcome &by_cpu = *outcomes[3 * i], &by_gpu = *outcomes[3 * i + 1], &both = *outcomes[3 * i + 2];
    // Each entry was read so often past all caches, or most of them found there.
    const bool cpu = by_cpu.counter("directory.uncached") < kEntries * (kPasses - 1);
    const bool gpu = by_gpu.counter("l2.read_hits") > kEntries / 4 * (kPasses - 1) / 2;
    const bool at_once = both.right(), ended = both.status == kSegmentationFault;
    const auto count = [&](const char* what, bool is, bool should, unsigned& right) {
      right += is == should;
      if (is != should) wrong += fmt::format("{}{}: {}", wrong.empty() ? "" : "; ", cells.method, what);
    };
    count("caches of cores", by_cpu.right() && cpu, cells.cpu, caching);
    count("caches of the GPU", by_gpu.right() && gpu, cells.gpu, caching);
    count("both at once", at_once && !ended, cells.both_at_once, together);
    if (std::string(cells.method) == "managed") out.values["managed_status"] = both.status;
    out.figures["Table 1"].push_back(
        {{"method", cells.method}, {"cpu", cpu}, {"gpu", gpu}, {"both_at_once", at_once}});
  }
  out.values["caching"] = caching;
  out.values["together"] = together;
  if (!wrong.empty()) out.notes["caching"] = out.notes["together"] = "not as in Table 1: " + wrong;
}

void measure_figure_3(Experiments& experiments, const Setup& setup, Measurements& out) {
  const std::vector<std::uint64_t> by_gpu = {32768,  65536,  98304,  131072, 163840,
                                             196608, 262144, 524288, 1048576},
                                   by_cpu = {32768, 131072, 524288, 4194304};
  struct Point {
    const char* by;
    const char* access;
    std::string method;
    std::uint64_t bytes;
    unsigned passes;
  };
  std::vector<Point> points;
  std::vector<Job> jobs;
  const auto add = [&](const char* by, const char* access, std::uint64_t bytes, unsigned passes) {
    for (const char* method : {"default", "hostalloc"}) {
      points.push_back({by, access, method, bytes, passes});
      jobs.push_back(job_of(experiments, setup, "bandwidth", method,
                            {"--by", by, "--access", access, "--bytes", size(bytes), "--passes",
                             std::to_string(passes), "--walk", "array"}));
    }
  };
  const bool quick = experiments.options().quick;
  for (const char* access : {"write", "read"}) {
    for (const std::uint64_t bytes : by_gpu)
      if (!quick || bytes <= 262144) add("gpu", access, bytes, 16);
    for (const std::uint64_t bytes : by_cpu)
      if (!quick || bytes <= 131072) add("cpu", access, bytes, bytes > 1'000'000 ? 2 : 4);
  }
  const auto outcomes = experiments.runner().run("D-F3", jobs);
  std::map<std::string, std::optional<double>> rates;
  std::string failed;
  const auto key = [](const std::string& by, const std::string& access, const std::string& method,
                      std::uint64_t bytes) { return fmt::format("{} {} {} {}", by, access, method, bytes); };
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Point& point = points[i];
    const auto own = rate(*outcomes[i], point.bytes, point.passes);
    rates[key(point.by, point.access, point.method, point.bytes)] = own;
    if (!own && failed.empty()) failed = outcomes[i]->error_line();
    out.figures["3"].push_back({{"by", point.by},
                                {"access", point.access},
                                {"method", point.method},
                                {"bytes", point.bytes},
                                {"gb_per_s", own ? Json(*own) : Json()}});
  }
  const auto at = [&](const char* by, const char* access, const char* method, std::uint64_t bytes) {
    return rates[key(by, access, method, bytes)];
  };
  out.keep("read_over_write_cpu",
           ratio(at("cpu", "read", "hostalloc", 131072), at("cpu", "write", "hostalloc", 131072)), failed);
  const std::uint64_t beyond = quick ? 262144 : 1048576;
  for (const std::string access : {"write", "read"}) {
    const char* const a = access.c_str();
    out.keep(access + "_cpu_share", ratio(at("cpu", a, "hostalloc", 131072), at("cpu", a, "default", 131072)),
             failed);
    out.keep(access + "_gpu_64k", at("gpu", a, "default", 65536), failed);
    out.keep(access + "_gpu_64k_share",
             ratio(at("gpu", a, "hostalloc", 65536), at("gpu", a, "default", 65536)), failed);
    out.keep(access + "_knee", ratio(at("gpu", a, "default", 131072), at("gpu", a, "default", 262144)),
             failed);
    out.keep(access + "_beyond_share",
             ratio(at("gpu", a, "hostalloc", beyond), at("gpu", a, "default", beyond)), failed);
    out.keep(access + "_gpu_beyond", at("gpu", a, "default", beyond), failed);
  }
}

void measure_figure_5(Experiments& experiments, const Setup& setup, Measurements& out) {
  const std::vector<unsigned> counts = experiments.options().quick
                                           ? std::vector<unsigned>{256, 4096}
                                           : std::vector<unsigned>{256, 1024, 4096, 16384, 65536};
  struct Point {
    const char* method;
    const char* index;
    const char* entry;
    unsigned threads;
  };
  std::vector<Point> points;
  std::vector<Job> jobs;
  for (const char* method : {"hostalloc", "managed"})
    for (const auto& [index, entry] : {std::pair("own", "8"), {"own", "32"}, {"first", "8"}})
      for (const unsigned threads : counts) {
        points.push_back({method, index, entry, threads});
        jobs.push_back(job_of(
            experiments, setup, "lines", method,
            {"--index", index, "--entry", entry, "--threads", std::to_string(threads), "--repeats", "8"}));
      }
  const auto outcomes = experiments.runner().run("D-F5", jobs);
  std::map<std::string, std::optional<double>> times;
  std::string failed;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Point& point = points[i];
    const double us = outcomes[i]->us_between("start", "finish");
    const auto own = outcomes[i]->right() && us > 0 ? std::optional(us) : std::nullopt;
    if (!own && failed.empty()) failed = outcomes[i]->error_line();
    times[fmt::format("{} {} {} {}", point.method, point.index, point.entry, point.threads)] = own;
    out.figures["5"].push_back({{"method", point.method},
                                {"index", point.index},
                                {"entry_bytes", std::stoi(point.entry)},
                                {"threads", point.threads},
                                {"us", own ? Json(*own) : Json()}});
  }
  const unsigned most = counts.back();
  const auto at = [&](const char* method, const char* index, const char* entry) {
    return times[fmt::format("{} {} {} {}", method, index, entry, most)];
  };
  for (const std::string method : {"hostalloc", "managed"}) {
    const char* const m = method.c_str();
    out.keep(method + "_four_a_line", ratio(at(m, "own", "8"), at(m, "own", "32")), failed);
    out.keep(method + "_all_on_one", ratio(at(m, "first", "8"), at(m, "own", "32")), failed);
  }
  out.keep("four_a_line_over_managed", ratio(at("hostalloc", "own", "8"), at("managed", "own", "8")), failed);
  out.keep("all_on_one_over_managed", ratio(at("hostalloc", "first", "8"), at("managed", "first", "8")),
           failed);
}

void measure_figure_6(Experiments& experiments, const Setup& setup, Measurements& out) {
  const std::vector<unsigned> counts = experiments.options().quick ? std::vector<unsigned>{1024, 4096}
                                                                   : std::vector<unsigned>{1024, 4096, 16384};
  constexpr std::array<const char*, 2> kCompared{"hostalloc", "managed"};
  std::vector<Job> jobs;
  for (const bool in_l1 : {false, true})
    for (const unsigned threads : counts)
      for (const char* method : kCompared) {
        Job job = job_of(
            experiments, setup, "lines", method,
            {"--index", "first", "--threads", std::to_string(threads), "--repeats", "8", "--l1", "yes"});
        const Strings sets{"gpu.sm.global_in_l1=true", "method[1].gpu_l1=true"};
        if (in_l1) job.sets.insert(job.sets.begin(), sets.begin(), sets.end());
        jobs.push_back(std::move(job));
      }
  const auto outcomes = experiments.runner().run("D-F6", jobs);
  std::string failed;
  std::vector<std::optional<double>> times, shares;  // of hostalloc, to managed memory's
  for (const Outcome* outcome : outcomes) {
    const double us = outcome->us_between("start", "finish");
    times.push_back(outcome->right() && us > 0 ? std::optional(us) : std::nullopt);
    if (!times.back() && failed.empty()) failed = outcome->error_line();
  }
  for (std::size_t i = 0; i < times.size(); i += 2) shares.push_back(ratio(times[i], times[i + 1]));
  for (std::size_t i = 0; i < times.size(); ++i)
    out.figures["6"].push_back({{"method", kCompared[i % 2]},
                                {"in_l1", i >= times.size() / 2},
                                {"threads", counts[i / 2 % counts.size()]},
                                {"us", times[i] ? Json(*times[i]) : Json()}});
  out.keep("with_l1_over_without", ratio(shares.back(), shares[counts.size() - 1]), failed);
}

void measure_figure_7(Experiments& experiments, const Setup& setup, Measurements& out) {
  const bool quick = experiments.options().quick;
  const std::string count = quick ? "262144" : "33554432", rounds = quick ? "4" : "2";
  Strings methods = setup.benchmarks;
  if (methods.empty()) methods.assign(kMethods.begin(), kMethods.end());
  std::vector<Job> jobs;
  for (const std::string& method : methods)
    jobs.push_back(job_of(experiments, setup, "halves", method, {"--count", count, "--rounds", rounds}));
  const auto outcomes = experiments.runner().run("D-F7", jobs);
  std::map<std::string, std::optional<double>> times;
  std::string failed;
  for (std::size_t i = 0; i < methods.size(); ++i) {
    const double us = outcomes[i]->us_between("start", "finish");
    const auto own = outcomes[i]->right() && us > 0 ? std::optional(us) : std::nullopt;
    if (!own && failed.empty()) failed = outcomes[i]->error_line();
    times[methods[i]] = own;
    out.figures["7"].push_back({{"method", methods[i]}, {"us", own ? Json(*own) : Json()}});
  }
  out.keep("over_default", ratio(times["default"], times["sharedalloc"]), failed);
  out.keep("over_managed", ratio(times["managed"], times["sharedalloc"]), failed);
  out.keep("hostalloc_share", ratio(times["hostalloc"], times["default"]), failed);
}

void measure_figure_9(Experiments& experiments, const Setup& setup, Measurements& out) {
  const std::vector<unsigned> outside =
      experiments.options().quick ? std::vector<unsigned>{0, 1024, 8192}
                                  : std::vector<unsigned>{0, 256, 512, 1024, 2048, 4096, 8192, 16384};
  std::vector<Job> jobs;
  for (const unsigned accesses : outside)
    for (const char* method : {"hostalloc", "sharedalloc"})
      jobs.push_back(job_of(experiments, setup, "peterson", method, {"--outside", std::to_string(accesses)}));
  const auto outcomes = experiments.runner().run("D-F9", jobs);
  std::string failed;
  const auto time_of = [&](const Outcome& outcome) {
    const double us = outcome.us_between("start", "finish");
    const auto own = outcome.right() && us > 0 ? std::optional(us) : std::nullopt;
    if (!own && failed.empty()) failed = outcome.error_line();
    return own;
  };
  std::vector<std::optional<double>> shares;  // of sharedalloc, to hostalloc's
  for (std::size_t i = 0; i < outside.size(); ++i) {
    const auto uncached = time_of(*outcomes[2 * i]), cached = time_of(*outcomes[2 * i + 1]);
    shares.push_back(ratio(cached, uncached));
    out.figures["9"].push_back({{"outside", outside[i]},
                                {"hostalloc_us", uncached ? Json(*uncached) : Json()},
                                {"sharedalloc_us", cached ? Json(*cached) : Json()}});
  }
  out.keep("shared_over_hostalloc_none", shares.front(), failed);
  out.keep("hostalloc_over_shared_most", ratio(1.0, shares.back()), failed);
}

void measure_copy(Experiments& experiments, const Setup& setup, Measurements& out) {
  Job job;
  job.source = "probe/latency";
  job.machine = setup.machine;
  job.arguments = {"1048576", "67108864"};
  job.sets = setup.sets;
  const Outcome& outcome = *experiments.runner().run("D-copy", {job}).front();
  std::istringstream text(outcome.output);
  for (std::string line; outcome.right() && std::getline(text, line);) {
    const Json one = Json::parse(line);
    if (one.at("bytes").get<double>() != 67108864) continue;
    const double ns = one.at("ns").at(0).get<double>();
    if (one.at("operation") == "memcpy_h2d") out.values["to_device"] = 67108864 / ns;
    if (one.at("operation") == "memcpy_d2h") out.values["to_host"] = 67108864 / ns;
  }
  if (!outcome.right()) out.notes[""] = outcome.error_line();
}

}  // namespace duet::reproduce::dashti2017
