// One exception type for everything that Duet refuses to do. The message is one line: what, where, what to
// do. Of Deadlock and Stopped, facts follow it, indented, one a line.
#pragma once

#include <stdexcept>
#include <string>

namespace duet {

class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(message) {}
};

// A machine that can make no progress: the message says who waits for whom. `duet run` ends with 124.
class Deadlock : public Error {
 public:
  using Error::Error;
};

// A limit that the user set, or a signal, has ended the run; `duet run` ends with `status`.
class Stopped : public Error {
 public:
  Stopped(int status, const std::string& message) : Error(message), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

}  // namespace duet
