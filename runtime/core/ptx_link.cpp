#include "core/ptx_link.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace duet::core {

namespace {

enum class Kind { Header, Dropped, Other, Variable, FunctionDeclaration, FunctionDefinition };

struct Statement {
  Kind kind = Kind::Other;
  std::string text, name;
  bool external = false, weak = false, local = false;
};

bool in_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%';
}

std::string without_comments(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 2) == "//") {
      while (i < text.size() && text[i] != '\n') ++i;
      result += '\n';
    } else if (text.substr(i, 2) == "/*") {
      i = std::min(text.find("*/", i + 2), text.size() - 2) + 1;
      result += ' ';
    } else {
      result += text[i];
    }
  }
  return result;
}

class Splitter {
 public:
  explicit Splitter(std::string text) : text_(std::move(text)) {}

  std::vector<Statement> run() {
    std::vector<Statement> result;
    while (skip_space(), at_ < text_.size()) {
      const std::size_t start = at_;
      Statement statement;
      statement.kind = extent();
      statement.text = text_.substr(start, at_ - start);
      if (statement.kind == Kind::Other) classify(statement);
      if (statement.kind != Kind::Dropped) result.push_back(std::move(statement));
    }
    return result;
  }

 private:
  void skip_space() {
    while (at_ < text_.size() && (std::isspace(static_cast<unsigned char>(text_[at_])) || text_[at_] == ';'))
      ++at_;
  }
  bool starts(std::string_view word) const { return text_.compare(at_, word.size(), word) == 0; }
  void skip_line() { at_ = std::min(text_.find('\n', at_), text_.size()); }
  void skip_braces() {
    int depth = 0;
    do {
      depth += text_[at_] == '{' ? 1 : text_[at_] == '}' ? -1 : 0;
      ++at_;
    } while (at_ < text_.size() && depth > 0);
  }

  // Moves behind the statement.
  Kind extent() {
    for (const char* word : {".version", ".target", ".address_size"})
      if (starts(word)) return skip_line(), Kind::Header;
    for (const char* word : {".file", ".loc"})
      if (starts(word)) return skip_line(), Kind::Dropped;
    if (starts(".section")) {
      at_ = std::min(text_.find('{', at_), text_.size() - 1);
      return skip_braces(), Kind::Dropped;
    }
    bool value = false;
    while (at_ < text_.size() && text_[at_] != ';') {
      value |= text_[at_] == '=';
      if (text_[at_] != '{') {
        ++at_;
        continue;
      }
      skip_braces();
      if (!value) return Kind::Other;  // a function's body
    }
    at_ = std::min(at_ + 1, text_.size());
    return Kind::Other;
  }

  static std::size_t behind_parentheses(const std::string& text, std::size_t at) {
    int depth = 0;
    do {
      depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
      ++at;
    } while (at < text.size() && depth > 0);
    return at;
  }
  static std::string name_at(const std::string& text, std::size_t at) {
    std::size_t end = at;
    while (end < text.size() && in_name(text[end])) ++end;
    return text.substr(at, end - at);
  }

  // Behind .func or .entry: return values in parentheses and attributes may come before the name.
  static std::string function_name(const std::string& text, std::size_t at) {
    while (at < text.size()) {
      if (std::isspace(static_cast<unsigned char>(text[at])))
        ++at;
      else if (text[at] == '(')
        at = behind_parentheses(text, at);
      else if (text[at] == '.')
        at += 1 + name_at(text, at + 1).size();
      else
        return name_at(text, at);
    }
    return {};
  }

  static void classify(Statement& s) {
    const std::string head = s.text.substr(0, s.text.find_first_of("{=;"));
    const auto has = [&](std::string_view word) { return head.find(word) != head.npos; };
    s.external = has(".extern ");
    s.weak = has(".weak ") || has(".common ");
    s.local = !s.external && !s.weak && !has(".visible ");
    for (const std::string_view word : {".func", ".entry"}) {
      const auto at = head.find(word);
      if (at == head.npos) continue;
      s.kind = s.text.back() == '}' ? Kind::FunctionDefinition : Kind::FunctionDeclaration;
      s.name = function_name(s.text, at + word.size());
      if (word == ".entry") s.local = false;  // the host finds it by its name
      return;
    }
    if (!has(".global ") && !has(".const ") && !has(".shared ")) return;
    s.kind = Kind::Variable;
    std::size_t end = std::min(head.find('['), head.size());
    while (end > 0 && !in_name(head[end - 1])) --end;
    std::size_t start = end;
    while (start > 0 && in_name(head[start - 1])) --start;
    s.name = head.substr(start, end - start);
  }

  std::string text_;
  std::size_t at_ = 0;
};

std::string renamed(const std::string& text, const std::unordered_map<std::string, std::string>& names) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && in_name(text[end])) ++end;
    if (end == i) {
      result += text[i++];
      continue;
    }
    const std::string word = text.substr(i, end - i);
    const auto found = names.find(word);
    result += found == names.end() ? word : found->second;
    i = end;
  }
  return result;
}

}  // namespace

std::string link_ptx(const std::vector<std::string>& texts) {
  std::vector<std::vector<Statement>> modules;
  std::unordered_set<std::string> taken, defined;
  for (const std::string& text : texts) {
    auto& module = modules.emplace_back(Splitter(without_comments(text)).run());
    std::unordered_map<std::string, std::string> names;
    for (const Statement& s : module)
      if (s.local && taken.contains(s.name)) names[s.name] = s.name + "$m" + std::to_string(modules.size());
    for (Statement& s : module) {
      if (!names.empty()) s.text = renamed(s.text, names);
      if (const auto found = names.find(s.name); found != names.end()) s.name = found->second;
      if (!s.name.empty()) taken.insert(s.name);
      if (!s.external && s.kind == Kind::Variable) defined.insert(s.name);
    }
  }

  std::string header, declarations, variables, rest;
  std::unordered_set<std::string> there;
  for (std::size_t m = 0; m < modules.size(); ++m)
    for (const Statement& s : modules[m]) {
      const std::string text = s.text + "\n";
      switch (s.kind) {
        case Kind::Header:
          if (m == 0) header += text;
          break;
        case Kind::FunctionDeclaration:
          declarations += text;
          break;
        case Kind::Variable:
          if (s.external && (defined.contains(s.name) || !there.insert(s.name).second)) break;
          if (s.weak && !there.insert(s.name).second) break;
          variables += text;
          break;
        case Kind::FunctionDefinition:
          if (s.weak && !there.insert(s.name).second) break;
          rest += text;
          break;
        default:
          rest += text;
      }
    }
  return header + declarations + variables + rest;
}

}  // namespace duet::core
