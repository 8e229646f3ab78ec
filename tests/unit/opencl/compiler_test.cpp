#include "opencl/compiler/compiler.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>

#include "../own_folder.h"

namespace duet::opencl {
namespace {

using testing::HasSubstr;
using testing::Not;

// Its cache is in a folder of its own, and so is the current folder.
class OpenClCompiler : public test::OwnFolder {
 protected:
  void SetUp() override {
    OwnFolder::SetUp();
    setenv("XDG_CACHE_HOME", (folder_ / "cache").c_str(), 1);
    path_ = std::getenv("PATH");
    before_ = std::filesystem::current_path();
    std::filesystem::current_path(folder_);
  }
  void TearDown() override {
    std::filesystem::current_path(before_);
    setenv("PATH", path_.c_str(), 1);
    unsetenv("XDG_CACHE_HOME");
    OwnFolder::TearDown();
  }
  void without_compiler() { setenv("PATH", folder_.c_str(), 1); }
  void write(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }
  // A compiler that leaves a mark and fails stands before the real one.
  void with_failing_compiler() {
    write("clang-19", "#!/bin/sh\necho started\nexit 1\n");
    std::filesystem::permissions(folder_ / "clang-19", std::filesystem::perms::owner_all);
    setenv("PATH", (folder_.string() + ":" + path_).c_str(), 1);
  }

