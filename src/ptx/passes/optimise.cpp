#include "ptx/passes/passes.h"
namespace duet::ptx {
void optimise(ir::Function&, const ControlFlow&) {}
}  // namespace duet::ptx
