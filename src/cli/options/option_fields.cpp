#include "cli/options/option_fields.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>

#include "cli/usage.h"

namespace duet::cli {

namespace {

using machine::OptionField;
using machine::TextPlace;

// What an option refuses is a wrong command line.
std::function<void(const std::string&)> reading(const TextPlace& place) {
  return [set = place.set](const std::string& text) {
    try {
      set(text);
    } catch (const Error& error) {
      throw UsageError(error.what());
    }
  };
}

// A flag whose second word begins with '!' is false by that word.
CLI::Option* add(CLI::App& app, const OptionField& field, bool* place) {
  return app.add_flag(field.word, *place, field.text);
}

CLI::Option* add(CLI::App& app, const OptionField& field, std::optional<bool>* place) {
  return app.add_flag_function(
      field.word, [place](std::int64_t asked) { *place = asked > 0; }, field.text);
}

CLI::Option* add(CLI::App& app, const OptionField& field, const TextPlace& place) {
  if (field.several)
    return app
        .add_option_function<std::vector<std::string>>(
            field.word,
            [set = reading(place)](const std::vector<std::string>& texts) {
              for (const std::string& text : texts) set(text);
            },
            field.text)
        ->allow_extra_args(false);
  return app.add_option_function<std::string>(field.word, reading(place), field.text);
}

template <typename T>
CLI::Option* add(CLI::App& app, const OptionField& field, T* place) {
  CLI::Option* const option = app.add_option(field.word, *place, field.text);
  if constexpr (std::is_arithmetic_v<T>)
    if (field.most != 0) option->check(CLI::Range(static_cast<T>(field.least), static_cast<T>(field.most)));
  return option;
}

// Those that have no word are of the file alone.
CLI::Option* add(CLI::App&, const OptionField&, std::map<std::string, unsigned>*) { return nullptr; }

}  // namespace

CLI::Validator above_zero() {
  return CLI::Validator(
      [](const std::string& text) {
        double value = 0;
        return CLI::detail::lexical_cast(text, value) && value > 0 ? std::string()
                                                                   : "'" + text + "' is not a number above 0";
      },
      "above 0");
}

void add_fields(CLI::App& app, const std::vector<OptionField>& fields) {
  for (const OptionField& field : fields) {
    if (field.word.empty()) continue;
    CLI::Option* const option =
        std::visit([&](const auto& place) { return add(app, field, place); }, field.place);
    if (!field.choices.empty()) option->check(CLI::IsMember(field.choices));
    if (field.above_zero) option->check(above_zero());
    if (!field.type_name.empty()) option->type_name(field.type_name);
    if (field.shows_value) option->capture_default_str();
    if (!field.needs.empty()) option->needs(app.get_option(field.needs));
  }
}

}  // namespace duet::cli
