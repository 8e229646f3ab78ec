#include "machine/cores_for_gpu/preexecution_options.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "base/error.h"

namespace duet::machine {

namespace {

struct Number {
  const char* key;
  unsigned PreexecutionOptions::*value;
  unsigned least, most;
};
constexpr Number kNumbers[] = {
    {"unroll_factor", &PreexecutionOptions::unroll_factor, 1, 64},
    {"kernel_loop_unroll", &PreexecutionOptions::kernel_loop_unroll, 1, 64},
    {"batch_size", &PreexecutionOptions::batch_size, 1, 1 << 20},
    {"skip_factor", &PreexecutionOptions::skip_factor, 1, 1 << 20},
    {"threshold", &PreexecutionOptions::threshold, 0, std::numeric_limits<unsigned>::max()},
    {"skip_factor_most", &PreexecutionOptions::skip_factor_most, 0, 1 << 20},
    {"first_wave", &PreexecutionOptions::first_wave, 0, 1 << 16},
    {"waves_ahead", &PreexecutionOptions::waves_ahead, 0, 1 << 16},
};
struct Word {
  const char* key;
  std::string PreexecutionOptions::*value;
  std::vector<std::string> values;
};
const std::vector<Word>& words() {
  static const std::vector<Word> all = {
      {"lowering", &PreexecutionOptions::lowering, {"not_below_initial", "as_printed"}},
      {"data_guards", &PreexecutionOptions::data_guards, {"in_slice", "keep", "drop"}},
      {"thread_ids", &PreexecutionOptions::thread_ids, {"as_printed", "clamped"}},
      {"blocks", &PreexecutionOptions::blocks, {"implicit", "forwarded"}},
      {"private_caches", &PreexecutionOptions::private_caches, {"keep", "drop"}}};
  return all;
}

}  // namespace

const char* name_of(PreexecutionMode mode) {
  static constexpr const char* kNames[] = {"off", "adaptive", "profiled"};
  return kNames[static_cast<unsigned>(mode)];
}

PreexecutionMode preexecution_mode(const std::string& name) {
  for (const auto mode : {PreexecutionMode::Off, PreexecutionMode::Adaptive, PreexecutionMode::Profiled})
    if (name == name_of(mode)) return mode;
  throw Error(fmt::format("--preexec {}: it is off, adaptive or profiled", name));
}

void set(PreexecutionOptions& options, const std::string& setting) {
  const std::size_t equals = setting.find('=');
  const std::string key = setting.substr(0, equals);
  const std::string value = equals == std::string::npos ? "" : setting.substr(equals + 1);
  std::string keys;
  for (const Number& number : kNumbers) {
    keys += std::string(keys.empty() ? "" : ", ") + number.key;
    if (key != number.key) continue;
    unsigned read = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), read);
    if (error != std::errc() || end != value.data() + value.size() || read < number.least ||
        read > number.most)
      throw Error(fmt::format("--preexec-set {}: {} is a whole number from {} to {}", setting, key,
                              number.least, number.most));
    options.*number.value = read;
    return;
  }
  for (const Word& word : words()) {
    keys += std::string(", ") + word.key;
    if (key != word.key) continue;
    for (const std::string& one : word.values)
      if (one == value) {
        options.*word.value = value;
        return;
      }
    throw Error(fmt::format("--preexec-set {}: {} is {}", setting, key, fmt::join(word.values, " or ")));
  }
  throw Error(fmt::format("--preexec-set {}: there is no key '{}'; there are {}", setting, key, keys));
}

std::vector<OptionField> PreexecutionOptions::fields() {
  std::vector<OptionField> fields = {
      {.key = "preexec",
       .place = TextPlace{[this] { return std::string(name_of(mode)); },
                          [this](const std::string& name) { mode = preexecution_mode(name); }, "profiled"},
       .word = "--preexec",
       .text =
           "run a program ahead of every kernel on a core that shares a cache with the GPU, so that the "
           "GPU finds its data there (docs/use/preexec.md): adaptive keeps its distance by itself, profiled "
           "has it from --profile; with --host simulated the core is one that no thread has",
       .type_name = "off|adaptive|profiled",
       .choices = {"off", "adaptive", "profiled"}},
      {.place = TextPlace{{}, [this](const std::string& setting) { set(*this, setting); }, {}},
       .word = "--preexec-set",
       .text = "change one parameter of --preexec: key=value; each takes one key (docs/use/preexec.md lists "
               "them)",
       .several = true},
      {.key = "preexec_profile", .place = &profile}};
  for (const Number& number : kNumbers)
    fields.push_back({.key = std::string("preexec_") + number.key, .place = &(this->*number.value)});
  for (const Word& word : words())
    fields.push_back({.key = std::string("preexec_") + word.key, .place = &(this->*word.value)});
  return fields;
}

std::vector<std::pair<std::string, std::string>> settings(const PreexecutionOptions& options) {
  std::vector<std::pair<std::string, std::string>> result;
  for (const Number& number : kNumbers)
    result.emplace_back(number.key, std::to_string(options.*number.value));
  for (const Word& word : words()) result.emplace_back(word.key, options.*word.value);
  return result;
}

}  // namespace duet::machine
