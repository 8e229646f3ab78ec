#include "memory/address_fields.h"

#include <array>
#include <bit>
#include <charconv>
#include <string>
#include <string_view>

#include "base/error.h"
#include "memory/request.h"

namespace duet::memory {

namespace {

constexpr std::array<std::string_view, 3> kNames{"bank", "group", "column"};
constexpr unsigned kMostBits = 63;

// The words between blanks.
std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t first = text.find_first_not_of(' ');
    if (first == text.npos) return words;
    text.remove_prefix(first);
    words.push_back(text.substr(0, text.find(' ')));
    text.remove_prefix(words.back().size());
  }
}

class Reader {
 public:
  explicit Reader(const config::Dram& dram) : dram_(dram) {}

  std::vector<AddressPiece> pieces() const {
    const std::vector<std::string_view> words = parts_of(dram_.address_fields);
    if (words.empty() || words.front() != "row")
      refuse("it must begin with row, which has all bits above the others and no count");
    std::vector<AddressPiece> result;
    for (std::size_t i = 1; i < words.size(); ++i) result.push_back(piece(words[i]));
    unsigned shift = 0;
    for (auto at = result.rbegin(); at != result.rend(); ++at) {
      at->shift = shift;
      shift += at->bits;
    }
    constexpr unsigned line = std::countr_zero(kLineBytes);
    if (result.empty() || result.back().field != AddressField::Column || result.back().bits < line)
      refuse("it must end with column:" + std::to_string(line) + " or more: the " +
             std::to_string(kLineBytes) + " bytes of a line lie in one row");
    const std::string groups = "gpu.dram.bank_groups = " + std::to_string(dram_.bank_groups);
    covers(result, AddressField::Bank, dram_.banks / dram_.bank_groups,
           "gpu.dram.banks = " + std::to_string(dram_.banks) + " in " + groups);
    covers(result, AddressField::Group, dram_.bank_groups, groups);
    covers(result, AddressField::Column, dram_.row_bytes,
           "gpu.dram.row_bytes = " + std::to_string(dram_.row_bytes));
    return result;
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw Error("gpu.dram.address_fields = \"" + dram_.address_fields + "\": " + what);
  }

  AddressPiece piece(std::string_view word) const {
    const std::size_t colon = word.find(':');
    const std::string_view name = word.substr(0, colon);
    if (name == "row") refuse("row stands at the begin, once and without a count");
    for (std::size_t i = 0; i < kNames.size(); ++i) {
      if (name != kNames[i]) continue;
      const std::string_view count = colon == word.npos ? "" : word.substr(colon + 1);
      unsigned bits = 0;
      const auto [end, error] = std::from_chars(count.data(), count.data() + count.size(), bits);
      if (error != std::errc{} || end != count.data() + count.size() || bits == 0 || bits > kMostBits)
        refuse(std::string(word) + " has no count of bits: write " + std::string(name) + ":1 to " +
               std::string(name) + ":" + std::to_string(kMostBits));
      return {static_cast<AddressField>(i), bits, 0};
    }
    refuse(std::string(word) + " is not known: known are row, bank:BITS, group:BITS, column:BITS");
  }

  void covers(const std::vector<AddressPiece>& pieces, AddressField field, std::uint64_t range,
              const std::string& keys) const {
    unsigned has = 0;
    for (const AddressPiece& piece : pieces)
      if (piece.field == field) has += piece.bits;
    const auto wants = static_cast<unsigned>(std::countr_zero(range));
    if (has == wants) return;
    const auto bits = [](unsigned number) {
      return std::to_string(number) + (number == 1 ? " bit" : " bits");
    };
    refuse(std::string(kNames[static_cast<std::size_t>(field)]) + " has " + bits(has) + " in all: " + keys +
           " must have " + bits(wants));
  }

  const config::Dram& dram_;
};

}  // namespace

std::vector<AddressPiece> address_fields(const config::Dram& dram) {
  if (dram.address_fields.empty()) return {};
  return Reader(dram).pieces();
}

}  // namespace duet::memory
