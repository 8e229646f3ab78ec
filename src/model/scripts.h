// The task organization (hu2016, section 2.2): script lists (SL), their scripts (SS, PS_C, PS_D), and the
// script commands (SC) of these. An SL of level i has scripts of level i-1: a PS_C starts a group of task
// instances of level i-1, each of which runs an SL of level i-1. A PS_C of level 0 is one instruction, and
// its SL too.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/units.h"

namespace duet::model {

enum class ScriptKind : std::uint8_t { Scheduling, Computing, Moving };  // SS, PS_C, PS_D
const char* name_of(ScriptKind kind);                                    // "PS_C"

// Section 2.5: from the memory above into the level's, back, or within it.
enum class Movement : std::uint8_t { StageIn, StageOut, Equipotent };
const char* name_of(Movement movement);  // "Stage-In"

// The action of an SS. Signal and Wait: of an event of the task instance; Barrier: all channels of it meet.
enum class Control : std::uint8_t { Note, Signal, Wait, Barrier };
const char* name_of(Control control);  // "signal"

struct Script {
  ScriptKind kind = ScriptKind::Computing;
  std::string name;
  std::vector<std::string> commands;  // SCs, in order
  std::uint64_t channel = 0;          // logical
  std::uint64_t width = 1;            // task width: instances of the group
  // PS_C
  std::string runs;                       // the SL of its instances; empty at level 0
  std::string array;                      // wanted array; empty: any
  std::vector<std::string> needs, makes;  // data needed in position, and data then in position
  // PS_D
  Movement movement = Movement::StageIn;
  std::string data;
  // SS
  Control control = Control::Note;
  std::string event;
  unsigned line = 0;  // of its file; 0: of none
};

struct ScriptList {
  std::string name;
  unsigned level = 0;
  // Section 3.4: so many program counters, each a channel through all of the list. With more than 1 the
  // scripts' own channels are not used.
  std::uint64_t columns = 1;
  std::vector<Script> scripts;
  unsigned line = 0;
};

struct Data {
  std::string name;
  Bytes bytes = 0;
  bool made = false;    // by a script; otherwise it is there from the start, in the topmost memory
  bool shared = false;  // between the columns of a list; otherwise each column has its own
};

}  // namespace duet::model