 private:
  std::string path_;
  std::filesystem::path before_;
};

const std::string kKernel = "kernel void twice(global int* a) { a[get_global_id(0)] *= 2; }\n";

TEST_F(OpenClCompiler, MakesAnEntryOfAKernelWithTheLinesOfItsFile) {
  const Compiled compiled = compile({.text = "\n" + kKernel, .name = "twice.cl", .options = ""});
  ASSERT_TRUE(compiled.succeeded) << compiled.log;
  EXPECT_EQ(compiled.log, "");
  EXPECT_THAT(compiled.ptx, HasSubstr(".entry twice("));
  EXPECT_THAT(compiled.ptx, HasSubstr(".param .u64 .ptr .global .align 4"));
  EXPECT_THAT(compiled.ptx, HasSubstr(".file\t1 \"twice.cl\""));
  EXPECT_THAT(compiled.ptx, HasSubstr(".loc\t1 2 "));
  EXPECT_THAT(compiled.ptx, HasSubstr("%envreg3"));
  EXPECT_THAT(compiled.ptx, Not(HasSubstr(".func")));
}

TEST_F(OpenClCompiler, TheLogNamesTheProgramsLines) {
  const Compiled compiled = compile(
      {.text = "kernel void k(global int* a) {\n  a[0] = b;\n}\n", .name = "dir/my \"k\".cl", .options = ""});
  EXPECT_FALSE(compiled.succeeded);
  EXPECT_FALSE(compiled.wrong_options);
  EXPECT_THAT(compiled.log, HasSubstr("dir/my \"k\".cl:2:10: error: use of undeclared identifier 'b'"));
}

TEST_F(OpenClCompiler, WarningsAreKeptWithTheResult) {
  const Source source{.text = "#warning careful\n" + kKernel, .name = "w.cl", .options = ""};
  EXPECT_THAT(compile(source).log, HasSubstr("w.cl:1:2: warning: careful"));
  EXPECT_THAT(compile(source).log, HasSubstr("w.cl:1:2: warning: careful"));
  EXPECT_FALSE(compile({.text = source.text, .name = "w.cl", .options = "-Werror"}).succeeded);
  EXPECT_EQ(compile({.text = source.text, .name = "w.cl", .options = "-w"}).log, "");
}

TEST_F(OpenClCompiler, OptionsAndHeadersReachIt) {
  std::filesystem::create_directories(folder_ / "inc");
  write("inc/far.h", "#define FAR 3\n");
  write("near.h", "#define NEAR 5\n");
  const Compiled compiled =
      compile({.text = "#include <far.h>\n#include \"near.h\"\n#include \"deep/given.h\"\n"
                       "kernel void k(global T* a) { a[0] = FAR * NEAR * GIVEN; }\n",
               .name = "k.cl",
               .options = "-I inc -D 'T=unsigned int'",
               .headers = {{"deep/given.h", "#define GIVEN 7\n"}}});
  ASSERT_TRUE(compiled.succeeded) << compiled.log;
  EXPECT_THAT(compiled.ptx, HasSubstr("105;"));
}

TEST_F(OpenClCompiler, WhatItDoesNotKnowIsAWrongOption) {
  const Compiled compiled = compile({.text = kKernel, .name = "k.cl", .options = "-funroll"});
  EXPECT_TRUE(compiled.wrong_options);
  EXPECT_THAT(compiled.log, HasSubstr("'-funroll'"));
}

TEST_F(OpenClCompiler, AProgramIsFoundAgainWithoutAProcess) {
  const auto compiled_now = [](const std::string& options) {
    return compile({.text = "#include \"n.h\"\n" + kKernel, .name = "k.cl", .options = options});
  };
  write("n.h", "#define N 1\n");
  with_failing_compiler();
  EXPECT_EQ(compiled_now("").log, "started\n");
  // The same compiler, as it was, and what it made.
  std::filesystem::remove(folder_ / "clang-19");
  const Compiled first = compiled_now("");
  ASSERT_TRUE(first.succeeded) << first.log;
  setenv("TMPDIR", "/nowhere", 1);  // nothing can be compiled now
  EXPECT_EQ(compiled_now("").ptx, first.ptx);
  EXPECT_FALSE(compiled_now("-DX").succeeded);
  write("n.h", "#define N 2\n");
  EXPECT_FALSE(compiled_now("").succeeded);
  unsetenv("TMPDIR");
  EXPECT_TRUE(compiled_now("").succeeded);
}

TEST_F(OpenClCompiler, EqualProgramsBecomeEqualPtx) {
  const Source source{.text = "#include \"dir/h.h\"\n" + kKernel,
                      .name = "k.cl",
                      .options = "",
                      .headers = {{"dir/h.h", "int one(void) { return 1; }\n"}}};
  const auto linked = [&] { return link({compile_object(source).bitcode}, {}, true).ptx; };
  const std::string ptx = compile(source).ptx, ptx_of_link = linked();
  std::filesystem::remove_all(folder_ / "cache");
  EXPECT_TRUE(compile(source).ptx == ptx);
  EXPECT_TRUE(linked() == ptx_of_link);
  EXPECT_THAT(ptx, HasSubstr("\"dir/h.h\""));
}

TEST_F(OpenClCompiler, KernelsAreDescribedNewAndFoundAgain) {
  const Source source{
      .text =
          "kernel __attribute__((reqd_work_group_size(16, 4, 1), vec_type_hint(uint4))) void first(\n"
          "    global const float4* restrict a, local int* b, constant double* c, uint n) {}\n"
          "kernel __attribute__((work_group_size_hint(8, 1, 1))) void second() {}\n",
      .name = "k.cl",
      .options = ""};
  for (int round = 0; round < 2; ++round) {
    const Compiled compiled = compile(source);
    ASSERT_EQ(compiled.kernels.size(), 2u) << compiled.log;
    const KernelInfo &first = compiled.kernels[0], &second = compiled.kernels[1];
    EXPECT_EQ(first.name, "first");
    EXPECT_EQ(first.required_group, (std::array<std::uint32_t, 3>{16, 4, 1}));
    EXPECT_EQ(first.vector_hint, "uint4");
    ASSERT_EQ(first.arguments.size(), 4u);
    EXPECT_EQ(first.arguments[0].name, "a");
    EXPECT_EQ(first.arguments[0].type, "float4*");
    EXPECT_EQ(first.arguments[0].qualifiers, "restrict const");
    EXPECT_EQ(first.arguments[0].access, "none");
    EXPECT_EQ(first.arguments[0].address_space, 1u);
    EXPECT_EQ(first.arguments[1].address_space, 3u);
    EXPECT_EQ(first.arguments[2].address_space, 2u);
    EXPECT_EQ(first.arguments[3].type, "uint");
    EXPECT_EQ(second.required_group[0], 0u);
    EXPECT_EQ(second.group_hint[0], 8u);
    EXPECT_TRUE(second.arguments.empty());
    EXPECT_THAT(compiled.ptx, HasSubstr(")\n.reqntid 16, 4, 1\n{"));
    EXPECT_EQ(compiled.ptx.find(".reqntid"), compiled.ptx.rfind(".reqntid"));
  }
}

TEST_F(OpenClCompiler, ACacheThatCannotBeWrittenIsNoError) {
  write("cache", "a file");
  EXPECT_TRUE(compile({.text = kKernel, .name = "k.cl", .options = ""}).succeeded);
}

TEST_F(OpenClCompiler, TheLanguageIsTheDevices) {
  const std::string text = R"(
#if !defined(cl_khr_fp64) || !defined(cl_khr_int64_base_atomics) || !defined(cl_khr_int64_extended_atomics) || \
    !defined(cl_khr_3d_image_writes) || !defined(cl_khr_byte_addressable_store) || \
    !defined(cl_khr_global_int32_base_atomics)
#error an extension is missing
#endif
#if !defined(__IMAGE_SUPPORT__) || !defined(__ENDIAN_LITTLE__) || __OPENCL_VERSION__ != 300
#error another device
#endif
#if __OPENCL_C_VERSION__ == 300 && (!defined(__opencl_c_generic_address_space) || !defined(__opencl_c_images) || \
    !defined(__opencl_c_read_write_images) || !defined(__opencl_c_3d_image_writes) || \
    defined(__opencl_c_pipes) || defined(__opencl_c_device_enqueue) || defined(__opencl_c_subgroups))
#error another 3.0
#endif
#ifdef __opencl_c_generic_address_space
#define LANGUAGE 2
#else
#define LANGUAGE 1
#endif
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
kernel void k(global double* a) { a[0] = LANGUAGE + __OPENCL_C_VERSION__; }
)";
  for (const char* standard : {"", "-cl-std=CL1.1", "-cl-std=CL1.2", "-cl-std=CL2.0", "-cl-std=CL3.0"}) {
    const Compiled compiled = compile({.text = text, .name = "k.cl", .options = standard});
    EXPECT_TRUE(compiled.succeeded) << standard << '\n' << compiled.log;
    EXPECT_EQ(compiled.log, "") << standard;
  }
}

