// Lexical rules: PTX ISA 9.0, section 4 (source format, identifiers, constants). Identifiers may contain "::"
// inside (L1::evict_last), in modifiers alone; ".." never joins an identifier, so "%tid.x" is three tokens.
#include "ptx/text/lexer.h"

#include <array>
#include <bit>
#include <charconv>
#include <cstdlib>

#include "base/error.h"

namespace duet::ptx {
namespace {

enum : std::uint8_t { kStart = 1, kFollow = 2, kDigit = 4, kSpace = 8 };

constexpr std::array<std::uint8_t, 256> make_classes() {
  std::array<std::uint8_t, 256> table{};
  for (int c = 0; c < 256; ++c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
    const bool digit = c >= '0' && c <= '9';
    if (letter || c == '%') table[c] |= kStart;
    if (letter || digit) table[c] |= kFollow;
    if (digit) table[c] |= kDigit;
    if (c == ' ' || (c >= '\t' && c <= '\r')) table[c] |= kSpace;
  }
  return table;
}
constexpr auto kClasses = make_classes();
bool is(char c, std::uint8_t what) { return kClasses[static_cast<unsigned char>(c)] & what; }

class Lexer {
 public:
  Lexer(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  std::vector<Token> run() {
    tokens_.reserve(text_.size() / 3 + 16);
    while (skip_space(), at_ < text_.size()) next();
    tokens_.push_back({TokenKind::End, 0, line_, {}});
    return std::move(tokens_);
  }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  [[noreturn]] void fail(std::uint32_t line, const std::string& what) const {
    throw Error(name_ + ":" + std::to_string(line) + ": " + what);
  }

  void skip_space() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        ++line_;
        ++at_;
      } else if (is(c, kSpace) || c == '\0') {
        ++at_;
      } else if (c == '/' && peek(1) == '/') {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else if (c == '/' && peek(1) == '*') {
        const std::uint32_t opened = line_;
        at_ += 2;
        while (at_ < text_.size() && !(text_[at_] == '*' && peek(1) == '/')) line_ += text_[at_++] == '\n';
        if (at_ >= text_.size()) fail(opened, "comment is not closed");
        at_ += 2;
      } else {
        return;
      }
    }
  }

  void add(TokenKind kind, std::size_t begin) {
    tokens_.push_back({kind, 0, line_, text_.substr(begin, at_ - begin)});
  }

  void next() {
    const std::size_t begin = at_;
    const char c = text_[at_];
    if (c == '%' && !is(peek(1), kFollow)) {
      punctuation(c, 1);
    } else if (is(c, kStart)) {
      ++at_;
      while (is(peek(), kFollow) || (peek() == ':' && peek(1) == ':' && is(peek(2), kFollow)))
        at_ += peek() == ':' ? 2 : 1;
      add(TokenKind::Identifier, begin);
    } else if (is(c, kDigit)) {
      number();
      add(TokenKind::Number, begin);
    } else if (c == '"') {
      ++at_;
      while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n') at_ += text_[at_] == '\\' ? 2 : 1;
      if (peek() != '"') fail(line_, "string is not closed");
      ++at_;
      tokens_.push_back({TokenKind::String, 0, line_, text_.substr(begin + 1, at_ - begin - 2)});
    } else if ((c == '<' || c == '>') && peek(1) == c) {
      punctuation(c == '<' ? 's' : 'S', 2);
    } else if (c > ' ' && c < 127) {
      punctuation(c, 1);
    } else {
      fail(line_, "character " + std::to_string(static_cast<unsigned char>(c)) + " is not PTX");
    }
  }

  void punctuation(char c, std::size_t length) {
    tokens_.push_back({TokenKind::Punctuation, c, line_, text_.substr(at_, length)});
    at_ += length;
  }

  void number() {
    const bool prefixed = text_[at_] == '0' && !is(peek(1), kDigit) && peek(1) != '.' && peek(1) != 'e';
    ++at_;
    while (true) {
      const char c = peek();
      if (is(c, kFollow)) {
        ++at_;
        if (!prefixed && (c == 'e' || c == 'E') && (peek() == '+' || peek() == '-') && is(peek(1), kDigit))
          ++at_;
      } else if (!prefixed && c == '.' && !is(peek(1), kStart)) {
        ++at_;
      } else {
        return;
      }
    }
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokenize(std::string_view text, const std::string& name) {
  return Lexer(text, name).run();
}

bool parse_number(std::string_view text, NumberLiteral& result) {
  const auto integer = [&](std::string_view digits, int base) {
    result.kind = NumberLiteral::Kind::Integer;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), result.bits, base);
    return error == std::errc{} && end == digits.data() + digits.size() && !digits.empty();
  };
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'f' || text[1] == 'F')) {
    if (!integer(text.substr(2), 16) || text.size() != 10) return false;
    result.kind = NumberLiteral::Kind::Float32;
    return true;
  }
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'd' || text[1] == 'D')) {
    if (!integer(text.substr(2), 16) || text.size() != 18) return false;
    result.kind = NumberLiteral::Kind::Float64;
    return true;
  }
  const bool hexadecimal = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  if (!hexadecimal && text.find_first_of(".eE") != std::string_view::npos) {
    const std::string copy(text);
    char* end = nullptr;
    const double value = std::strtod(copy.c_str(), &end);
    if (end != copy.c_str() + copy.size()) return false;
    result.kind = NumberLiteral::Kind::Float64;
    result.bits = std::bit_cast<std::uint64_t>(value);
    return true;
  }
  if (!text.empty() && (text.back() == 'U' || text.back() == 'u')) text.remove_suffix(1);
  if (hexadecimal) return integer(text.substr(2), 16);
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'b' || text[1] == 'B'))
    return integer(text.substr(2), 2);
  if (text.size() > 1 && text[0] == '0') return integer(text.substr(1), 8);
  return integer(text, 10);
}

}  // namespace duet::ptx
