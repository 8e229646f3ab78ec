// Declarations of variables and .param formals with their initialisers (PTX ISA 9.0, section 5.4).
#include <bit>
#include <cstring>

#include "ptx/text/body_parser.h"

namespace duet::ptx {

using ir::IrVariable;

void VariableParser::header() {
  alignment_ = 0;
  vector_ = 1;
  managed_ = false;
  pointed_space_ = PointedSpace::None;
  pointed_alignment_ = 0;
  type_ = Type::None;
  unsupported_.clear();
  while (cursor_.accept('.')) {
    const Token& word = cursor_.peek();
    const auto text = word.text;
    if (word.kind != TokenKind::Identifier) cursor_.fail("expected a type");
    cursor_.next();
    if (text == "align") {
      alignment_ = cursor_.integer();
      if (!std::has_single_bit(alignment_)) cursor_.fail("the alignment is no power of two");
    } else if (text == "attribute") {
      attributes();
    } else if (text == "v2" || text == "v4") {
      vector_ = text == "v2" ? 2 : 4;
    } else if (text == "ptr") {  // .ptr .space .align n: the pointer's target
      pointed_to();
    } else if (text == "texref" || text == "samplerref" || text == "surfref") {
      type_ = Type::B64;
      unsupported_ = "PTX '." + std::string(text) + "' is not supported";
    } else if (!type_from_name(text, type_)) {
      cursor_.fail("type ." + std::string(text) + " is not known");
    }
  }
  if (type_ == Type::None || type_ == Type::Pred) cursor_.fail("a type is missing");
}

void VariableParser::pointed_to() {
  static constexpr std::pair<const char*, PointedSpace> kSpaces[] = {{"global", PointedSpace::Global},
                                                                     {"shared", PointedSpace::Shared},
                                                                     {"const", PointedSpace::Const},
                                                                     {"local", PointedSpace::Local}};
  pointed_space_ = PointedSpace::Generic;
  for (const auto& [word, space] : kSpaces) {
    if (!cursor_.is('.') || !cursor_.is_word(word, 1)) continue;
    cursor_.next();
    cursor_.next();
    pointed_space_ = space;
  }
  if (cursor_.is('.') && cursor_.is_word("align", 1)) {
    cursor_.next();
    cursor_.next();
    pointed_alignment_ = cursor_.integer();
  }
}

// (.managed), (.unified(n, n)), or both: the second concerns linkers alone.
void VariableParser::attributes() {
  cursor_.expect('(');
  while (!cursor_.accept(')')) {
    if (cursor_.is('(')) {
      cursor_.skip_parentheses();
      continue;
    }
    managed_ |= cursor_.peek().text == "managed";
    cursor_.next();
  }
}

std::uint32_t VariableParser::declarator(StateSpace space, bool external) {
  IrVariable v;
  const Token& name = cursor_.identifier();
  v.name = name.text;
  v.space = space;
  v.external = external;
  v.managed = managed_;
  v.pointed_space = pointed_space_;
  v.pointed_alignment = pointed_alignment_;
  const Bytes element = Bytes{type_bytes(type_)} * vector_;
  v.alignment = std::max(alignment_, element);
  v.bytes = element;
  if (!unsupported_.empty()) v.unsupported = unsupported_;
  bool open = false;
  bool array = false;
  while (cursor_.accept('[')) {
    array = true;
    if (cursor_.is(']'))
      open = true;
    else
      v.bytes *= cursor_.integer();
    cursor_.expect(']');
  }
  if (array && alignment_ != 0) v.alignment = alignment_;
  if (open && external) v.bytes = 0;
  if (cursor_.accept('=')) {
    if (!v.unsupported.empty()) {
      while (!cursor_.is(';')) cursor_.is('{') ? cursor_.skip_braces() : (void)cursor_.next();
    } else {
      initialiser(v);
    }
    if (open) v.bytes = v.initial.size();
    if (v.initial.size() > v.bytes) cursor_.fail("'" + v.name + "' has more values than it holds");
  }
  module_.variables.push_back(std::move(v));
  return static_cast<std::uint32_t>(module_.variables.size() - 1);
}

void VariableParser::initialiser(IrVariable& variable) {
  if (!cursor_.accept('{')) return element(variable);
  if (cursor_.accept('}')) return;
  do {
    initialiser(variable);
  } while (cursor_.accept(','));
  cursor_.expect('}');
}

void VariableParser::element(IrVariable& variable) {
  if (cursor_.peek().kind == TokenKind::Identifier && !cursor_.is_word("WARP_SZ"))
    return symbol_element(variable);
  const unsigned bytes = type_bytes(type_);
  const std::uint32_t line = cursor_.peek().line;
  NumberLiteral value = cursor_.constant();
  if (cursor_.is('(')) {
    variable.unsupported =
        "PTX masked address in the initialiser of '" + variable.name + "' is not supported";
    cursor_.skip_parentheses();
  }
  if (value.kind == NumberLiteral::Kind::Float64 && bytes == 4)
    value.bits = std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(value.bits)));
  else if (value.kind == NumberLiteral::Kind::Float32 && bytes == 8)
    value.bits = std::bit_cast<std::uint64_t>(
        static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(value.bits))));
  else if (value.kind != NumberLiteral::Kind::Integer && bytes < 4)
    cursor_.fail_at(line, "a float constant does not fit the type");
  for (unsigned i = 0; i < bytes; ++i)
    variable.initial.push_back(i < 8 ? static_cast<std::uint8_t>(value.bits >> (8 * i)) : 0);
}

void VariableParser::symbol_element(IrVariable& variable) {
  const unsigned bytes = type_bytes(type_);
  const std::uint32_t line = cursor_.peek().line;
  if (bytes != 8) cursor_.fail("an address needs 64 bits");
  bool generic = false;
  std::string symbol(cursor_.next().text);
  if (symbol == "generic" && cursor_.accept('(')) {
    generic = true;
    symbol = cursor_.identifier().text;
    cursor_.expect(')');
  }
  std::uint64_t offset = 0;
  if (cursor_.is('+') || cursor_.is('-')) {
    const bool minus = cursor_.next().punctuation == '-';
    offset = cursor_.integer();
    if (minus) offset = -offset;
  }
  variable.relocations.push_back({variable.initial.size(), 8, symbol, generic, line});
  for (unsigned i = 0; i < 8; ++i) variable.initial.push_back(static_cast<std::uint8_t>(offset >> (8 * i)));
}

void VariableParser::parse(StateSpace space, bool external,
                           const std::function<void(std::uint32_t)>& declared) {
  header();
  do {
    // .local .b8 name<4>; does not occur for variables of compilers' output.
    declared(declarator(space, external));
  } while (cursor_.accept(','));
  cursor_.expect(';');
}

std::uint32_t VariableParser::formal() {
  header();
  return declarator(StateSpace::Param, false);
}

}  // namespace duet::ptx
