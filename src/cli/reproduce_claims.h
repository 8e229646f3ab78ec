// What a reproduction measures and what the paper claims about it. The rows and their bands are data; one
// function gives every verdict.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>

namespace duet::cli {

// A claim and the band within which a measurement holds: [low, high], both included.
struct Claim {
  const char* id;
  const char* quantity;  // key of the measurement; "" when nothing measures it yet
  const char* claim;
  std::optional<double> paper;  // what the paper states, where that is a number
  const char* unit;
  double low, high;
  const char* note;
};

std::span<const Claim> lustig2013_claims();

struct Measurements {
  std::map<std::string, double> values;  // by quantity
  std::map<std::string, std::string>
      notes;                       // what belongs to one of them, by quantity or, where none, by claim
  nlohmann::ordered_json figures;  // data of the paper's figures, by number
};

const char* verdict(const Claim& claim, std::optional<double> measured);

}  // namespace duet::cli
