// Function bodies (PTX ISA 9.0, sections 4.3 and 7): scopes, labels, declarations, calls. Operands:
// operand_parser.cpp; the instructions themselves are decoded by decode.h.
#include "ptx/text/body_parser.h"

#include <charconv>

#include "ptx/state_spaces.h"

namespace duet::ptx {

using ir::CallSite;
using ir::Formal;
using ir::Function;
using ir::Instruction;
using ir::kNone;
using ir::Pseudo;
using ir::Value;
using ir::ValueKind;

constexpr std::size_t kDeepestNesting = 100;  // each opening looks through its block for labels

BodyParser::BodyParser(Cursor& cursor, ir::ParsedModule& module, Function& function)
    : cursor_(cursor), module_(module), function_(function) {
  scopes_.emplace_back();
}

void BodyParser::declare_variable(std::uint32_t index) {
  scopes_.back().variables[module_.variables[index].name] = index;
}

void BodyParser::run() {
  cursor_.expect('{');
  const std::size_t outer = scopes_.size();
  scopes_.emplace_back();
  claim_labels();
  while (scopes_.size() > outer) {
    if (cursor_.accept('{')) {
      if (scopes_.size() - outer == kDeepestNesting)
        cursor_.fail("blocks are nested more than " + std::to_string(kDeepestNesting) + " deep");
      scopes_.emplace_back();
      claim_labels();
    } else if (cursor_.accept('}')) {
      scopes_.pop_back();
    } else {
      statement();
    }
  }
  for (std::size_t i = 0; i < label_names_.size(); ++i)
    if (!label_defined_[i])
      cursor_.fail_at(label_uses_[i], "label '" + std::string(label_names_[i]) + "' is not defined");
  // Falling off the end returns.
  Instruction end = ir::instruction(Opcode::Exit, Type::None, 0);
  if (!function_.entry) end.pseudo = Pseudo::Return;
  if (function_.code.empty() || function_.code.back().guarded() ||
      (function_.code.back().op.kind != Kind::Exit && function_.code.back().op.kind != Kind::Branch))
    function_.code.push_back(end);
}

void BodyParser::claim_labels() {
  unsigned depth = 0;
  for (std::size_t i = 0;; ++i) {
    const Token& token = cursor_.peek(i);
    if (token.kind == TokenKind::End) return;
    if (cursor_.is('{', i)) ++depth;
    if (cursor_.is('}', i) && depth-- == 0) return;
    if (depth == 0 && token.kind == TokenKind::Identifier && cursor_.is(':', i + 1)) {
      const auto number = static_cast<std::uint32_t>(label_names_.size());
      if (!scopes_.back().labels.try_emplace(token.text, number).second) continue;
      label_names_.push_back(token.text);
      label_uses_.push_back(token.line);
      label_defined_.push_back(false);
      ++function_.labels;
    }
  }
}

std::uint32_t BodyParser::label_number(std::string_view name) {
  for (std::size_t i = scopes_.size(); i-- > 0;) {
    const auto found = scopes_[i].labels.find(name);
    if (found != scopes_[i].labels.end()) return found->second;
  }
  cursor_.fail_at(parsed_.line, "label '" + std::string(name) + "' is not defined");
}

void BodyParser::label(std::string_view name) {
  const std::uint32_t number = label_number(name);
  if (label_defined_[number])
    cursor_.fail_at(parsed_.line, "label '" + std::string(name) + "' is defined twice");
  label_defined_[number] = true;
  Instruction mark;
  mark.pseudo = Pseudo::Label;
  mark.label = number;
  function_.code.push_back(mark);
}

// After "name:", when .branchtargets or a list for calls follows.
void BodyParser::targets(std::string_view name) {
  cursor_.expect('.');
  const auto kind = cursor_.identifier().text;
  if (kind == "callprototype") {
    prototypes_[name] = prototype();
    return cursor_.skip_to_semicolon();
  }
  if (kind == "calltargets") {
    auto& list = call_lists_[name];
    do {
      list.emplace_back(cursor_.identifier().text);
    } while (cursor_.accept(','));
    cursor_.expect(';');
    return;
  }
  auto& table = branch_tables_[name];
  do {
    table.push_back(label_number(cursor_.identifier().text));
  } while (cursor_.accept(','));
  cursor_.expect(';');
}

// (returns) _ (parameters), either list may be absent. Their names mean nothing.
ir::Signature BodyParser::prototype() {
  const auto sizes = [&] {
    std::vector<Bytes> result;
    if (!cursor_.accept('(') || cursor_.accept(')')) return result;
    do {
      cursor_.expect('.');
      if (cursor_.identifier().text == "param") {
        VariableParser parser(cursor_, module_);
        result.push_back(module_.variables[parser.formal()].bytes);
      } else {
        cursor_.expect('.');
        Type type;
        if (!type_from_name(cursor_.identifier().text, type)) cursor_.fail("a type is missing");
        result.push_back(type_bytes(type));
        cursor_.identifier();
      }
    } while (cursor_.accept(','));
    cursor_.expect(')');
    return result;
  };
  ir::Signature result;
  result.returns = sizes();
  cursor_.identifier();
  result.parameters = sizes();
  return result;
}

void BodyParser::statement() {
  if (cursor_.accept(';')) return;
  parsed_.line = cursor_.peek().line;
  if (cursor_.is('.')) return directive();
  if (cursor_.peek().kind == TokenKind::Identifier && cursor_.is(':', 1)) {
    const auto name = cursor_.next().text;
    cursor_.next();
    if (cursor_.is('.') && (cursor_.is_word("branchtargets", 1) || cursor_.is_word("calltargets", 1) ||
                            cursor_.is_word("callprototype", 1))) {
      label_defined_[label_number(name)] = true;
      return targets(name);
    }
    return label(name);
  }
  instruction();
}

void BodyParser::directive() {
  cursor_.expect('.');
  const Token& word = cursor_.identifier();
  const auto text = word.text;
  if (text == "reg") return declare_registers();
  if (text == "loc") {
    const Cursor::Location location = cursor_.location();
    return module_.sources.location(word.line, location.at, location.inlined_at);
  }
  if (text == "pragma") return cursor_.skip_to_semicolon();
  static const std::unordered_map<std::string_view, StateSpace> kSpaces = {{"global", StateSpace::Global},
                                                                           {"const", StateSpace::Const},
                                                                           {"shared", StateSpace::Shared},
                                                                           {"local", StateSpace::Local},
                                                                           {"param", StateSpace::Param}};
  const auto space = kSpaces.find(text);
  if (space == kSpaces.end()) cursor_.fail("directive ." + std::string(text) + " is not known here");
  VariableParser parser(cursor_, module_);
  parser.parse(space->second, false, [&](std::uint32_t index) { declare_variable(index); });
}

Formal BodyParser::register_formal() {
  Type type;
  if (cursor_.accept('.') && cursor_.is_word("align")) cursor_.fail("a register has no alignment");
  const auto word = cursor_.identifier().text;
  if (word == "v2" || word == "v4") cursor_.fail("vector registers as parameters are not supported");
  if (!type_from_name(word, type)) cursor_.fail("a type is missing");
  if (type == Type::B128) cursor_.fail("registers of 128 bits as parameters are not supported");
  const auto name = cursor_.identifier().text;
  const std::uint32_t reg = function_.add_register(type);
  scopes_.back().registers[name] = reg;
  return {true, reg, type};
}

void BodyParser::declare_registers() {
  cursor_.expect('.');
  Token word = cursor_.identifier();
  std::uint32_t elements = 0;  // of a vector
  if (word.text == "v2" || word.text == "v4") {
    elements = word.text == "v2" ? 2 : 4;
    cursor_.expect('.');
    word = cursor_.identifier();
  }
  Type type;
  if (!type_from_name(word.text, type) || (elements != 0 && (type == Type::Pred || type == Type::B128)))
    cursor_.fail("type ." + std::string(word.text) + " is not known");
  // 128 bits are two registers of 64 behind one that stands for both (ir::low_half).
  const auto add = [&](std::uint32_t count) {
    const auto first = static_cast<std::uint32_t>(function_.registers.size());
    for (std::uint32_t i = 0; i < count && type == Type::B128; ++i)
      for (const Type part : {Type::B128, Type::B64, Type::B64}) function_.add_register(part);
    if (type != Type::B128) function_.registers.resize(first + count, type);
    return first;
  };
  do {
    const auto name = cursor_.identifier().text;
    if (elements != 0) {
      if (cursor_.is('<')) cursor_.fail("numbered vector registers are not supported");
      scopes_.back().vectors[name] = {add(elements), elements};
    } else if (cursor_.accept('<')) {
      const auto count = static_cast<std::uint32_t>(cursor_.integer());
      cursor_.expect('>');
      if (count > 1u << 22) cursor_.fail("too many registers");
      scopes_.back().families[name] = {add(count), count};
    } else {
      scopes_.back().registers[name] = add(1);
    }
  } while (cursor_.accept(','));
  cursor_.expect(';');
}

bool BodyParser::find_register(std::string_view name, std::uint32_t& reg) const {
  std::size_t prefix = name.size();
  while (prefix > 0 && name[prefix - 1] >= '0' && name[prefix - 1] <= '9') --prefix;
  for (std::size_t i = scopes_.size(); i-- > 0;) {
    const auto found = scopes_[i].registers.find(name);
    if (found != scopes_[i].registers.end()) {
      reg = found->second;
      return true;
    }
    if (prefix == name.size() || scopes_[i].families.empty()) continue;
    // The family's own name may end in digits ("%a1" with "<3>"), so every split is tried.
    for (std::size_t split = prefix; split < name.size(); ++split) {
      const auto family = scopes_[i].families.find(name.substr(0, split));
      if (family == scopes_[i].families.end()) continue;
      std::uint32_t number = 0;
      const auto digits = name.substr(split);
      if ((digits.size() > 1 && digits[0] == '0') ||
          std::from_chars(digits.data(), digits.data() + digits.size(), number).ec != std::errc{})
        continue;
      if (number >= family->second.count) continue;
      const bool wide = function_.registers[family->second.first] == Type::B128;
      reg = family->second.first + number * (wide ? ir::kRegistersOfB128 : 1);
      return true;
    }
  }
  return false;
}

bool BodyParser::find_variable(std::string_view name, std::uint32_t& variable) const {
  const std::string key(name);
  for (std::size_t i = scopes_.size(); i-- > 0;) {
    const auto found = scopes_[i].variables.find(key);
    if (found != scopes_[i].variables.end()) return variable = found->second, true;
  }
  const auto found = module_.variable_index.find(key);
  if (found == module_.variable_index.end()) return false;
  variable = found->second;
  return true;
}

bool BodyParser::is_label(std::string_view name) const {
  for (const Scope& scope : scopes_)
    if (scope.labels.contains(name)) return true;
  return false;
}

// A function's address is known before anything is placed.
bool BodyParser::find_function(std::string_view name, Value& address) {
  const auto found = module_.function_index.find(std::string(name));
  if (found == module_.function_index.end()) return false;
  if (module_.functions[found->second].entry) {
    address = Value::immediate(kernel_address(name), Type::U64);
    return true;
  }
  module_.address_taken.push_back(found->second);
  address = Value::immediate(function_address(module_.first_function + found->second), Type::U64);
  return true;
}

namespace {
// Its version may have instructions that the table of PTX ISA 9.0 lacks.
bool newer_than_known(const ir::ParsedModule& module) {
  return std::pair(module.version_major, module.version_minor) > std::pair(9u, 0u);
}
}  // namespace

void BodyParser::instruction() {
  ParsedStatement& in = parsed_;
  in.modifiers.clear();
  in.operand_count = 0;
  in.guard = kNone;
  in.guard_negated = false;
  in.line = cursor_.peek().line;
  if (cursor_.accept('@')) {
    in.guard_negated = cursor_.accept('!');
    const Token& name = cursor_.identifier();
    if (!find_register(name.text, in.guard) || function_.registers[in.guard] != Type::Pred)
      cursor_.fail_at(name.line, "'" + std::string(name.text) + "' is not a predicate");
  }
  in.line = cursor_.peek().line;
  const Token& opcode = cursor_.identifier();
  in.opcode = opcode.text;
  const char* end = opcode.text.data() + opcode.text.size();
  while (cursor_.accept('.')) {
    const Token& modifier = cursor_.next();
    // "2d" and "3d" are lexed as numbers.
    if (modifier.kind != TokenKind::Identifier && modifier.kind != TokenKind::Number)
      cursor_.fail_at(modifier.line, "a modifier is missing");
    in.modifiers.push_back(modifier.text);
    end = modifier.text.data() + modifier.text.size();
  }
  in.text = {opcode.text.data(), static_cast<std::size_t>(end - opcode.text.data())};
  DecodeContext context{module_, function_, [this](std::string_view name) { return label_number(name); },
                        branch_tables_};
  if (in.opcode != "call" && find_row(in.opcode) == nullptr) {
    if (!is_foreign(in.opcode) && !newer_than_known(module_))
      cursor_.fail_at(in.line, "PTX has no instruction '" + std::string(in.opcode) + "'");
    cursor_.note_unsupported(function_, "PTX '" + std::string(in.text) + "' is not supported", in.line);
    return cursor_.skip_to_semicolon();
  }
  try {
    if (in.opcode == "call") return call(in);
    while (!cursor_.is(';')) {
      if (in.operand_count == in.operands.size())
        throw ir::Unsupported{"PTX '" + std::string(in.text) + "' is not supported"};
      ParsedOperand& operand = in.operands[in.operand_count];
      operand = ParsedOperand{};
      parse_operand(operand);
      ++in.operand_count;
      if (!cursor_.accept(',')) break;
    }
    if (!cursor_.is(';')) cursor_.fail("expected ';' before " + cursor_.describe());
    decode_statement(in, context);
    cursor_.expect(';');
  } catch (const ir::Unsupported& unsupported) {
    cursor_.note_unsupported(function_, unsupported.what, in.line);
    cursor_.skip_to_semicolon();
  }
}

void BodyParser::call(ParsedStatement& in) {
  CallSite site;
  if (cursor_.is('(')) {
    site.returns = call_operands();
    cursor_.expect(',');
  }
  const auto no_b128 = [](const std::vector<Value>& values) {
    for (const Value& value : values)
      if (value.type == Type::B128)
        throw ir::Unsupported{"PTX 'call' with a register of 128 bits is not supported"};
  };
  no_b128(site.returns);
  const Token& callee = cursor_.identifier();
  std::uint32_t reg;
  const bool indirect = find_register(callee.text, reg);
  if (indirect) {
    if (type_bytes(function_.registers[reg]) != 8)
      cursor_.fail_at(in.line,
                      "'" + std::string(callee.text) + "' has no 64 bits to hold a function's address");
    site.target = Value::reg(reg, Type::U64);
  } else {
    site.callee = callee.text;
  }
  const Token* list = nullptr;  // the prototype, or the possible callees
  if (cursor_.accept(',')) {
    if (cursor_.is('('))
      site.arguments = call_operands();
    else
      list = &cursor_.identifier();
  }
  if (list == nullptr && cursor_.accept(',')) list = &cursor_.identifier();
  no_b128(site.arguments);
  cursor_.expect(';');
  if (indirect) {
    if (list == nullptr)
      cursor_.fail_at(in.line, "an indirect call needs a prototype or a list of functions");
    const auto signature = prototypes_.find(list->text);
    const auto functions = call_lists_.find(list->text);
    if (signature != prototypes_.end())
      site.signature = signature->second;
    else if (functions != call_lists_.end())
      site.list = functions->second;
    else
      cursor_.fail_at(in.line, "'" + std::string(list->text) + "' is no prototype and no list of functions");
  }
  Instruction instruction;
  instruction.op.ptx_line = in.line;
  instruction.pseudo = Pseudo::Call;
  instruction.guard = in.guard;
  instruction.op.guard_negated = in.guard_negated;
  instruction.call = static_cast<std::uint32_t>(function_.calls.size());
  function_.calls.push_back(std::move(site));
  function_.code.push_back(instruction);
}

}  // namespace duet::ptx
