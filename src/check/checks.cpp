#include "check/checks.h"

#include <algorithm>

#include "base/error.h"

namespace duet::check {

namespace {

struct Name {
  const char* name;
  bool Checks::*on;
};
constexpr Name kNames[] = {{"memory", &Checks::memory}, {"races", &Checks::races}, {"init", &Checks::init},
                           {"sync", &Checks::sync},     {"leaks", &Checks::leaks}, {"api", &Checks::api},
                           {"model", &Checks::model}};

}  // namespace

Checks checks_of(const std::string& words) {
  Checks checks;
  for (std::size_t from = 0; from <= words.size();) {
    const std::size_t end = std::min(words.find(',', from), words.size());
    const std::string word = words.substr(from, end - from);
    from = end + 1;
    const auto* const found =
        std::find_if(std::begin(kNames), std::end(kNames), [&](const Name& n) { return word == n.name; });
    if (found != std::end(kNames))
      checks.*found->on = true;
    else if (word == "all")
      for (const Name& name : kNames) checks.*name.on = true;
    else
      throw Error(
          "--check: '" + word +
          "' is no check: take of memory, races, init, sync, leaks, api, model, with commas between, or all");
  }
  return checks;
}

std::string text_of(const Checks& checks) {
  std::string text;
  for (const Name& name : kNames)
    if (checks.*name.on) text += (text.empty() ? "" : ",") + std::string(name.name);
  return text;
}

}  // namespace duet::check
