#include "cli/reference.h"

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

namespace duet::cli {

namespace {

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

std::vector<const CLI::Option*> options_of(const CLI::App& app) {
  return app.get_options([](const CLI::Option* option) { return !option->get_group().empty(); });
}

// "-m", "--machine"; of an operand none.
std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

// Without the addition of the value's check.
std::string type_of(const CLI::Option& option) {
  std::string type = option.get_type_name();
  type.resize(std::min(type.find(':'), type.size()));
  return type.empty() ? "VALUE" : type;
}

// The words of an option's choice, where its type lists them ("off|adaptive|profiled").
std::vector<std::string> choices_of(const CLI::Option& option) {
  const std::string type = type_of(option);
  std::vector<std::string> words;
  if (type.find('|') == std::string::npos) return words;
  for (std::size_t from = 0; from <= type.size();) {
    const std::size_t end = std::min(type.find('|', from), type.size());
    words.push_back(type.substr(from, end - from));
    from = end + 1;
  }
  return words;
}

// A line with a dot or an apostrophe in front would be a request.
std::string roff(const std::string& text) {
  std::string out;
  bool begins = true;
  for (const char c : text) {
    if (begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
    begins = c == '\n';
  }
  return out;
}

std::string joined(const std::vector<std::string>& words, const std::string& between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

void write_options(std::ostream& out, const CLI::App& app) {
  for (const CLI::Option* option : options_of(app)) {
    const std::vector<std::string> names = names_of(*option);
    out << ".TP\n\\fB" << roff(names.empty() ? option->get_name(true) : joined(names, ", ")) << "\\fR";
    if (!names.empty() && takes_value(*option)) out << " \\fI" << roff(type_of(*option)) << "\\fR";
    out << '\n' << roff(option->get_description());
    if (const std::string value = option->get_default_str(); !value.empty())
      out << " [" << roff(value) << ']';
    out << '\n';
  }
}

void write_command(std::ostream& out, const CLI::App& app, const std::string& name) {
  out << ".SS \"" << roff(name) << "\"\n" << roff(app.get_description()) << ".\n";
  write_options(out, app);
  if (!app.get_footer().empty()) out << ".PP\n.nf\n" << roff(app.get_footer()) << "\n.fi\n";
  for (const CLI::App* command : commands_of(app))
    write_command(out, *command, name + " " + command->get_name());
}

// In single quotes for a shell.
std::string quoted(const std::string& text, const std::string& apostrophe) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'')
      out += apostrophe;
    else
      out += c == '\n' ? ' ' : c;
  }
  return out + "'";
}

std::string first_words(const std::string& description) {
  const std::size_t end = description.find_first_of(";\n");
  return description.substr(0, end);
}

// f(words of the command, app): each command and each of its own.
template <typename F>
void for_each_command(const CLI::App& program, const F& f) {
  for (const CLI::App* command : commands_of(program)) {
    f(command->get_name(), *command);
    for (const CLI::App* own : commands_of(*command)) f(command->get_name() + " " + own->get_name(), *own);
  }
}

std::string all_names(const CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::App* command : commands_of(app)) words.push_back(command->get_name());
  for (const CLI::Option* option : options_of(app))
    for (const std::string& name : names_of(*option)) words.push_back(name);
  return joined(words, " ");
}

void write_bash(std::ostream& out, const CLI::App& program) {
  out << "# Completion of duet for bash.\n_duet() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} "
         "words=\n"
         "  [[ $COMP_CWORD -gt 2 && \" "
      <<
      [&] {
        std::vector<std::string> groups;
        for (const CLI::App* command : commands_of(program))
          if (!commands_of(*command).empty()) groups.push_back(command->get_name());
        return joined(groups, " ");
      }()
      << " \" == *\" $command \"* ]] && command+=\" ${COMP_WORDS[2]}\"\n"
         "  if [[ $COMP_CWORD -eq 1 ]]; then\n    words="
      << quoted(all_names(program), "'\\''") << "\n  else\n    case \"$command $before\" in\n";
  for_each_command(program, [&](const std::string& name, const CLI::App& app) {
    for (const CLI::Option* option : options_of(app)) {
      if (!takes_value(*option)) continue;
      for (const std::string& word : names_of(*option))
        out << "      " << quoted(name + " " + word, "'\\''") << ") COMPREPLY=($(compgen "
            << (choices_of(*option).empty() ? "-f"
                                            : "-W " + quoted(joined(choices_of(*option), " "), "'\\''"))
            << " -- \"$word\")); return;;\n";
    }
  });
  out << "    esac\n    case \"$command\" in\n";
  for_each_command(program, [&](const std::string& name, const CLI::App& app) {
    out << "      " << quoted(name, "'\\''") << ") words=" << quoted(all_names(app), "'\\''") << ";;\n";
  });
  out << "    esac\n    [[ $word == -* ]] || COMPREPLY=($(compgen -f -- \"$word\"))\n  fi\n"
         "  COMPREPLY+=($(compgen -W \"$words\" -- \"$word\"))\n}\n"
         "complete -o filenames -F _duet duet\n";
}

