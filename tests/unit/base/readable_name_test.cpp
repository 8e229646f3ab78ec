// Names of kernels, whole and for a table.
#include "base/readable_name.h"

#include <gtest/gtest.h>

#include <set>

namespace duet {
namespace {

TEST(ReadableName, ParametersAreLeftOutAndTemplateArgumentsStay) {
  EXPECT_EQ(readable_name("_Z5scalePfif"), "scale");
  EXPECT_EQ(readable_name("main"), "main");
  // void run<(Mode)1>(int*): the parenthesis before it belongs to the template.
  EXPECT_EQ(readable_name("_Z3runIL4Mode1EEvPi"), "run<(Mode)1>");
}

TEST(ReadableName, ShortOnesStayAsTheyAre) {
  EXPECT_EQ(short_names({"_Z5scalePfif", "_Z3runIL4Mode1EEvPi"}, 30),
            (std::vector<std::string>{"scale", "run<(Mode)1>"}));
}

TEST(ReadableName, OverloadsHaveTheirParameters) {
  EXPECT_EQ(short_names({"_Z3addPi", "_Z3addPf", "_Z3subPf"}, 30),
            (std::vector<std::string>{"add(int*)", "add(float*)", "sub"}));
}

TEST(ReadableName, WhatIsCutSaysSo) {
  EXPECT_EQ(short_names({"a_name_of_many_characters_that_goes_on"}, 20),
            (std::vector<std::string>{"a_name_of_many_ch..."}));
}

// Whatever they have in common, they differ, and keep to the width.
TEST(ReadableName, NamesThatDifferDoAfterwards) {
  const std::string same(60, 's'), other(40, 'o');
  const std::vector<std::string> names = {same + "1",
                                          same + "2",
                                          same + "1" + other + "1",
                                          same + "1" + other + "2",
                                          same + "2" + other,
                                          "x" + same + "2",
                                          "short",
                                          same,
                                          same + "1" + other + "11"};
  for (const std::size_t width : {20, 32, 60, 200}) {
    const std::vector<std::string> labels = short_names(names, width);
    EXPECT_EQ(std::set<std::string>(labels.begin(), labels.end()).size(), names.size()) << width;
    for (std::size_t i = 0; i < names.size(); ++i) {
      EXPECT_LE(labels[i].size(), width);
      if (names[i].size() <= width)
        EXPECT_EQ(labels[i], names[i]);
      else
        EXPECT_NE(labels[i].find("..."), std::string::npos) << labels[i];
    }
  }
}

}  // namespace
}  // namespace duet
