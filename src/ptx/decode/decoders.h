// The decoder functions in rows of the table of opcodes (ptx/opcodes.def). Each takes the modifiers and
// operands of one statement and appends its instructions; several serve a family, told apart by Decoder::row.
#pragma once

#include <cstddef>

namespace duet::ptx {

class Decoder;

namespace decoders {

inline constexpr std::nullptr_t none = nullptr;  // PTX does not write it

// decode_arithmetic.cpp
void by_shape(Decoder& d);
void multiply(Decoder& d);
void min_max(Decoder& d);
void compare(Decoder& d);
void select(Decoder& d);
void logic(Decoder& d);
void lop3(Decoder& d);
void funnel_shift(Decoder& d);
void permute(Decoder& d);
void find_bit(Decoder& d);
void clamp_or_wrap(Decoder& d);
void dot_product(Decoder& d);
void test_property(Decoder& d);

// decode_move.cpp
void move(Decoder& d);

// decode_convert.cpp
void convert(Decoder& d);

// decode_video.cpp
void video(Decoder& d);

// decode_memory.cpp
void load_or_store(Decoder& d);
void atomic(Decoder& d);
void convert_address(Decoder& d);
void is_space(Decoder& d);
void fence(Decoder& d);
void prefetch(Decoder& d);
void cache_line(Decoder& d);

void map_address(Decoder& d);
void block_rank(Decoder& d);

// decode_policy.cpp
void create_policy(Decoder& d);

// decode_image.cpp
void fetch(Decoder& d);
void query(Decoder& d);
void surface(Decoder& d);

// decode_control.cpp
void branch(Decoder& d);
void branch_indexed(Decoder& d);
void leave(Decoder& d);
void barrier(Decoder& d);
void nanosleep(Decoder& d);
void performance_event(Decoder& d);
void grid_dependence(Decoder& d);
void plain(Decoder& d);  // an opcode and nothing else

// decode_exchange.cpp
void shuffle(Decoder& d);
void vote(Decoder& d);
void match(Decoder& d);
void reduce(Decoder& d);
void elect(Decoder& d);
void active_mask(Decoder& d);

}  // namespace decoders
}  // namespace duet::ptx