// An argument of zsh's _arguments ends at a colon and has brackets around its text.
std::string zsh_text(const std::string& text) {
  std::string out;
  for (const char c : first_words(text)) {
    if (c == ':' || c == '[' || c == ']' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

void write_zsh(std::ostream& out, const CLI::App& program) {
  out << "#compdef duet\n# Completion of duet for zsh.\n_duet() {\n  local -a commands options\n"
         "  if (( CURRENT == 2 )); then\n    commands=(\n";
  for (const CLI::App* command : commands_of(program))
    out << "      " << quoted(command->get_name() + ":" + zsh_text(command->get_description()), "'\\''")
        << '\n';
  out << "    )\n    _describe command commands\n    return\n  fi\n  case $words[2] in\n";
  for (const CLI::App* command : commands_of(program)) {
    out << "    " << command->get_name() << ")\n      options=(\n";
    for (const CLI::Option* option : options_of(*command))
      for (const std::string& name : names_of(*option)) {
        std::string spec = "*" + name + "[" + zsh_text(option->get_description()) + "]";
        if (takes_value(*option))
          spec += choices_of(*option).empty() ? ":" + zsh_text(type_of(*option)) + ":_files"
                                              : ":word:(" + joined(choices_of(*option), " ") + ")";
        out << "        " << quoted(spec, "'\\''") << '\n';
      }
    std::vector<std::string> own;
    for (const CLI::App* under : commands_of(*command)) own.push_back(under->get_name());
    if (!own.empty()) out << "        '2:command:(" << joined(own, " ") << ")'\n";
    out << "        '*:file:_files'\n      ) ;;\n";
  }
  out << "  esac\n  shift words; (( CURRENT-- ))\n  _arguments $options\n}\n_duet \"$@\"\n";
}

void write_fish(std::ostream& out, const CLI::App& program) {
  out << "# Completion of duet for fish.\n";
  const auto line = [&](const std::string& condition, const std::string& rest, const std::string& text) {
    out << "complete -c duet -n " << quoted(condition, "\\'") << rest << " -d "
        << quoted(first_words(text), "\\'") << '\n';
  };
  for (const CLI::App* command : commands_of(program)) {
    line("__fish_use_subcommand", " -f -a " + command->get_name(), command->get_description());
    const std::string seen = "__fish_seen_subcommand_from " + command->get_name();
    for (const CLI::App* own : commands_of(*command))
      line(seen, " -f -a " + own->get_name(), own->get_description());
    for (const CLI::Option* option : options_of(*command)) {
      if (names_of(*option).empty()) continue;
      std::string rest;
      for (const std::string& name : option->get_snames()) rest += " -s " + name;
      for (const std::string& name : option->get_lnames()) rest += " -l " + name;
      if (takes_value(*option))
        rest +=
            choices_of(*option).empty() ? " -r" : " -x -a " + quoted(joined(choices_of(*option), " "), "\\'");
      line(seen, rest, option->get_description());
    }
  }
}

}  // namespace

void write_manual(std::ostream& out, const CLI::App& program) {
  out << ".TH DUET 1 \"\" \"duet " DUET_VERSION
         "\" \"User Commands\"\n.SH NAME\nduet \\- simulator of CPU\\-GPU systems\n"
         ".SH SYNOPSIS\n.B duet\n\\fICOMMAND\\fR [\\fIOPTIONS\\fR] [\\fIARGUMENTS\\fR]\n.SH "
         "DESCRIPTION\n.nf\n"
      << roff(program.get_description()) << "\n.fi\n.SH OPTIONS\n";
  write_options(out, program);
  out << ".SH COMMANDS\n";
  for (const CLI::App* command : commands_of(program))
    write_command(out, *command, "duet " + command->get_name());
  out << ".SH EXIT STATUS\nOf \\fBduet run\\fR the program's; 124: the limit of \\-\\-timeout or "
         "\\-\\-max\\-cycles; 125: Duet could "
         "not do what was asked, and said why in a line. 2: the command line cannot be read. Of other "
         "commands 0, 1, 2 or 125.\n";
}

void write_completion(std::ostream& out, const CLI::App& program, Shell shell) {
  switch (shell) {
    case Shell::Bash:
      return write_bash(out, program);
    case Shell::Zsh:
      return write_zsh(out, program);
    case Shell::Fish:
      return write_fish(out, program);
  }
}

}  // namespace duet::cli
