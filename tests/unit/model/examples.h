// The example models of workloads/hu2016.
#pragma once

#include <string>

#include "model/model.h"

namespace duet::model {

inline Model example(const std::string& name) {
  return read_model(std::string(DUET_SOURCE_DIRECTORY) + "/workloads/hu2016/" + name + ".toml");
}

}  // namespace duet::model
