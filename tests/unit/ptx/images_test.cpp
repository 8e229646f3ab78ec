// Texture and surface instructions: what nvcc and the headers write is read as it stands, components that
// nobody reads go, and what is not supported is named.
#include <gtest/gtest.h>

#include "compile_for_test.h"
#include "ptx/image.h"

namespace duet::ptx {
namespace {

const std::string kRegisters =
    ".reg .b16 %h<9>;\n.reg .b32 %r<12>;\n.reg .f32 %f<12>;\n.reg .b64 %l<9>;\n.reg .pred %p<3>;\n"
    "ld.param.u64 %l1, [a];\nld.param.u64 %l2, [b];\n";
Kernel compile(const std::string& body) {
  return compile_body(kRegisters + body + "\nret;", ".param .u64 a, .param .u64 b");
}
const MicroOp& image_of(const Kernel& kernel) {
  for (const MicroOp& op : kernel.code)
    if (op.kind == Kind::Image) return op;
  throw Error("no image instruction: " + dump(kernel));
}
std::string all_stored() {
  return "st.global.v4.f32 [%l2], {%f1, %f2, %f3, %f4}; st.global.v4.b32 [%l2+16], {%r1, %r2, %r3, %r4};";
}

struct Form {
  const char* text;
  Opcode opcode;
  ImageGeometry geometry;
  unsigned choice;
  unsigned sources;
  const char* shown;
};
constexpr Form kForms[] = {
    {"tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%l1, {%r5}];", Opcode::Tex, ImageGeometry::OneD, 0, 2,
     "tex.1d.v4.f32.s32"},
    {"tex.2d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%l1, {%f5, %f6}];", Opcode::Tex, ImageGeometry::TwoD, 0, 3,
     "tex.2d.v4.u32.f32"},
    {"tex.3d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%l1, {%f5, %f6, %f7, %f7}];", Opcode::Tex,
     ImageGeometry::ThreeD, 0, 4, "tex.3d.v4.f32"},
    {"tex.a2d.v4.s32.f32 {%r1, %r2, %r3, %r4}, [%l1, {%r5, %f5, %f6, %f6}];", Opcode::Tex,
     ImageGeometry::TwoDLayered, 0, 4, "tex.a2d.v4.s32.f32"},
    {"tex.level.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%l1, {%f5, %f6}], %f7;", Opcode::Tex,
     ImageGeometry::TwoD, 0, 3, "tex.2d.v4.f32"},
    {"tld4.b.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%l1, {%f5, %f6}];", Opcode::Tld4, ImageGeometry::TwoD, 2, 3,
     "tld4.b.2d.v4.f32"},
    {"suld.b.2d.v2.b32.clamp {%r1, %r2}, [%l1, {%r5, %r6}];", Opcode::Suld, ImageGeometry::TwoD, 1, 3,
     "suld.b.2d.v2.clamp.b32"},
    {"suld.b.3d.b8.trap {%h1}, [%l1, {%r5, %r6, %r7, %r7}]; st.global.b8 [%l2], %h1;", Opcode::Suld,
     ImageGeometry::ThreeD, 2, 4, "suld.b.3d.trap.b8"},
    {"sust.b.1d.b16.zero [%l1, {%r5}], {%h2};", Opcode::Sust, ImageGeometry::OneD, 0, 3,
     "sust.b.1d.zero.b16"},
    {"sust.b.3d.v4.b32.trap [%l1, {%r5, %r6, %r7, %r7}], {%r8, %r9, %r10, %r11};", Opcode::Sust,
     ImageGeometry::ThreeD, 2, 5, "sust.b.3d.v4.trap.b32"},
    {"sust.b.a2d.v4.b8.trap [%l1, {%r5, %r6, %r7, %r7}], {%h1, %h2, %h3, %h4};", Opcode::Sust,
     ImageGeometry::TwoDLayered, 2, 4, "sust.b.a2d.v4.trap.b8"},
    {"sust.p.3d.v4.b32.zero [%l1, {%r5, %r6, %r7, %r7}], {%r8, %r9, %r10, %r11};", Opcode::Sust,
     ImageGeometry::ThreeD, ImageMode::kFormatted, 5, "sust.p.3d.v4.zero.b32"},
    {"txq.height.b32 %r1, [%l1];", Opcode::Txq, ImageGeometry::OneD, 1, 1, "txq.height.b32"},
};

TEST(ImagePtx, FormsThatCompilersWrite) {
  for (const Form& form : kForms) {
    const Kernel kernel = compile(form.text + all_stored());
    ASSERT_EQ(kernel.unsupported, "") << form.text;
    const MicroOp& op = image_of(kernel);
    EXPECT_EQ(op.opcode, form.opcode) << form.text;
    EXPECT_EQ(ImageMode::of(op).geometry, form.geometry) << form.text;
    EXPECT_EQ(ImageMode::of(op).choice, form.choice) << form.text;
    EXPECT_EQ(op.source_count, form.sources) << form.text;
    EXPECT_EQ(dump(op, kernel).find(form.shown), 0u) << dump(op, kernel);
  }
}

TEST(ImagePtx, ComponentsThatNobodyReadsAreNotWritten) {
  const Kernel kernel =
      compile("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%l1, {%f5, %f6}]; st.global.f32 [%l2], %f2;");
  const MicroOp& op = image_of(kernel);
  EXPECT_EQ(op.destinations[0], kNoRegister);
  EXPECT_NE(op.destinations[1], kNoRegister);
  EXPECT_EQ(op.destinations[2], kNoRegister);
  EXPECT_EQ(op.destinations[3], kNoRegister);
  const Kernel unread = compile("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%l1, {%f5, %f6}];");
  EXPECT_EQ(count(unread, Opcode::Tex), 0);
}

TEST(ImagePtx, WhatIsNotSupportedIsNamed) {
  const char* const forms[] = {
      "tex.cube.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%l1, {%f5, %f6, %f7, %f7}];",
      "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}|%p1, [%l1, {%f5, %f6}];",
      "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%l1, %l2, {%f5, %f6}];",
      "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%l1, {%f5, %f6}], {%r1, %r2};",
      "tld4.r.a2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%l1, {%r5, %f5, %f6, %f6}];",
      "suld.p.2d.v4.b32.trap {%r1, %r2, %r3, %r4}, [%l1, {%r5, %r6}];",
      "sust.p.2d.v2.b32.trap [%l1, {%r5, %r6}], {%r1, %r2};",
      "txq.channel_order.b32 %r1, [%l1];",
  };
  for (const char* form : forms) {
    const std::string text = form, opcode = text.substr(0, text.find(' '));
    EXPECT_NE(compile(text).unsupported.find(opcode), std::string::npos)
        << form << ": " << compile(text).unsupported;
  }
}

}  // namespace
}  // namespace duet::ptx