// Instructions, without numbers of registers, names and lines.
std::size_t instructions_of(const std::string& ptx) {
  return static_cast<std::size_t>(std::count(ptx.begin(), ptx.end(), ';'));
}

TEST_F(OpenClCompiler, ObjectsAreLinkedToThePtxOfAWholeProgram) {
  const std::string helper = "int helper(int a) { return a * 3 + (int)get_local_id(0); }\n",
                    declared = "int helper(int a);\n",
                    kernel = "kernel void k(global int* a) { a[get_global_id(0)] = helper(a[0]); }\n";
  const Compiled first = compile_object({.text = declared + kernel, .name = "k.cl", .options = ""}),
                 second = compile_object({.text = helper, .name = "helper.cl", .options = ""});
  ASSERT_TRUE(first.succeeded && second.succeeded) << first.log << second.log;
  EXPECT_EQ(first.ptx, "");
  const Compiled linked = link({first.bitcode, second.bitcode}, {}, true),
                 whole = compile({.text = helper + kernel, .name = "k.cl", .options = ""});
  ASSERT_TRUE(linked.succeeded) << linked.log;
  EXPECT_EQ(linked.log, "");
  EXPECT_THAT(linked.ptx, HasSubstr("\"helper.cl\""));
  EXPECT_EQ(instructions_of(linked.ptx), instructions_of(whole.ptx)) << linked.ptx << whole.ptx;
  ASSERT_EQ(linked.kernels.size(), 1u);
  EXPECT_EQ(linked.kernels[0].arguments[0].name, "a");

  const Compiled library = link({second.bitcode}, read_link_options("-create-library"), true);
  ASSERT_TRUE(library.succeeded) << library.log;
  EXPECT_EQ(library.ptx, "");
  EXPECT_EQ(instructions_of(link({first.bitcode, library.bitcode}, {}, true).ptx),
            instructions_of(linked.ptx));

  setenv("TMPDIR", "/nowhere", 1);  // nothing can be compiled or linked now
  EXPECT_TRUE(compile_object({.text = helper, .name = "helper.cl", .options = ""}).bitcode == second.bitcode);
  EXPECT_EQ(link({first.bitcode, second.bitcode}, {}, true).ptx, linked.ptx);
  EXPECT_FALSE(link({second.bitcode, first.bitcode}, {}, true).succeeded);
  unsetenv("TMPDIR");
}

TEST_F(OpenClCompiler, ANameThatTwoObjectsDefineIsAnError) {
  const std::string object = compile_object({.text = kKernel, .name = "k.cl", .options = ""}).bitcode;
  const Compiled linked = link({object, object}, {}, true);
  EXPECT_FALSE(linked.succeeded);
  EXPECT_THAT(linked.log, HasSubstr("'twice': symbol multiply defined"));
  EXPECT_TRUE(link({object}, read_link_options("-lm"), true).wrong_options);
}

TEST_F(OpenClCompiler, WhatNoObjectDefinesIsAnErrorOfAnExecutable) {
  const std::string object =
      compile_object({.text =
                          "int helper(int a);\nextern constant int table[4];\n"
                          "kernel void k(global int* a) { a[0] = helper(table[a[1]]); printf(\"k\\n\"); }\n",
                      .name = "k.cl",
                      .options = ""})
          .bitcode;
  const Compiled linked = link({object}, {}, true);
  EXPECT_FALSE(linked.succeeded);
  EXPECT_EQ(linked.log,
            "duet: 'table' is used, and no object defines it\n"
            "duet: 'helper' is used, and no object defines it\n");
  EXPECT_TRUE(link({object}, read_link_options("-create-library"), true).succeeded);
}

TEST_F(OpenClCompiler, TheLogNamesGivenHeadersAsTheProgramDoes) {
  const Source source{.text = "#include \"dir/h.h\"\n" + kKernel,
                      .name = "k.cl",
                      .options = "",
                      .headers = {{"dir/h.h", "#error not here\n"}}};
  EXPECT_THAT(compile_object(source).log, HasSubstr("\ndir/h.h:1:2: error: not here"));
}

TEST_F(OpenClCompiler, PairsOfShortsAreComparedByElement) {
  for (const std::string type : {"short2", "ushort2", "short3", "char2"}) {
    const Compiled compiled = compile(
        {.text =
             "kernel void k(global T* a) { a[0] = all(a[1] < a[2]) || any(a[1] == (T)(5)) ? max(a[1], a[2]) "
             ": select(a[3], a[4], a[3] != a[5]); }\n",
         .name = "k.cl",
         .options = "-DT=" + type});
    EXPECT_TRUE(compiled.succeeded) << type << compiled.log;
  }
}

}  // namespace
}  // namespace duet::opencl
