// Texture and surface instructions with 64-bit objects (PTX ISA 9.0, section 9.7.10, unified mode). A level
// or gradients choose among mipmaps; images have one level, so they are checked and not used. Refused by
// name: texture references, cube maps, multisampling, offsets, comparisons, formatted loads, formatted stores
// of fewer than four values, f16x2 results.
#include "ptx/decode/decode.h"
#include "ptx/decode/decoders.h"
#include "ptx/image.h"

namespace duet::ptx {

using ir::Instruction;
using ir::Value;
using ir::ValueKind;

namespace {

constexpr std::string_view kGeometries[] = {"1d", "2d", "3d", "a1d", "a2d"};
constexpr std::string_view kComponents[] = {"r", "g", "b", "a"};
constexpr std::string_view kBounds[] = {"zero", "clamp", "trap"};
constexpr std::string_view kQueries[] = {"width", "height", "depth"};

template <std::size_t N>
unsigned take_one_of(Decoder& d, const std::string_view (&names)[N]) {
  for (unsigned i = 0; i < N; ++i)
    if (d.take(names[i])) return i;
  d.unsupported();
}

void object(Decoder& d, unsigned index) {
  const ParsedOperand& o = d.operand(index);
  if (o.kind != ParsedOperand::Kind::Address || o.offset != 0) d.fail("an image is a 64-bit object");
  if (o.value.kind == ValueKind::Variable)
    throw ir::Unsupported{"PTX '" + std::string(d.in.text) +
                          "' with a texture or surface reference is not supported"};
  if (!o.value.is_register() || d.width_of_register(o.value) != 8) d.fail("an image is a 64-bit object");
  d.out.add_source(Value::reg(o.value.index, Type::U64));
}

// PTX pads three coordinates to four.
std::array<Value, 3> coordinates(Decoder& d, unsigned index, ImageGeometry geometry, Type type) {
  const ParsedOperand& o = d.operand(index);
  const unsigned count = coordinates_of(geometry);
  if (o.element_count < count || o.element_count > 4)
    d.fail("has " + std::to_string(o.element_count) + " coordinates");
  std::array<Value, 3> result{};
  for (unsigned i = 0; i < count; ++i) {
    if (o.elements[i].kind == ValueKind::None) d.fail("`_` is no coordinate");
    result[i] = d.narrowed(o.elements[i], i == 0 && is_layered(geometry) ? Type::U32 : type);
  }
  return result;
}

void results(Decoder& d, unsigned count, Type type) {
  const ParsedOperand& o = d.operand(0);
  std::array<Value, 8> one{o.value};
  if (o.kind != ParsedOperand::Kind::Vector && (count != 1 || o.kind != ParsedOperand::Kind::Value))
    d.fail("the result is not a vector");
  if (o.kind == ParsedOperand::Kind::Vector && o.element_count != count)
    d.fail("the vector has " + std::to_string(o.element_count) + " elements");
  const auto& values = o.kind == ParsedOperand::Kind::Vector ? o.elements : one;
  for (unsigned i = 0; i < count; ++i) {
    if (values[i].kind == ValueKind::None) {
      d.out.add_destination(Value::reg(d.temporary(type), type));
      continue;
    }
    if (!values[i].is_register()) d.fail("the destination is not a register");
    const unsigned width = d.width_of_register(values[i]);
    if (width < type_bytes(type) || (width == 8) != (type_bytes(type) == 8))
      d.fail("the destination does not fit the type");
    d.out.add_destination(Value::reg(values[i].index, type));
  }
}

Value pack(Decoder& d, const Value* values, unsigned count, Type element) {
  const Type type = type_bytes(element) * count == 8 ? Type::B64 : Type::B32;
  Instruction in = d.make(Opcode::Pack, type);
  for (unsigned i = 0; i < count; ++i) {
    Value value = values[i];
    value.type = element;
    in.add_source(value);
  }
  const Value packed = Value::reg(d.temporary(type), type);
  in.add_destination(packed);
  d.append(in);
  return packed;
}

void pass_cache_operator(Decoder& d) {
  for (const std::string_view name : {"ca", "cg", "cs", "cv", "wb", "wt"}) d.take(name);
}

}  // namespace

void decoders::fetch(Decoder& d) {
  const bool gather = d.row.opcode == Opcode::Tld4;
  ImageMode mode;
  unsigned lod_operands = 0;
  if (gather)
    mode.choice = static_cast<std::uint8_t>(take_one_of(d, kComponents));
  else if (d.take("level"))
    lod_operands = 1;
  else if (d.take("grad"))
    lod_operands = 2;
  else
    d.take("base");
  mode.geometry = static_cast<ImageGeometry>(take_one_of(d, kGeometries));
  if (gather && mode.geometry != ImageGeometry::TwoD) d.unsupported();
  if (!d.take("v4")) d.unsupported();
  const Type type = d.take_type(), coordinate = d.take_type();
  if ((type != Type::F32 && type != Type::S32 && type != Type::U32) ||
      (coordinate != Type::F32 && (coordinate != Type::S32 || gather)))
    d.unsupported();
  if (d.in.operand_count != 2 + lod_operands) d.unsupported();  // offsets, comparisons
  d.set(type);
  d.out.op.source_type = coordinate;
  d.out.op.mode = mode.packed();
  object(d, 1);
  const auto at = coordinates(d, 1, mode.geometry, coordinate);
  for (unsigned i = 0; i < coordinates_of(mode.geometry); ++i) d.out.add_source(at[i]);
  results(d, 4, type);
  d.finish();
}

void decoders::query(Decoder& d) {
  ImageMode mode;
  mode.choice = static_cast<std::uint8_t>(take_one_of(d, kQueries));
  const Type type = d.take_type();
  if (type != Type::B32) d.unsupported();
  d.expect_operands(2, 2);
  d.set(type);
  d.out.op.mode = mode.packed();
  object(d, 1);
  if (d.operand(1).element_count != 0) d.unsupported();  // of a level
  d.destination(0, type);
  d.finish();
}

void decoders::surface(Decoder& d) {
  const bool load = d.row.opcode == Opcode::Suld;
  const bool formatted = !d.take("b");
  if (formatted && (load || !d.take("p"))) d.unsupported();
  pass_cache_operator(d);
  ImageMode mode;
  mode.geometry = static_cast<ImageGeometry>(take_one_of(d, kGeometries));
  const unsigned count = d.take("v2") ? 2 : d.take("v4") ? 4 : 1;
  const Type type = d.take_type();
  const unsigned bytes = type_bytes(type);
  if ((type != Type::B8 && type != Type::B16 && type != Type::B32 && type != Type::B64) || bytes * count > 16)
    d.unsupported();
  if (formatted && (bytes != 4 || count != 4)) d.unsupported();
  mode.choice = static_cast<std::uint8_t>(take_one_of(d, kBounds) | (formatted ? ImageMode::kFormatted : 0));
  d.set(type);
  d.expect_operands(2, 2);
  MicroOp& op = d.out.op;
  op.source_type = Type::S32;
  op.mode = mode.packed();
  op.vector_elements = static_cast<std::uint8_t>(count);
  object(d, load ? 1 : 0);
  const auto at = coordinates(d, load ? 1 : 0, mode.geometry, Type::S32);
  const unsigned dimensions = coordinates_of(mode.geometry);
  if (load) {
    for (unsigned i = 0; i < dimensions; ++i) d.out.add_source(at[i]);
    results(d, count, type);
    return d.finish();
  }
  d.out.add_source(at[0]);
  if (dimensions == 2) d.out.add_source(at[1]);
  if (dimensions == 3) d.out.add_source(pack(d, &at[1], 2, Type::B32));
  const ParsedOperand& o = d.operand(1);
  std::array<Value, 8> values{o.value};
  if (o.kind == ParsedOperand::Kind::Vector) {
    if (o.element_count != count) d.fail("the vector has " + std::to_string(o.element_count) + " elements");
    values = o.elements;
  } else if (o.kind != ParsedOperand::Kind::Value || count != 1) {
    d.fail("operand 2 is not a vector");
  }
  const Type element = bytes == 1 && count > 1 ? Type::B16 : type;
  for (unsigned i = 0; i < count; ++i) {
    if (values[i].kind == ValueKind::None) d.fail("`_` cannot be stored");
    values[i] = d.narrowed(values[i], element);
  }
  const unsigned in_one = bytes == 8 || count == 1 ? 1 : bytes == 4 ? 2 : count;
  for (unsigned i = 0; i < count; i += in_one)
    d.out.add_source(in_one == 1 ? values[i] : pack(d, &values[i], in_one, element));
  d.finish();
}

std::string image_text(const MicroOp& op) {
  const ImageMode mode = ImageMode::of(op);
  const auto dot = [](std::string_view name) { return "." + std::string(name); };
  if (op.opcode == Opcode::Txq) return dot(kQueries[mode.choice]);
  const std::string geometry = dot(kGeometries[static_cast<unsigned>(mode.geometry)]);
  if (op.opcode == Opcode::Tex) return geometry + ".v4";
  if (op.opcode == Opcode::Tld4) return dot(kComponents[mode.choice]) + geometry + ".v4";
  return (mode.formatted() ? ".p" : ".b") + geometry +
         (op.vector_elements > 1 ? ".v" + std::to_string(op.vector_elements) : "") +
         dot(kBounds[static_cast<unsigned>(mode.bounds())]);
}

}  // namespace duet::ptx
