// Claims and choices of a paper: what is wrong in a file is named with its line.
#include "reproduce/data.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/error.h"
#include "unit/own_folder.h"

namespace duet::reproduce {
namespace {

class Data : public test::OwnFolder {
 protected:
  std::string write(const std::string& text) {
    const std::string path = folder_ / "data.toml";
    std::ofstream(path) << text;
    return path;
  }
  template <typename Read>
  std::string error_of(Read read, const std::string& text) {
    try {
      read(write(text));
    } catch (const Error& error) {
      const std::string what = error.what();
      return what.substr(what.find("data.toml"));
    }
    return "no error";
  }
};

const std::string kClaim =
    "[[claim]]\nid = \"a\"\nclaim = \"b\"\nexperiment = \"c\"\nquantity = \"d\"\nlow = 1\n"
    "on = { sets = [\"x=1\"] }\ncontrol = { text = \"e\", benchmarks = [\"MM\"] }\n";

TEST_F(Data, AClaimIsRead) {
  const std::vector<Claim> claims = read_claims(write(kClaim));
  ASSERT_EQ(claims.size(), 1u);
  EXPECT_EQ(claims[0].on.sets, Strings{"x=1"});
  EXPECT_TRUE(claims[0].control->setup.control);
  EXPECT_EQ(claims[0].control->setup.benchmarks, Strings{"MM"});
  EXPECT_STREQ(claims[0].verdict(1), "holds");
  EXPECT_STREQ(claims[0].verdict(0.999), "falls short");
}

TEST_F(Data, WhatIsWrongInAClaimHasItsLine) {
  for (const auto& [more, line] : {
           std::pair{"colour = 1\n", "data.toml:9: unknown key 'colour'"},
           {"kind = \"guess\"\n", "data.toml:9: 'kind' can only be input"},
           {"high = \"2\"\n", "data.toml:9: 'high' must be a number"},
           {"[[claim]]\nid = \"f\"\n", "data.toml:9: the string 'claim' is missing"},
           {"[[claim]]\nid = \"f\"\nclaim = \"g\"\n",
            "data.toml:9: a claim without an experiment needs a note that says why"},
           {"[[claim]]\nid = \"f\"\nclaim = \"g\"\nexperiment = \"h\"\nquantity = \"i\"\nlow = 1\n"
            "control = { text = \"j\", colour = 1 }\n",
            "data.toml:15: unknown key 'colour'"},
           {"[[claims]]\n", "data.toml:9: unknown key 'claims'"},
           {"low = 2\n", "data.toml:9: "},
       })
    EXPECT_TRUE(error_of(read_claims, kClaim + more).starts_with(line))
        << error_of(read_claims, kClaim + more);
}

TEST_F(Data, WhatIsWrongInAChoiceHasItsLine) {
  const std::string choice =
      "[[choice]]\nid = \"a\"\nquestion = \"b\"\nvalue = \"c\"\nalternative = \"d\"\nreason = \"e\"\n";
  EXPECT_EQ(read_choices(write(choice)).size(), 1u);
  for (const auto& [more, line] : {
           std::pair{"colour = 1\n", "data.toml:7: unknown key 'colour'"},
           {"on_value = 3\n", "data.toml:7: 'on_value' must be a table"},
           {"on_value = { options = \"--x\" }\n", "data.toml:7: 'options' must be a list of strings"},
           {"scope = \"all\"\n", "data.toml:7: 'scope' can only be full-empty"},
       })
    EXPECT_EQ(error_of(read_choices, choice + more), line);
}

}  // namespace
}  // namespace duet::reproduce
