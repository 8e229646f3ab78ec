#include "preexec/text/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

namespace duet::preexec {

namespace {

// A name of C, unique in the program.
std::string identifier(const std::string& name, const std::vector<Member>& taken) {
  static const std::set<std::string> kReserved = {
      "auto",   "break",    "case",     "char",     "const", "continue", "default", "do",      "double",
      "else",   "enum",     "extern",   "float",    "for",   "goto",     "if",      "inline",  "int",
      "long",   "register", "restrict", "return",   "short", "signed",   "sizeof",  "static",  "struct",
      "switch", "typedef",  "union",    "unsigned", "void",  "volatile", "while",   "context", "parameters"};
  std::string result;
  for (const char c : name) result += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  if (result.empty() || std::isdigit(static_cast<unsigned char>(result[0])) || kReserved.contains(result))
    result += "_";
  const auto used = [&](const std::string& text) {
    for (const Member& m : taken)
      if (m.name == text) return true;
    return false;
  };
  std::string unique = result;
  for (unsigned i = 2; used(unique); ++i) unique = result + "_" + std::to_string(i);
  return unique;
}

const char* c_type_of(ptx::Type type) {
  switch (ptx::type_bytes(type)) {
    case 1:
      return "u8";
    case 2:
      return "u16";
    case 8:
      return "u64";
    default:
      return "u32";
  }
}

}  // namespace

Names::Names(const ptx::ir::ParsedModule& module, const ptx::ir::Function& entry, const Form& form,
             const Options& options)
    : module_(module), entry_(entry), form_(form), options_(options) {
  for (const auto& in : form.function.code)
    for (unsigned i = 0; i < in.op.source_count; ++i) {
      const auto& s = in.sources[i];
      if (s.kind == ptx::ir::ValueKind::Warp) {
        const auto slot = static_cast<ptx::WarpSlot>(s.index);
        if (slot == ptx::WarpSlot::TidY) block_dimensions_ = std::max(block_dimensions_, 2u);
        if (slot == ptx::WarpSlot::TidZ) block_dimensions_ = 3;
        // Lanes count through all dimensions; a kernel with one named dimension is taken to have one.
      } else if (s.kind == ptx::ir::ValueKind::Block) {
        const auto slot = static_cast<ptx::BlockSlot>(s.index);
        if (slot == ptx::BlockSlot::CtaIdY) grid_dimensions_ = std::max(grid_dimensions_, 2u);
        if (slot == ptx::BlockSlot::CtaIdZ) grid_dimensions_ = 3;
      }
    }
  grid_dimensions_ = std::min(grid_dimensions_, options.grid_dimensions);
  if (options.block && options.block->z == 1) block_dimensions_ = std::min(block_dimensions_, 2u);
  if (options.block && options.block->y == 1 && block_dimensions_ == 2) block_dimensions_ = 1;
}

const std::string& Names::parameter(const Node& node) {
  const auto [at, fresh] = parameter_.try_emplace({node.value, node.index}, members_.size());
  if (fresh) {
    std::string name = fmt::format("at_{}", node.value);
    for (const auto& formal : entry_.parameters) {
      const auto& v = module_.variables[formal.index];
      if (node.value < v.parameter_offset || node.value >= v.parameter_offset + v.bytes) continue;
      const std::string prefix = entry_.name + "_";
      name = v.name.starts_with(prefix) ? v.name.substr(prefix.size()) : v.name;
      if (node.value != v.parameter_offset) name += fmt::format("_at_{}", node.value - v.parameter_offset);
    }
    const char* type = c_type_of(static_cast<ptx::Type>(node.index));
    members_.push_back({identifier(name, members_), type,
                        fmt::format("READ({}, context->parameters + {})", type, node.value)});
  }
  return members_[at->second].name;
}

const std::string& Names::symbol(std::uint32_t variable) {
  const auto& v = module_.variables[variable];
  const auto [at, fresh] = symbol_.try_emplace(variable, members_.size());
  if (fresh) {
    if (v.space == ptx::StateSpace::Param) {
      members_.push_back({identifier("parameter_bytes", members_), "u64",
                          fmt::format("context->parameters + {}", v.parameter_offset)});
    } else {
      members_.push_back({identifier(v.name, members_), "u64",
                          fmt::format("READ(u64, context->symbols + {})", 8 * symbols_.size())});
      symbols_.push_back(v.name);
    }
  }
  return members_[at->second].name;
}

std::string Names::block_extent(unsigned dimension) const {
  static constexpr const char* kNames[] = {"k->ntid_x", "k->ntid_y", "k->ntid_z"};
  if (!options_.block) return kNames[dimension];
  return std::to_string(dimension == 0   ? options_.block->x
                        : dimension == 1 ? options_.block->y
                                         : options_.block->z);
}

std::string Names::block_size() const {
  if (!options_.block) return "k->tb_size";
  const std::uint64_t sizes[] = {options_.block->x, options_.block->y, options_.block->z};
  std::uint64_t product = 1;
  for (unsigned i = 0; i < block_dimensions_; ++i) product *= sizes[i];
  return std::to_string(product);
}

Divisor Names::block_divisor() const { return {block_size(), options_.block ? "" : "k->by_tb_size"}; }
Divisor Names::block_divisor(unsigned dimension) const {
  static constexpr const char* kInverses[] = {"k->by_ntid_x", "k->by_ntid_y", "k->by_ntid_z"};
  return {block_extent(dimension), options_.block ? "" : kInverses[dimension]};
}

std::string Divisor::quotient(const std::string& of) const {
  return inverse.empty() ? fmt::format("{} / {}", of, value) : fmt::format("over({}, {})", of, inverse);
}
std::string Divisor::remainder(const std::string& of) const {
  return inverse.empty() ? fmt::format("{} % {}", of, value)
                         : fmt::format("{0} - over({0}, {1}) * {2}", of, inverse, value);
}

void Lines::add(const std::string& line) {
  if (!line.empty()) text_ += std::string(2 * depth_, ' ') + line;
  text_ += "\n";
}
void Lines::text_of(const Lines& other) { text_ += other.text_; }

}  // namespace duet::preexec
