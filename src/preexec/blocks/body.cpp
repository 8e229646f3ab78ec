#include "preexec/blocks/body.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "ptx/passes/liveness.h"

namespace duet::preexec {

using ptx::BarrierMode;
using ptx::Kind;
using ptx::Opcode;
using ptx::StateSpace;
using ptx::Type;
using ptx::ir::Instruction;
using ptx::ir::kNone;
using ptx::ir::Pseudo;
using ptx::ir::Value;
using ptx::ir::ValueKind;

namespace {

const char* memory_type(Type type) {
  const bool sign = ptx::is_signed(type);
  switch (ptx::type_bytes(type)) {
    case 1:
      return sign ? "s8" : "u8";
    case 2:
      return sign ? "s16" : "u16";
    case 4:
      return sign ? "s32" : "u32";
    default:
      return "u64";
  }
}

// An atomic's new value, made of `old`, `b` and `c`.
const char* left_by(AtomicOperation operation, bool is_signed, bool wide) {
  switch (operation) {
    case AtomicOperation::Exchange:
      return "b";
    case AtomicOperation::Add:
      return "old + b";
    case AtomicOperation::Increment:
      return "old >= b ? 0 : old + 1";
    case AtomicOperation::Decrement:
      return "old == 0 || old > b ? b : old - 1";
    case AtomicOperation::Minimum:
      return !is_signed ? "old < b ? old : b"
             : wide     ? "(s64)old < (s64)b ? old : b"
                        : "(s32)old < (s32)b ? old : b";
    case AtomicOperation::Maximum:
      return !is_signed ? "old > b ? old : b"
             : wide     ? "(s64)old > (s64)b ? old : b"
                        : "(s32)old > (s32)b ? old : b";
    case AtomicOperation::And:
      return "old & b";
    case AtomicOperation::Or:
      return "old | b";
    case AtomicOperation::Xor:
      return "old ^ b";
    case AtomicOperation::CompareAndSwap:
      return "old == b ? c : old";
  }
  return "old";
}

bool is_memory(Kind kind) { return kind == Kind::Load || kind == Kind::Store; }

}  // namespace

BodyWriter::BodyWriter(const ptx::ir::ParsedModule& module, const Form& form, Names& names,
                       BlockProgram& program)
    : module_(module), form_(form), names_(names), program_(program) {
  const auto& code = form_.function.code;
  for (std::uint32_t i = 0; i < code.size(); ++i)
    if (form_.block_of[i] != kNone && code[i].pseudo == Pseudo::None) refuse(code[i]);
  lay_out();
  live_out_ = ptx::find_liveness(form_.function, form_.flow).live_out;
  for (std::uint32_t i = 0; i < code.size(); ++i) {
    const bool reached = form_.block_of[i] != kNone && form_.place[form_.block_of[i]] != kNone;
    if (reached) write(i);
  }
  program_.barriers = static_cast<unsigned>(kept_.size());
}

std::string BodyWriter::place_of(const Instruction& in) const {
  const std::string source = module_.sources.place_of(in.op.ptx_line);
  return (source.empty() ? "" : source + ", ") + fmt::format("{}:{}", module_.name, in.op.ptx_line);
}

void BodyWriter::refuse(const Instruction& in, const std::string& what) const {
  throw Error(fmt::format("{} ({})", what, place_of(in)));
}

// Refusals before anything is written. The rest is refused in arithmetic.h.
void BodyWriter::refuse(const Instruction& in) const {
  const auto& op = in.op;
  switch (op.kind) {
    case Kind::Atomic:
      if (op.space != StateSpace::Shared) refuse(in, "an atomic operation on memory that is not shared");
      break;
    case Kind::Image:
      refuse(in, "a texture or a surface");
    case Kind::SystemCall:
      refuse(in, "a call of the device's system");
    case Kind::Trap:
      refuse(in, "a trap");
    case Kind::Call:
      refuse(in, "a call by address");
    default:
      break;
  }
  if (is_memory(op.kind)) {
    if (op.semantics != ptx::MemorySemantics::Weak || op.cache == ptx::CacheOperator::Volatile)
      refuse(in, "a volatile or ordered access, by which threads may wait for each other");
    if (op.names_bits()) refuse(in, "an access that names full/empty bits");
    if (ptx::type_bytes(op.type) > 8 || op.vector_elements > 4) refuse(in, "an access of 128 bits");
    const bool of_thread = op.space == StateSpace::Shared || op.space == StateSpace::Local;
    if (of_thread && in.sources[0].is_immediate()) refuse(in, "a number as address of shared memory");
  }
  if (op.kind == Kind::Barrier) {
    if (static_cast<BarrierMode>(op.mode) == BarrierMode::Warp) refuse(in, "a barrier of a warp");
    if (static_cast<BarrierMode>(op.mode) != BarrierMode::Sync) refuse(in, "a barrier that is no bar.sync");
    if (op.source_count != 1 || !in.sources[0].is_immediate() || in.sources[0].bits != 0)
      refuse(in, "a barrier of a part of the block");
  }
}

// The kernel's shared and local variables, in the order of their declaration.
void BodyWriter::lay_out() {
  if (form_.function.names_reserved_shared) throw Error("the system's part of shared memory");
  for (const Instruction& in : form_.function.code)
    for (unsigned i = 0; i < in.op.source_count; ++i)
      if (in.sources[i].kind == ValueKind::Variable) {
        const auto& v = module_.variables[in.sources[i].index];
        if (!v.unsupported.empty()) throw Error(v.unsupported);
        if (v.space == StateSpace::Shared || v.space == StateSpace::Local) offset_[in.sources[i].index] = 0;
      }
  Bytes alignment = 1;
  for (auto& [index, at] : offset_) {
    const auto& v = module_.variables[index];
    if (v.space == StateSpace::Shared && v.external) {
      alignment = std::max(alignment, v.alignment);
      continue;
    }
    Bytes& bytes = v.space == StateSpace::Shared ? program_.static_shared_bytes : program_.local_bytes;
    at = round_up(bytes, v.alignment);
    bytes = at + v.bytes;
  }
  program_.local_bytes = round_up(program_.local_bytes, Bytes{16});
  program_.dynamic_shared_offset = round_up(program_.static_shared_bytes, alignment);
  for (auto& [index, at] : offset_) {
    const auto& v = module_.variables[index];
    if (v.space == StateSpace::Shared && v.external) at = program_.dynamic_shared_offset;
  }
}

unsigned BodyWriter::bits_of(std::uint32_t reg) const {
  const Type type = form_.function.registers[reg];
  return type == Type::Pred ? 1 : ptx::type_bytes(type) == 8 ? 64 : 32;
}

std::string BodyWriter::name_of(std::uint32_t reg) {
  const auto [at, fresh] = registers_.try_emplace(reg);
  if (fresh) {
    const Type type = form_.function.registers[reg];
    at->second = (type == Type::Pred ? "p" : bits_of(reg) == 64 ? "rd" : "r") + std::to_string(reg);
  }
  return at->second;
}

NodeId BodyWriter::value(const Instruction& in, const Value& v) {
  const NodeId result =
      source_value(graph_, v, [this](std::uint32_t reg) { return graph_.state(reg, 0, bits_of(reg)); });
  if (const std::uint32_t refused = graph_.facts(result).refused; refused != 0)
    refuse(in, graph_.reason(refused - 1));
  return result;
}

Expression BodyWriter::leaf(const Node& n) {
  static constexpr const char* kIdentities[] = {
      "tid_x",  "tid_y",  "tid_z",       "ctaid_x",     "ctaid_y",     "ctaid_z", "ntid_x",
      "ntid_y", "ntid_z", "k->nctaid_x", "k->nctaid_y", "k->nctaid_z", "",        "thread"};
  switch (n.kind) {
    case NodeKind::State:
      return {name_of(n.index)};
    case NodeKind::Parameter:
      return {"k->" + names_.parameter(n)};
    case NodeKind::Identity:
      if (static_cast<Identity>(n.index) == Identity::ThreadX) return {"(ctaid_x * ntid_x + tid_x)"};
      return {kIdentities[n.index]};
    case NodeKind::Symbol: {
      const StateSpace space = module_.variables[n.index].space;
      std::string start;
      Bytes offset = n.value;
      if (space == StateSpace::Shared || space == StateSpace::Local) {
        start = space == StateSpace::Shared ? "k->shared" : "local";
        offset += offset_.at(n.index);
      } else {
        start = "k->" + names_.symbol(n.index);
      }
      return offset == 0 ? Expression{start} : Expression{fmt::format("{} + {}", start, offset), 10};
    }
    default:
      return {"0"};
  }
}

Expression BodyWriter::text(NodeId node) {
  const Node n = graph_[node];
  if (n.count == 0 && n.kind != NodeKind::Constant && n.kind != NodeKind::Undefined) return leaf(n);
  return expression_of(graph_, node, [this](NodeId in) { return text(in); });
}

std::string BodyWriter::checked(const Instruction& in, NodeId node) {
  if (const std::uint32_t refused = graph_.facts(node).refused; refused != 0)
    refuse(in, graph_.reason(refused - 1));
  return text(node).text;
}

std::string BodyWriter::address(const Instruction& in, unsigned element) {
  const NodeId base = graph_.with_width(value(in, in.sources[0]), 64);
  const std::uint64_t offset =
      static_cast<std::uint64_t>(in.op.address_offset) + element * ptx::type_bytes(in.op.type);
  return checked(in, graph_.add(base, graph_.constant(offset, 64)));
}

// All are computed before one is written, since one may be the source of another.
void BodyWriter::assign(const std::vector<std::pair<std::uint32_t, std::string>>& values) {
  if (values.size() == 1) {
    out_.add(fmt::format("{} = {};", name_of(values[0].first), values[0].second));
    return;
  }
  std::string made, kept;
  for (std::size_t i = 0; i < values.size(); ++i) {
    made += fmt::format("const {} v{} = {}; ", c_type(bits_of(values[i].first)), i, values[i].second);
    kept += fmt::format("{}{} = v{}", i == 0 ? "" : ", ", name_of(values[i].first), i);
  }
  out_.add("{ " + made + kept + "; }");
}

void BodyWriter::write_load(const Instruction& in) {
  std::vector<std::pair<std::uint32_t, std::string>> values;
  for (unsigned e = 0; e < in.op.destination_count; ++e) {
    if (!in.destinations[e].is_register()) continue;
    const std::uint32_t reg = in.destinations[e].index;
    std::string loaded = fmt::format("*(const {} *)({})", memory_type(in.op.type), address(in, e));
    if (ptx::is_signed(in.op.type) && ptx::type_bytes(in.op.type) < 8)
      loaded = (bits_of(reg) == 64 ? "(u64)(s64)" : "(u32)(s32)") + loaded;
    values.emplace_back(reg, loaded);
  }
  if (!values.empty()) assign(values);
}

void BodyWriter::write_store(const Instruction& in) {
  for (unsigned e = 0; e + 1 < in.op.source_count; ++e) {
    const std::string type = memory_type(in.op.type);
    const std::string stored = text(value(in, in.sources[e + 1])).within(12);
    out_.add(fmt::format("*({} *)({}) = ({}){};", type, address(in, e), type, stored));
  }
}

// On shared memory. Threads run one after the other, so no thread sees it half done; but a thread that waits
// for another would wait for ever.
void BodyWriter::write_atomic(std::uint32_t instruction) {
  const Instruction& in = form_.function.code[instruction];
  const AtomicType type = in.op.atomic_type;
  const bool is_signed = type == AtomicType::S32 || type == AtomicType::S64;
  if (!is_signed && type != AtomicType::U32 && type != AtomicType::U64 && type != AtomicType::B32 &&
      type != AtomicType::B64)
    refuse(in, "an atomic operation on floats or 16 bits");
  if (in.sources[0].is_immediate()) refuse(in, "a number as address of shared memory");
  const std::vector<std::uint32_t> live = live_after(instruction);
  const bool wanted = in.op.destination_count != 0 && in.destinations[0].is_register() &&
                      std::find(live.begin(), live.end(), in.destinations[0].index) != live.end();
  if (wanted && form_.loop_of[form_.block_of[instruction]] != kNoLoop)
    refuse(in, "an atomic operation in a loop whose result is used: threads may wait for each other by it");
  const bool wide = atomic_type_bytes(type) == 8;
  const char* const word = wide ? "u64" : "u32";
  const auto operand = [&](unsigned number) {
    return checked(in, graph_.with_width(value(in, in.sources[number]), wide ? 64 : 32));
  };
  std::string line = fmt::format("{{ {0} *const at = ({0} *)({1}); const {0} old = *at, b = {2}", word,
                                 address(in, 0), operand(1));
  if (in.op.atomic_operation == AtomicOperation::CompareAndSwap) line += ", c = " + operand(2);
  line += fmt::format("; *at = {}; ", left_by(in.op.atomic_operation, is_signed, wide));
  if (wanted) line += fmt::format("{} = old; ", name_of(in.destinations[0].index));
  out_.add(line + "}");
}

void BodyWriter::write_arithmetic(const Instruction& in) {
  std::array<NodeId, 5> sources{};
  for (unsigned i = 0; i < in.op.source_count; ++i) sources[i] = value(in, in.sources[i]);
  std::vector<std::pair<std::uint32_t, std::string>> values;
  const auto add = [&](std::uint32_t reg, unsigned destination) {
    const NodeId node = lower_exactly(graph_, in, sources, destination);
    values.emplace_back(reg, checked(in, graph_.with_width(node, bits_of(reg))));
  };
  for (unsigned i = 0; i < in.op.destination_count; ++i)
    if (in.destinations[i].is_register()) add(in.destinations[i].index, i);
  if (in.predicate != kNone) add(in.predicate, kPredicate);
  if (in.predicate_second != kNone) add(in.predicate_second, kSecondPredicate);
  if (!values.empty()) assign(values);
}

void BodyWriter::write_branch(const Instruction& in) {
  if (in.op.kind == Kind::Branch) return out_.add(fmt::format("goto L{};", in.label));
  const auto& table = form_.function.branch_tables[in.label];
  out_.open(fmt::format("switch ({})", checked(in, value(in, in.sources[0]))));
  for (std::size_t i = 0; i < table.size(); ++i) out_.add(fmt::format("case {}: goto L{};", i, table[i]));
  out_.close();
}

// Registers whose values are read behind an instruction.
std::vector<std::uint32_t> BodyWriter::live_after(std::uint32_t instruction) const {
  const std::uint32_t block = form_.block_of[instruction];
  std::set<std::uint32_t> live(live_out_[block].begin(), live_out_[block].end());
  for (std::uint32_t i = form_.flow.blocks[block].end; i-- > instruction + 1;) {
    const Instruction& in = form_.function.code[i];
    if (in.pseudo != Pseudo::None) continue;
    if (!in.guarded()) ptx::ir::for_each_definition(in, [&](std::uint32_t reg) { live.erase(reg); });
    ptx::ir::for_each_use(in, [&](std::uint32_t reg) { live.insert(reg); });
  }
  return {live.begin(), live.end()};
}

void BodyWriter::write_barrier(std::uint32_t instruction) {
  kept_.push_back(live_after(instruction));
  for (const std::uint32_t reg : kept_.back()) out_.add(fmt::format("self->{0} = {0};", name_of(reg)));
  out_.add(fmt::format("self->state = {}, waiting = 1;", kept_.size()));
  out_.add("goto next;");
}

void BodyWriter::write(std::uint32_t instruction) {
  const Instruction& in = form_.function.code[instruction];
  if (in.pseudo == Pseudo::Label) return out_.add(fmt::format("L{}:;", in.label));
  if (in.pseudo != Pseudo::None) return;
  if (in.op.kind == Kind::Nop || in.op.kind == Kind::Fence) return;
  if (in.guarded()) {
    const std::string guard = name_of(in.guard);
    out_.open(fmt::format("if ({}{})", in.op.guard_negated ? "!" : "", guard));
  }
  switch (in.op.kind) {
    case Kind::Branch:
    case Kind::BranchIndexed:
      write_branch(in);
      break;
    case Kind::Exit:
    case Kind::Return:
      out_.add("goto done;");
      break;
    case Kind::Barrier:
      write_barrier(instruction);
      break;
    case Kind::Load:
      write_load(in);
      break;
    case Kind::Store:
      write_store(in);
      break;
    case Kind::Atomic:
      write_atomic(instruction);
      break;
    default:
      write_arithmetic(in);
      break;
  }
  if (in.guarded()) out_.close();
  if (in.op.kind == Kind::Barrier) out_.add(fmt::format("after_{}:;", kept_.size()));
}

std::string BodyWriter::thread_struct() const {
  if (kept_.empty()) return {};
  std::set<std::uint32_t> all;
  for (const auto& registers : kept_) all.insert(registers.begin(), registers.end());
  std::string text =
      "\n// What a thread keeps at a barrier: which one, and the registers that it still needs.\nstruct "
      "thread {\n  u64 state;  // 0: at the start\n";
  for (const std::uint32_t reg : all)
    text += fmt::format("  {} {};\n", bits_of(reg) == 64 ? "u64" : "u32", registers_.at(reg));
  program_.kept_bytes = 8 * (all.size() + 1);
  return text + "};\n";
}

std::string BodyWriter::function() const {
  const bool barriers = !kept_.empty();
  std::string head =
      "\nstatic void execute_block(const struct kernel *given, u64 block) {\n"
      "  const struct kernel own = *given, *const k = &own;  // what the kernel writes does not change it\n"
      "  const u32 ctaid_x = (u32)(block % k->nctaid_x), ctaid_y = (u32)(block / k->nctaid_x % "
      "k->nctaid_y),\n"
      "            ctaid_z = (u32)(block / k->nctaid_x / k->nctaid_y);\n"
      "  const u32 ntid_x = k->ntid_x, ntid_y = k->ntid_y, ntid_z = k->ntid_z;\n";
  std::string resume;
  if (barriers) {
    head +=
        "  struct thread *const threads = (struct thread *)k->threads;\n"
        "  for (u32 i = 0; i < ntid_x * ntid_y * ntid_z; ++i) threads[i].state = 0;\n  u32 waiting;\nagain:\n"
        "  waiting = 0;\n";
    resume =
        "      struct thread *const self = &threads[thread];\n      switch (self->state) {\n        case 0: "
        "break;\n";
    for (std::size_t b = 0; b < kept_.size(); ++b) {
      resume += fmt::format("        case {}:", b + 1);
      for (const std::uint32_t reg : kept_[b])
        resume += fmt::format(" {0} = {1}self->{0};", registers_.at(reg), bits_of(reg) == 1 ? "(int)" : "");
      resume += fmt::format(" goto after_{};\n", b + 1);
    }
    resume += "        default: continue;\n      }\n";
  }
  head +=
      "  u32 thread = 0;\n"
      "  for (u32 tid_z = 0; tid_z < ntid_z; ++tid_z)\n  for (u32 tid_y = 0; tid_y < ntid_y; ++tid_y)\n"
      "    for (u32 tid_x = 0; tid_x < ntid_x; ++tid_x, ++thread) {\n";
  if (program_.local_bytes != 0)
    head += barriers
                ? fmt::format("      const u64 local = k->local + (u64)thread * {};\n", program_.local_bytes)
                : std::string("      const u64 local = k->local;\n");
  for (const auto& [reg, name] : registers_)
    head += fmt::format("      {} {} = 0;\n", c_type(bits_of(reg)), name);
  const std::string tail =
      barriers ? "    done:\n      self->state = ~0ull;\n    next:;\n    }\n  if (waiting) goto again;\n}\n"
               : "    done:;\n    }\n}\n";
  return head + resume + out_.text() + tail;
}

}  // namespace duet::preexec
