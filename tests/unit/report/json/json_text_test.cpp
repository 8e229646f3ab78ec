#include "report/json/json_text.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace duet::report {
namespace {

using Json = nlohmann::ordered_json;

// As ObjectWriter writes a tree so deep.
std::string of_tree(const Json& tree, std::size_t depth) {
  std::string text;
  for (const char c : tree.dump(1, ' ', false, Json::error_handler_t::replace)) {
    text += c;
    if (c == '\n') text.append(depth, ' ');
  }
  return text;
}

TEST(JsonText, IsWhatATreeGives) {
  const std::uint32_t grid[3] = {4, 1, ~0u};
  const Json inner = {{"a", {1, 2}}, {"b", Json::object()}, {"c", {{"d", nullptr}}}};
  const Json tree = {{"name", "k"},
                     {"grid", {4, 1, ~0u}},
                     {"complete", true},
                     {"most", ~std::uint64_t{0}},
                     {"occupancy", 1.0 / 3},
                     {"again", 1.0 / 3},
                     {"one", 1.0},
                     {"none", Json::object()},
                     {"counters", {{"x", 0}}},
                     {"inner", inner},
                     {"last", "end"}};
  for (const std::size_t depth : {0u, 2u, 7u}) {
    JsonText json(depth);
    for (int time = 0; time < 2; ++time) {
      json.clear();
      json.object([&] {
        json.member("name", "k");
        json.member("grid", grid);
        json.member("complete", true);
        json.member("most", ~std::uint64_t{0});
        json.member("occupancy", 1.0 / 3);
        json.member("again", 1.0 / 3);
        json.member("one", 1.0);
        json.object("none", [] {});
        json.object("counters", [&] { json.member("x", 0u); });
        json.member("inner", inner);
        json.member("last", std::string("end"));
      });
      EXPECT_EQ(json.text(), of_tree(tree, depth));
    }
  }
}

// Each character at each place of a word of eight and behind it; what is no UTF-8 is replaced.
TEST(JsonText, EscapesWhatHasToBe) {
  for (int c = 0; c < 256; ++c)
    for (std::size_t length : {1u, 7u, 8u, 9u, 17u})
      for (std::size_t at = 0; at < length; ++at) {
        std::string text(length, 'x');
        text[at] = static_cast<char>(c);
        JsonText json(0);
        json.object([&] { json.member(text, text); });
        EXPECT_EQ(json.text(), of_tree(Json{{text, text}}, 0)) << c << " at " << at << " of " << length;
      }
  JsonText json(0);
  json.value(std::string_view("größer\t\"\\\x7f\xff"));
  EXPECT_EQ(json.text(), Json("größer\t\"\\\x7f\xff").dump(-1, ' ', false, Json::error_handler_t::replace));
  json.clear();
  json.value(std::string_view());
  EXPECT_EQ(json.text(), "\"\"");
}

}  // namespace
}  // namespace duet::report
