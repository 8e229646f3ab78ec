#include "opencl/compiler/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace duet::opencl {
namespace {

using testing::ElementsAre;

TEST(OpenClOptions, DefinitionsAndFoldersMayStandApart) {
  EXPECT_THAT(read_options("-D A -DB=2  -I inc -I./more").flags,
              ElementsAre("-D", "A", "-D", "B=2", "-I", "inc", "-I", "./more"));
}

TEST(OpenClOptions, QuotesHoldAWordTogether) {
  EXPECT_THAT(read_options(R"(-DT="unsigned int" -I 'my folder' -DN=\"x\" -D'S=a b')").flags,
              ElementsAre("-D", "T=unsigned int", "-I", "my folder", "-D", "N=\"x\"", "-D", "S=a b"));
}

TEST(OpenClOptions, TheStandardIsTheProgramsOr12) {
  EXPECT_EQ(read_options("").standard, "CL1.2");
  EXPECT_EQ(read_options("-cl-std=CL3.0").standard, "CL3.0");
  EXPECT_EQ(read_options("-cl-std=CL4.0").unknown, "-cl-std=CL4.0");
}

TEST(OpenClOptions, GroupsAreUniformBefore20AndByOption) {
  EXPECT_TRUE(read_options("-cl-std=CL1.1").uniform_groups);
  EXPECT_FALSE(read_options("-cl-std=CL2.0").uniform_groups);
  EXPECT_TRUE(read_options("-cl-std=CL2.0 -cl-uniform-work-group-size").uniform_groups);
}

TEST(OpenClOptions, WhatChangesMathsIsPassedOnAndTheRestIsTaken) {
  const Options options = read_options(
      "-cl-fast-relaxed-math -w -Werror -cl-kernel-arg-info -g -cl-nv-verbose -cl-nv-maxrregcount 32 "
      "-cl-mad-enable");
  EXPECT_THAT(options.flags, ElementsAre("-cl-fast-relaxed-math", "-w", "-Werror", "-cl-mad-enable"));
  EXPECT_EQ(options.unknown, "");
}

TEST(OpenClOptions, TheFirstUnknownOneIsNamed) {
  EXPECT_EQ(read_options("-w -funroll -cl-fancy").unknown, "-funroll");
  EXPECT_EQ(read_options("kernel.cl").unknown, "kernel.cl");
  EXPECT_EQ(read_options("-w -D").unknown, "-D");
}

TEST(OpenClOptions, OfTheLinker) {
  EXPECT_FALSE(read_link_options("").library);
  EXPECT_FALSE(read_link_options(" -cl-fast-relaxed-math -cl-denorms-are-zero").library);
  EXPECT_TRUE(read_link_options("-create-library").library);
  EXPECT_TRUE(read_link_options("-enable-link-options -create-library").library);
  for (const char* known : {"", "-cl-finite-math-only", "-create-library -enable-link-options"})
    EXPECT_EQ(read_link_options(known).unknown, "");
  EXPECT_EQ(read_link_options("-cl-no-signed-zeros -lm -x").unknown, "-lm");
  EXPECT_EQ(read_link_options("-DN=1").unknown, "-DN=1");
  EXPECT_EQ(read_link_options("-enable-link-options").unknown, "-enable-link-options");
}

}  // namespace
}  // namespace duet::opencl
