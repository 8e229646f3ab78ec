// The frequent JSON of a run, written as text at once, byte for byte as nlohmann-json's dump(1) has it:
//
//   JsonText json(2);                        // how deep the value lies
//   json.object([&] {
//     json.member("name", kernel.name);
//     json.member("grid", kernel.grid);      // numbers, one a line
//     json.object("stalls", [&] { ... });
//   });
//   out << json.text();
//   json.clear();                            // for the next one
//
// Only writers of results include it: it brings all of nlohmann-json.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace duet::report {

class JsonText {
 public:
  explicit JsonText(std::size_t depth) : depth_(depth) {}
  std::string_view text() const { return {buffer_.data(), used_}; }
  void clear() { used_ = 0; }
  // As it is.
  void put(std::string_view text) {
    copy(text, room(text.size()));
    used_ += text.size();
  }

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

  void value(bool of) { put(of ? "true" : "false"); }
  template <std::unsigned_integral Number>
  void value(Number of) {
    char* const at = room(kDigits);
    used_ += static_cast<std::size_t>(std::to_chars(at, at + kDigits, of).ptr - at);
  }
  void value(double of) {
    if (of != known_ || known_text_.empty()) known_text_ = nlohmann::ordered_json(known_ = of).dump();
    put(known_text_);
  }
  void value(std::string_view of) {
    if (!is_plain(of))
      return put(
          nlohmann::ordered_json(of).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
    char* at = room(of.size() + 2);
    *at++ = '"';
    at = copy(of, at);
    *at = '"';
    used_ += of.size() + 2;
  }
  void value(const std::string& of) { value(std::string_view(of)); }
  void value(const char* of) { value(std::string_view(of)); }
  void value(const nlohmann::ordered_json& of) {
    const std::string text = of.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    std::string_view rest = text;
    for (std::size_t end; (end = rest.find('\n')) != std::string_view::npos; rest.remove_prefix(end + 1)) {
      put(rest.substr(0, end));
      line();
    }
    put(rest);
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
  static constexpr std::size_t kDigits = 24;

  // Room for so many bytes; the writer adds them to used_.
  char* room(std::size_t bytes) {
    if (buffer_.size() - used_ < bytes) buffer_.resize(2 * buffer_.size() + bytes);
    return buffer_.data() + used_;
  }
  static char* copy(std::string_view text, char* at) {
    if (!text.empty()) std::memcpy(at, text.data(), text.size());
    return at + text.size();
  }
  void line() {
    char* const at = room(depth_ + 1);
    *at = '\n';
    std::memset(at + 1, ' ', depth_);
    used_ += depth_ + 1;
  }
  // The place of the next member or element.
  void next() {
    if (!first_) put(",");
    first_ = false;
    line();
  }
  void key(std::string_view name) {
    next();
    value(name);
    put(": ");
  }
  template <typename Fill>
  void nest(char open, char close, Fill fill) {
    put({&open, 1});
    ++depth_;
    first_ = true;
    fill();
    --depth_;
    if (!first_) line();
    first_ = false;
    put({&close, 1});
  }

  // Whether a string has its characters as they are: printable ASCII without quote and backslash. Eight at
  // once.
  static bool is_plain(std::string_view text) {
    constexpr std::uint64_t kEach = 0x0101010101010101, kHigh = 0x80 * kEach;
    std::uint64_t special = 0;
    const auto look = [&](std::uint64_t eight) {
      const auto none = [](std::uint64_t x) { return (x - kEach) & ~x; };  // a high bit where a byte is 0
      special |= eight | ((eight - 0x20 * kEach) & ~eight) | none(eight ^ ('"' * kEach)) |
                 none(eight ^ ('\\' * kEach)) | none(eight ^ (0x7f * kEach));
    };
    std::size_t at = 0;
    for (; at + 8 <= text.size(); at += 8) {
      std::uint64_t eight;
      std::memcpy(&eight, text.data() + at, 8);
      look(eight);
    }
    std::uint64_t rest = 0x20 * kEach;
    if (at < text.size()) std::memcpy(&rest, text.data() + at, text.size() - at);
    look(rest);
    return (special & kHigh) == 0;
  }

  std::vector<char> buffer_;
  std::size_t used_ = 0, depth_;
  bool first_ = true;
  double known_ = 0;  // numbers of many kernels are the same
  std::string known_text_;
};

}  // namespace duet::report
