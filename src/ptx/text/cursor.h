// Walks a token list: expectations, constant expressions, skipping.
#pragma once

#include <string>
#include <vector>

#include "ptx/ir.h"
#include "ptx/text/lexer.h"

namespace duet::ptx {

class Cursor {
 public:
  Cursor(const std::vector<Token>& tokens, const std::string& name) : tokens_(tokens), name_(name) {}

  const Token& peek(std::size_t ahead = 0) const {
    return tokens_[at_ + ahead < tokens_.size() ? at_ + ahead : tokens_.size() - 1];
  }
  const Token& next() {
    const Token& token = peek();
    if (token.kind == TokenKind::End) fail("the text ends too early");
    ++at_;
    return token;
  }
  void back(std::size_t count) { at_ -= count; }
  bool at_end() const { return peek().kind == TokenKind::End; }
  bool is(char c, std::size_t ahead = 0) const {
    return peek(ahead).kind == TokenKind::Punctuation && peek(ahead).punctuation == c;
  }
  bool is_word(std::string_view text, std::size_t ahead = 0) const {
    return peek(ahead).kind == TokenKind::Identifier && peek(ahead).text == text;
  }
  bool accept(char c) {
    if (!is(c)) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(std::string("expected '") + c + "' before " + describe());
  }
  const Token& identifier() {
    if (peek().kind != TokenKind::Identifier) fail("expected a name before " + describe());
    return next();
  }
  std::string describe() const {
    return at_end() ? std::string("the end") : "'" + std::string(peek().text) + "'";
  }
  [[noreturn]] void fail(const std::string& what) const { fail_at(peek().line, what); }
  [[noreturn]] void fail_at(std::uint32_t line, const std::string& what) const;

  // A constant expression (PTX ISA 4.5.4) of integers, or a single floating-point literal.
  NumberLiteral constant();
  std::uint64_t integer();

  void skip_to_semicolon();  // braces inside are skipped whole
  void skip_braces();
  void skip_parentheses();
  struct Location {
    SourceLine at, inlined_at;
  };
  Location location();  // after .loc

  void note_unsupported(ir::Function& function, const std::string& what, std::uint32_t line) const {
    if (function.unsupported.empty())
      function.unsupported = what + " (" + name_ + ":" + std::to_string(line) + ")";
  }

 private:
  class Nesting;
  NumberLiteral binary(unsigned precedence);
  NumberLiteral unary();

  const std::vector<Token>& tokens_;
  const std::string name_;
  std::size_t at_ = 0;
  unsigned depth_ = 0;  // Nesting
};

}  // namespace duet::ptx
