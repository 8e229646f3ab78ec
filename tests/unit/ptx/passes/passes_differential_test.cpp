// Random programs in which registers are redefined, writes are guarded and lanes diverge must compute the
// same with and without peepholes, and a warp must compute what its lanes compute one after the other.
#include <algorithm>
#include <random>

#include "warp_interpreter.h"

namespace duet::ptx {
namespace {

constexpr unsigned kNarrow = 8, kWide = 5, kPredicates = 4, kFloats = 4;
constexpr std::size_t kInput = 4096, kRecord = kNarrow * 4 + kWide * 8 + kFloats * 4;

class Generator {
 public:
  explicit Generator(std::uint32_t seed) : random_(seed) {}

  std::string program() {
    text_ =
        ".version 7.8\n.target sm_60\n.address_size 64\n"
        ".visible .entry f(.param .u64 in, .param .u64 out, .param .u32 n, .param .u16 h)\n{\n"
        ".reg .b32 %r<4000>;\n.reg .b64 %rd<4000>;\n.reg .pred %p<4000>;\n.reg .f32 %f<4000>;\n.reg .b16 "
        "%h<4>;\n"
        "ld.param.u64 %rd100, [in];\nld.param.u64 %rd101, [out];\ncvta.to.global.u64 %rd102, %rd100;\n"
        "mov.u32 %r100, %tid.x;\nld.param.u16 %h0, [h];\ncvt.u32.u16 %r101, %h0;\n";
    for (unsigned i = 0; i < kNarrow; ++i)
      line(i % 2 ? "ld.param.u32 " + r(i) + ", [n]"
                 : "mad.lo.s32 " + r(i) + ", %r100, " + number(97) + ", " + number(9));
    for (unsigned i = 0; i < kWide; ++i) line("mul.wide.u32 " + rd(i) + ", %r100, " + number(1000));
    for (unsigned i = 0; i < kFloats; ++i) line("cvt.rn.f32.s32 " + f(i) + ", " + any_r());
    for (unsigned i = 0; i < kPredicates; ++i) line("setp.lt.u32 " + p(i) + ", %r100, " + number(32));
    block(0);
    line("mul.wide.u32 %rd103, %r100, " + std::to_string(kRecord));
    line("add.s64 %rd104, %rd101, %rd103");
    for (unsigned i = 0; i < kNarrow; ++i)
      line("st.global.u32 [%rd104+" + std::to_string(4 * i) + "], " + r(i));
    for (unsigned i = 0; i < kWide; ++i)
      line("st.global.u64 [%rd104+" + std::to_string(4 * kNarrow + 8 * i) + "], " + rd(i));
    for (unsigned i = 0; i < kFloats; ++i)
      line("st.global.f32 [%rd104+" + std::to_string(4 * kNarrow + 8 * kWide + 4 * i) + "], " + f(i));
    text_ += "ret;\n}\n";
    return text_;
  }

 private:
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  static std::string r(unsigned i) { return "%r" + std::to_string(i); }
  static std::string rd(unsigned i) { return "%rd" + std::to_string(i); }
  static std::string f(unsigned i) { return "%f" + std::to_string(i); }
  static std::string p(unsigned i) { return "%p" + std::to_string(i); }
  std::string number(unsigned n) { return std::to_string(below(n)); }
  void line(const std::string& s) { text_ += s + ";\n"; }

  // Besides the registers that are redefined, some with one definition: those visible here stand in fresh_.
  std::string any_r() {
    if (!fresh_.empty() && below(2)) return r(fresh_[below(static_cast<unsigned>(fresh_.size()))]);
    const unsigned c = below(12);
    return c == 0 ? "%r100" : c == 1 ? "%r101" : r(below(kNarrow));
  }
  std::string any_b() { return below(4) == 0 ? number(3) : any_r(); }
  std::string target_r() {
    if (below(2)) return r(below(kNarrow));
    pending_ = next_++;
    return r(pending_);
  }
  std::string any_rd() { return rd(below(kWide)); }
  std::string any_f() { return f(below(kFloats)); }
  std::string any_p() { return p(below(kPredicates)); }

