// `duet ptx coverage`: the accepted forms of PTX instructions, by opcode and types, with the test of each,
// and the forms refused by name. The list is tests/ptx/coverage.tsv, measured by tests/ptx/coverage.py with
// the compiler itself; an installation carries it.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <set>

#include "base/error.h"
#include "cli/commands.h"

namespace duet::cli {

namespace {

struct Form {
  std::string opcode, types, text;
  std::string test;     // file in tests/ptx/forms; empty where the form is refused
  std::string refusal;  // the compiler's message
  bool accepted() const { return refusal.empty(); }
};

// Tab-separated: opcode, types, the form as written, "tested" and a file or "refused" and a text. Lines with
// '#' in front are comments.
std::vector<Form> read_forms(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw Error("this installation is not complete: " + path + " is missing");
  std::vector<Form> forms;
  std::string line;
  for (unsigned number = 1; std::getline(file, line); ++number) {
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> fields(1);
    for (const char c : line) {
      if (c == '\t')
        fields.emplace_back();
      else
        fields.back() += c;
    }
    if (fields.size() != 5 || fields[4].empty() || (fields[3] != "tested" && fields[3] != "refused"))
      throw Error(path + ":" + std::to_string(number) +
                  ": not a line of opcode, types, form, verdict, detail");
    const bool tested = fields[3] == "tested";
    forms.push_back({fields[0], fields[1], fields[2], tested ? fields[4] : "", tested ? "" : fields[4]});
  }
  return forms;
}

// The forms of one opcode with the same types.
struct Row {
  std::string types;
  std::vector<const Form*> accepted, refused;
  std::set<std::string> tests() const {
    std::set<std::string> names;
    for (const Form* form : accepted) names.insert(form->test);
    return names;
  }
};
struct Table {
  std::string opcode;
  std::vector<Row> rows;
};

// In the list's order, the manual's.
std::vector<Table> tables_of(const std::vector<Form>& forms) {
  std::vector<Table> tables;
  std::map<std::string, std::size_t> table_of;
  std::map<std::pair<std::string, std::string>, std::size_t> row_of;
  for (const Form& form : forms) {
    const auto [table, new_table] = table_of.try_emplace(form.opcode, tables.size());
    if (new_table) tables.push_back({form.opcode, {}});
    std::vector<Row>& rows = tables[table->second].rows;
    const auto [row, new_row] = row_of.try_emplace({form.opcode, form.types}, rows.size());
    if (new_row) rows.push_back({form.types, {}, {}});
    (form.accepted() ? rows[row->second].accepted : rows[row->second].refused).push_back(&form);
  }
  return tables;
}

struct Count {
  std::size_t accepted = 0, refused = 0;
};
Count count(const std::vector<Form>& forms) {
  const auto accepted = std::count_if(forms.begin(), forms.end(), [](const Form& f) { return f.accepted(); });
  return {static_cast<std::size_t>(accepted), forms.size() - static_cast<std::size_t>(accepted)};
}

std::string types_or_dash(const Row& row) { return row.types.empty() ? "-" : row.types; }
// "add.u32.ptx and 3 more"
std::string tests_text(const Row& row) {
  const std::set<std::string> names = row.tests();
  if (names.empty()) return "-";
  return *names.begin() + (names.size() > 1 ? fmt::format(" and {} more", names.size() - 1) : "");
}

std::string plain(const std::vector<Table>& tables, const Count& total) {
  std::string text = fmt::format("{:<12} {:<22} {:>8} {:>8}  {}\n", "opcode", "types", "accepted", "refused",
                                 "executed by (tests/ptx/forms)");
  for (const Table& table : tables)
    for (const Row& row : table.rows)
      text += fmt::format("{:<12} {:<22} {:>8} {:>8}  {}\n", table.opcode, types_or_dash(row),
                          row.accepted.size(), row.refused.size(), tests_text(row));
  return text + fmt::format("{} forms accepted, each with a test; {} refused by name.\n", total.accepted,
                            total.refused);
}

std::string every_form(const std::vector<Form>& forms) {
  std::string text;
  for (const Form& form : forms)
    text += fmt::format("{:<44} {}\n", form.text, form.accepted() ? form.test : "refused: " + form.refusal);
  return text;
}

std::string markdown(const std::vector<Table>& tables, const Count& total) {
  std::string text = fmt::format(
      "# PTX instructions\n\n"
      "Written by `duet ptx coverage --markdown` from `tests/ptx/coverage.tsv`. A form is an opcode with "
      "its\n"
      "modifiers and types, as PTX ISA 9.0 has them, without orderings, scopes and cache hints. {} forms "
      "are\n"
      "accepted, and each is executed by a test in `tests/ptx/forms`; {} are refused by name before a "
      "kernel\n"
      "starts. `duet ptx coverage OPCODE` lists the forms of an opcode, one a line, each with its test.\n"
      "Opcodes that are not listed are refused (`mma`, `wmma`, `ldmatrix`, `cp.async`, `mbarrier`, ..) or "
      "have\n"
      "tests of their own (`tex`, `tld4`, `txq`, `suld`, `sust`, `bra`, `brx`, `call`, `ret`, `exit`, "
      "`trap`).\n\n"
      "| opcode | types | accepted | refused | executed by |\n|---|---|---:|---:|---|\n",
      total.accepted, total.refused);
  for (const Table& table : tables)
    for (const Row& row : table.rows)
      text +=
          fmt::format("| {} | {} | {} | {} | {} |\n", table.opcode, types_or_dash(row), row.accepted.size(),
                      row.refused.empty() ? "" : std::to_string(row.refused.size()), tests_text(row));
  text += "\n## Refused\n\n";
  for (const Table& table : tables) {
    std::string names;
    for (const Row& row : table.rows)
      for (const Form* form : row.refused) names += " `" + form->text + "`";
    if (!names.empty()) text += "-" + names + "\n";
  }
  return text;
}

}  // namespace

int show_ptx_coverage(const config::Installation& installation, const PtxCoverageOptions& options) {
  std::vector<Form> forms = read_forms(installation.ptx_coverage_file);
  if (!options.opcode.empty()) {
    std::erase_if(forms, [&](const Form& form) { return form.opcode != options.opcode; });
    if (forms.empty())
      throw Error("no forms of '" + options.opcode + "' are listed (see `duet ptx coverage`)");
  }
  const bool each = options.forms || (!options.opcode.empty() && !options.markdown);
  std::fputs((each               ? every_form(forms)
              : options.markdown ? markdown(tables_of(forms), count(forms))
                                 : plain(tables_of(forms), count(forms)))
                 .c_str(),
             stdout);
  return 0;
}

}  // namespace duet::cli
