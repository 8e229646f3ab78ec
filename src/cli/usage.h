// A command line that cannot be read: an unknown or missing word, a value that an option does not take. The
// process ends with kUsageStatus; what can be read and cannot be done is a plain duet::Error, and 125.
#pragma once

#include "base/error.h"

namespace duet::cli {

inline constexpr int kUsageStatus = 2;

class UsageError : public Error {
 public:
  using Error::Error;
};

}  // namespace duet::cli