  void statement() {
    pending_ = 0;
    const std::size_t start = text_.size();
    static const char* kOperations[] = {"add.s32", "sub.s32", "mul.lo.s32", "and.b32", "or.b32",
                                        "xor.b32", "min.s32", "max.u32",    "add.u32"};
    static const char* kFloatOperations[] = {"add.f32", "sub.f32", "mul.f32", "min.f32", "max.f32"};
    switch (below(20)) {
      case 0:
      case 1:
      case 2:
      case 3:
      case 4: {
        const std::string a = any_r(), b = any_b();
        line(std::string(kOperations[below(9)]) + " " + target_r() + ", " + a + ", " + b);
        break;
      }
      case 5: {
        const std::string a = any_b();
        line("mov.u32 " + target_r() + ", " + a);
        break;
      }
      case 6: {
        const std::string a = any_r();
        line("shl.b32 " + target_r() + ", " + a + ", " + number(5));
        break;
      }
      case 7:
        line("add.s64 " + any_rd() + ", " + any_rd() + ", " + (below(2) ? any_rd() : number(64)));
        break;
      case 8:
        line("mov.u64 " + any_rd() + ", " + any_rd());
        break;
      case 9:
        line("mul.wide.s32 " + any_rd() + ", " + any_r() + ", " + any_b());
        break;
      case 10:
        line("cvt.u64.u32 " + any_rd() + ", " + any_r());
        line("shl.b64 " + any_rd() + ", " + any_rd() + ", " + number(6));
        break;
      case 11:
        line("cvt.u32.u64 " + r(below(kNarrow)) + ", " + any_rd());
        break;
      case 12:
        line(std::string("setp.") + (below(2) ? "lt.s32 " : "eq.u32 ") + any_p() + ", " + any_r() + ", " +
             any_b());
        break;
      case 13:
        line("setp.ge.and.s32 " + any_p() + "|" + any_p() + ", " + any_r() + ", " + any_b() + ", " +
             (below(2) ? "!" : "") + any_p());
        break;
      case 14:
        line(below(2) ? "not.pred " + any_p() + ", " + any_p() : "mov.pred " + any_p() + ", " + any_p());
        break;
      case 15:
        line("selp.b32 " + r(below(kNarrow)) + ", " + any_r() + ", " + any_b() + ", " + any_p());
        break;
      case 16:
        line(std::string(below(2) ? "neg.f32 " : "abs.f32 ") + any_f() + ", " + any_f());
        break;
      case 17:
      case 18:
        line(std::string(kFloatOperations[below(5)]) + " " + any_f() + ", " + any_f() + ", " + any_f());
        break;
      case 19: {
        const std::string t = std::to_string(next_++), a = any_r();
        line("and.b32 %r" + t + ", " + a + ", 255");
        line("mul.wide.u32 %rd" + t + ", %r" + t + ", 4");
        line("add.s64 %rd" + std::to_string(next_) + ", %rd102, %rd" + t);
        line("ld.global.u32 " + r(below(kNarrow)) + ", [%rd" + std::to_string(next_) + "+" +
             std::to_string(4 * below(256)) + "]");
        ++next_;
        break;
      }
    }
    // A guard on single-line statements; a register written under a guard is no single definition.
    if (std::count(text_.begin() + static_cast<std::ptrdiff_t>(start), text_.end(), ';') == 1 &&
        below(5) == 0 && pending_ == 0)
      text_.insert(start, std::string("@") + (below(2) ? "!" : "") + any_p() + " ");
    if (pending_ != 0) fresh_.push_back(pending_);
  }

  void block(unsigned depth) {
    const std::size_t visible = fresh_.size();
    for (unsigned i = 0; i < 6; ++i) {
      const unsigned kind = depth < 3 ? below(6) : 5;
      if (kind == 0) {
        const std::string other = "E" + std::to_string(label_++), end = "E" + std::to_string(label_++);
        text_ += std::string("@") + (below(2) ? "!" : "") + any_p() + " bra " + other + ";\n";
        block(depth + 1);
        text_ += "bra " + end + ";\n" + other + ":\n";
        block(depth + 1);
        text_ += end + ":\n";
      } else if (kind == 1) {
        const std::string head = "L" + std::to_string(label_++),
                          counter = "%r" + std::to_string(3000 + label_),
                          more = "%p" + std::to_string(3000 + label_);
        line("and.b32 " + counter + ", %r100, 3");
        text_ += head + ":\n";
        block(depth + 1);
        line("add.s32 " + counter + ", " + counter + ", 1");
        line("setp.lt.u32 " + more + ", " + counter + ", 5");
        text_ += "@" + more + " bra " + head + ";\n";
      } else {
        statement();
      }
    }
    fresh_.resize(visible);
  }

