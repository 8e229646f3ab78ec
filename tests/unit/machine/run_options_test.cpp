#include "machine/run_options.h"

#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "machine/features.h"
#include "machine/time_models/sample_options.h"

namespace duet::machine {
namespace {

// Another value than the one that is there.
void change(const OptionField& field) {
  std::visit(
      [&](const auto& place) {
        if constexpr (requires { place.example; })
          place.set(place.example);
        else if constexpr (requires { place->has_value(); })
          *place = !place->value_or(false);
        else if constexpr (std::is_same_v<decltype(place), bool* const&>)
          *place = !*place;
        else if constexpr (requires { place->emplace("k", 7u); })
          place->emplace("kernel", 7u);
        else if constexpr (requires { place->append("x"); })
          place->append("x");
        else
          *place = ~static_cast<std::uint32_t>(0) - 3;
      },
      field.place);
}

std::string text_of(const OptionField& field) {
  return std::visit(
      [](const auto& place) -> std::string {
        if constexpr (requires { place.example; })
          return place.get();
        else if constexpr (requires { place->has_value(); })
          return !place->has_value() ? "none" : place->value() ? "true" : "false";
        else if constexpr (requires { place->emplace("k", 7u); })
          return place->contains("kernel") ? "a kernel" : "none";
        else if constexpr (requires { place->append("x"); })
          return *place;
        else
          return std::to_string(*place);
      },
      field.place);
}

TEST(RunOptions, EveryFieldComesBack) {
  RunOptions counted;
  const std::size_t fields = fields_of(counted).size();
  EXPECT_GT(fields, 35u);
  for (std::size_t i = 0; i < fields; ++i) {
    RunOptions options;
    const OptionField changed = fields_of(options)[i];
    if (changed.key.empty()) continue;
    const std::string before = text_of(changed);
    change(changed);
    ASSERT_NE(text_of(changed), before) << changed.key;
    RunOptions back = run_options_of(to_text(options));
    const std::vector<OptionField> wanted = fields_of(options), found = fields_of(back);
    for (std::size_t j = 0; j < fields; ++j) {
      if (wanted[j].key.empty()) continue;
      EXPECT_EQ(text_of(found[j]), text_of(wanted[j])) << wanted[j].key << " with another " << changed.key;
    }
  }
}

// Each field has a place of its own. A field without a word follows another one.
TEST(RunOptions, AChangedFieldChangesNoOther) {
  RunOptions untouched;
  const std::vector<OptionField> usual = fields_of(untouched);
  for (std::size_t i = 0; i < usual.size(); ++i) {
    if (usual[i].key.empty()) continue;
    RunOptions options;
    const std::vector<OptionField> fields = fields_of(options);
    change(fields[i]);
    for (std::size_t j = 0; j < fields.size(); ++j) {
      if (j != i && !fields[j].key.empty() && !fields[j].word.empty()) {
        EXPECT_EQ(text_of(fields[j]), text_of(usual[j]))
            << fields[j].key << " with another " << fields[i].key;
      }
    }
  }
}

// A key names one field, and so does a word; a field that has neither is of no use.
TEST(RunOptions, FieldsHaveNamesOfTheirOwn) {
  RunOptions options;
  std::set<std::string> keys, words;
  for (const OptionField& field : fields_of(options)) {
    EXPECT_FALSE(field.key.empty() && field.word.empty());
    if (!field.key.empty()) {
      EXPECT_TRUE(keys.insert(field.key).second) << field.key;
    }
    if (field.word.empty()) continue;
    EXPECT_TRUE(words.insert(field.word).second) << field.word;
    EXPECT_FALSE(field.text.empty()) << field.word;
  }
}

TEST(RunOptions, TheLargestNumbersComeBack) {
  RunOptions options;
  options.shuffle_seed = ~0ull;
  options.limits.max_cycles = 1ull << 63;
  options.of<SampleOptions>().error_percent = 0.1;
  const RunOptions back = run_options_of(to_text(options));
  EXPECT_EQ(back.shuffle_seed, ~0ull);
  EXPECT_EQ(back.limits.max_cycles, 1ull << 63);
  EXPECT_EQ(back.of<SampleOptions>().error_percent, 0.1);
}

TEST(RunOptions, TheWallTimeComesBack) {
  RunOptions options;
  options.limits.wall_time = {std::chrono::steady_clock::time_point(std::chrono::nanoseconds(123456789)),
                              2.5};
  const RunOptions back = run_options_of(to_text(options));
  ASSERT_TRUE(back.limits.wall_time);
  EXPECT_EQ(back.limits.wall_time->end, options.limits.wall_time->end);
  EXPECT_EQ(back.limits.wall_time->seconds, 2.5);
}

TEST(RunOptions, ThereNeedBeNoWallTime) { EXPECT_FALSE(run_options_of(to_text({})).limits.wall_time); }

TEST(RunOptions, TextThatIsNoneIsAnError) {
  EXPECT_THROW(run_options_of("{"), Error);
  EXPECT_THROW(run_options_of("{}"), Error);
  std::string text = to_text({});
  const std::string right = "\"functional\": false";
  text.replace(text.find(right), right.size(), "\"functional\": \"yes\"");
  EXPECT_THROW(run_options_of(text), Error);
}

}  // namespace
}  // namespace duet::machine
