// A model's file: what is wrong is one line with its place.
#include <gtest/gtest.h>

#include <fstream>

#include "base/error.h"
#include "model/run.h"
#include "unit/own_folder.h"

namespace duet::model {
namespace {

class ModelFile : public test::OwnFolder {
 protected:
  // A file of one level, with these lines behind it; the first of them is line 14.
  std::string error_of(const std::string& lines, const std::string& head = kHead) {
    const std::string path = folder_ / "model.toml";
    std::ofstream(path) << head << lines;
    try {
      execute(read_model(path), {});
    } catch (const Error& error) {
      const std::string text = error.what();
      EXPECT_EQ(text.find('\n'), std::string::npos) << text;
      return text.starts_with(path) ? text.substr(path.size()) : text;
    }
    return "no error";
  }
  static constexpr const char* kHead =
      "name = \"m\"\n"                       // 1
      "[[level]]\nlevel = 0\nbytes = 100\n"  // 2
      "[[array]]\nlevel = 0\nkind = \"PE_C\"\nwidth = 2\n"
      "[[list]]\nlevel = 1\nname = \"program\"\n"  // 9
      "[[data]]\nname = \"a\"\n";                  // 12
  static constexpr const char* kScript = "[[script]]\nlist = \"program\"\nname = \"s\"\n";
};

TEST_F(ModelFile, WhatIsRightHasNoError) {
  EXPECT_EQ(error_of(std::string(kScript) + "kind = \"PS_C\"\nneeds = \"a\"\n"), "no error");
}

TEST_F(ModelFile, ErrorsNameTheLine) {
  const std::string script = kScript;
  const struct {
    std::string lines, message;
  } cases[] = {
      {"", ":9: list 'program' has no [[script]]"},
      {script, ":14: a script needs 'kind'"},
      {script + "kind = \"PS\"\n", ":17: kind 'PS' is none of SS, PS_C, PS_D"},
      {script + "kind = \"PS_C\"\nneeds = \"b\"\n",
       ":14: PS_C 's' of list 'program': there is no [[data]] 'b'"},
      {script + "kind = \"PS_C\"\nruns = \"x\"\n",
       ":14: PS_C 's' of list 'program': a script of level 0 is an instruction: leave out 'runs'"},
      {script + "kind = \"PS_C\"\narray = \"SFU\"\n",
       ":14: PS_C 's' of list 'program': level 0 has no PE_C array 'SFU'"},
      {script + "kind = \"PS_C\"\nwidth = 0\n", ":18: width must be a whole number from 1 to 1048576"},
      {script + "kind = \"PS_C\"\nwidth = \"2\"\n", ":18: width must be a whole number from 1 to 1048576"},
      {script + "kind = \"PS_D\"\ndata = \"a\"\nmoves = \"in\"\n",
       ":14: PS_D 's' of list 'program': level 0 has no PE_D array"},
      {script + "kind = \"SS\"\ndoes = \"wait\"\n", ":14: SS 's' of list 'program': which 'event'?"},
      {script + "kind = \"PS_C\"\nwidht = 3\n",
       ":18: a script has no key 'widht': it has list, kind, name, commands, channel, width, runs, array, "
       "needs, makes"},
      {"[[script]]\nlist = \"other\"\nname = \"s\"\nkind = \"PS_C\"\n", ":15: there is no [[list]] 'other'"},
      {script + "kind = \"PS_C\"\n[[level]]\nlevel = 0\n", ":19: level 0 is there twice"},
      {script + "kind = \"PS_C\"\n[[level]]\nlevel = 2\n", ":1: level 1 is missing below level 2"},
      {script + "kind = \"PS_C\"\n[[level]]\nlevel = 7\n", ":19: a level needs 'level' = 0 to 3"},
      {script + "kind = \"PS_C\"\n[[data]]\nname = \"a\"\n", ":1: two [[data]] 'a'"},
      {script + "kind = \"PS_C\"\n[list]\n", ":18: "},
      {script + "kind = \"PS_C\"\n[[data]]\nmade = tr\n", ":19: Error while parsing boolean"},
      {script + "kind = [1, 2]\n",
       ":17: neither [table], [[table]] nor key = value (a number, true, false or one string in quotes)"},
      {script + "kind = \"PS_C\"\n[[array]]\nlevel = 0\nkind = \"PE_C\"\nplaces = 2\n",
       ":21: a PE of level 0, and a PE_D, holds one task instance: leave out 'places'"},
  };
  for (const auto& [lines, message] : cases)
    EXPECT_TRUE(error_of(lines).starts_with(message))
        << lines << "\n  got:  " << error_of(lines) << "\n  want: " << message;
}

TEST_F(ModelFile, AFileThatIsNoneIsAnError) {
  EXPECT_THROW(read_model(folder_ / "none.toml"), Error);
  EXPECT_THROW(read_model(folder_), Error);
  EXPECT_EQ(error_of("", "name = \"m\"\n"), ":1: a model needs [[level]] tables, from level 0 up");
  EXPECT_EQ(error_of("", "[[level]]\nlevel = 0\n"), ":1: no [[list]] of level 1, the program");
}

// What can never go on is one line too.
TEST_F(ModelFile, AStandstillSaysWhoWaitsForWhat) {
  const std::string script = kScript;
  EXPECT_EQ(error_of(script + "kind = \"PS_C\"\nneeds = \"b\"\n[[data]]\nname = \"b\"\nmade = true\n"),
            "m: step 3: nothing can go on: program/s waits for 'b', which is not in position");
  EXPECT_EQ(error_of(script + "kind = \"SS\"\ndoes = \"wait\"\nevent = \"e\"\n"),
            "m: step 3: nothing can go on: program/s waits for event 'e'");
  EXPECT_EQ(
      error_of(script + "kind = \"PS_C\"\nmakes = \"b\"\n[[data]]\nname = \"b\"\nbytes = 101\nmade = true\n"),
      "m: step 3: nothing can go on: program/s waits for 101 bytes of memory for 'b': 0 of 100 are used");
  EXPECT_EQ(error_of(script + "kind = \"PS_C\"\n[[data]]\nname = \"b\"\nbytes = 101\n"),
            "m: 101 bytes of data, and the topmost memory has 100");
}

TEST_F(ModelFile, AMachineWithoutBoundIsRefused) {
  Model model;
  model.name = "m";
  Level level;
  level.arrays = {{"PE", false, 1, 60000, 1}};
  level.queues = 60000;
  model.structure.levels = {level, level};
  Script inner, outer;
  inner.name = outer.name = "s";
  outer.runs = "inner";
  outer.width = 60000;
  model.lists = {{"outer", 2, 1, {outer}, 0}, {"inner", 1, 1, {inner}, 0}};
  try {
    execute(model, {});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("m: more than 1000000 PEs and queues by step "))
        << error.what();
  }
}

TEST_F(ModelFile, AnExecutionWithoutBoundIsRefused) {
  EXPECT_TRUE(error_of(std::string(kScript) + "kind = \"PS_C\"\nwidth = 1048576\n")
                  .starts_with("m: more than 1000000 operations by step "));
}

}  // namespace
}  // namespace duet::model
