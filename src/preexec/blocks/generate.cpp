// A kernel as C for executing its blocks: the parts common to all kernels, and the program as a whole.
#include <fmt/format.h>

#include "base/error.h"
#include "preexec/blocks/blocks.h"
#include "preexec/blocks/body.h"
#include "preexec/preexec.h"
#include "preexec/text/prologue.h"

namespace duet::preexec {

namespace {

std::string prologue_of_blocks() {
  return types() + R"(
// What the program is told (duet: src/preexec/blocks/context.h).
struct duet_blocks {
  u64 parameters;  // address of the kernel parameters' bytes
  u64 symbols;     // address of the addresses of module variables
  u64 shared;      // of a block
  u64 local;       // of its threads
  u64 threads;     // what they keep between barriers
  u32 grid[3], block[3];
};

#define READ(type, address) (*(const type *)(address))
)";
}

std::string struct_of(const Names& names) {
  std::string text =
      "\n// As long as the program runs.\nstruct kernel {\n  u64 parameters, shared, local, threads;\n";
  for (const Member& member : names.members()) text += "  " + member.type + " " + member.name + ";\n";
  return text + "  u32 ntid_x, ntid_y, ntid_z, nctaid_x, nctaid_y, nctaid_z;\n};\n";
}

std::string driver_of(const Names& names) {
  std::string text = R"(
// The last block that nobody has; all ones: there is none left.
static inline u64 next_block(void) {
  register u64 block __asm__("a0");
  register u64 call __asm__("a7") = 0x640001;
  __asm__ volatile("ecall" : "=r"(block) : "r"(call) : "memory");
  return block;
}

void duet_execute_blocks(const struct duet_blocks *context) {
  struct kernel kernel, *const k = &kernel;
  k->shared = context->shared, k->local = context->local, k->threads = context->threads;
  k->ntid_x = context->block[0], k->ntid_y = context->block[1], k->ntid_z = context->block[2];
  k->nctaid_x = context->grid[0], k->nctaid_y = context->grid[1], k->nctaid_z = context->grid[2];
)";
  for (const Member& member : names.members())
    text += fmt::format("  k->{} = {};\n", member.name, member.source);
  return text +
         R"(  for (u64 block = next_block(); block != ~0ull; block = next_block()) execute_block(k, block);
  register u64 status __asm__("a0") = 0;
  register u64 exit_call __asm__("a7") = 93;
  __asm__ volatile("ecall" ::"r"(status), "r"(exit_call) : "memory");
  __builtin_unreachable();
}
)";
}

}  // namespace

BlockProgram generate_blocks(const ptx::ir::ParsedModule& parsed, const std::string& kernel) {
  ptx::ir::ParsedModule module = parsed;  // calls' parameters become registers in it
  const ptx::ir::Function& entry = entry_named(module, kernel);
  const Form form = form_of(module, entry);

  BlockProgram program;
  program.kernel = kernel;
  program.entry = "duet_execute_blocks";
  program.parameter_bytes = form.parameter_bytes;
  const Options options;
  Names names(module, entry, form, options);
  const BodyWriter body(module, form, names, program);
  const std::string text = body.thread_struct() + struct_of(names) + body.function();
  program.symbols = names.symbols();
  program.c =
      fmt::format("// Kernel {}, block by block, made by duet preexec --blocks (yang2012, section 5.5).\n",
                  kernel) +
      prologue_of_blocks() + block_operations(text) + text + driver_of(names);
  return program;
}

}  // namespace duet::preexec
