// A part of hu2016's tree, made of others alone.
#pragma once

#include <string>
#include <utility>

#include "sim/engine.h"

namespace duet::machine {

// A node of hu2016's tree that contains others and does nothing itself.
class Node : public sim::Component {
 public:
  Node(sim::Engine& engine, std::string name, const sim::Component* parent, int level)
      : Component(engine, std::move(name), parent, level, sim::Role::None) {}
  Picoseconds tick(Picoseconds) override { return kNever; }
};

}  // namespace duet::machine
