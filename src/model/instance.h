// The model's instance for a machine file: hu2016's Table II with the machine's names and numbers, Tables III
// and IV with the commands of Duet's push buffer and kernels, and a small program in these words.
//
//   const Model gpu = instance_of(machine.topology, {});                       // d = 2
//   const Model system = instance_of(machine.topology, {.host = true});        // d = 3
#pragma once

#include "config/machine.h"
#include "model/model.h"

namespace duet::model {

enum class View : std::uint8_t { Cuda, OpenCl };

struct InstanceOptions {
  View view = View::Cuda;
  // A level for the processor above the GPU's: the host's memory is in the model, and cores compute too. A
  // machine without a GPU has this level alone.
  bool host = false;
};

// Throws duet::Error for a machine without a GPU, unless with its host.
Model instance_of(const config::Topology& machine, const InstanceOptions& options);

}  // namespace duet::model
