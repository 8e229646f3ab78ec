// Duet's CUDA headers as clang has read them once: `duet cc` of a small program takes a third of the time.
// And what every program on simulated cores is linked with, as objects.
//
//   duet cc --precompile-headers     // a step of building Duet, and of installing it
//   duet cc app.cu -o app            // starts from what that left in lib/duet/precompiled
//
// Guarantees: the outputs are those without it. It is used where clang would read the same headers the same
// way: the same compiler, headers that have not changed, no flags that could change them. Everywhere else,
// and where the step was not made, clang reads the headers.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "config/installation.h"

namespace duet::cli {

// Clang compiles a source twice, for each kind of host.
enum class Pass { Device, Host };

class PrecompiledHeaders {
 public:
  // `compiler`: a name in $PATH.
  PrecompiledHeaders(const config::Installation& installation, std::string compiler);

  // Whether `flags`, of a user, leave the headers as they are.
  static bool allow(const std::vector<std::string>& flags);
  // The file to start from; empty: there is none that is up to date.
  std::string file(Pass pass, bool riscv64) const;

  // The same of a source's object (lib/duet/guest).
  std::string part(const std::string& source) const;

  // Where file() and part() look, whether it is there or not.
  std::string place(Pass pass, bool riscv64) const;
  std::string place_of_part(const std::string& source) const;
  // Before the files are made.
  void forget() const;
  // After, with the headers that clang has read: without it the files are not used. Throws duet::Error.
  void made_from(const std::set<std::string>& headers) const;

 private:
  std::string surroundings() const;
  bool up_to_date() const;

  const config::Installation& installation_;
  std::string compiler_, folder_;
};

}  // namespace duet::cli
