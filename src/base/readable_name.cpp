#include "base/readable_name.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace duet {

std::string readable_name(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  if (status != 0) return name;
  std::string result = text.get();
  const std::string anonymous = "(anonymous namespace)::";
  for (auto at = result.find(anonymous); at != std::string::npos; at = result.find(anonymous))
    result.erase(at, anonymous.size());
  if (result.starts_with("void ")) result.erase(0, 5);
  return result.substr(0, result.find('('));
}

}  // namespace duet
