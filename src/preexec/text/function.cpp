#include "preexec/text/function.h"

#include <fmt/format.h>

#include <algorithm>

namespace duet::preexec {

using ptx::Type;

std::vector<std::string> FunctionWriter::iterators(std::uint32_t loop) const {
  std::vector<std::string> names;
  for (; loop != kNoLoop; loop = form_.loops[loop].parent)
    if (plan_.loops[loop].mode == LoopMode::Traversed)
      names.push_back("m" + std::to_string(plan_.loops[loop].number));
  std::reverse(names.begin(), names.end());
  return names;
}

// How often each value is used; a value used once is written in place.
void FunctionWriter::count_uses(const std::vector<NodeId>& roots) {
  std::vector<NodeId> work;
  std::set<NodeId> seen;
  const auto use = [&](NodeId id) {
    ++uses_[id];
    if (seen.insert(id).second) work.push_back(id);
  };
  for (const NodeId root : roots) use(root);
  while (!work.empty()) {
    const Node n = graph_[work.back()];
    const NodeId id = work.back();
    work.pop_back();
    for (unsigned i = 0; i < n.count; ++i) use(n.in[i]);
    if (n.kind == NodeKind::State) {
      use(resolver_.first(n.index));
      use(resolver_.next(n.index));
    } else if (n.kind == NodeKind::Exit) {
      exits_.insert(id);
      if (const auto last = resolver_.last_iteration(n.index); last)
        use(*last);
      else
        use(resolver_.continues(n.index));
    }
  }
}

void FunctionWriter::start(std::uint32_t region, const std::vector<NodeId>& roots) {
  prelude_.clear();
  identities_.clear();
  iterator_.clear();
  body_ = Lines(1);
  out_ = &body_;
  scopes_.assign(1, {});
  open_.clear();
  floor_ = 0;
  uses_.clear();
  exits_.clear();
  states_.clear();
  last_name_ = 0;
  count_uses(roots);
  for (std::uint32_t l = region; l != kNoLoop; l = form_.loops[l].parent)
    if (plan_.loops[l].mode == LoopMode::Traversed)
      iterator_[l] = "m" + std::to_string(plan_.loops[l].number);
}

std::string FunctionWriter::finish(const std::string& head) {
  std::string text = head + " {\n";
  for (const std::string& line : prelude_) text += "  " + line + "\n";
  return text + body_.text() + "}\n";
}

std::string FunctionWriter::fetch(const FunctionPlan& function) {
  std::vector<NodeId> roots;
  for (const PlannedAccess& a : function.accesses) {
    roots.push_back(a.address);
    roots.insert(roots.end(), a.guards.begin(), a.guards.end());
    for (std::uint32_t l = a.loop; l != kNoLoop; l = form_.loops[l].parent) {
      const LoopPlan& loop = plan_.loops[l];
      if (loop.mode != LoopMode::Run) continue;
      roots.push_back(loop.counted ? loop.last : resolver_.continues(l));
    }
  }
  for (std::uint32_t l = function.loop; l != kNoLoop; l = form_.loops[l].parent)
    if (!plan_.loops[l].uniform) roots.push_back(plan_.loops[l].last);
  start(function.loop, roots);
  sums_ = true;
  out_->add("u64 sum = 0;");
  check_iterations(function.loop);
  write_accesses(function.accesses, function.loop);
  close_guards(0);
  out_->add("return sum;");
  return finish(head(function, ""));
}

std::string FunctionWriter::head(const FunctionPlan& function, const char* suffix) const {
  std::string text = fmt::format("static inline u64 {}{}(struct kernel *k, u32 {}", function.name, suffix,
                                 names_.one_dimensional() ? "n" : "thread");
  for (const std::string& m : iterators(function.loop)) text += ", u32 " + m;
  return text + ")";
}

// For loops of unequal length in the threads: whether this thread is still in them.
void FunctionWriter::check_iterations(std::uint32_t region) {
  std::vector<std::uint32_t> around;
  for (std::uint32_t l = region; l != kNoLoop; l = form_.loops[l].parent) around.push_back(l);
  std::reverse(around.begin(), around.end());
  for (const std::uint32_t l : around) {
    const LoopPlan& loop = plan_.loops[l];
    if (loop.uniform) continue;
    open_guards(loop.guards);
    const std::string last = fresh("last"), most = fmt::format("k->loop_{}_iterations", loop.number);
    out_->add(fmt::format("const u32 {} = {};  // of this thread's iterations", last,
                          last_iteration(loop.last, iterator_[l])));
    out_->add(fmt::format("if ({} <= {}) {} = {} + 1;", most, last, most, last));
    out_->add(fmt::format("if ({} > {}) return sum;", iterator_[l], last));
  }
}

namespace {
constexpr std::string_view kCounts = "steps_";  // Resolver::trips()
}

bool FunctionWriter::is_counted_in_steps(NodeId last) const {
  return graph_[last].kind == NodeKind::Call && graph_.function(graph_[last].index).starts_with(kCounts);
}

// A thread's last iteration, or m + 1, which shows as well that it goes on behind iteration m.
std::string FunctionWriter::last_iteration(NodeId last, const std::string& m) {
  if (!is_counted_in_steps(last) || uses_[last] != 1) return text(last);
  const Node n = graph_[last];
  std::string call = "last_" + graph_.function(n.index).substr(kCounts.size()) + "(";
  for (unsigned i = 0; i < n.count; ++i) call += text(n.in[i]) + ", ";
  return call + m + ")";
}

std::string FunctionWriter::iterations(std::uint32_t loop) {
  const LoopPlan& plan = plan_.loops[loop];
  std::vector<NodeId> guards, roots{plan.last};
  for (const NodeId guard : plan.guards)
    if (!graph_.facts(guard).threads && !graph_.is_constant(guard, 1)) guards.push_back(guard);
  roots.insert(roots.end(), guards.begin(), guards.end());
  start(form_.loops[loop].parent, roots);
  sums_ = false;
  std::string head = fmt::format("static inline u32 loop_{}_iterations(struct kernel *k", plan.number);
  for (const std::string& m : iterators(form_.loops[loop].parent)) head += ", u32 " + m;
  for (const NodeId guard : guards) out_->add(fmt::format("if ({}) return 0;", text(graph_.negate(guard))));
  const std::string last = text(graph_.add(plan.last, graph_.constant(1, 32)));
  out_->add(fmt::format("return {};", last));
  return finish(head + ")");
}

// The guards of the next access, behind the last one's guards that stay open.
void FunctionWriter::open_guards(const std::vector<NodeId>& guards) {
  std::vector<NodeId> wanted;
  for (const NodeId guard : guards) {
    if (graph_.is_constant(guard, 1)) continue;
    if (std::find(open_.begin(), open_.begin() + static_cast<std::ptrdiff_t>(floor_), guard) !=
        open_.begin() + static_cast<std::ptrdiff_t>(floor_))
      continue;
    if (std::find(wanted.begin(), wanted.end(), guard) == wanted.end()) wanted.push_back(guard);
  }
  std::size_t same = 0;
  while (same < wanted.size() && floor_ + same < open_.size() && open_[floor_ + same] == wanted[same]) ++same;
  close_guards(floor_ + same);
  for (std::size_t i = same; i < wanted.size(); ++i) {
    const std::string condition = text(wanted[i]);
    out_->open("if (" + condition + ")");
    open_.push_back(wanted[i]);
    scopes_.emplace_back();
  }
}

void FunctionWriter::close_guards(std::size_t depth) {
  while (open_.size() > depth) {
    out_->close();
    open_.pop_back();
    scopes_.pop_back();
  }
}

void FunctionWriter::write_accesses(const std::vector<PlannedAccess>& accesses, std::uint32_t loop) {
  for (std::size_t i = 0; i < accesses.size();) {
    std::uint32_t inner = kNoLoop;  // the outermost loop run between here and the access
    for (std::uint32_t l = accesses[i].loop; l != loop && l != kNoLoop; l = form_.loops[l].parent)
      if (plan_.loops[l].mode == LoopMode::Run) inner = l;
    if (inner == kNoLoop) {
      open_guards(accesses[i].guards);
      write_access(accesses[i++]);
      continue;
    }
    std::vector<PlannedAccess> group;
    for (; i < accesses.size() && form_.within(accesses[i].loop, inner); ++i) group.push_back(accesses[i]);
    open_guards(plan_.loops[inner].guards);
    write_loop(inner, group);
  }
}

std::string FunctionWriter::comment(std::uint32_t instruction) const {
  const auto& in = form_.function.code[instruction];
  const std::string source = names_.module().sources.place_of(in.op.ptx_line);
  const char* what = in.op.kind == ptx::Kind::Load    ? "load"
                     : in.op.kind == ptx::Kind::Store ? "store"
                                                      : "atomic";
  return fmt::format("  // {}{}:{}, {}", source.empty() ? "" : source + ", ", names_.module().name,
                     in.op.ptx_line, what);
}

// FETCH(u32, A + 4 * n); with `value`, signed where the load extends a sign.
std::string FunctionWriter::fetch_call(std::uint32_t instruction, NodeId address, bool value) {
  const auto& op = form_.function.code[instruction].op;
  const unsigned bytes = std::min(8u, ptx::type_bytes(op.type));
  const bool kernel_access = op.space == ptx::StateSpace::Global || op.space == ptx::StateSpace::Generic;
  return fmt::format("{}({}{}, {})", kernel_access ? "FETCH" : "READ",
                     value && ptx::is_signed(op.type) ? "s" : "u", bytes * 8, text(address));
}

void FunctionWriter::write_access(const PlannedAccess& access) {
  const auto& in = form_.function.code[access.instruction];
  const std::string note = comment(access.instruction);
  // The value of a load with a use; it may have been fetched for the use already.
  if (in.op.kind == ptx::Kind::Load)
    for (const auto& [node, count] : uses_) {
      const Node& n = graph_[node];
      if (n.kind != NodeKind::Load || n.in[0] != access.address) continue;
      if (reader_.sites()[n.index].instruction != access.instruction) continue;
      if (known(node) == nullptr) operand(node);
      return;
    }
  if (known(access.address) == nullptr) --uses_[access.address];
  const std::string fetched = fetch_call(access.instruction, access.address, false);
  out_->add("sum += " + fetched + ";" + note);
}

// A loop whose iterations follow each other here: its states are variables, set anew at the end of an
// iteration.
void FunctionWriter::write_loop(std::uint32_t loop, const std::vector<PlannedAccess>& accesses) {
  Lines* const outer = out_;
  const std::size_t outer_floor = floor_;
  const auto outer_iterator = iterator_.find(loop) == iterator_.end() ? std::string() : iterator_[loop];
  const std::string counter = fresh("t");
  const auto last = resolver_.last_iteration(loop);
  std::string last_name;
  if (last) {
    last_name = fresh("last");
    out_->add(fmt::format("const u32 {} = {};", last_name, text(*last)));
  }
  std::vector<std::pair<NodeId, std::string>> leaving;
  for (const NodeId exit : exits_)
    if (graph_[exit].index == loop && known(exit) == nullptr) leaving.emplace_back(exit, fresh("v"));

  Lines inside(outer->depth() + 1);
  out_ = &inside;
  floor_ = open_.size();
  iterator_[loop] = counter;
  scopes_.emplace_back();
  states_[loop].clear();
  write_accesses(accesses, loop);
  close_guards(floor_);
  const std::string goes_on = last ? counter + " != " + last_name : text(resolver_.continues(loop));
  if (!leaving.empty()) {
    std::vector<std::string> values;
    for (const auto& [exit, name] : leaving)
      values.push_back(fmt::format("{} = {};", name, text(graph_[exit].in[0])));
    out_->open("if (!(" + goes_on + "))");
    for (const std::string& value : values) out_->add(value);
    out_->add("break;");
    out_->close();
  } else {
    out_->add("if (!(" + goes_on + ")) break;");
  }
  // The states for the next iteration; their computation may need more states.
  std::vector<std::string> updates;
  for (std::size_t i = 0; i < states_[loop].size(); ++i) {
    const NodeId state = states_[loop][i];
    const std::string next = fresh("next");
    const std::string value = text(resolver_.next(graph_[state].index));
    out_->add(fmt::format("const {} {} = {};", c_type(graph_[state].bits), next, value));
    updates.push_back(fmt::format("s{} = {};", graph_[state].index, next));
  }
  for (const std::string& update : updates) out_->add(update);
  const std::vector<NodeId> states = states_[loop];
  scopes_.pop_back();
  floor_ = outer_floor;
  if (outer_iterator.empty())
    iterator_.erase(loop);
  else
    iterator_[loop] = outer_iterator;
  out_ = outer;

  for (const NodeId state : states) {
    const std::string first = text(resolver_.first(graph_[state].index));
    out_->add(fmt::format("{} s{} = {};", c_type(graph_[state].bits), graph_[state].index, first));
  }
  for (const auto& [exit, name] : leaving) {
    out_->add(fmt::format("{} {} = 0;", c_type(graph_[exit].bits), name));
    scopes_.back()[exit] = name;
  }
  out_->open(fmt::format("for (u32 {0} = 0; RUNNING(k, {0}); ++{0})", counter));
  out_->text_of(inside);
  out_->close();
}

}  // namespace duet::preexec
