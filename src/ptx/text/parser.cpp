// Module level of PTX (PTX ISA 9.0, sections 5 and 11): directives, variables and function headers. Bodies
// are parsed by BodyParser (body_parser.h). Debug sections are skipped.
#include "ptx/text/parser.h"

#include <algorithm>
#include <iterator>

#include "base/error.h"
#include "ptx/text/body_parser.h"

namespace duet::ptx {

using ir::Formal;
using ir::Function;
using ir::IrVariable;

namespace {

// A driver refuses text of a version newer than its own. Duet tells them apart by their first number: PTX 9
// is CUDA 13's, and what a minor version adds is refused where a kernel has it.
constexpr unsigned kNewestVersion = 9;

// The targets of PTX ISA 9.0, section 11.1.2. One above the machine's compute capability is no error, though
// a driver's compiler refuses it: old machines run what today's compilers write.
bool is_target(unsigned sm) {
  static constexpr unsigned kTargets[] = {10, 11, 12, 13, 20, 21, 30, 32, 35, 37,  50,  52,  53,  60,  61, 62,
                                          70, 72, 75, 80, 86, 87, 88, 89, 90, 100, 101, 103, 110, 120, 121};
  return std::find(std::begin(kTargets), std::end(kTargets), sm) != std::end(kTargets);
}

class ModuleParser {
 public:
  ModuleParser(std::string_view text, const std::string& name, std::uint64_t first_function)
      : tokens_(tokenize(text, name)), cursor_(tokens_, name) {
    module_.name = name;
    module_.first_function = first_function;
  }

  ir::ParsedModule run() {
    while (!cursor_.at_end()) directive();
    if (module_.version_major == 0) throw Error(module_.name + ":1: .version is missing");
    return std::move(module_);
  }

 private:
  void directive() {
    if (cursor_.accept(';')) return;
    cursor_.expect('.');
    const Token& word = cursor_.identifier();
    const auto text = word.text;
    if (text == "version") {
      const auto number = cursor_.next().text;
      const auto dot = number.find('.');
      module_.version_major = static_cast<unsigned>(std::atoi(std::string(number.substr(0, dot)).c_str()));
      if (dot != number.npos)
        module_.version_minor = static_cast<unsigned>(std::atoi(std::string(number.substr(dot + 1)).c_str()));
      if (module_.version_major == 0) cursor_.fail("the version is not a number");
      if (module_.version_major > kNewestVersion)
        throw NewerVersion(module_.name + ":" + std::to_string(cursor_.peek().line) + ": PTX " +
                           std::string(number) + " is newer than PTX " + std::to_string(kNewestVersion) +
                           ", the newest that is known");
    } else if (text == "target") {
      do {
        const auto target = cursor_.identifier().text;
        if (!target.starts_with("sm_")) continue;
        module_.target_sm = static_cast<unsigned>(std::atoi(std::string(target.substr(3)).c_str()));
        if (!is_target(module_.target_sm)) cursor_.fail("there is no target '" + std::string(target) + "'");
      } while (cursor_.accept(','));
    } else if (text == "address_size") {
      if (cursor_.next().text != "64") cursor_.fail("32-bit addresses are not supported");
    } else if (text == "file") {
      const auto number = std::atoi(std::string(cursor_.next().text).c_str());
      std::string path(cursor_.next().text);
      if (path.size() >= 2 && path.front() == '"') path = path.substr(1, path.size() - 2);
      module_.sources.file(static_cast<std::uint32_t>(number), path);
      while (cursor_.accept(',')) cursor_.next();
    } else if (text == "loc") {
      const Cursor::Location location = cursor_.location();
      module_.sources.location(word.line, location.at, location.inlined_at);
    } else if (text == "pragma") {
      cursor_.skip_to_semicolon();
    } else if (text == "section") {
      while (!cursor_.is('{')) cursor_.next();
      cursor_.skip_braces();
    } else if (text == "alias") {
      const std::string alias(cursor_.identifier().text);
      cursor_.expect(',');
      module_.aliases[alias] = cursor_.identifier().text;
      cursor_.expect(';');
    } else {
      cursor_.back(2);
      declaration();
    }
  }

  void declaration() {
    bool external = false;
    while (true) {
      cursor_.expect('.');
      const Token& word = cursor_.identifier();
      const auto text = word.text;
      if (text == "extern") {
        external = true;
      } else if (text == "visible" || text == "weak" || text == "common") {
        continue;
      } else if (text == "entry") {
        return function(true, word.line);
      } else if (text == "func") {
        return function(false, word.line);
      } else if (text == "global" || text == "const" || text == "shared" || text == "local") {
        static const std::unordered_map<std::string_view, StateSpace> kSpaces = {
            {"global", StateSpace::Global},
            {"const", StateSpace::Const},
            {"shared", StateSpace::Shared},
            {"local", StateSpace::Local}};
        VariableParser parser(cursor_, module_);
        parser.parse(kSpaces.at(text), external, [&](std::uint32_t index) {
          module_.variable_index[module_.variables[index].name] = index;
        });
        return;
      } else if (text == "tex") {
        cursor_.skip_to_semicolon();
        return;
      } else {
        cursor_.fail("directive ." + std::string(text) + " is not known here");
      }
    }
  }

