// Refuses forms outside PTX, by the table of opcodes and by rules of single instructions.
#pragma once

#include <array>
#include <string_view>

#include "ptx/decode/opcode_table.h"

namespace duet::ptx {

// A statement's types and modifiers, for its instruction's rules. A refusal is thrown as ir::Unsupported.
class Legality {
 public:
  explicit Legality(const Decoder& decoder);

  void check() const;

  unsigned type_count() const { return count_; }
  Type type(unsigned index) const { return types_[index]; }
  bool has(std::string_view modifier) const;
  bool rounds() const;
  bool rounds_to_integer() const;
  bool approximate() const { return has("approx") || has("full"); }
  bool names(std::string_view opcode) const;
  bool rounding_has_default() const;

  [[noreturn]] void no_type(Type type) const;
  [[noreturn]] void illegal(const std::string& what) const;
  [[noreturn]] void unsupported() const;
  // Refuses a present modifier, unless it belongs to `type`.
  void refuse(std::string_view modifier, Type type, bool unless) const;

 private:
  void check_form(const Form& form) const;

  const Decoder& d_;
  std::array<Type, 3> types_{};
  unsigned count_ = 0;
};

// Rules other than sets of types.
namespace checks {
void carries(const Legality& statement);
void multiply_24(const Legality& statement);
void reciprocal(const Legality& statement);
void exponential(const Legality& statement);
void setp(const Legality& statement);
void set(const Legality& statement);
void conversion(const Legality& statement);
void redux(const Legality& statement);
void atomic(const Legality& statement);
}  // namespace checks

}  // namespace duet::ptx
