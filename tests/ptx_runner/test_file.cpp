#include "test_file.h"

#include <cstring>
#include <fstream>
#include <sstream>

#include "base/error.h"

namespace duet::test {

namespace {

ElementType element_type(const std::string& name) {
  if (name == "u8") return ElementType::U8;
  if (name == "u16") return ElementType::U16;
  if (name == "u32") return ElementType::U32;
  if (name == "u64") return ElementType::U64;
  if (name == "f32") return ElementType::F32;
  if (name == "f64") return ElementType::F64;
  throw Error("unknown element type '" + name + "'");
}

// Decimal, hexadecimal, or PTX's bit patterns 0f.. and 0d..
std::uint64_t element_value(const std::string& text) {
  if (text.size() > 2 && text[0] == '0' &&
      (text[1] == 'f' || text[1] == 'F' || text[1] == 'd' || text[1] == 'D'))
    return std::stoull(text.substr(2), nullptr, 16);
  if (text[0] == '-') return static_cast<std::uint64_t>(std::stoll(text, nullptr, 0));
  return std::stoull(text, nullptr, 0);
}

gpu::Dim3 dimensions(const std::string& text) {
  gpu::Dim3 result;
  char comma;
  std::istringstream in(text);
  in >> result.x;
  if (in >> comma) in >> result.y;
  if (in >> comma) in >> result.z;
  return result;
}

void append(std::vector<std::byte>& bytes, std::uint64_t value, unsigned count) {
  const std::size_t at = bytes.size();
  bytes.resize(at + count);
  std::memcpy(bytes.data() + at, &value, count);
}

TestArgument argument_of(std::istringstream& in) {
  TestArgument argument;
  std::string word, value;
  in >> word;
  if (word == "buffer" || word == "out") {
    argument.kind = TestArgument::Kind::Buffer;
    std::string type;
    in >> type;
    argument.type = element_type(type);
    const unsigned bytes = element_bytes(argument.type);
    if (word == "out") {
      std::size_t count = 0;
      in >> count;
      argument.bytes.resize(count * bytes);
    } else {
      while (in >> value) append(argument.bytes, element_value(value), bytes);
    }
    return argument;
  }
  argument.type = element_type(word);
  in >> value;
  append(argument.bytes, element_value(value), element_bytes(argument.type));
  return argument;
}

Expectation expectation_of(std::istringstream& in, bool within_ulps) {
  Expectation expectation;
  expectation.within_ulps = within_ulps;
  std::string type, value;
  in >> expectation.argument >> type;
  if (within_ulps) {
    in >> value;
    expectation.ulps = element_value(value.substr(0, value.find(':')));
  }
  expectation.type = element_type(type.substr(0, type.find(':')));
  while (in >> value) expectation.values.push_back(element_value(value));
  return expectation;
}

void header_of(std::istringstream& in, TestFile& file) {
  std::string word;
  while (in >> word) {
    const std::size_t equals = word.find('=');
    const std::string key = word.substr(0, equals), value = word.substr(equals + 1);
    if (key == "kernel")
      file.kernel = value;
    else if (key == "grid")
      file.grid = dimensions(value);
    else if (key == "block")
      file.block = dimensions(value);
    else if (key == "shared")
      file.shared_bytes = std::stoull(value);
    else
      throw Error("unknown key '" + key + "' in duet-test");
  }
}

}  // namespace

unsigned element_bytes(ElementType type) {
  switch (type) {
    case ElementType::U8:
      return 1;
    case ElementType::U16:
      return 2;
    case ElementType::U32:
    case ElementType::F32:
      return 4;
    case ElementType::U64:
    case ElementType::F64:
      break;
  }
  return 8;
}

TestFile read_test_file(const std::string& path) {
  std::ifstream stream(path);
  if (!stream) throw Error("cannot read " + path);
  TestFile file;
  file.path = path;
  file.text.assign(std::istreambuf_iterator<char>(stream), {});
  std::istringstream lines(file.text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream in(line);
    std::string slashes, word;
    in >> slashes >> word;
    if (slashes != "//") continue;
    if (word == "duet-test:") header_of(in, file);
    if (word == "duet-unsupported:") std::getline(in >> std::ws, file.unsupported);
    if (word == "arg:") file.arguments.push_back(argument_of(in));
    if (word == "expect") file.expectations.push_back(expectation_of(in, false));
    if (word == "expect-ulp") file.expectations.push_back(expectation_of(in, true));
  }
  if (file.kernel.empty()) throw Error("no '// duet-test:' line in " + path);
  if (file.expectations.empty()) throw Error("nothing is expected in " + path);
  return file;
}

}  // namespace duet::test