  std::vector<Formal> formals(Function& function, BodyParser& body) {
    std::vector<Formal> result;
    cursor_.expect('(');
    if (cursor_.accept(')')) return result;
    Bytes offset = 0;
    do {
      cursor_.expect('.');
      const auto space = cursor_.identifier().text;
      if (space == "reg") {
        result.push_back(body.register_formal());
      } else if (space == "param") {
        VariableParser parser(cursor_, module_);
        const std::uint32_t index = parser.formal();
        IrVariable& v = module_.variables[index];
        v.kernel_parameter = function.entry;
        offset = round_up(offset, v.alignment);
        v.parameter_offset = offset;
        offset += v.bytes;
        result.push_back({false, index, Type::None});
        body.declare_variable(index);
      } else {
        cursor_.fail("a parameter lies in .param or .reg");
      }
    } while (cursor_.accept(','));
    cursor_.expect(')');
    return result;
  }

  void function(bool entry, std::uint32_t line) {
    Function function;
    function.entry = entry;
    function.line = line;
    module_.sources.function(line);
    BodyParser body(cursor_, module_, function);
    while (cursor_.is('.')) {  // attributes before the name
      cursor_.next();
      cursor_.identifier();
      if (cursor_.is('(')) cursor_.skip_parentheses();
    }
    if (!entry && cursor_.is('(')) function.returns = formals(function, body);
    function.name = cursor_.identifier().text;
    if (cursor_.is('(')) function.parameters = formals(function, body);
    while (cursor_.is('.')) attribute(function);
    if (cursor_.accept(';')) {
      add(std::move(function));
      return;
    }
    declare(function);  // its body may take its address
    function.has_body = true;
    body.run();
    add(std::move(function));
  }

  std::uint32_t product() {
    std::uint32_t result = 1;
    do {
      result *= static_cast<std::uint32_t>(cursor_.integer());
    } while (cursor_.accept(','));
    return result;
  }

  void attribute(Function& function) {
    cursor_.expect('.');
    const Token& word = cursor_.identifier();
    const auto text = word.text;
    if (text == "maxntid") {
      function.max_threads = product();
    } else if (text == "reqntid") {
      function.required_threads = product();
    } else if (text == "minnctapersm") {
      function.min_blocks_per_sm = product();
    } else if (text == "maxnctapersm") {
      product();
    } else if (text == "maxnreg") {
      function.max_registers = product();
    } else if (text == "explicitcluster") {
      function.explicit_cluster = true;
    } else if (text == "reqnctapercluster") {
      function.explicit_cluster = true;
      if (const std::uint32_t blocks = product(); blocks != 1)
        cursor_.note_unsupported(
            function, "a thread block cluster of " + std::to_string(blocks) + " blocks is not supported",
            word.line);
    } else if (text == "maxclusterrank") {
      product();
    } else if (text == "noreturn") {
      return;
    } else if (text == "pragma") {
      cursor_.skip_to_semicolon();
    } else {
      cursor_.note_unsupported(function, "directive ." + std::string(text) + " is not supported", word.line);
      while (cursor_.peek().kind == TokenKind::Number || cursor_.is(',')) cursor_.next();
    }
  }

  void declare(const Function& function) {
    if (module_.function_index
            .try_emplace(function.name, static_cast<std::uint32_t>(module_.functions.size()))
            .second)
      module_.functions.push_back(function);
  }

  // A definition replaces an earlier declaration.
  void add(Function&& function) {
    const auto [found, fresh] = module_.function_index.try_emplace(
        function.name, static_cast<std::uint32_t>(module_.functions.size()));
    if (fresh) {
      module_.functions.push_back(std::move(function));
    } else if (function.has_body) {
      Function& old = module_.functions[found->second];
      if (old.has_body)
        throw Error(module_.name + ":" + std::to_string(function.line) + ": function '" + function.name +
                    "' is defined twice");
      old = std::move(function);
    }
  }

  std::vector<Token> tokens_;
  ir::ParsedModule module_;
  Cursor cursor_;
};

}  // namespace

ir::ParsedModule parse_module(std::string_view text, const std::string& name, std::uint64_t first_function) {
  return ModuleParser(text, name, first_function).run();
}

}  // namespace duet::ptx
