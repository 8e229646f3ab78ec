// Prints what the compiler makes of a .ptx file, one line a kernel: name, registers, machine instructions,
// micro-ops, static shared and local bytes. For comparison with an assembler's report. With --listing the
// micro-ops follow; with --plain the peepholes stay off.
#include <fstream>
#include <iostream>
#include <sstream>

#include "base/error.h"
#include "ptx/compiler.h"
#include "ptx/dump.h"

int main(int argc, char** argv) {
  duet::ptx::CompileOptions options;
  bool listing = false;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--listing") {
      listing = true;
      continue;
    }
    if (argument == "--plain") {
      options.assembler_peepholes = false;
      continue;
    }
    std::ifstream file(argument);
    if (!file) {
      std::cerr << argument << ": cannot be read\n";
      return 1;
    }
    std::ostringstream text;
    text << file.rdbuf();
    try {
      const duet::ptx::Module module = duet::ptx::compile_module(text.str(), argument, options);
      for (const auto& kernel : module.kernels) {
        if (!kernel.unsupported.empty()) {
          std::cout << kernel.name << " unsupported: " << kernel.unsupported << "\n";
          continue;
        }
        std::cout << kernel.name << " registers " << kernel.registers << " machine_instructions "
                  << kernel.machine_instructions << " micro_ops " << kernel.code.size() << " shared "
                  << kernel.static_shared_bytes << " local " << kernel.local_bytes << "\n";
        if (listing) std::cout << duet::ptx::dump(kernel);
      }
    } catch (const duet::Error& error) {
      std::cerr << error.what() << "\n";
      return 1;
    }
  }
}
