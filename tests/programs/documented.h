// What the two tables of documented errors share. A table has a row for each wrong call: the function, what
// is wrong, and the error that CUDA's reference promises. The page of docs/reference is what a table prints
// with --list.
#pragma once

#include <stdio.h>
#include <string.h>

#include <algorithm>
#include <string>
#include <vector>

namespace documented {

template <typename Error>
struct Row {
  const char* function;
  const char* wrong;
  Error promised;
  Error (*call)();
  void (*before)() = nullptr;
  void (*after)() = nullptr;
};

// The errors that the reference lists for a function, success and the errors of every function left out.
template <typename Error>
struct Promise {
  const char* function;
  std::vector<Error> errors;
};

// Why no row gives an error; `function` is null where it holds for every function.
template <typename Error>
struct Reason {
  const char* function;
  Error error;
  const char* text;
};

template <typename Error>
struct Table {
  const std::vector<Promise<Error>>& promises;
  const std::vector<Row<Error>>& rows;
  const std::vector<Reason<Error>>& reasons;
  std::string (*name)(Error);

  bool given(const char* function, Error error) const {
    return std::any_of(rows.begin(), rows.end(), [&](const Row<Error>& row) {
      return strcmp(row.function, function) == 0 && row.promised == error;
    });
  }
  const char* reason(const char* function, Error error) const {
    const char* general = nullptr;
    for (const Reason<Error>& one : reasons) {
      if (one.error != error) continue;
      if (one.function == nullptr)
        general = one.text;
      else if (strcmp(one.function, function) == 0)
        return one.text;
    }
    return general;
  }

  // One line for each function. False, with a line on standard error, where the tables do not fit.
  bool list(const char* head) const {
    bool fits = true;
    unsigned promised = 0, held = 0;
    std::string lines;
    for (const Promise<Error>& one : promises) {
      std::string all, has, lacks;
      const auto put = [](std::string& to, const std::string& what, const char* between) {
        to += (to.empty() ? "" : between) + what;
      };
      for (const Error error : one.errors) {
        ++promised;
        put(all, name(error), ", ");
        if (given(one.function, error)) {
          ++held;
          put(has, name(error), ", ");
        } else if (const char* why = reason(one.function, error)) {
          put(lacks, name(error) + ": " + why, "; ");
        } else {
          fprintf(stderr, "no row and no reason: %s, %s\n", one.function, name(error).c_str());
          fits = false;
        }
      }
      std::vector<Error> more;
      for (const Row<Error>& row : rows)
        if (strcmp(row.function, one.function) == 0 &&
            std::find(one.errors.begin(), one.errors.end(), row.promised) == one.errors.end() &&
            std::find(more.begin(), more.end(), row.promised) == more.end())
          more.push_back(row.promised);
      for (const Error error : more) put(has, "also " + name(error), ", ");
      lines += std::string("| ") + one.function + " | " + all + " | " + has + " | " + lacks + " |\n";
    }
    for (const Row<Error>& row : rows)
      if (std::none_of(promises.begin(), promises.end(),
                       [&](const Promise<Error>& one) { return strcmp(one.function, row.function) == 0; })) {
        fprintf(stderr, "no promises: %s\n", row.function);
        fits = false;
      }
    printf(head, unsigned(promises.size()), promised, held, unsigned(rows.size()));
    printf("| Function | Errors promised | Given | Not given, and why |\n|---|---|---|---|\n%s",
           lines.c_str());
    return fits;
  }
};

}  // namespace documented
