// Values in a C function: leaves by their names, the rest as expressions or as locals.
#include <fmt/format.h>

#include <algorithm>

#include "preexec/text/function.h"

namespace duet::preexec {

const std::string* FunctionWriter::known(NodeId node) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
    if (const auto found = scope->find(node); found != scope->end()) return &found->second;
  return nullptr;
}

const std::string& FunctionWriter::name(NodeId node, const std::string& value) {
  const std::string local = fresh("v");
  out_->add(fmt::format("const {} {} = {};", c_type(graph_[node].bits), local, value));
  return scopes_.back()[node] = local;
}

bool FunctionWriter::waits(NodeId node) const {
  const Facts& facts = graph_.facts(node);
  if (!facts.loads && facts.exits == 0) return false;
  if (known(node) != nullptr) return false;
  const Node& n = graph_[node];
  if (n.kind == NodeKind::Load || n.kind == NodeKind::Exit) return true;
  for (unsigned i = 0; i < n.count; ++i)
    if (waits(n.in[i])) return true;
  return false;
}

Expression FunctionWriter::operand(NodeId node) {
  if (const std::string* local = known(node)) return {*local, 100};
  const Node n = graph_[node];
  if (n.kind == NodeKind::State) {
    auto& needed = states_[static_cast<std::uint32_t>(n.value)];
    if (std::find(needed.begin(), needed.end(), node) == needed.end()) needed.push_back(node);
    return {fmt::format("s{}", n.index), 100};
  }
  if (n.kind == NodeKind::Load) return load(node);
  if (n.kind == NodeKind::Exit) {
    write_loop(n.index, {});
    return {*known(node), 100};
  }
  if (n.count == 0 && n.kind != NodeKind::Constant) return leaf(n);
  if (n.count == 0) return expression_of(graph_, node, [](NodeId) { return Expression{}; });
  const bool logic = (n.kind == NodeKind::And || n.kind == NodeKind::Or) && n.bits == 1;
  if ((n.kind == NodeKind::Select && (waits(n.in[1]) || waits(n.in[2]))) || (logic && waits(n.in[1])))
    return chosen(node);
  const Expression expression = expression_of(graph_, node, [this](NodeId in) { return operand(in); });
  // Casts are cheap to repeat and read better where they stand.
  const bool small = n.kind == NodeKind::Truncate || n.kind == NodeKind::Not ||
                     (n.kind == NodeKind::Extend && graph_[n.in[0]].count == 0);
  if (uses_[node] > 1 && !small) return {name(node, expression.text), 100};
  return expression;
}

// A choice between values: only the chosen one is loaded.
Expression FunctionWriter::chosen(NodeId node) {
  const Node n = graph_[node];
  const std::string local = fresh("v");
  NodeId yes = n.in[1], no = n.in[2];
  if (n.kind == NodeKind::And) no = graph_.boolean(false);
  if (n.kind == NodeKind::Or) yes = graph_.boolean(true), no = n.in[1];
  const std::string condition = text(n.in[0]);
  out_->add(fmt::format("{} {};", c_type(n.bits), local));
  out_->open("if (" + condition + ")");
  for (const NodeId value : {yes, no}) {
    scopes_.emplace_back();
    const std::string chosen_text = text(value);
    out_->add(local + " = " + chosen_text + ";");
    scopes_.pop_back();
    if (value == yes && yes != no) out_->close(), out_->open("else");
  }
  out_->close();
  scopes_.back()[node] = local;
  return {local, 100};
}

