#include "machine/rules/method_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "config/names.h"
#include "config/setting.h"
#include "memory/allocation_methods.h"

namespace duet::machine {

namespace {

constexpr std::string_view kDeviceCall = "cudaMalloc", kRegister = "cudaHostRegister";

class MethodRules {
 public:
  explicit MethodRules(const config::ResolvedMachine& machine)
      : values_(machine.values), is_one_(machine.machine.memory_fabric.has_value()) {
    for (std::size_t i = 0; i < machine.machine.methods.size(); ++i)
      check(fmt::format("method[{}].", i), machine.machine.methods[i]);
  }

 private:
  [[noreturn]] void refuse(const std::string& key, const std::string& what) const {
    config::refuse(values_, key, what);
  }

  void check(const std::string& prefix, const config::Method& method) {
    const bool is_name =
        !method.name.empty() && std::all_of(method.name.begin(), method.name.end(), [](char c) {
          return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-';
        });
    if (!is_name || !names_.insert(method.name).second)
      refuse(prefix + "name",
             "cannot be: a method's name is its own, of letters, digits and '-', as hostalloc");
    for (const std::string_view call : memory::words_of(method.calls)) {
      if (std::find(config::kMethodCalls.begin(), config::kMethodCalls.end(), call) ==
          config::kMethodCalls.end())
        refuse(prefix + "calls", fmt::format("names '{}', which allocates no memory: known are {}", call,
                                             fmt::join(config::kMethodCalls, ", ")));
      const auto [other, is_new] = calls_.try_emplace(std::string(call), method.name);
      if (!is_new) refuse(prefix + "calls", fmt::format("names {}, as {} does", call, other->second));
      check_call(prefix, method, call);
    }
    if (is_one_) check_maintenance(prefix, method);
    if (method.route == "link") check_across_link(prefix, method);
  }

  void check_across_link(const std::string& prefix, const config::Method& method) const {
    if (!method.gpu_l2 && method.gpu_l1)
      refuse(prefix + "gpu_l1",
             fmt::format("cannot be with {}route = \"link\" and {}gpu_l2 = false: L2 is before the link",
                         prefix, prefix));
    if (!method.gpu_l2) return;
    if (!is_one_)
      refuse(prefix + "gpu_l2",
             fmt::format("cannot be with {}route = \"link\": no cache of the GPU holds what comes across the "
                         "link where there is no [memory_fabric]",
                         prefix));
    const auto has = [](const std::string& words, std::string_view word) {
      return memory::has_word(words, word);
    };
    if (!method.unsafe && !(has(method.at_launch, "invalidate-gpu") &&
                            (has(method.at_end, "clean-gpu") || has(method.at_synchronize, "clean-gpu"))))
      refuse(prefix + "unsafe",
             "must be true: L2 may hold it, and it is not given up (invalidate-gpu) at launches and written "
             "back (clean-gpu) at their end or at synchronizations");
  }

  // What the driver does with caches. Words of cores say nothing at a kernel's end, where no core is told of
  // it.
  void check_maintenance(const std::string& prefix, const config::Method& method) const {
    const std::pair<const char*, const std::string*> moments[] = {{"at_copy", &method.at_copy},
                                                                  {"at_launch", &method.at_launch},
                                                                  {"at_end", &method.at_end},
                                                                  {"at_synchronize", &method.at_synchronize}};
    bool any = false;
    for (const auto& [moment, words] : moments) {
      for (const std::string_view word : memory::words_of(*words)) {
        if (word == config::kFillTable) {
          check_fill_table(prefix, method, moment);
          continue;
        }
        if (std::find(config::kCacheWords.begin(), config::kCacheWords.end(), word) ==
            config::kCacheWords.end())
          refuse(prefix + moment,
                 fmt::format("has the word '{}': known are {}", word, fmt::join(config::kCacheWords, ", ")));
        if (std::string_view(moment) == "at_end" && word.ends_with("-cpu"))
          refuse(prefix + moment, fmt::format("cannot have '{}': no core is told of a kernel's end", word));
        any = true;
      }
    }
    if (method.cpu == "write-back" && (method.gpu_l1 || method.gpu_l2) && method.route == "memory" && !any &&
        !method.unsafe)
      refuse(prefix + "unsafe",
             "must be true: caches of both sides may hold it, and nothing at copies, launches and "
             "synchronizations keeps them right");
  }

  void check_fill_table(const std::string& prefix, const config::Method& method,
                        std::string_view moment) const {
    if (moment != "at_launch")
      refuse(prefix + std::string(moment), "cannot have 'fill-table': the driver does it at launches");
    if (method.translation != "table")
      refuse(prefix + std::string(moment),
             fmt::format("cannot have 'fill-table': {}translation is \"{}\", not \"table\"", prefix,
                         method.translation));
  }

  void check_call(const std::string& prefix, const config::Method& method, std::string_view call) const {
    const bool device = call == kDeviceCall;
    if (device != (method.cpu == "none"))
      refuse(prefix + "cpu", device ? "must be \"none\": the host does not reach memory of cudaMalloc"
                                    : fmt::format("cannot be: the host reaches memory of {}", call));
    if (device && method.route != "memory")
      refuse(prefix + "route", "must be \"memory\": cudaMalloc gives the GPU's own");
    if (!device && method.route == "memory" && !is_one_)
      refuse(prefix + "route",
             fmt::format(
                 "must be \"link\": memory of {} lies in the host's DRAM, and there is no [memory_fabric]",
                 call));
    if (call == kRegister && method.cpu != "write-back")
      refuse(prefix + "cpu", "must be \"write-back\": cudaHostRegister is given the program's own pages");
  }

  const std::vector<config::ResolvedValue>& values_;
  const bool is_one_;  // cores and GPU have one DRAM
  std::set<std::string> names_;
  std::map<std::string, std::string> calls_;  // and the method that names it
};

}  // namespace

void check_methods(const config::ResolvedMachine& machine) { MethodRules{machine}; }

void check_method(const config::Machine& machine, const std::string& name) {
  if (name.empty()) return;
  std::vector<std::string> names;
  for (const config::Method& method : machine.methods) names.push_back(method.name);
  if (std::find(names.begin(), names.end(), name) != names.end()) return;
  throw Error(fmt::format("--method {}: {} has {}", name, machine.name,
                          names.empty() ? "no [[method]] rows" : fmt::format("{}", fmt::join(names, ", "))));
}

}  // namespace duet::machine
