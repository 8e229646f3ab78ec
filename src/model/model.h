// hu2016's descriptive model: structure and scripts together, for any depth.
//
//   const Model model = read_model("workloads/hu2016/d2.toml");
//   std::fputs(text_of(model).c_str(), stdout);
//   const Execution run = execute(model, {});          // run.h
#pragma once

#include <string>
#include <vector>

#include "model/scripts.h"
#include "model/structure.h"

namespace duet::model {

struct Model {
  std::string name;
  std::string file;  // the file it was read from; empty: built
  Structure structure;
  std::vector<ScriptList> lists;
  std::vector<Data> data;

  const ScriptList* list(const std::string& list_name) const;  // null: there is none
  const Data* datum(const std::string& data_name) const;
  // The SL of level d, of which there is one: the whole program.
  const ScriptList& program() const;
};

// Throws duet::Error with one line, "FILE:LINE: error", for an invalid model: an unknown list, datum or
// array, a script not allowed in its level.
void check(const Model& model);

// A TOML file (docs/design/model.md has the keys). Throws duet::Error: file, line, the mistake.
Model read_model(const std::string& path);

// The tree of components, and the scripts.
std::string text_of(const Model& model);

}  // namespace duet::model
