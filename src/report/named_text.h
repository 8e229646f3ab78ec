// A file's text with its name for messages.
#pragma once

#include <string>

namespace duet::report {

struct NamedText {
  std::string name, text;
};

}  // namespace duet::report
