// One exception type for everything that Duet refuses to do. The message is one line: the problem, its place,
// the remedy. In Deadlock and Stopped facts follow, indented, one a line.
#pragma once

#include <new>
#include <stdexcept>
#include <string>
#include <utility>

namespace duet {

class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(message) {}
};

// A machine without possible progress: the message names the waiting parts. `duet run` ends with 124.
class Deadlock : public Error {
 public:
  using Error::Error;
};

// A limit of the user, or a signal, has ended the run; `duet run` ends with `status`.
class Stopped : public Error {
 public:
  Stopped(int status, const std::string& message) : Error(message), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

// This process may not map as much memory as it needs. It is no Error: code that catches an Error, refuses
// one thing and goes on must not catch it.
class NoMemory : public std::bad_alloc {
 public:
  explicit NoMemory(std::string message) : message_(std::move(message)) {}
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  std::string message_;
};
inline constexpr const char* kAddressSpaceHint = "a limit on the address space? see ulimit -v";

// The message of an exception; the standard library's own for no memory is empty.
inline std::string message_of(const std::exception& error) {
  const bool memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
  if (!memory || dynamic_cast<const NoMemory*>(&error) != nullptr) return error.what();
  return std::string("no memory left (") + kAddressSpaceHint + ")";
}

}  // namespace duet