  std::mt19937 random_;
  std::string text_;
  std::vector<unsigned> fresh_;
  unsigned next_ = 200, label_ = 0, pending_ = 0;
};

std::vector<std::byte> execute(const std::string& text, bool peepholes, bool lane_by_lane) {
  const Module module =
      compile_module(text, "random.ptx", {.registers_per_thread = 0, .assembler_peepholes = peepholes});
  std::vector<std::byte> memory(kInput + 32 * kRecord);
  for (std::size_t i = 0; i < kInput; ++i) memory[i] = static_cast<std::byte>(i * 37 + (i >> 3));
  std::vector<std::byte> parameters(24);
  const std::uint64_t out = kInput;
  const std::uint32_t n = 12345;
  const std::uint16_t h = 0xfedc;
  std::memcpy(parameters.data() + 8, &out, 8);
  std::memcpy(parameters.data() + 16, &n, 4);
  std::memcpy(parameters.data() + 20, &h, 2);
  const Kernel& kernel = module.kernels.at(0);
  EXPECT_EQ(kernel.unsupported, "");
  for (unsigned lane = 0; lane < (lane_by_lane ? 32u : 1u); ++lane) {
    WarpInterpreter warp(kernel, memory, parameters);
    EXPECT_TRUE(warp.run(lane_by_lane ? 1u << lane : 0xffff'ffffu));
  }
  return memory;
}

TEST(Differential, PeepholesAndDivergenceKeepEveryResult) {
  for (std::uint32_t seed = 1; seed <= 150; ++seed) {
    const std::string text = Generator(seed).program();
    const auto expected = execute(text, false, true);
    ASSERT_EQ(execute(text, false, false), expected) << "divergent lanes, seed " << seed << "\n" << text;
    ASSERT_EQ(execute(text, true, false), expected) << "peepholes, seed " << seed << "\n" << text;
  }
}

// A value that is undefined in the first iteration and read before its only definition: the copy at the head
// of the loop must keep the value of the iteration before.
TEST(Differential, ACopyOfALaterDefinitionIsNotReplacedByIt) {
  const std::string text = R"(.version 7.8
.target sm_60
.address_size 64
.visible .entry f(.param .u64 in, .param .u64 out)
{
.reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .pred %p<3>;
ld.param.u64 %rd1, [out];
mov.u32 %r1, 0;
mov.u32 %r2, 0;
LOOP:
mov.u32 %r4, %r3;
mul.lo.s32 %r3, %r1, 3;
setp.eq.u32 %p1, %r1, 0;
@%p1 bra NEXT;
add.s32 %r2, %r2, %r4;
NEXT:
add.s32 %r1, %r1, 1;
setp.lt.u32 %p2, %r1, 4;
@%p2 bra LOOP;
st.global.u32 [%rd1], %r2;
ret;
})";
  for (const bool peepholes : {false, true}) {
    const auto memory = execute(text, peepholes, false);
    std::uint32_t sum;
    std::memcpy(&sum, memory.data() + kInput, 4);
    EXPECT_EQ(sum, 0u + 3u + 6u) << peepholes;
  }
}

// The sum of a 32-bit address and its offset wraps, so that moving a constant there is safe.
TEST(Differential, ANegativeIntermediateAddressWraps) {
  const std::string text = R"(.version 7.8
.target sm_60
.address_size 64
.visible .entry f(.param .u64 in, .param .u64 out)
{
.reg .b32 %r<9>; .reg .b64 %rd<4>;
.shared .align 4 .b8 tile[256];
ld.param.u64 %rd1, [out];
mov.u32 %r1, %tid.x;
sub.s32 %r2, %r1, 1;
min.s32 %r3, %r2, 100;
add.s32 %r4, %r3, 16;
ld.shared.u8 %r5, [%r4];
mul.wide.u32 %rd2, %r1, 4;
add.s64 %rd3, %rd1, %rd2;
st.global.u32 [%rd3], %r5;
ret;
})";
  EXPECT_EQ(execute(text, true, false), execute(text, false, false));
}

}  // namespace
}  // namespace duet::ptx
