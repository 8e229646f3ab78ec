#include "ptx/text/cursor.h"

#include "base/error.h"

namespace duet::ptx {

void Cursor::fail_at(std::uint32_t line, const std::string& what) const {
  throw Error(name_ + ":" + std::to_string(line) + ": " + what);
}

// An expression in another: as deep as the host's stack surely holds.
class Cursor::Nesting {
 public:
  explicit Nesting(Cursor& cursor) : depth_(cursor.depth_) {
    if (depth_ == kDeepest)
      cursor.fail("constant expressions are nested more than " + std::to_string(kDeepest) + " deep");
    ++depth_;
  }
  ~Nesting() { --depth_; }

 private:
  static constexpr unsigned kDeepest = 500;
  unsigned& depth_;
};

NumberLiteral Cursor::unary() {
  const Nesting nesting(*this);
  if (accept('(')) {
    if (is('.')) {  // a cast, (.s64) or (.u64): all integers have 64 bits here
      next();
      next();
      expect(')');
      return unary();
    }
    const NumberLiteral inner = constant();
    expect(')');
    return inner;
  }
  if (accept('-')) {
    NumberLiteral value = unary();
    switch (value.kind) {
      case NumberLiteral::Kind::Integer:
        value.bits = -value.bits;
        break;
      case NumberLiteral::Kind::Float32:
        value.bits ^= 0x8000'0000u;
        break;
      case NumberLiteral::Kind::Float64:
        value.bits ^= 1ull << 63;
        break;
    }
    return value;
  }
  if (accept('+')) return unary();
  NumberLiteral value;
  if (accept('~')) {
    value = unary();
    value.bits = ~value.bits;
    return value;
  }
  if (accept('!')) {
    value = unary();
    value.bits = value.bits == 0;
    return value;
  }
  if (is_word("WARP_SZ")) {
    next();
    value.bits = 32;
    return value;
  }
  if (peek().kind != TokenKind::Number || !parse_number(peek().text, value))
    fail("expected a number before " + describe());
  next();
  return value;
}

NumberLiteral Cursor::binary(unsigned precedence) {
  struct Level {
    char a, b, c;
  };
  static constexpr Level kLevels[] = {{'|', 0, 0},   {'^', 0, 0},   {'&', 0, 0},
                                      {'s', 'S', 0}, {'+', '-', 0}, {'*', '/', '%'}};
  if (precedence == std::size(kLevels)) return unary();
  NumberLiteral left = binary(precedence + 1);
  const Level& level = kLevels[precedence];
  while (peek().kind == TokenKind::Punctuation &&
         (is(level.a) || (level.b && is(level.b)) || (level.c && is(level.c)))) {
    const char c = next().punctuation;
    const NumberLiteral right = binary(precedence + 1);
    if (left.kind != NumberLiteral::Kind::Integer || right.kind != NumberLiteral::Kind::Integer)
      fail("a constant expression of floating-point numbers");
    std::uint64_t& v = left.bits;
    const std::uint64_t r = right.bits;
    if ((c == '/' || c == '%') && r == 0) fail("a division by zero");
    switch (c) {
      case '|':
        v |= r;
        break;
      case '^':
        v ^= r;
        break;
      case '&':
        v &= r;
        break;
      case 's':
        v = r < 64 ? v << r : 0;
        break;
      case 'S':
        v = r < 64 ? v >> r : 0;
        break;
      case '+':
        v += r;
        break;
      case '-':
        v -= r;
        break;
      case '*':
        v *= r;
        break;
      case '/':
        v /= r;
        break;
      default:
        v %= r;
        break;
    }
  }
  return left;
}

NumberLiteral Cursor::constant() { return binary(0); }

std::uint64_t Cursor::integer() {
  const NumberLiteral value = constant();
  if (value.kind != NumberLiteral::Kind::Integer) fail("expected an integer");
  return value.bits;
}

void Cursor::skip_to_semicolon() {
  while (!accept(';')) {
    if (is('{'))
      skip_braces();
    else
      next();
  }
}

void Cursor::skip_braces() {
  expect('{');
  for (unsigned depth = 1; depth > 0;) {
    if (is('{')) ++depth;
    if (is('}')) --depth;
    next();
  }
}

void Cursor::skip_parentheses() {
  expect('(');
  for (unsigned depth = 1; depth > 0;) {
    if (is('(')) ++depth;
    if (is(')')) --depth;
    next();
  }
}

// .loc file line column [, function_name label [+ n], inlined_at file line column]
Cursor::Location Cursor::location() {
  const auto number = [this] {
    return static_cast<std::uint32_t>(std::atoi(std::string(next().text).c_str()));
  };
  const auto place = [&] {
    SourceLine result{number(), number()};
    next();  // the column
    return result;
  };
  Location result{place(), {}};
  while (is(',')) {
    next();
    if (identifier().text == "inlined_at") {
      result.inlined_at = place();
      continue;
    }
    while (peek().kind == TokenKind::Number || is('+')) next();
    if (peek().kind == TokenKind::Identifier && !is(':', 1) && peek(1).line == peek(0).line && is(',', 1))
      next();
    if (peek().kind == TokenKind::Identifier && is('+', 1)) {
      next();
      next();
      next();
    }
  }
  return result;
}

}  // namespace duet::ptx
