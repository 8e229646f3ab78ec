// Names of opcodes, types and modifiers as PTX spells them, and the kinds of opcodes.
#include "ptx/micro_op.h"

namespace duet::ptx {

const char* opcode_name(Opcode opcode) {
  static constexpr const char* kNames[] = {
#define OPCODE(enumerator, name, ...) name,
#include "ptx/opcodes.def"
  };
  return kNames[static_cast<unsigned>(opcode)];
}

Kind kind_of(Opcode opcode) {
  static constexpr Kind kKinds[] = {
#define OPCODE(enumerator, name, kind, ...) Kind::kind,
#include "ptx/opcodes.def"
  };
  return kKinds[static_cast<unsigned>(opcode)];
}

const char* type_name(Type type) {
  static constexpr const char* kNames[] = {"none", "pred",  "b8",    "b16",    "b32",    "b64",  "b128",
                                           "u8",   "u16",   "u32",   "u64",    "s8",     "s16",  "s32",
                                           "s64",  "u16x2", "s16x2", "f16",    "f16x2",  "bf16", "bf16x2",
                                           "f32",  "f64",   "f32x2", "e4m3x2", "e5m2x2", "tf32"};
  static_assert(sizeof(kNames) / sizeof(kNames[0]) == static_cast<unsigned>(Type::TF32) + 1);
  return kNames[static_cast<unsigned>(type)];
}

std::string bits_text(const MicroOp& op) {
  static constexpr const char* kTriggers[] = {"", ".now", ".full", ".empty"};
  static constexpr const char* kActions[] = {"", ".fill", ".empty"};
  // .now is not written where an action alone says it.
  const bool alone = op.bit_trigger == BitTrigger::None && op.bit_action == BitAction::Fill;
  return std::string(alone ? "" : kTriggers[static_cast<unsigned>(op.bit_trigger)]) +
         kActions[static_cast<unsigned>(op.bit_action)];
}

}  // namespace duet::ptx
