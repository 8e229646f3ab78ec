// JSON of which a run has very many, written as text at once, byte for byte as nlohmann-json's dump(1) has
// it:
//
//   JsonText json(text, 2);                  // a string, and how deep the value lies
//   json.object([&] {
//     json.member("name", kernel.name);
//     json.member("grid", kernel.grid);      // numbers, one a line
//     json.object("stalls", [&] { ... });
//   });
//
// Only writers of stats.json include it: it brings all of nlohmann-json.
#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace duet::report {

class JsonText {
 public:
  JsonText(std::string& out, std::size_t depth) : out_(out), depth_(depth) {}

  template <typename Fill>
  void object(Fill fill) {
    nest('{', '}', fill);
  }
  template <typename Fill>
  void object(std::string_view name, Fill fill) {
    key(name);
    object(fill);
  }
  template <typename Value>
  void member(std::string_view name, const Value& of) {
    key(name);
    value(of);
  }

  void value(bool of) { out_ += of ? "true" : "false"; }
  template <std::unsigned_integral Number>
  void value(Number of) {
    char digits[24];
    out_.append(digits, std::to_chars(digits, digits + sizeof digits, of).ptr);
  }
  void value(double of) {
    if (of != known_ || known_text_.empty()) known_text_ = nlohmann::ordered_json(known_ = of).dump();
    out_ += known_text_;
  }
  void value(std::string_view of) {
    unsigned special = 0;
    for (const char c : of) special |= kSpecial[static_cast<unsigned char>(c)];
    if (special == 0)
      ((out_ += '"') += of) += '"';
    else
      out_ +=
          nlohmann::ordered_json(of).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  }
  void value(const std::string& of) { value(std::string_view(of)); }
  void value(const char* of) { value(std::string_view(of)); }
  void value(const nlohmann::ordered_json& of) {
    const std::string text = of.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    for (const char c : text) {
      out_ += c;
      if (c == '\n') out_.append(depth_, ' ');
    }
  }
  template <std::unsigned_integral Number, std::size_t Size>
  void value(const Number (&list)[Size]) {
    nest('[', ']', [&] {
      for (const Number one : list) {
        next();
        value(one);
      }
    });
  }

 private:
  void key(std::string_view name) {
    next();
    value(name);
    out_ += ": ";
  }
  // The place of the next member or element.
  void next() {
    if (!first_) out_ += ',';
    first_ = false;
    out_ += '\n';
    out_.append(depth_, ' ');
  }
  template <typename Fill>
  void nest(char open, char close, Fill fill) {
    out_ += open;
    ++depth_;
    first_ = true;
    fill();
    --depth_;
    if (!first_) {
      out_ += '\n';
      out_.append(depth_, ' ');
    }
    first_ = false;
    out_ += close;
  }

  // Of a byte 1 where a string does not have it as it is.
  static constexpr std::array<unsigned char, 256> kSpecial = [] {
    std::array<unsigned char, 256> special{};
    for (std::size_t c = 0; c < special.size(); ++c)
      special[c] = c < 0x20 || c > 0x7e || c == '"' || c == '\\';
    return special;
  }();

  std::string& out_;
  std::size_t depth_;
  bool first_ = true;
  double known_ = 0;  // numbers of many kernels are the same
  std::string known_text_;
};

}  // namespace duet::report
