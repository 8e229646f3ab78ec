// What the programs of dashti2017 share: methods of memory management (section 3), and options.
//
//   Array<int> data(options.method, 1024);    // default: cudaMalloc and copies; hostalloc; managed;
//   sharedalloc
//
// One source for all methods: what a method costs comes from the machine that the program runs on.
#pragma once

#include <string>
#include <vector>

#include "../common/array.h"

namespace dashti2017 {

using workload::Array;
using Method = workload::Memory;

inline const char* name_of(Method method) {
  return method == Method::kDevice    ? "default"
         : method == Method::kMapped  ? "hostalloc"
         : method == Method::kManaged ? "managed"
                                      : "sharedalloc";
}

// `--name VALUE` words of a program, each with its meaning and limits; --method is every program's.
class Arguments {
 public:
  Arguments(const char* program, const char* text, int argc, char** argv) : program_(program) {
    for (int i = 1; i < argc; i += 2) {
      if (std::string(argv[i]) == "--help") {
        printf("%s: %s\n  --method default | hostalloc | managed | sharedalloc (dashti2017 section 3)\n",
               program, text);
        exit(0);
      }
      if (strncmp(argv[i], "--", 2) != 0 || i + 1 == argc)
        workload::usage_error(program_, "a value is missing for", argv[i]);
      words_.push_back({argv[i] + 2, argv[i + 1], false});
    }
  }
  unsigned long long number(const char* name, unsigned long long without, unsigned long long low,
                            unsigned long long high) {
    const char* text = find(name);
    return text == nullptr ? without : workload::parse_number(program_, name, text, low, high);
  }
  // The place of the word among those that are possible; the first one where it is not given.
  size_t one_of(const char* name, const std::vector<std::string>& possible) {
    const char* text = find(name);
    if (text == nullptr) return 0;
    for (size_t i = 0; i < possible.size(); i++)
      if (possible[i] == text) return i;
    workload::usage_error(program_, (std::string("unknown --") + name).c_str(), text);
  }
  Method method() {
    static constexpr Method kMethods[] = {Method::kDevice, Method::kMapped, Method::kManaged,
                                          Method::kShared};
    return kMethods[one_of("method", {"default", "hostalloc", "managed", "sharedalloc"})];
  }
  // After the last question: a word that nobody asked for is wrong usage.
  void end() const {
    for (const Word& word : words_)
      if (!word.known) workload::usage_error(program_, "unknown option", word.name.c_str());
  }

 private:
  struct Word {
    std::string name, value;
    bool known;
  };
  const char* find(const char* name) {
    const char* found = nullptr;
    for (Word& word : words_)
      if (word.name == name) {
        word.known = true;
        found = word.value.c_str();
      }
    return found;
  }
  const char* program_;
  std::vector<Word> words_;
};

}  // namespace dashti2017
