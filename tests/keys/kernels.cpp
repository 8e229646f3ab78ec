#include "keys/kernels.h"

namespace duet::keys {

namespace {

// A loop of `rounds` around `body`; %r1 counts. The parameter is the address of the thread's word, in %rd1.
std::string loop_kernel(const std::string& name, int rounds, const std::string& registers,
                        const std::string& before, const std::string& body, const std::string& result) {
  return ".visible .entry " + name + "(.param .u64 words) {\n" +
         ".reg .pred %p<8>;\n.reg .b32 %r<64>;\n.reg .b64 %rd<32>;\n.reg .f32 %f<40>;\n.reg .f64 %d<8>;\n"
         ".reg .b16 %h<8>;\n" +
         registers +
         "ld.param.u64 %rd1, [words];\nmov.u32 %r2, %tid.x;\nmov.u32 %r3, %ctaid.x;\nmov.u32 %r4, %ntid.x;\n"
         "mad.lo.u32 %r5, %r3, %r4, %r2;\nmul.wide.u32 %rd2, %r5, 4;\nadd.u64 %rd1, %rd1, %rd2;\n"
         "mov.u32 %r1, 0;\n" +
         before + name + "_again:\n" + body + "add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, " +
         std::to_string(rounds) + ";\n@%p1 bra " + name + "_again;\n" + result + "ret;\n}\n";
}

// `times` operations on four registers, so that four of a warp are independent.
std::string operations(const std::string& operation, const std::string& letter, int times,
                       const std::string& more) {
  std::string text;
  for (int i = 0; i < times; ++i) {
    const std::string own = "%" + letter + std::to_string(letter == "r" ? 10 + i % 4 : 1 + i % 4);
    text += operation + " " + own + ", " + own + more + ";\n";
  }
  return text;
}

std::string arithmetic() {
  const std::string integers =
      "mov.u32 %r10, %r5;\nadd.u32 %r11, %r5, 3;\nadd.u32 %r12, %r5, 5;\nadd.u32 %r13, %r5, 9;\n"
      "or.b32 %r14, %r5, 7;\n";
  const std::string floats =
      "cvt.rn.f32.u32 %f1, %r10;\nadd.f32 %f2, %f1, %f1;\nadd.f32 %f3, %f2, %f1;\nadd.f32 %f4, %f3, %f1;\n"
      "cvt.f64.f32 %d1, %f1;\nadd.f64 %d2, %d1, %d1;\nadd.f64 %d3, %d2, %d1;\nadd.f64 %d4, %d3, %d1;\n"
      "cvt.rn.f16.f32 %h1, %f1;\nmov.b16 %h2, %h1;\nadd.f16 %h3, %h1, %h1;\nadd.f16 %h4, %h3, %h1;\n";
  const std::string sum =
      "add.f32 %f1, %f1, %f2;\nadd.f32 %f3, %f3, %f4;\nadd.f32 %f1, %f1, %f3;\ncvt.rzi.u32.f32 %r20, %f1;\n"
      "add.f64 %d1, %d1, %d2;\nadd.f64 %d3, %d3, %d4;\nadd.f64 %d1, %d1, %d3;\ncvt.rzi.u32.f64 %r21, %d1;\n"
      "add.f16 %h1, %h1, %h2;\nadd.f16 %h3, %h3, %h4;\nadd.f16 %h1, %h1, %h3;\ncvt.u32.u16 %r22, %h1;\n"
      "add.u32 %r10, %r10, %r11;\nadd.u32 %r12, %r12, %r13;\nadd.u32 %r10, %r10, %r12;\n"
      "xor.b32 %r10, %r10, %r20;\nxor.b32 %r10, %r10, %r21;\nxor.b32 %r10, %r10, %r22;\n"
      "st.global.u32 [%rd1], %r10;\n";
  const auto kernel = [&](const std::string& name, const std::string& body) {
    return loop_kernel(name, 6, "", integers + floats, body, sum);
  };
  std::string divisions;
  for (int i = 10; i < 14; ++i)
    divisions += "div.u32 %r30, %r5, %r14;\nadd.u32 %r" + std::to_string(i) + ", %r30, %r" +
                 std::to_string(i) + ";\nadd.u32 %r14, %r14, 2;\n";
  std::string branches;
  for (int i = 0; i < 6; ++i)
    branches += "setp.eq.u32 %p2, %r10, " + std::to_string(1000000 + i) + ";\n@%p2 bra control_" +
                std::to_string(i) + ";\nadd.u32 %r10, %r10, %r11;\ncontrol_" + std::to_string(i) + ":\n";
  return kernel("integer", operations("xor.b32", "r", 16, ", %r14")) +
         kernel("multiply", operations("mad.lo.u32", "r", 16, ", %r14, %r5")) +
         kernel("floating", operations("fma.rn.f32", "f", 16, ", %f3, %f4")) +
         kernel("doubles", operations("fma.rn.f64", "d", 8, ", %d3, %d4")) +
         kernel("special", operations("sin.approx.f32", "f", 8, "")) +
         kernel("halves", operations("fma.rn.f16", "h", 16, ", %h3, %h4")) +
         kernel("conversions",
                "cvt.rn.f32.u32 %f1, %r10;\ncvt.rzi.u32.f32 %r10, %f1;\n"
                "cvt.rn.f32.u32 %f2, %r11;\ncvt.rzi.u32.f32 %r11, %f2;\n"
                "cvt.rn.f32.u32 %f3, %r12;\ncvt.rzi.u32.f32 %r12, %f3;\n") +
         kernel("shifts", operations("shf.l.wrap.b32", "r", 16, ", %r14, %r5")) +
         kernel("bit_counts", operations("popc.b32", "r", 8, "")) +
         kernel("shuffles",
                "shfl.bfly.b32 %r10, %r10, 1, 15;\nshfl.bfly.b32 %r10, %r10, 2, 15;\n"
                "shfl.bfly.b32 %r11, %r10, 4, 15;\nbar.sync 0;\n") +
         kernel("divisions", divisions) + kernel("control", branches);
}

// More code than an instruction cache holds.
std::string code() {
  return loop_kernel(
      "code", 3, "", "mov.u32 %r10, %r5;\nmov.u32 %r11, 1;\nmov.u32 %r12, 2;\nmov.u32 %r13, 3;\n",
      "shr.u32 %r6, %r2, 5;\nand.b32 %r6, %r6, 1;\nsetp.eq.u32 %p2, %r6, 0;\n@%p2 bra code_second;\n" +
          operations("xor.b32", "r", 200, ", %r5") + "code_second:\n" +
          operations("xor.b32", "r", 200, ", %r3"),
      "add.u32 %r10, %r10, %r11;\nst.global.u32 [%rd1], %r10;\n");
}

// 32 values at a time: registers of a thread.
std::string many_registers() {
  std::string before, body, result = "mov.f32 %f35, 0f00000000;\n";
  for (int i = 1; i <= 28; ++i) {
    const std::string own = "%f" + std::to_string(i);
    before += "ld.global.f32 " + own + ", [%rd1+" + std::to_string(128 * i) + "];\n";
    body += "fma.rn.f32 " + own + ", " + own + ", " + own + ", %f" + std::to_string(i % 28 + 1) + ";\n";
    result += "add.f32 %f35, %f35, " + own + ";\n";
  }
  return loop_kernel("many_registers", 4, "", before, body, result + "st.global.f32 [%rd1], %f35;\n");
}

std::string memory() {
  // Consecutive words, a step of the whole grid apart.
  const std::string stream = loop_kernel(
      "stream", 12, "",
      "mov.u32 %r6, %nctaid.x;\nmul.lo.u32 %r6, %r6, %r4;\nmul.wide.u32 %rd3, %r6, 4;\nmov.u32 %r10, 0;\n",
      "ld.global.u32 %r11, [%rd1];\nadd.u32 %r10, %r10, %r11;\nst.global.u32 [%rd1], %r10;\n"
      "add.u64 %rd1, %rd1, %rd3;\n",
      "");
  // Every lane a line of its own, four loads at a time; then the same lines again.
  const std::string gather = loop_kernel(
      "gather", 4, "", "ld.param.u64 %rd1, [words];\nmul.lo.u32 %r6, %r5, 1664525;\nmov.u32 %r10, 0;\n",
      "add.u32 %r6, %r6, 1013904223;\nshr.u32 %r7, %r6, 15;\nand.b32 %r7, %r7, 65532;\n"
      "cvt.u64.u32 %rd3, %r7;\nadd.u64 %rd4, %rd1, %rd3;\n"
      "ld.global.u32 %r11, [%rd4];\nld.global.u32 %r12, [%rd4+65536];\n"
      "ld.global.u32 %r13, [%rd4+131072];\nld.global.u32 %r14, [%rd4+4];\n"
      "add.u32 %r10, %r10, %r11;\nadd.u32 %r10, %r10, %r12;\nadd.u32 %r10, %r10, %r13;\n"
      "add.u32 %r10, %r10, %r14;\nst.global.u32 [%rd4], %r10;\n",
      "");
  // A few lines, read by all warps and written now and then: hits, and writes that hit.
  const std::string reuse = loop_kernel(
      "reuse", 16, "", "ld.param.u64 %rd1, [words];\nshl.b32 %r6, %r2, 2;\nmov.u32 %r10, 0;\n",
      "shl.b32 %r7, %r1, 10;\nadd.u32 %r7, %r7, %r6;\nand.b32 %r7, %r7, 12284;\ncvt.u64.u32 %rd3, %r7;\n"
      "add.u64 %rd4, %rd1, %rd3;\nld.global.u32 %r11, [%rd4];\nadd.u32 %r10, %r10, %r11;\n"
      "and.b32 %r8, %r1, 3;\nsetp.eq.u32 %p2, %r8, 3;\n@%p2 st.global.u32 [%rd4], %r10;\n"
      "ld.global.cg.u32 %r12, [%rd4];\nadd.u32 %r10, %r10, %r12;\n",
      "st.global.u32 [%rd4], %r10;\n");
  // Each warp goes on by 16 KB: a line, and a line a lane.
  const std::string strides = loop_kernel(
      "strides", 10, "", "mul.wide.u32 %rd3, %r2, 132;\nadd.u64 %rd3, %rd3, %rd1;\nmov.u32 %r10, 0;\n",
      "ld.global.u32 %r11, [%rd1];\nld.global.u32 %r12, [%rd3];\nadd.u32 %r10, %r10, %r11;\n"
      "xor.b32 %r10, %r10, %r12;\nadd.u64 %rd1, %rd1, 16384;\nadd.u64 %rd3, %rd3, 16384;\n",
      "st.global.u32 [%rd1], %r10;\n");
  // Every other word.
  const std::string holes = loop_kernel("holes", 2, "", "and.b32 %r6, %r2, 1;\nsetp.eq.u32 %p2, %r6, 0;\n",
                                        "@%p2 st.global.u32 [%rd1], %r5;\nadd.u64 %rd1, %rd1, 4096;\n", "");
  const std::string shared = loop_kernel(
      "shared", 4, ".shared .align 4 .b8 block[4096];\n",
      "mov.u32 %r10, block;\nmul.lo.u32 %r11, %r2, 132;\nand.b32 %r11, %r11, 4092;\n"
      "mul.lo.u32 %r12, %r2, 64;\nand.b32 %r12, %r12, 4092;\nadd.u32 %r11, %r11, %r10;\n"
      "add.u32 %r12, %r12, %r10;\n",
      "st.shared.u32 [%r11], %r5;\nbar.sync 0;\nld.shared.u32 %r13, [%r12];\nadd.u32 %r5, %r5, %r13;\n"
      "bar.sync 0;\n",
      "st.global.u32 [%rd1], %r5;\n");
  const std::string atomics =
      loop_kernel("atomics", 3, "",
                  "ld.param.u64 %rd3, [words];\nand.b32 %r6, %r2, 3;\nmul.wide.u32 %rd4, %r6, 4;\n"
                  "add.u64 %rd3, %rd3, %rd4;\n",
                  "atom.global.add.u32 %r10, [%rd3], 1;\natom.global.add.u32 %r11, [%rd1+1024], %r10;\n"
                  "red.global.add.u32 [%rd3+256], %r11;\n",
                  "");
  const std::string constants =
      loop_kernel("constants", 12, "", "mov.u64 %rd3, table;\nmov.u32 %r10, 0;\nmul.lo.u32 %r6, %r3, 292;\n",
                  "mad.lo.u32 %r7, %r1, 1220, %r6;\nand.b32 %r7, %r7, 16380;\ncvt.u64.u32 %rd4, %r7;\n"
                  "add.u64 %rd4, %rd3, %rd4;\nld.const.u32 %r11, [%rd4];\nadd.u32 %r10, %r10, %r11;\n"
                  "mad.lo.u32 %r7, %r2, 68, %r7;\nand.b32 %r7, %r7, 16380;\ncvt.u64.u32 %rd4, %r7;\n"
                  "add.u64 %rd4, %rd3, %rd4;\nld.const.u32 %r11, [%rd4];\nadd.u32 %r10, %r10, %r11;\n",
                  "st.global.u32 [%rd1], %r10;\n");
  const std::string locals =
      loop_kernel("locals", 6, ".local .align 4 .b8 own[256];\n", "mov.u64 %rd3, own;\nmov.u32 %r10, 1;\n",
                  "mad.lo.u32 %r7, %r1, 20, %r2;\nand.b32 %r7, %r7, 60;\ncvt.u64.u32 %rd4, %r7;\n"
                  "add.u64 %rd4, %rd3, %rd4;\nst.local.u32 [%rd4], %r10;\nxor.b32 %r7, %r7, 4;\n"
                  "cvt.u64.u32 %rd5, %r7;\nadd.u64 %rd5, %rd3, %rd5;\nld.local.u32 %r11, [%rd5];\n"
                  "add.u32 %r10, %r10, %r11;\n",
                  "st.global.u32 [%rd1], %r10;\n");
  // Block 0 waits until block 1 has counted for a while.
  const std::string hand_over = loop_kernel(
      "hand_over", 1, "",
      "ld.param.u64 %rd1, [words];\nsetp.eq.u32 %p2, %r3, 1;\nmov.u32 %r12, 0;\n@%p2 bra hand_over_count;\n"
      "hand_over_wait:\nld.volatile.global.u32 %r10, [%rd1];\nsetp.eq.u32 %p3, %r10, 0;\n"
      "@%p3 bra hand_over_wait;\nret;\nhand_over_count:\nadd.u32 %r12, %r12, 1;\n"
      "xor.b32 %r11, %r11, %r12;\nsetp.lt.u32 %p4, %r12, 2000;\n@%p4 bra hand_over_count;\n",
      "", "st.volatile.global.u32 [%rd1], 1;\nst.global.u32 [%rd1+4], %r11;\n");
  // A block's warps end one after the other.
  const std::string uneven = loop_kernel(
      "uneven", 1, "",
      "shr.u32 %r6, %r2, 5;\nmad.lo.u32 %r6, %r6, 60, 4;\nmov.u32 %r10, %r5;\nmov.u32 %r7, 0;\n",
      "uneven_more:\nmad.lo.u32 %r10, %r10, %r10, %r7;\nadd.u32 %r7, %r7, 1;\nsetp.lt.u32 %p2, %r7, %r6;\n"
      "@%p2 bra uneven_more;\n",
      "st.global.u32 [%rd1], %r10;\n");
  // Each thread launches "nested_child", whose parameter is the address of its word.
  const std::string child =
      loop_kernel("nested_child", 1, "", "", "add.u32 %r10, %r5, 1;\n", "st.global.u32 [%rd1], %r10;\n");
  const std::string nested =
      loop_kernel("nested", 1,
                  ".param .align 4 .b8 shape[12];\n.param .b64 in;\n.param .b64 other;\n.param .b32 "
                  "word;\n.param .b64 made;\n",
                  "mov.u64 %rd3, nested_child;\nst.param.b64 [in], %rd3;\nst.param.b32 [shape], "
                  "1;\nst.param.b32 [shape+4], 1;\n"
                  "st.param.b32 [shape+8], 1;\nst.param.b32 [word], 0;\n"
                  "call.uni (made), __cudaCDP2GetParameterBufferV2, (in, shape, shape, word);\nld.param.b64 "
                  "%rd4, [made];\n"
                  "st.u64 [%rd4], %rd1;\nst.param.b64 [in], %rd4;\nst.param.b64 [other], 0;\n"
                  "call.uni (word), __cudaCDP2LaunchDeviceV2, (in, other);\n"
                  "mov.u64 %rd3, nested_child;\nst.param.b64 [in], %rd3;\nst.param.b32 [word], 0;\n"
                  "call.uni (made), __cudaCDP2GetParameterBufferV2, (in, shape, shape, word);\nld.param.b64 "
                  "%rd4, [made];\n"
                  "st.u64 [%rd4], %rd1;\nst.param.b64 [in], %rd4;\nst.param.b64 [other], 3;\n"
                  "call.uni (word), __cudaCDP2LaunchDeviceV2, (in, other);\n",
                  "", "");
  const std::string heap =
      loop_kernel("heap", 2, ".param .b64 bytes;\n.param .b64 made;\n", "",
                  "st.param.b64 [bytes], 16;\ncall.uni (made), malloc, (bytes);\nld.param.b64 %rd4, [made];\n"
                  "st.u32 [%rd4], %r5;\nst.param.b64 [bytes], %rd4;\ncall.uni free, (bytes);\n",
                  "st.global.u32 [%rd1], %r5;\n");
  const std::string launches =
      ".extern .func (.param .b64 made) malloc(.param .b64 bytes);\n.extern .func free(.param .b64 "
      "address);\n"
      ".extern .func (.param .b64 made) __cudaCDP2GetParameterBufferV2(.param .b64 kernel, .param .align 4 "
      ".b8 grid[12], "
      ".param .align 4 .b8 block[12], .param .b32 shared);\n"
      ".extern .func (.param .b32 error) __cudaCDP2LaunchDeviceV2(.param .b64 buffer, .param .b64 stream);\n";
  return launches + child + nested + heap + hand_over + uneven + ".const .align 4 .b8 table[16384];\n" +
         stream + holes + gather + reuse + strides + shared + atomics + constants + locals;
}

// Loads of words that are filled while it runs, and stores behind them.
std::string tracked() {
  return loop_kernel("consume", 4, "", "mov.u32 %r10, 0;\n",
                     "ld.global.u32 %r11, [%rd1];\nadd.u32 %r10, %r10, %r11;\n"
                     "st.global.u32 [%rd1+65536], %r10;\nld.global.u32 %r12, [%rd1+65540];\n"
                     "add.u32 %r10, %r10, %r12;\nadd.u64 %rd1, %rd1, 4096;\n",
                     "") +
         loop_kernel("narrow", 1, "", "cvt.u16.u32 %h1, %r5;\n",
                     "st.global.u8 [%rd1], %h1;\natom.global.add.u32 %r10, [%rd1+32768], 1;\n", "") +
         loop_kernel("take", 1, "", "", "ld.full.empty.global.u32 %r10, [%rd1];\n",
                     "st.global.u32 [%rd1+32768], %r10;\n") +
         // Half of each line's words, after a while the others.
         loop_kernel("half_lines", 1, "",
                     "setp.lt.u32 %p2, %r2, 16;\nmov.u32 %r10, 0;\nmov.u32 %r11, 0;\n"
                     "@%p2 ld.global.u32 %r10, [%rd1];\nmov.u32 %r12, 0;\nhalf_lines_wait:\n"
                     "add.u32 %r12, %r12, 1;\nxor.b32 %r10, %r10, %r12;\nsetp.lt.u32 %p3, %r12, 3000;\n"
                     "@%p3 bra half_lines_wait;\n",
                     "@!%p2 ld.global.u32 %r11, [%rd1];\nadd.u32 %r10, %r10, %r11;\n",
                     "st.global.u32 [%rd1+65536], %r10;\n") +
         // The first block waits for its words; the second one loads the same words as they are.
         loop_kernel("beside", 1, "",
                     "ld.param.u64 %rd1, [words];\nsetp.eq.u32 %p2, %r3, 0;\nmov.u32 %r12, 0;\n"
                     "@%p2 bra beside_load;\nbeside_wait:\nadd.u32 %r12, %r12, 1;\n"
                     "xor.b32 %r10, %r5, %r12;\nsetp.lt.u32 %p3, %r12, 300;\n@%p3 bra beside_wait;\n"
                     "ld.now.global.u32 %r10, [%rd1];\nst.global.u32 [%rd1+65536], %r10;\nret;\n"
                     "beside_load:\nld.global.u32 %r10, [%rd1];\n",
                     "", "st.global.u32 [%rd1+69632], %r10;\n") +
         loop_kernel("slow", 1500, "", "mov.u32 %r10, %r5;\n", "xor.b32 %r10, %r10, %r1;\n",
                     "st.global.u32 [%rd1], %r10;\n");
}

}  // namespace

std::string kernels_ptx() {
  return ".version 7.0\n.target sm_60\n.address_size 64\n" + memory() + arithmetic() + code() +
         many_registers() + tracked();
}

}  // namespace duet::keys
