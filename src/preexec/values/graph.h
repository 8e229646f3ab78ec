// Values of a kernel as a graph: the parts of an address or a guard. Equal values are one node, so `ctaid.x *
// ntid.x + tid.x` is the same number wherever the PTX computes it. The functions for making nodes simplify at
// once (x + 0, constants, n). A value has 1 bit (a predicate), 32 or 64; narrower PTX registers take 32, and
// the reader cuts the upper bits off. Left out: floating point as arithmetic. It is calls of the C prologue's
// functions, over the bits.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "ptx/micro_op.h"

namespace duet::preexec {

using NodeId = std::uint32_t;

enum class NodeKind : std::uint8_t {
  Undefined,  // an unwritten register
  Constant,   // value
  Parameter,  // value: offset in the parameters' bytes; index: its ptx::Type
  Identity,   // index: an Identity
  Symbol,     // index: a variable of the module; value: bytes behind its start
  Iterator,   // index: a loop; the number of the iteration, from 0
  Phi,        // index: a Phi of the kernel's reader; not resolved yet
  State,      // index: a Phi without a closed form: a variable of its loop; value: the loop
  Exit,       // in[0] as it was in the last iteration of loop `index`
  Load,       // in[0]: address; index: a LoadSite
  AtLane,     // in[0] as it is in lane in[1] of the warp; not resolved yet
  Refused,    // index: a reason
  Add,
  Sub,
  Mul,
  Div,
  Rem,
  And,
  Or,
  Xor,
  ShiftLeft,  // a shift by the width or more gives 0, or the sign
  ShiftRight,
  Equal,
  Less,
  Select,    // in[0] ? in[1] : in[2]
  Extend,    // the lower `value` bits of in[0], to `bits`
  Truncate,  // of 64 bits to 32
  Not,       // of a predicate
  Call       // index: the name of a function of the C prologue
};

// Numbers of a thread: PTX's special registers, and two of yang2012's programs.
enum class Identity : std::uint32_t {
  TidX,
  TidY,
  TidZ,
  CtaIdX,
  CtaIdY,
  CtaIdZ,
  NTidX,
  NTidY,
  NTidZ,
  NCtaIdX,
  NCtaIdY,
  NCtaIdZ,
  ThreadX,        // ctaid.x * ntid.x + tid.x: n of Fig. 3
  ThreadInBlock,  // tid, all dimensions
  Count
};
// Whether it differs from thread to thread, or from block to block.
constexpr bool names_thread(Identity id) { return id <= Identity::CtaIdZ || id >= Identity::ThreadX; }

struct Node {
  NodeKind kind = NodeKind::Undefined;
  std::uint8_t bits = 32;
  bool is_signed = false;
  std::uint8_t count = 0;  // of operands
  std::uint32_t index = 0;
  std::uint64_t value = 0;
  std::array<NodeId, 4> in{};
  friend bool operator==(const Node&, const Node&) = default;
};

// The parts of a node, kept with it.
struct Facts {
  std::uint64_t iterators = 0, states = 0, exits = 0;  // of these loops (loop_bit)
  bool threads = false;                                // differs from thread to thread, or may
  bool loads = false;
  std::uint32_t refused = 0;  // a reason's number + 1
};
constexpr std::uint64_t loop_bit(std::uint32_t loop) { return std::uint64_t{1} << (loop % 64); }

class Graph {
 public:
  const Node& operator[](NodeId id) const { return nodes_[id]; }
  const Facts& facts(NodeId id) const { return facts_[id]; }

  NodeId undefined(unsigned bits);
  NodeId constant(std::uint64_t value, unsigned bits);
  NodeId boolean(bool value) { return constant(value, 1); }
  NodeId parameter(std::uint64_t offset, ptx::Type type);
  NodeId identity(Identity id);
  NodeId symbol(std::uint32_t variable, std::uint64_t offset);
  NodeId iterator(std::uint32_t loop);  // 32 bits
  NodeId phi(std::uint32_t number, unsigned bits);
  NodeId state(std::uint32_t phi, std::uint32_t loop, unsigned bits);
  NodeId exit(std::uint32_t loop, NodeId value);
  NodeId load(std::uint32_t site, NodeId address, unsigned bits);
  NodeId at_lane(NodeId value, NodeId lane);
  NodeId refused(const std::string& reason, unsigned bits);

  NodeId binary(NodeKind kind, NodeId a, NodeId b, bool is_signed = false);
  NodeId add(NodeId a, NodeId b) { return binary(NodeKind::Add, a, b); }
  NodeId subtract(NodeId a, NodeId b) { return binary(NodeKind::Sub, a, b); }
  NodeId multiply(NodeId a, NodeId b) { return binary(NodeKind::Mul, a, b); }
  NodeId both(NodeId a, NodeId b) { return binary(NodeKind::And, a, b); }
  NodeId either(NodeId a, NodeId b) { return binary(NodeKind::Or, a, b); }
  NodeId negate(NodeId predicate);
  NodeId select(NodeId condition, NodeId yes, NodeId no);
  NodeId extend(NodeId a, unsigned from, bool is_signed, unsigned to);
  NodeId truncate(NodeId a);
  NodeId call(const std::string& function, std::initializer_list<NodeId> in, unsigned bits);
  NodeId with_width(NodeId a, unsigned bits);  // zero-extended or cut off
  // The same operation on other operands.
  NodeId again(NodeId id, const std::array<NodeId, 4>& in);

  bool is_constant(NodeId id) const { return nodes_[id].kind == NodeKind::Constant; }
  bool is_constant(NodeId id, std::uint64_t value) const {
    return is_constant(id) && nodes_[id].value == value;
  }
  const std::string& reason(std::uint32_t number) const { return reasons_[number]; }
  const std::string& function(std::uint32_t number) const { return functions_[number]; }
  // Known dimensions of blocks: ntid.x is a constant then.
  void fix_block(std::array<std::uint32_t, 3> block) { block_ = block; }
  // Further dimensions of the grid have one block.
  void fix_grid(unsigned dimensions) { grid_dimensions_ = dimensions; }

 private:
  NodeId make(const Node& node);
  Facts facts_of(const Node& node) const;
  NodeId fold(NodeKind kind, NodeId a, NodeId b, bool is_signed);
  NodeId sum(NodeId a, NodeId b);
  bool is_block_start(NodeId id) const;  // ctaid.x * ntid.x

  struct Hash {
    std::size_t operator()(const Node& node) const;
  };
  std::vector<Node> nodes_;
  std::vector<Facts> facts_;
  std::unordered_map<Node, NodeId, Hash> known_;
  std::vector<std::string> reasons_, functions_;
  std::unordered_map<std::string, std::uint32_t> reason_number_, function_number_;
  std::array<std::uint32_t, 3> block_{};
  unsigned grid_dimensions_ = 3;
};

}  // namespace duet::preexec