Expression FunctionWriter::load(NodeId node) {
  const Node n = graph_[node];
  const std::uint32_t instruction = reader_.sites()[n.index].instruction;
  const auto& op = form_.function.code[instruction].op;
  std::string value = fetch_call(instruction, n.in[0], true);
  if (n.bits == 64 && ptx::type_bytes(op.type) < 8 && ptx::is_signed(op.type)) value = "(u64)(s64)" + value;
  if (n.bits == 32 && ptx::is_signed(op.type) && ptx::type_bytes(op.type) < 4) value = "(u32)(s32)" + value;
  const std::string local = fresh("v");
  out_->add(fmt::format("const {} {} = {};{}", c_type(n.bits), local, value, comment(instruction)));
  if (sums_) out_->add("sum += " + local + ";");
  scopes_.back()[node] = local;
  return {local, 100};
}

Expression FunctionWriter::leaf(const Node& n) {
  switch (n.kind) {
    case NodeKind::Parameter:
      return {"k->" + names_.parameter(n), 100};
    case NodeKind::Symbol: {
      const std::string start = "k->" + names_.symbol(n.index);
      return n.value == 0 ? Expression{start, 100} : Expression{fmt::format("{} + {}", start, n.value), 10};
    }
    case NodeKind::Iterator:
      return {iterator_[n.index], 100};
    case NodeKind::Identity:
      return {identity(static_cast<Identity>(n.index)), 100};
    default:
      return {"0", 100};
  }
}

// Numbers of the thread, taken apart at the function's head where one is needed.
std::string FunctionWriter::identity(Identity id) {
  static constexpr const char* kNames[] = {"tid_x",    "tid_y",    "tid_z",  "ctaid_x", "ctaid_y",
                                           "ctaid_z",  "ntid_x",   "ntid_y", "ntid_z",  "nctaid_x",
                                           "nctaid_y", "nctaid_z", "n",      "in_block"};
  const std::string local = kNames[static_cast<unsigned>(id)];
  if (id >= Identity::NTidX && id <= Identity::NTidZ)
    return names_.block_extent(static_cast<unsigned>(id) - static_cast<unsigned>(Identity::NTidX));
  if (id >= Identity::NCtaIdX && id <= Identity::NCtaIdZ) return "k->" + local;
  const bool flat = names_.one_dimensional();
  if (id == Identity::ThreadX && flat) return "n";
  if (id == Identity::ThreadInBlock && names_.block_dimensions() == 1) return identity(Identity::TidX);
  if (const auto found = identities_.find(id); found != identities_.end()) return found->second;
  const std::string thread = flat ? "n" : "thread", nx = names_.block_extent(0);
  const auto size = names_.block_divisor(), x = names_.block_divisor(0), y = names_.block_divisor(1);
  const Divisor grid_x{"k->nctaid_x", "k->by_nctaid_x"}, grid_y{"k->nctaid_y", "k->by_nctaid_y"};
  const auto block = [&] { return size.quotient(thread); };
  const auto in_block = [&] { return identity(Identity::ThreadInBlock); };
  std::string value;
  switch (id) {
    case Identity::TidX:
      value = names_.block_dimensions() == 1 ? size.remainder(thread) : x.remainder(in_block());
      break;
    case Identity::TidY:
      value = x.quotient(in_block());
      if (names_.block_dimensions() != 2) value = y.remainder(value);
      break;
    case Identity::TidZ:
      value = y.quotient(x.quotient(in_block()));
      break;
    case Identity::CtaIdX:
      value = names_.grid_dimensions() == 1 ? block() : grid_x.remainder(block());
      break;
    case Identity::CtaIdY:
      value = grid_x.quotient(block());
      if (names_.grid_dimensions() != 2) value = grid_y.remainder(value);
      break;
    case Identity::CtaIdZ:
      value = grid_y.quotient(grid_x.quotient(block()));
      break;
    case Identity::ThreadInBlock:
      value = size.remainder(thread);
      break;
    default:  // ThreadX
      value = fmt::format("{} * {} + {}", identity(Identity::CtaIdX), nx, identity(Identity::TidX));
      break;
  }
  prelude_.push_back(fmt::format("const u32 {} = {};", local, value));
  return identities_[id] = local;
}

}  // namespace duet::preexec
