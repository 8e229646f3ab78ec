#include "nvrtc/options.h"

#include <algorithm>
#include <string_view>

namespace duet::nvrtc {

namespace {

enum class Kind {
  Architecture,
  Passed,     // -D, -I, ...: with its value
  Standard,   // c++17
  Flush,      // true: denormals of float are zero
  Contract,   // false: no multiply-adds
  FastMath,   // flushes and contracts; divisions and roots stay exact
  Quiet,      // no warnings
  AllDevice,  // --device-as-default-execution-space
  NoFolder,   // --no-source-include
  Value,      // known, has a value, changes nothing here
  Nothing,    // known, changes nothing here
};

struct Known {
  std::string_view name, shorter;
  Kind kind;
  std::string_view flag{};  // of `duet cc`
};

constexpr Known kKnown[] = {
    {"--gpu-architecture", "-arch", Kind::Architecture},
    {"--define-macro", "-D", Kind::Passed, "-D"},
    {"--undefine-macro", "-U", Kind::Passed, "-U"},
    {"--include-path", "-I", Kind::Passed, "-I"},
    {"--pre-include", "-include", Kind::Passed, "-include"},
    {"--std", "-std", Kind::Standard},
    {"--ftz", "-ftz", Kind::Flush},
    {"--fmad", "-fmad", Kind::Contract},
    {"--use_fast_math", "-use_fast_math", Kind::FastMath},
    {"--disable-warnings", "-w", Kind::Quiet},
    {"--device-as-default-execution-space", "-default-device", Kind::AllDevice},
    {"--prec-sqrt", "-prec-sqrt", Kind::Value},
    {"--prec-div", "-prec-div", Kind::Value},
    {"--relocatable-device-code", "-rdc", Kind::Value},
    {"--maxrregcount", "-maxrregcount", Kind::Value},
    {"--dopt", "-dopt", Kind::Value},
    {"--Ofast-compile", "-Ofc", Kind::Value},
    {"--ptxas-options", "-Xptxas", Kind::Value},
    {"--builtin-move-forward", "-builtin-move-forward", Kind::Value},
    {"--builtin-initializer-list", "-builtin-initializer-list", Kind::Value},
    {"--modify-stack-limit", "-modify-stack-limit", Kind::Value},
    {"--split-compile", "-split-compile", Kind::Value},
    {"--optimization-info", "-opt-info", Kind::Value},
    {"--diag-error", "-diag-error", Kind::Value},
    {"--diag-suppress", "-diag-suppress", Kind::Value},
    {"--diag-warn", "-diag-warn", Kind::Value},
    {"--brief-diagnostics", "-brief-diag", Kind::Value},
    {"--jump-table-density", "-jtd", Kind::Value},
    {"--device-c", "-dc", Kind::Nothing},
    {"--device-w", "-dw", Kind::Nothing},
    {"--device-debug", "-G", Kind::Nothing},
    {"--generate-line-info", "-lineinfo", Kind::Nothing},  // always there
    {"--extensible-whole-program", "-ewp", Kind::Nothing},
    {"--restrict", "-restrict", Kind::Nothing},
    {"--extra-device-vectorization", "-extra-device-vectorization", Kind::Nothing},
    {"--no-source-include", "-no-source-include", Kind::NoFolder},
    {"--no-cache", "-no-cache", Kind::Nothing},
    {"--minimal", "-minimal", Kind::Nothing},
    {"--device-int128", "-device-int128", Kind::Nothing},
    {"--device-float128", "-device-float128", Kind::Nothing},
    {"--display-error-number", "-err-no", Kind::Nothing},
    {"--no-display-error-number", "-no-err-no", Kind::Nothing},
    {"--version-ident", "-dQ", Kind::Value},
};

bool has_value(Kind kind) { return kind <= Kind::Contract || kind == Kind::Value; }

// `rest`: what stands behind the name, from a = or a blank on; -DNAME and -Idir have neither.
const Known* find(std::string_view option, std::string_view& rest) {
  for (const Known& known : kKnown)
    for (const std::string_view name : {known.name, known.shorter}) {
      if (!option.starts_with(name)) continue;
      rest = option.substr(name.size());
      const bool joined = known.kind == Kind::Passed && name.size() == 2;
      if (rest.empty() || rest[0] == '=' || rest[0] == ' ' || joined) return &known;
    }
  return nullptr;
}

bool known_architecture(std::string_view name) {
  const std::size_t digits = name.find('_') + 1;
  if (!name.starts_with("compute_") && !name.starts_with("sm_")) return false;
  std::string_view number = name.substr(digits);
  if (number == "90a") return true;
  return std::any_of(architectures().begin(), architectures().end(),
                     [&](int one) { return std::to_string(one) == number; });
}

std::string wrong_value(const Known& known, std::string_view value) {
  std::string line = "nvrtc: error: invalid value for " + std::string(known.name) + " (" +
                     std::string(known.shorter) + "): '" + std::string(value) + "'";
  if (known.kind != Kind::Architecture) return line + "\n";
  line += "; there are compute_90a and sm_90a, and compute_N and sm_N with N =";
  for (const int one : architectures()) line += " " + std::to_string(one);
  return line + "\n";
}

bool take(Options& read, const Known& known, const std::string& value) {
  const bool yes = value == "true", no = value == "false";
  switch (known.kind) {
    case Kind::Architecture:
      read.architecture = value;
      return known_architecture(value);
    case Kind::Passed:
      read.flags.insert(read.flags.end(), {std::string(known.flag), value});
      return !value.empty();
    case Kind::Standard:
      read.flags.push_back("-std=" + value);
      return value == "c++03" || value == "c++11" || value == "c++14" || value == "c++17" || value == "c++20";
    case Kind::Flush:
      if (yes) read.flags.push_back("-fgpu-flush-denormals-to-zero");
      return yes || no;
    case Kind::Contract:
      if (no) read.flags.push_back("-ffp-contract=off");
      return yes || no;
    case Kind::FastMath:
      read.flags.push_back("-fgpu-flush-denormals-to-zero");
      return true;
    case Kind::Quiet:
      read.flags.push_back("-w");
      return true;
    case Kind::AllDevice:
      read.default_device = true;
      return true;
    case Kind::NoFolder:
      read.source_folder = false;
      return true;
    case Kind::Value:
    case Kind::Nothing:
      return true;
  }
  return true;
}

}  // namespace

const std::vector<int>& architectures() {
  static const std::vector<int> all = {50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90};
  return all;
}

Options read_options(int count, const char* const* options) {
  Options read;
  for (int i = 0; i < count && read.error.empty(); ++i) {
    const std::string_view option = options[i] != nullptr ? options[i] : "";
    std::string_view rest;
    const Known* const known = find(option, rest);
    if (known == nullptr) {
      read.error = "nvrtc: error: unrecognized option " + std::string(option) + " found\n";
      break;
    }
    std::string value;
    if (has_value(known->kind)) {
      if (rest.empty() && i + 1 < count && options[i + 1] != nullptr) rest = options[++i];
      while (!rest.empty() && (rest[0] == '=' || rest[0] == ' ')) rest.remove_prefix(1);
      value = rest;
    }
    if (!take(read, *known, value)) read.error = wrong_value(*known, value);
  }
  return read;
}

PtxOptions::PtxOptions(int count, const char* const* options) {
  bool value_follows = false;
  for (int i = 0; i < count && options != nullptr; ++i) {
    const std::string_view option = options[i] != nullptr ? options[i] : "";
    std::string_view rest;
    const Known* const known = find(option, rest);
    const bool architecture = value_follows || (known != nullptr && known->kind == Kind::Architecture);
    value_follows = !value_follows && architecture && rest.empty();
    pointers.push_back(options[i]);
    const std::size_t at = option.find("sm_");
    if (!architecture || at == std::string_view::npos) continue;
    names_a_gpu = true;
    changed.push_back(std::string(option.substr(0, at)) + "compute_" + std::string(option.substr(at + 3)));
    pointers.back() = changed.back().c_str();
  }
}

}  // namespace duet::nvrtc
