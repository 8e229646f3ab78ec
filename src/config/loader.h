// Machine files: TOML with `base = "other"` inheritance. [gpu], [cpu] and [link] are nodes: the keys of a
// node are demanded where the file, or its base, has the node. [[level]] tables are levels of cache below the
// GPU's L2, the first the nearest; their keys are level[0].KEY, level[1].KEY, ... in --set. Several links are
// [[link]] tables, link[0].KEY and so on. A file's [[level]] or [[link]] tables take the place of its base's.
// `cpu_of = "other"` takes the [cpu] of another machine, whose keys the file may change.
// Every number stands on a line of its own whose comment names its source ("# P: lustig2013 Table 2"; D
// datasheet, M measurement, S another simulator's default, I inferred, P the paper itself).
#pragma once

#include <string>
#include <vector>

#include "config/machine.h"

namespace duet::config {

// The origin of a key's value: the machine's own file, or a change.
enum class SetBy : std::uint8_t {
  Machine,          // a file without a base, or a file with its base's value
  FileOverAnother,  // a file with a base, to another value than the base's
  CommandLine
};

// One key of the resolved machine, for `duet machines show` and a run's machine.toml.
struct ResolvedValue {
  std::string key;   // "gpu.sm.count"
  std::string text;  // as TOML
  std::string unit;  // "" when the key's name or type says it all
  std::string description;
  std::string source;  // the comment of its line; "--set" for the command line
  std::string file;    // its machine file
  std::string where;   // the same as path and line; "--set" for the command line
  SetBy set_by = SetBy::Machine;
};

// The contents of a file, buildable or not.
struct ResolvedTopology {
  Topology topology;
  std::vector<ResolvedValue> values;
};
struct ResolvedMachine {
  Machine machine;
  std::vector<ResolvedValue> values;
};

// `name` is a machine's name (found as DIRECTORY/name.toml) or a path to a file. Each `set` is "key=value".
// Throws duet::Error: unknown machine (with the known ones), unknown or missing key, wrong type, value out of
// range; each with file and line.
ResolvedTopology load_topology(const std::string& name, const std::string& machines_directory,
                               const std::vector<std::string>& sets = {});
// As load_topology(), for a machine to be built: impossible ones are refused by name.
ResolvedMachine load_machine(const std::string& name, const std::string& machines_directory,
                             const std::vector<std::string>& sets = {});

// The resolved machine as one TOML file. Loading that file gives the same machine.
enum class Remarks : std::uint8_t {
  Sources,  // behind each value its source; its description where it has none
  All       // unit, description and source
};
std::string to_toml(const std::vector<ResolvedValue>& values, Remarks remarks = Remarks::Sources);

struct MachineName {
  std::string name, description;
};
std::vector<MachineName> list_machines(const std::string& machines_directory);

}  // namespace duet::config
