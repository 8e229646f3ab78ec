#include "rv64/process/start.h"

#include "rv64/process/stack.h"

namespace duet::rv64 {

LoadedImage start(const ElfFile& file, AddressSpace& space, Hart& hart, const ProcessOptions& options) {
  const LoadedImage image = load(file, space.memory());
  space.set_image(VirtualAddress(image.bias + file.segments.front().address).aligned_down(kPageBytes).value(),
                  image.end);
  hart.pc = image.entry;
  hart.x[kStackPointer] =
      write_initial_stack(space.memory(), AddressSpace::kStackTop, AddressSpace::kStackBytes / 4, file, image,
                          options.arguments, options.environment);
  return image;
}

}  // namespace duet::rv64
