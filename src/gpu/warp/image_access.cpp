#include "gpu/warp/image_access.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "gpu/texel.h"

namespace duet::gpu {

using ptx::ImageMode;
using ptx::MicroOp;
using ptx::Opcode;
using ptx::SurfaceBounds;
using ptx::Type;

namespace {

constexpr std::uint32_t kTapSlots = 6;  // the address, and a texel of up to four words

template <typename F>
void for_lanes(std::uint64_t lanes, F&& f) {
  for (; lanes != 0; lanes &= lanes - 1) f(static_cast<unsigned>(std::countr_zero(lanes)));
}

// Where a coordinate falls: the first texel, the weight of the next one, in 1/256.
struct Position {
  std::int64_t texel = 0;
  std::uint16_t alpha = 0;
};

std::int64_t floor_to_integer(double value) {
  constexpr double kFar = 1e12;  // beyond any image on either side
  if (std::isnan(value)) return 0;
  return static_cast<std::int64_t>(std::floor(std::clamp(value, -kFar, kFar)));
}

// In texels, after the address modes for the coordinate as a whole.
double in_texels(double x, std::uint32_t size, const Image& image, AddressMode mode) {
  if (!image.normalized) return x;
  const double whole = std::floor(x);
  if (std::isfinite(x) && mode == AddressMode::Wrap) return (x - whole) * size;
  if (std::isfinite(x) && mode == AddressMode::Mirror) {
    const double fraction = x - whole;
    return (std::fmod(whole, 2.0) == 0 ? fraction : 1 - fraction) * size;
  }
  return x * size;
}

Position position(double x, std::uint32_t size, const Image& image, AddressMode mode, bool filtered) {
  const double at = in_texels(x, size, image, mode);
  if (!filtered) return {floor_to_integer(at), 0};
  const std::int64_t fixed = floor_to_integer((at - 0.5) * 256 + 0.5);
  return {fixed >> 8, static_cast<std::uint16_t>(fixed & 255)};
}

// A texel's number within the image; false: it lies outside.
bool within(std::int64_t& texel, std::uint32_t size, const Image& image, AddressMode mode) {
  if (texel >= 0 && texel < size) return true;
  if (image.linear || mode == AddressMode::Border) return false;
  if (mode == AddressMode::Wrap && image.normalized) {
    texel %= size;
    if (texel < 0) texel += size;
  } else {
    texel = std::clamp<std::int64_t>(texel, 0, std::int64_t{size} - 1);
  }
  return true;
}

std::array<std::uint32_t, 3> sizes_of(const Image& image) { return {image.width, image.height, image.depth}; }

// Dimensions of one texel count as none: a row is an image of height 1.
bool has_shape(const Image& image, ptx::ImageGeometry geometry) {
  const unsigned wanted = ptx::dimensions_of(geometry), own = image.dimensions;
  const auto sizes = sizes_of(image);
  bool same = image.layered == ptx::is_layered(geometry);
  for (unsigned k = std::min(wanted, own); k < std::max(wanted, own); ++k) same &= sizes[k] == 1;
  return same;
}

// Coordinate k of a lane, wherever it stands (image.h).
template <unsigned W>
std::int32_t surface_coordinate(const ptx::Warp<W>& warp, const MicroOp& op, unsigned k, unsigned count,
                                unsigned lane) {
  if (op.opcode == Opcode::Suld || k == 0 || count < 3)
    return static_cast<std::int32_t>(warp.lanes32(op.sources[1 + k])[lane]);
  return static_cast<std::int32_t>(warp.lanes64(op.sources[2])[lane] >> (k == 1 ? 0 : 32));
}

}  // namespace

template <unsigned W>
bool ImageAccess<W>::fail(unsigned lane, const char* reason, FaultKind kind) {
  fault_ = {kind, lane, 0, ptx::StateSpace::Global, false, reason};
  return false;
}

template <unsigned W>
bool ImageAccess<W>::start(const ptx::Warp<W>& warp, const MicroOp& op, std::uint64_t lanes,
                           const memory::AddressSpace& address_space) {
  op_ = op;
  groups_.clear();
  taps_.clear();
  slots_ = 0;
  const std::uint64_t* objects = warp.lanes64(op.sources[0]);
  const ImageMode mode = ImageMode::of(op);
  const bool query = op.opcode == Opcode::Txq;
  const bool stores = op.opcode == Opcode::Sust;
  const bool on_surface = stores || op.opcode == Opcode::Suld;
  const bool by_bytes = on_surface && !mode.formatted();
  std::vector<Addresses> addresses;
  while (lanes != 0) {
    const auto first = static_cast<unsigned>(std::countr_zero(lanes));
    const Image* image = find_image(address_space, objects[first]);
    if (image == nullptr) return fail(first, "the object is no texture or surface, or has been destroyed");
    Group& group = groups_.emplace_back();
    group.image = *image;
    for_lanes(lanes, [&](unsigned i) { group.lanes |= std::uint64_t{objects[i] == objects[first]} << i; });
    lanes &= ~group.lanes;
    Addresses& its = addresses.emplace_back();
    if (query) continue;
    if (image->surface != on_surface)
      return fail(first, on_surface ? "the object is a texture" : "the object is a surface");
    if (!has_shape(group.image, mode.geometry)) return fail(first, "the image has other dimensions");
    group.image.dimensions = static_cast<std::uint8_t>(ptx::dimensions_of(mode.geometry));
    if (on_surface ? !surface(warp, group, its) : !texture(warp, group, its)) return false;
  }
  std::uint32_t needed = 0;
  if (!query)
    for (const Group& group : groups_) needed += group.taps * kTapSlots;
  registers_.resize(std::size_t{needed} * ptx::Warp<W>::kSlotBytes);
  scratch_.registers = registers_.data();
  scratch_.banks[static_cast<unsigned>(ptx::Bank::Register)] = scratch_.registers;
  scratch_.width = warp.width;
  if (query) return true;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const unsigned bytes = by_bytes ? ptx::access_bytes(op) : groups_[g].image.texel_bytes();
    add_taps(groups_[g], addresses[g], bytes);
    if (stores) take_values(warp, groups_[g]);
  }
  return true;
}

