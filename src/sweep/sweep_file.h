// The TOML file of a sweep, as it is written.
//
//   machine = "gtx580"
//   base_sets = ["gpu.l2.mshrs=64"]
//   [[program]]
//   name = "sort"
//   command = ["./sort", "--size", "4096"]
//   [grid]
//   gpu.sm.count = [4, 8, 16]
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sweep/sweep.h"

namespace duet::sweep {

inline constexpr const char* kMachineAxis = "machine";

struct Program {
  std::string name;
  Strings command;  // the first word: a program, or a .ptx file
  Strings options;  // of `duet run`
  Strings inputs;   // further files, beside the command's, whose content counts
  std::string where;
};

// A key of the machine, or the machine, and its value.
struct Setting {
  std::string key;
  std::string text;  // for people
  std::string set;   // behind "key=" of --set
};

struct Axis {
  std::string key;
  std::vector<Setting> values;
};

// A combination outside the grid.
struct Point {
  std::string program;  // empty: of all
  std::vector<Setting> settings;
};

struct SweepFile {
  std::filesystem::path path, folder;  // the folder is absolute
  std::string machine = "gtx580";
  Strings base_sets;
  std::vector<Program> programs;
  std::vector<Axis> grid;
  std::vector<Point> points;
  Strings columns, pareto;  // empty columns: column.h's
};

// Throws duet::Error with file and line.
SweepFile read_sweep_file(const std::string& path);

}  // namespace duet::sweep
