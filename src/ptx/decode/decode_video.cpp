// Scalar and SIMD video instructions (PTX ISA 9.0, sections 9.7.18 and 9.7.19).
#include <algorithm>

#include "ptx/decode/decode.h"
#include "ptx/decode/decoders.h"
#include "ptx/video.h"

namespace duet::ptx {

using ir::Value;

namespace {

struct Name {
  std::string_view name;
  VideoOperation operation;
};
constexpr Name kNames[] = {{"vadd", VideoOperation::Add},
                           {"vsub", VideoOperation::Subtract},
                           {"vabsdiff", VideoOperation::AbsoluteDifference},
                           {"vmin", VideoOperation::Minimum},
                           {"vmax", VideoOperation::Maximum},
                           {"vavrg", VideoOperation::Average},
                           {"vset", VideoOperation::Compare},
                           {"vshl", VideoOperation::ShiftLeft},
                           {"vshr", VideoOperation::ShiftRight},
                           {"vmad", VideoOperation::MultiplyAdd}};

Type take_word_type(Decoder& d) {
  const Type type = d.take_type();
  if (type != Type::U32 && type != Type::S32) d.illegal("video instructions have types u32 and s32");
  return type;
}

void take_comparison(Decoder& d) {
  static constexpr std::pair<std::string_view, Comparison> kComparisons[] = {
      {"eq", Comparison::Eq}, {"ne", Comparison::Ne}, {"lt", Comparison::Lt},
      {"le", Comparison::Le}, {"gt", Comparison::Gt}, {"ge", Comparison::Ge}};
  for (const auto& [name, comparison] : kComparisons)
    if (d.take(name)) {
      d.out.op.comparison = comparison;
      return;
    }
  d.illegal("a comparison is missing");
}

VideoPart part_of(const Decoder& d, unsigned index) {
  static constexpr std::string_view kParts[] = {"b0", "b1", "b2", "b3", "h0", "h1", ""};
  for (unsigned i = 0; i < std::size(kParts); ++i)
    if (d.operand(index).selector == kParts[i]) return static_cast<VideoPart>(i);
  d.illegal("no part of an operand is called ." + std::string(d.operand(index).selector));
}

// The fields of a source's selector, highest first, as four bits each with the lowest first.
std::uint16_t fields_of(const Decoder& d, unsigned index, unsigned fields, unsigned first) {
  const std::string_view selector = d.operand(index).selector;
  std::uint16_t result = 0;
  if (selector.empty()) {
    for (unsigned i = 0; i < fields; ++i) result |= static_cast<std::uint16_t>((first + i) << (4 * i));
    return result;
  }
  bool good = selector.size() == fields + 1 && selector[0] == (fields == 2 ? 'h' : 'b');
  for (unsigned i = 0; good && i < fields; ++i) {
    const unsigned field = static_cast<unsigned>(selector[fields - i] - '0');
    good = field < 2 * fields;
    result |= static_cast<std::uint16_t>(field << (4 * i));
  }
  if (!good) d.illegal("'." + std::string(selector) + "' selects no fields");
  return result;
}

// The fields of the result: .h1, .b310, in falling order; all of them when none is named.
std::uint8_t mask_of(const Decoder& d, unsigned fields) {
  const std::string_view selector = d.operand(0).selector;
  if (selector.empty()) return static_cast<std::uint8_t>((1u << fields) - 1);
  unsigned mask = 0;
  bool good = selector.size() > 1 && selector[0] == (fields == 2 ? 'h' : 'b');
  for (std::size_t i = 1; good && i < selector.size(); ++i) {
    const unsigned field = static_cast<unsigned>(selector[i] - '0');
    good = field < fields && (i == 1 || selector[i] < selector[i - 1]);
    if (good) mask |= 1u << field;
  }
  if (!good) d.illegal("'." + std::string(selector) + "' selects no fields of the result");
  return static_cast<std::uint8_t>(mask);
}

void finish(Decoder& d, VideoForm form, bool reads_c, Type c_type) {
  d.sources(1, 2, Type::B32);
  d.out.add_source(reads_c ? d.source(3, c_type) : Value::immediate(0, Type::U32));
  d.out.op.address_offset = form.packed();
  d.destination(0, Type::B32);
  d.finish();
}

void scalar(Decoder& d, VideoForm form) {
  MicroOp& op = d.out.op;
  const unsigned operands = d.in.operand_count;
  form.select_a = static_cast<std::uint16_t>(part_of(d, 1));
  form.select_b = static_cast<std::uint16_t>(part_of(d, 2));
  const VideoPart destination = part_of(d, 0);
  form.destination = static_cast<std::uint8_t>(destination);
  if (form.operation == VideoOperation::MultiplyAdd) {
    d.expect_operands(4, 4);
    if (destination != VideoPart::Whole) d.illegal("vmad writes a whole register");
    if (d.take("po")) form.flags |= VideoForm::kPlusOne;
    if (d.take("shr7"))
      form.flags |= VideoForm::kShift7;
    else if (d.take("shr15"))
      form.flags |= VideoForm::kShift15;
    if (d.operand(1).negate != d.operand(2).negate) form.flags |= VideoForm::kNegateProduct;
    if (d.operand(3).negate) form.flags |= VideoForm::kNegateAddend;
    if (form.has(VideoForm::kPlusOne) && (d.operand(1).negate || d.operand(2).negate || d.operand(3).negate))
      d.illegal("with .po no operand is negated");
    return finish(d, form, true, Type::B32);
  }
  if (form.operation == VideoOperation::ShiftLeft || form.operation == VideoOperation::ShiftRight) {
    if (d.take("wrap"))
      form.flags |= VideoForm::kWrap;
    else if (!d.take("clamp"))
      d.illegal("one of .wrap, .clamp is missing");
  }
  if (d.take("add"))
    form.secondary = VideoSecondary::Add;
  else if (d.take("min"))
    form.secondary = VideoSecondary::Minimum;
  else if (d.take("max"))
    form.secondary = VideoSecondary::Maximum;
  if (destination != VideoPart::Whole) {
    if (form.secondary != VideoSecondary::None) d.illegal("a merge takes no second operation");
    form.secondary = VideoSecondary::Merge;
  }
  const bool reads_c = form.secondary != VideoSecondary::None;
  if (operands != 3u + reads_c)
    d.illegal(std::string(reads_c ? "the third source is missing" : "a third source has no use"));
  finish(d, form, reads_c, op.type);
}

void simd(Decoder& d, VideoForm form, unsigned fields) {
  d.expect_operands(4, 4);
  form.select_a = fields_of(d, 1, fields, 0);
  form.select_b = fields_of(d, 2, fields, fields);
  form.destination = mask_of(d, fields);
  if (d.take("add")) form.secondary = VideoSecondary::Add;
  if (form.secondary == VideoSecondary::Add && d.out.op.saturate)
    d.illegal(".sat and .add do not go together");
  const bool reads_c = form.secondary == VideoSecondary::Add || form.destination != (1u << fields) - 1;
  finish(d, form, reads_c, Type::B32);
}

}  // namespace

void decoders::video(Decoder& d) {
  std::string_view name = d.row.name;
  unsigned fields = 1;
  if (name.ends_with('2') || name.ends_with('4')) {
    fields = static_cast<unsigned>(name.back() - '0');
    name.remove_suffix(1);
  }
  VideoForm form;
  form.operation = std::find_if(std::begin(kNames), std::end(kNames), [&](const Name& n) {
                     return n.name == name;
                   })->operation;
  const bool compares = form.operation == VideoOperation::Compare;
  const Type type = compares ? Type::U32 : take_word_type(d);
  const Type a = take_word_type(d), b = take_word_type(d);
  const bool shifts =
      form.operation == VideoOperation::ShiftLeft || form.operation == VideoOperation::ShiftRight;
  if (shifts && b != Type::U32) d.illegal("a shift's amount has type u32");
  if (b == Type::S32) form.flags |= VideoForm::kSecondSigned;
  d.set(type);
  d.out.op.source_type = a;
  d.out.op.mode = static_cast<std::uint8_t>(fields);
  if (compares)
    take_comparison(d);
  else
    d.out.op.saturate = d.take("sat");
  if (fields == 1)
    scalar(d, form);
  else
    simd(d, form, fields);
}

}  // namespace duet::ptx
