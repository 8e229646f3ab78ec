// Splits PTX text into tokens. Comments and white space are dropped; every token knows its line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace duet::ptx {

enum class TokenKind : std::uint8_t { Identifier, Number, String, Punctuation, End };

struct Token {
  TokenKind kind = TokenKind::End;
  char punctuation = 0;  // TokenKind::Punctuation: the character ('s' for <<, 'S' for >>)
  std::uint32_t line = 0;
  std::string_view text;
};

// `name` stands in the message of the duet::Error that malformed text raises.
std::vector<Token> tokenize(std::string_view text, const std::string& name);

// Values of number tokens.
struct NumberLiteral {
  enum class Kind : std::uint8_t { Integer, Float32, Float64 } kind = Kind::Integer;
  std::uint64_t bits = 0;  // the integer, or the IEEE bits of the floating-point value
};
// Returns false when the text is no number.
bool parse_number(std::string_view text, NumberLiteral& result);

}  // namespace duet::ptx
