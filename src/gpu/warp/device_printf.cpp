#include "gpu/warp/device_printf.h"

#include <bit>
#include <cstdio>

namespace duet::gpu {

namespace {

template <typename T>
std::string formatted(const std::string& conversion, T value) {
  const int length = std::snprintf(nullptr, 0, conversion.c_str(), value);
  if (length < 0) return {};
  std::string text(static_cast<std::size_t>(length) + 1, '\0');
  std::snprintf(text.data(), text.size(), conversion.c_str(), value);
  text.resize(static_cast<std::size_t>(length));
  return text;
}

class Arguments {
 public:
  explicit Arguments(const std::function<std::uint64_t(Bytes, unsigned)>& read) : read_(read) {}
  std::uint64_t next(unsigned bytes) {
    align(bytes);
    const std::uint64_t value = read_(offset_, bytes);
    offset_ += bytes;
    return value;
  }
  void align(Bytes bytes) { offset_ = round_up(offset_, bytes); }

 private:
  const std::function<std::uint64_t(Bytes, unsigned)>& read_;
  Bytes offset_ = 0;
};

std::string element_text(const std::string& specification, char kind, unsigned bytes, std::uint64_t bits) {
  const std::string conversion = specification + "ll" + kind;
  if (kind == 'd' || kind == 'i') {
    const unsigned unused = 64 - 8 * bytes;
    return formatted(conversion, static_cast<long long>(bits << unused) >> unused);
  }
  if (std::string_view("uxXo").find(kind) != std::string_view::npos)
    return formatted(conversion, static_cast<unsigned long long>(bits));
  return formatted(specification + kind,
                   bytes == 8 ? std::bit_cast<double>(bits)
                              : double{std::bit_cast<float>(static_cast<std::uint32_t>(bits))});
}

// A vector's elements lie one behind the other; three of them take the room of four.
std::string vector_text(const std::string& specification, char kind, unsigned elements,
                        const std::string& length, Arguments& arguments) {
  const unsigned bytes = length == "hh" ? 1 : length == "h" ? 2 : length == "l" ? 8 : 4;
  const Bytes room = Bytes{elements == 3 ? 4 : elements} * bytes;
  arguments.align(room);
  std::string text;
  for (unsigned i = 0; i < elements; ++i)
    text += (i == 0 ? "" : ",") + element_text(specification, kind, bytes, arguments.next(bytes));
  arguments.align(room);
  return text;
}

// One conversion specification, from '%' on; moves `at` behind it.
std::string convert(PrintfOf language, const std::string& format, std::size_t& at, Arguments& arguments,
                    const std::function<std::string(Address)>& read_string) {
  const std::size_t begin = at;
  std::string specification = "%";
  ++at;
  const auto take_while = [&](const char* set) {
    while (at < format.size() && std::string_view(set).find(format[at]) != std::string_view::npos)
      specification += format[at++];
  };
  const auto take_number = [&] {
    if (at < format.size() && format[at] == '*') {
      ++at;
      specification += std::to_string(static_cast<std::int32_t>(arguments.next(4)));
    } else {
      take_while("0123456789");
    }
  };
  take_while("-+ #0");
  take_number();
  if (at < format.size() && format[at] == '.') {
    specification += format[at++];
    take_number();
  }
  unsigned elements = 0;
  if (language == PrintfOf::OpenCl && at < format.size() && format[at] == 'v')
    for (++at; at < format.size() && elements < 16 && format[at] >= '0' && format[at] <= '9'; ++at)
      elements = 10 * elements + static_cast<unsigned>(format[at] - '0');
  std::string length;
  while (at < format.size() && std::string_view("hlLjzt").find(format[at]) != std::string_view::npos)
    length += format[at++];
  if (at >= format.size()) return format.substr(begin);
  const char kind = format[at++];
  if (elements != 0) {
    const bool exists = elements == 2 || elements == 3 || elements == 4 || elements == 8 || elements == 16;
    const bool whole = std::string_view("diuxXo").find(kind) != std::string_view::npos;
    const bool real =
        std::string_view("eEfFgGaA").find(kind) != std::string_view::npos && length != "hh" && length != "h";
    if (!exists || (!whole && !real)) return format.substr(begin, at - begin);
    return vector_text(specification, kind, elements, length, arguments);
  }
  const bool is_long = length == "l" || length == "ll" || length == "j" || length == "z" || length == "t";
  switch (kind) {
    case '%':
      return "%";
    case 'd':
    case 'i': {
      if (is_long) return formatted(specification + "lld", static_cast<long long>(arguments.next(8)));
      auto value = static_cast<int>(arguments.next(4));
      if (length == "h") value = static_cast<short>(value);
      if (length == "hh") value = static_cast<signed char>(value);
      return formatted(specification + 'd', value);
    }
    case 'u':
    case 'x':
    case 'X':
    case 'o': {
      if (is_long)
        return formatted(specification + "ll" + kind, static_cast<unsigned long long>(arguments.next(8)));
      auto value = static_cast<unsigned>(arguments.next(4));
      if (length == "h") value = static_cast<unsigned short>(value);
      if (length == "hh") value = static_cast<unsigned char>(value);
      return formatted(specification + kind, value);
    }
    case 'c':
      return formatted(specification + 'c', static_cast<int>(arguments.next(4)));
    case 'p':
      return formatted(specification + 'p', reinterpret_cast<void*>(arguments.next(8)));
    case 's': {
      const Address address = arguments.next(8);
      const std::string text = address == 0 ? "(null)" : read_string(address);
      return formatted(specification + 's', text.c_str());
    }
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
      return formatted(specification + kind, std::bit_cast<double>(arguments.next(8)));
    default:  // not a conversion of device printf: printed as it stands
      return format.substr(begin, at - begin);
  }
}

}  // namespace

std::string format_device_text(PrintfOf language, const std::string& format,
                               const std::function<std::uint64_t(Bytes, unsigned)>& read_argument,
                               const std::function<std::string(Address)>& read_string) {
  Arguments arguments(read_argument);
  std::string text;
  for (std::size_t at = 0; at < format.size();) {
    if (format[at] != '%')
      text += format[at++];
    else
      text += convert(language, format, at, arguments, read_string);
  }
  return text;
}

}  // namespace duet::gpu
