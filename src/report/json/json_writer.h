// The common parts of the writers of stats.json. Only they include it: it brings all of nlohmann-json.
#pragma once

#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <string_view>

#include "report/json/json_text.h"
#include "report/results/hot_lines.h"
#include "report/results/processor_result.h"

namespace duet::report {

using Json = nlohmann::ordered_json;

// The names differ, so there is no need to look for them among earlier ones.
inline Json values(const Counters& named) {
  Json::object_t result;
  for (const auto& [name, value] : named) result.push_back({name, value});
  return result;
}

inline void write_component(JsonText& json, const ComponentResult& c) {
  json.object([&] {
    json.member("name", c.name);
    json.member("parent", c.parent);
    json.member("kind", c.kind);
    json.member("level", c.level);
    json.member("role", c.role);
    json.object("counters", [&] {
      for (const auto& [name, value] : c.counters) json.member(name, value);
    });
  });
}

// processor_json.cpp
Json core_json(const CoreResult& core);
Json thread_json(const ThreadResult& thread);
// {}: there are no samples.
Json profile_json(const ProcessorResult& processor);
Json processor_totals(const ProcessorResult& processor, double wall_seconds);

// lines_json.cpp
Json lines_json(const KernelLines& kernel);

// A JSON object, written member by member, long arrays element by element.
class ObjectWriter {
 public:
  explicit ObjectWriter(std::ostream& out) : out_(out) { out_ << '{'; }
  void member(const char* name, const Json& value) {
    begin(name);
    write(value, 1);
  }
  // `fill(add)` calls add() with each element.
  template <typename Fill>
  void array(const char* name, Fill fill) {
    begin(name);
    out_ << '[';
    bool first = true;
    fill([&](const Json& element) {
      out_ << (first ? "\n  " : ",\n  ");
      first = false;
      write(element, 2);
    });
    out_ << (first ? "]" : "\n ]");
  }
  // The same for very many: `fill(add)` calls add() with a writer of an element, write(JsonText&).
  template <typename Fill>
  void texts(const char* name, Fill fill) {
    begin(name);
    out_ << '[';
    JsonText json(2);
    bool first = true;
    fill([&](auto write_one) {
      json.put(first ? "\n  " : ",\n  ");
      first = false;
      write_one(json);
      if (json.text().size() < kTogether) return;
      out_ << json.text();
      json.clear();
    });
    out_ << json.text() << (first ? "]" : "\n ]");
  }
  void end() { out_ << "\n}\n"; }

 private:
  static constexpr std::size_t kTogether = 64 * 1024;  // a stream hands on texts longer than 1 KiB at once

  void begin(const char* name) {
    out_ << (first_ ? "\n \"" : ",\n \"") << name << "\": ";
    first_ = false;
  }
  void write(const Json& value, std::size_t depth) {
    const std::string text = value.dump(1, ' ', false, Json::error_handler_t::replace);  // of names
    std::size_t from = 0;
    for (std::size_t end; (end = text.find('\n', from)) != std::string::npos; from = end + 1)
      out_ << std::string_view(text).substr(from, end + 1 - from) << std::string(depth, ' ');
    out_ << std::string_view(text).substr(from);
  }

  std::ostream& out_;
  bool first_ = true;
};

}  // namespace duet::report