template <unsigned W>
bool ImageAccess<W>::texture(const ptx::Warp<W>& warp, Group& group, Addresses& addresses) {
  const ImageMode mode = ImageMode::of(op_);
  const Image& image = group.image;
  const bool layered = ptx::is_layered(mode.geometry);
  const bool gather = op_.opcode == Opcode::Tld4;
  const bool integers = op_.source_type != Type::F32;
  const unsigned dimensions = image.dimensions;
  if (image.linear && !integers)
    return fail(static_cast<unsigned>(std::countr_zero(group.lanes)),
                "linear memory is fetched by integer coordinates");
  group.filtered = !gather && image.filter && !integers;
  const bool footprint = gather || group.filtered;
  group.taps = footprint ? 1u << dimensions : 1;
  const auto sizes = sizes_of(image);
  std::array<Bytes, 8> steps{};  // from the first tap
  for (unsigned tap = 0; tap < group.taps; ++tap)
    steps[tap] = (tap & 1) * Bytes{image.texel_bytes()} + (tap >> 1 & 1) * Bytes{image.pitch} +
                 (tap >> 2 & 1) * Bytes{image.slice_bytes};
  for_lanes(group.lanes, [&](unsigned lane) {
    std::array<Position, 3> at{};
    for (unsigned k = 0; k < dimensions; ++k) {
      const std::uint32_t bits = warp.lanes32(op_.sources[1 + layered + k])[lane];
      at[k] = integers ? Position{static_cast<std::int32_t>(bits), 0}
                       : position(std::bit_cast<float>(bits), sizes[k], image, image.address[k], footprint);
      group.alpha[k][lane] = at[k].alpha;
    }
    const std::uint32_t layer = layered ? std::min(warp.lanes32(op_.sources[1])[lane], image.depth - 1) : 0;
    const Address first = image.base.value() + static_cast<Bytes>(at[0].texel) * image.texel_bytes() +
                          static_cast<Bytes>(at[1].texel) * image.pitch +
                          (static_cast<Bytes>(at[2].texel) + layer) * image.slice_bytes;
    bool whole = true;  // all taps are in the image
    for (unsigned k = 0; k < dimensions; ++k) whole &= at[k].texel >= 0 && at[k].texel + footprint < sizes[k];
    if (whole) {
      for (unsigned tap = 0; tap < group.taps; ++tap) {
        group.inside[tap] |= std::uint64_t{1} << lane;
        addresses[tap][lane] = first + steps[tap];
      }
      return;
    }
    for (unsigned tap = 0; tap < group.taps; ++tap) {
      std::array<std::int64_t, 3> texel{};
      bool inside = true;
      for (unsigned k = 0; k < dimensions; ++k) {
        texel[k] = at[k].texel + (tap >> k & 1);
        inside &= within(texel[k], sizes[k], image, image.address[k]);
      }
      if (!inside) continue;
      group.inside[tap] |= std::uint64_t{1} << lane;
      addresses[tap][lane] = image.base.value() + static_cast<Bytes>(texel[0]) * image.texel_bytes() +
                             static_cast<Bytes>(texel[1]) * image.pitch +
                             (static_cast<Bytes>(texel[2]) + layer) * image.slice_bytes;
    }
  });
  return true;
}

