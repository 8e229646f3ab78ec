// Compiles every .ptx file of the folder that DUET_PTX_DIRECTORY names, with peepholes on and off: no error,
// and every operand within its bank.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "compile_for_test.h"

namespace duet::ptx {
namespace {

void check(const Kernel& kernel) {
  for (const MicroOp& op : kernel.code) {
    for (unsigned i = 0; i < op.source_count; ++i) {
      const Operand& o = op.sources[i];
      const std::uint32_t limit = o.bank == Bank::Register    ? kernel.register_slots
                                  : o.bank == Bank::Predicate ? kernel.predicates
                                  : o.bank == Bank::Immediate ? kernel.immediate_slots
                                  : o.bank == Bank::Parameter ? kernel.parameter_slot_count
                                                              : 32;
      ASSERT_LT(o.slot, limit) << kernel.name << ": " << dump(op, kernel);
    }
    for (unsigned i = 0; i < op.destination_count; ++i) {
      if (op.destinations[i] == kNoRegister) continue;
      ASSERT_LT(op.destinations[i], kernel.register_slots) << kernel.name;
    }
    if (op.kind == Kind::Branch) {
      ASSERT_LT(op.target, kernel.code.size()) << kernel.name;
      ASSERT_LE(op.reconvergence, kernel.code.size()) << kernel.name;
    }
  }
}

TEST(Directory, EveryModuleCompiles) {
  const char* directory = std::getenv("DUET_PTX_DIRECTORY");
  if (directory == nullptr) GTEST_SKIP() << "DUET_PTX_DIRECTORY is not set";
  unsigned files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().extension() != ".ptx") continue;
    ++files;
    std::ifstream file(entry.path());
    std::ostringstream text;
    text << file.rdbuf();
    for (const bool peepholes : {true, false}) {
      CompileOptions options;
      options.assembler_peepholes = peepholes;
      const Module module = compile_module(text.str(), entry.path().filename(), options);
      for (const Kernel& kernel : module.kernels) check(kernel);
    }
  }
  EXPECT_GT(files, 0u) << directory << " holds no .ptx file";
}

}  // namespace
}  // namespace duet::ptx
