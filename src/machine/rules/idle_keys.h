// Keys of a machine file without effect on this machine, or on the functional GPU: a set one is named to the
// user. The rooms with the keys' readers are all below this one, so the rules stand here. A rule is about
// keys switched off by others; a value without effect by chance has none.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/loader.h"

namespace duet::machine {

// What runs on the machine's cores.
enum class OnCores : std::uint8_t { Nothing, Preexecution, Host };

// Why the key does nothing; empty: it does something. Those of cores do with a program on them.
std::string why_idle(const config::Machine& machine, const std::string& key, bool functional,
                     OnCores on_cores = OnCores::Nothing);

// A line for each idle key that the user has set: on the command line, or in a file over another one to
// another value. A file's keys of the timed GPU are not counted against the functional one: machines are made
// for both; the same holds of cores.
std::vector<std::string> idle_settings(const config::ResolvedMachine& machine, bool functional,
                                       OnCores on_cores = OnCores::Nothing);

}  // namespace duet::machine