template <unsigned W>
bool ImageAccess<W>::surface(const ptx::Warp<W>& warp, Group& group, Addresses& addresses) {
  const ImageMode mode = ImageMode::of(op_);
  const Image& image = group.image;
  const unsigned bytes = mode.formatted() ? image.texel_bytes() : ptx::access_bytes(op_);
  const unsigned count = ptx::coordinates_of(mode.geometry), unit = mode.formatted() ? bytes : 1;
  const bool layered = ptx::is_layered(mode.geometry);
  bool fits = true;
  for_lanes(group.lanes, [&](unsigned lane) {
    if (!fits) return;
    std::array<std::int64_t, 3> at{};  // bytes, rows, slices or layers
    for (unsigned k = 0; k < count; ++k) {
      const unsigned axis = !layered ? k : k == 0 ? 2 : k - 1;
      at[axis] = surface_coordinate(warp, op_, k, count, lane);
    }
    at[0] *= unit;
    const std::array<std::int64_t, 3> limit{
        static_cast<std::int64_t>(Bytes{image.width} * image.texel_bytes()) - bytes, image.height - 1ll,
        image.depth - 1ll};
    bool inside = limit[0] >= 0;
    for (unsigned k = 0; k < 3; ++k) {
      if (at[k] >= 0 && at[k] <= limit[k]) continue;
      if (mode.bounds() == SurfaceBounds::Clamp && limit[0] >= 0)
        at[k] = std::clamp<std::int64_t>(at[k], 0, limit[k]);
      else
        inside = false;
    }
    if (!inside) {
      if (mode.bounds() != SurfaceBounds::Zero)
        fits = fail(lane, "the coordinates lie outside the surface", FaultKind::IllegalAddress);
      return;
    }
    group.inside[0] |= std::uint64_t{1} << lane;
    addresses[0][lane] = image.base.value() + static_cast<Bytes>(at[0]) +
                         static_cast<Bytes>(at[1]) * image.pitch +
                         static_cast<Bytes>(at[2]) * image.slice_bytes;
  });
  return fits;
}

template <unsigned W>
void ImageAccess<W>::add_taps(Group& group, const Addresses& addresses, unsigned bytes) {
  const bool stores = op_.opcode == Opcode::Sust;
  const unsigned words = std::max(bytes / 4, 1u);
  for (unsigned t = 0; t < group.taps; ++t) {
    group.slots[t] = slots_;
    slots_ += kTapSlots;
    if (group.inside[t] == 0) continue;
    std::uint32_t* const to = slot(group.slots[t]);
    std::memcpy(to, addresses[t].data(), sizeof addresses[t]);
    Tap& tap = taps_.emplace_back();
    tap.lanes = group.inside[t];
    tap.slot = group.slots[t];
    MicroOp& op = tap.op;
    op.opcode = stores ? Opcode::Store : Opcode::Load;
    op.kind = stores ? ptx::Kind::Store : ptx::Kind::Load;
    op.unit = ptx::Unit::LoadStore;
    op.type = bytes == 1 ? Type::U8 : bytes == 2 ? Type::U16 : Type::U32;
    op.vector_elements = static_cast<std::uint8_t>(words);
    op.space = ptx::StateSpace::Global;
    op.ptx_line = op_.ptx_line;
    op.sources[0].slot = tap.slot;
    op.source_count = 1;
    for (unsigned w = 0; w < words; ++w) {
      if (stores)
        op.sources[op.source_count++].slot = tap.slot + 2 + w;
      else
        op.destinations[op.destination_count++] = static_cast<std::uint16_t>(tap.slot + 2 + w);
    }
  }
}

