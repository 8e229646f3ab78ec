// A file's text with the name that messages give it.
#pragma once

#include <string>

namespace duet::report {

struct NamedText {
  std::string name, text;
};

}  // namespace duet::report