// The stored elements, from their places (ptx/image.h), as bytes one behind the other; formatted ones as the
// texel has them.
template <unsigned W>
void ImageAccess<W>::take_values(const ptx::Warp<W>& warp, const Group& group) {
  const unsigned coordinates = ptx::coordinates_of(ImageMode::of(op_).geometry);
  const unsigned first = 1 + std::min(coordinates, 2u);
  const unsigned element = ptx::type_bytes(op_.type), count = op_.vector_elements;
  const bool formatted = ImageMode::of(op_).formatted();
  for_lanes(group.inside[0], [&](unsigned lane) {
    std::array<std::byte, 16> bytes{};
    for (unsigned e = 0; e < count; ++e) {
      std::uint64_t value;
      if (element == 8)
        value = warp.lanes64(op_.sources[first + e])[lane];
      else if (count == 1)
        value = warp.lanes32(op_.sources[first])[lane];
      else if (element == 4)
        value = warp.lanes64(op_.sources[first + e / 2])[lane] >> 32 * (e % 2);
      else
        value =
            (count == 4 ? warp.lanes64(op_.sources[first])[lane] : warp.lanes32(op_.sources[first])[lane]) >>
            16 * e;
      std::memcpy(bytes.data() + e * element, &value, element);
    }
    if (formatted) {
      std::array<std::uint32_t, 4> values;
      std::memcpy(values.data(), bytes.data(), sizeof values);
      store_texel(group.image, values, bytes.data());
    }
    for (unsigned w = 0; w < 4; ++w)
      std::memcpy(slot(group.slots[0] + 2 + w) + lane, bytes.data() + 4 * w, 4);
  });
}

// One channel of a tap's texels as the instruction reads it, of all lanes: bits of floats, or integers.
template <unsigned W>
void ImageAccess<W>::read_channel(const Group& group, unsigned tap, unsigned c, Channel& out) const {
  const Image& image = group.image;
  const bool floats = image.reads_floats();
  const unsigned stored = image.swizzle[c];
  if (stored >= image.channels) {
    out.fill(c < 3 ? 0 : floats ? std::bit_cast<std::uint32_t>(1.0f) : 1);
  } else {
    const unsigned at = stored * image.channel_bytes, shift = 8 * (at % 4), bits = 8u * image.channel_bytes;
    const std::uint32_t* const words = slot(group.slots[tap] + 2 + at / 4);
    const auto convert = [&](auto&& f) {
      for (unsigned lane = 0; lane < W; ++lane)
        out[lane] = f(words[lane] << (32 - bits - shift) >> (32 - bits));
    };
    const auto as_signed = [&](std::uint32_t raw) {
      return static_cast<std::int32_t>(raw << (32 - bits)) >> (32 - bits);
    };
    if (bits == 32 || (image.format == Image::Format::Unsigned && !image.scaled)) {
      convert([](std::uint32_t raw) { return raw; });
    } else if (image.format == Image::Format::Float) {
      convert([](std::uint32_t raw) {
        return std::bit_cast<std::uint32_t>(half_to_float(static_cast<std::uint16_t>(raw)));
      });
    } else if (!image.scaled) {
      convert([&](std::uint32_t raw) { return static_cast<std::uint32_t>(as_signed(raw)); });
    } else if (image.format == Image::Format::Unsigned) {
      const double largest = (1u << bits) - 1.0;
      convert([&](std::uint32_t raw) {
        return std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int32_t>(raw) / largest));
      });
    } else {
      const double largest = (1u << (bits - 1)) - 1.0;
      convert([&](std::uint32_t raw) {
        return std::bit_cast<std::uint32_t>(static_cast<float>(std::max(-1.0, as_signed(raw) / largest)));
      });
    }
  }
  const std::uint32_t border = image.linear ? 0
                               : floats
                                   ? std::bit_cast<std::uint32_t>(image.border[c])
                                   : static_cast<std::uint32_t>(static_cast<std::int64_t>(image.border[c]));
  for_lanes(group.lanes & ~group.inside[tap], [&](unsigned lane) { out[lane] = border; });
}

// The sum of a channel's texels by their weights, of all lanes.
template <unsigned W>
void ImageAccess<W>::filter_channel(const Group& group, const Weights& weights, unsigned c,
                                    Channel& out) const {
  std::array<double, W> sum{};
  for (unsigned tap = 0; tap < group.taps; ++tap) {
    read_channel(group, tap, c, out);
    // Absent texels do not count, even infinite ones.
    for (unsigned lane = 0; lane < W; ++lane) {
      const double weight = weights[tap][lane], value = std::bit_cast<float>(out[lane]);
      sum[lane] += weight == 0 ? 0 : weight * value;
    }
  }
  for (unsigned lane = 0; lane < W; ++lane)
    out[lane] = std::bit_cast<std::uint32_t>(static_cast<float>(sum[lane]));
}

template <unsigned W>
void ImageAccess<W>::write_texture(ptx::Warp<W>& warp, const Group& group) const {
  // Counter-clockwise from the lower left: (0,1), (1,1), (1,0), (0,0).
  static constexpr unsigned kGatherOrder[] = {2, 3, 1, 0};
  Weights weights;
  for (unsigned tap = 0; tap < group.taps && group.filtered; ++tap) {
    weights[tap].fill(1);
    for (unsigned k = 0; k < group.image.dimensions; ++k)
      for (unsigned lane = 0; lane < W; ++lane) {
        const unsigned alpha = group.alpha[k][lane];
        weights[tap][lane] *= static_cast<int>((tap >> k & 1) != 0 ? alpha : 256 - alpha) / 256.0;
      }
  }
  Channel channel;
  for (unsigned c = 0; c < 4; ++c) {
    if (op_.destinations[c] == ptx::kNoRegister) continue;
    if (op_.opcode == Opcode::Tld4)
      read_channel(group, kGatherOrder[c], ImageMode::of(op_).choice, channel);
    else if (group.filtered)
      filter_channel(group, weights, c, channel);
    else
      read_channel(group, 0, c, channel);
    std::uint32_t* const to = warp.destination32(op_.destinations[c]);
    for_lanes(group.lanes, [&](unsigned lane) { to[lane] = channel[lane]; });
  }
}

template <unsigned W>
void ImageAccess<W>::write_surface(ptx::Warp<W>& warp, const Group& group) const {
  const unsigned element = ptx::type_bytes(op_.type);
  for_lanes(group.lanes, [&](unsigned lane) {
    std::array<std::byte, 16> bytes{};  // zero outside
    if ((group.inside[0] >> lane & 1) != 0)
      for (unsigned w = 0; w < 4; ++w)
        std::memcpy(bytes.data() + 4 * w, slot(group.slots[0] + 2 + w) + lane, 4);
    for (unsigned e = 0; e < op_.vector_elements; ++e) {
      if (op_.destinations[e] == ptx::kNoRegister) continue;
      std::uint64_t value = 0;
      std::memcpy(&value, bytes.data() + e * element, element);
      if (element == 8)
        warp.destination64(op_.destinations[e])[lane] = value;
      else
        warp.destination32(op_.destinations[e])[lane] = static_cast<std::uint32_t>(value);
    }
  });
}

template <unsigned W>
void ImageAccess<W>::write_query(ptx::Warp<W>& warp, const Group& group) const {
  if (op_.destinations[0] == ptx::kNoRegister) return;
  const std::uint32_t value = sizes_of(group.image)[ImageMode::of(op_).choice];
  for_lanes(group.lanes, [&](unsigned lane) { warp.destination32(op_.destinations[0])[lane] = value; });
}

template <unsigned W>
void ImageAccess<W>::finish(ptx::Warp<W>& warp) {
  for (const Group& group : groups_) {
    if (op_.opcode == Opcode::Txq)
      write_query(warp, group);
    else if (op_.opcode == Opcode::Suld)
      write_surface(warp, group);
    else if (op_.opcode != Opcode::Sust)
      write_texture(warp, group);
  }
}

template class ImageAccess<32>;
template class ImageAccess<64>;

}  // namespace duet::gpu
