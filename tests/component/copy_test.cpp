// Data transfer engines: times against a formula, bytes against a reference, when bytes are sampled.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "base/error.h"
#include "rig.h"

namespace duet::test {
namespace {

Picoseconds stage_three(const driver::CommandRecord& record) { return record.end_ps - record.start_ps; }

struct Timed {
  Picoseconds to_gpu, to_host;
};
Timed copy_times(const config::Machine& machine, Bytes bytes) {
  Rig rig(machine);
  const auto data = pattern_bytes(bytes);
  std::vector<std::byte> back(bytes);
  const VirtualAddress buffer = rig.device(bytes);
  const auto in = rig.submit(rig.copy_in(buffer, data.data(), bytes));
  const auto out = rig.submit(rig.copy_out(back.data(), buffer, bytes));
  rig.finish();
  EXPECT_EQ(data, back);
  return {stage_three(rig.records[in]), stage_three(rig.records[out])};
}

// Every further packet costs its time on the wire and nothing else; edges of the core clock may add one
// cycle.
TEST(Copy, EachPacketAddsItsWireTime) {
  const double wire_ps = 128e6 / 6800;
  const double cycle_ps = 1e6 / 772;
  const Timed base = copy_times(gtx580(), 128);
  for (const std::uint64_t packets : {2, 63, 64, 65, 1000, 10'000}) {
    const Timed timed = copy_times(gtx580(), 128 * packets);
    const double expected = wire_ps * static_cast<double>(packets - 1);
    EXPECT_NEAR(static_cast<double>(timed.to_gpu - base.to_gpu), expected, 3 * cycle_ps) << packets;
    EXPECT_NEAR(static_cast<double>(timed.to_host - base.to_host), expected, 3 * cycle_ps) << packets;
  }
}

// Where host DRAM is slower than the link, it decides.
TEST(Copy, HostDramThatIsSlowerThanTheLinkDecides) {
  auto machine = gtx580();
  machine.host.dram_bandwidth_mb_per_s = 1700;
  const Timed base = copy_times(machine, 128);
  for (const std::uint64_t packets : {64, 1000}) {
    const Timed timed = copy_times(machine, 128 * packets);
    const double expected = 128e6 / 1700 * static_cast<double>(packets - 1);
    EXPECT_NEAR(static_cast<double>(timed.to_gpu - base.to_gpu), expected, expected * 0.02) << packets;
    EXPECT_NEAR(static_cast<double>(timed.to_host - base.to_host), expected, expected * 0.02) << packets;
  }
}

TEST(Copy, ALastShortPacketCostsItsOwnBytes) {
  const Picoseconds full = copy_times(gtx580(), 128 * 100).to_gpu;
  for (const Bytes extra : {32, 64, 127}) {
    const Picoseconds more = copy_times(gtx580(), 128 * 100 + extra).to_gpu;
    EXPECT_NEAR(static_cast<double>(more - full), static_cast<double>(extra) * 1e6 / 6800, 2e6 / 772)
        << extra;
  }
}

// request up, host DRAM, data down, device write, ACK inside the device, release up
TEST(Copy, ASmallCopyTakesTheLatenciesOfItsPath) {
  const auto machine = gtx580();
  const double cycle_ps = 1e6 / 772;
  const double to_gpu = 120e3 + 60e3 + 120e3 + 4e6 / 6800 + 100e3 + 120e3 + 40e6 / 6800;
  EXPECT_NEAR(static_cast<double>(copy_times(machine, 4).to_gpu), to_gpu, 12 * cycle_ps);
  const double to_host = 100e3 + 120e3 + 4e6 / 6800 + 60e3 + 120e3 + 120e3 + 40e6 / 6800;
  EXPECT_NEAR(static_cast<double>(copy_times(machine, 4).to_host), to_host, 12 * cycle_ps);
}

// With a window of one packet each packet takes the whole round trip.
TEST(Copy, AWindowOfOnePacketIsLimitedByTheRoundTrip) {
  auto machine = gtx580();
  machine.gpu.copy_engines.outstanding_packets = 1;
  const double base = static_cast<double>(copy_times(machine, 128).to_gpu);
  const double eleven = static_cast<double>(copy_times(machine, 128 * 11).to_gpu);
  const double trip = 120e3 + 60e3 + 128e6 / 6800 + 120e3 + 128e6 / 192'400 + 100e3;
  EXPECT_NEAR((eleven - base) / 10, trip, 4 * 1e6 / 772);
}

TEST(Copy, RowsAndSlicesKeepTheirPitches) {
  Rig rig;
  const Bytes width = 50, row_pitch = 77, slice_pitch = 77 * 5;
  const std::uint64_t rows = 4, slices = 3;
  const auto source = pattern_bytes(slice_pitch * slices);
  const VirtualAddress buffer = rig.device(64 * 6 * slices);
  std::memset(rig.bytes_of(buffer), 0xee, 64 * 6 * slices);
  auto command = rig.copy_in(buffer, source.data(), width);
  command.copy.rows = rows;
  command.copy.slices = slices;
  command.copy.from.row_pitch = row_pitch;
  command.copy.from.slice_pitch = slice_pitch;
  command.copy.to.row_pitch = 64;
  command.copy.to.slice_pitch = 64 * 6;
  const auto id = rig.submit(std::move(command));
  rig.finish();
  EXPECT_EQ(rig.records[id].bytes, width * rows * slices);
  for (std::uint64_t slice = 0; slice < slices; ++slice)
    for (std::uint64_t row = 0; row < 6; ++row)
      for (Bytes x = 0; x < 64; ++x) {
        const bool inside = row < rows && x < width;
        const std::byte expected =
            inside ? source[slice * slice_pitch + row * row_pitch + x] : std::byte{0xee};
        ASSERT_EQ(rig.bytes_of(buffer)[slice * 64 * 6 + row * 64 + x], expected) << slice << row << x;
      }
}

TEST(Copy, UnalignedEndsMoveEveryByteOnce) {
  for (const unsigned from : {0u, 1u, 127u})
    for (const unsigned to : {0u, 3u, 126u}) {
      Rig rig;
      const Bytes bytes = 1000;
      const VirtualAddress a = rig.device(2048), b = rig.device(2048);
      const auto data = pattern_bytes(bytes, from + to);
      std::memcpy(rig.bytes_of(a + from), data.data(), bytes);
      std::memset(rig.bytes_of(b), 0xee, 2048);
      auto command = rig.copy_in(b + to, nullptr, bytes);
      command.copy.from = {false, a + from, 0, 0};
      rig.submit(std::move(command));
      rig.finish();
      EXPECT_EQ(std::memcmp(rig.bytes_of(b + to), data.data(), bytes), 0);
      if (to != 0) {
        EXPECT_EQ(*rig.bytes_of(b + to - 1), std::byte{0xee});
      }
      EXPECT_EQ(*rig.bytes_of(b + to + bytes), std::byte{0xee});
    }
}

TEST(Copy, FillsWithPatternsOfOneTwoAndFourBytes) {
  for (const unsigned size : {1u, 2u, 4u}) {
    Rig rig;
    const VirtualAddress buffer = rig.device(4096);
    driver::Command command;
    command.kind = driver::CommandKind::Fill;
    command.cost = &rig.config.driver.memset;
    command.fill = {buffer + 4, 400, 300, 3, 0x4433'2211, size};
    rig.submit(std::move(command));
    rig.finish();
    for (Bytes i = 0; i < 4096; ++i) {
      const bool inside = i >= 4 && (i - 4) % 400 < 300 && (i - 4) / 400 < 3;
      const unsigned expected = inside ? 0x11 * ((i - 4) % 400 % size + 1) : 0;
      ASSERT_EQ(static_cast<unsigned>(rig.bytes_of(buffer)[i]), expected) << size << " " << i;
    }
  }
}

// 64 KB in 9.6 us after about 0.5 us of start-up: bytes are read as their packets go, not at the call.
TEST(Copy, BytesAreSampledPerPacketAndStagedBytesAtTheCall) {
  for (const bool staged : {false, true}) {
    Rig rig;
    std::vector<std::byte> source(64_KiB, std::byte{1});
    const VirtualAddress buffer = rig.device(source.size());
    auto command = rig.copy_in(buffer, source.data(), source.size());
    if (staged) command.copy.staged = std::make_shared<const std::vector<std::byte>>(source);
    rig.submit(std::move(command));
    rig.engine.run_until(rig.engine.now() + 6'000'000 + 5'000'000);  // about half-way
    std::fill(source.begin(), source.end(), std::byte{2});
    rig.finish();
    const std::byte* result = rig.bytes_of(buffer);
    const auto late = std::count(result, result + source.size(), std::byte{2});
    EXPECT_EQ(result[0], std::byte{1});
    EXPECT_EQ(result[source.size() - 1], staged ? std::byte{1} : std::byte{2});
    if (staged) {
      EXPECT_EQ(late, 0);
    } else {
      EXPECT_NEAR(static_cast<double>(late), 32768.0, 8192.0);
    }
  }
}

// Mapped host memory is one memory, whether it is named as host pointer or as GPU address.
TEST(Copy, PinnedMemoryIsReachedThroughItsPages) {
  Rig rig;
  alignas(4096) static std::byte pinned[8192];
  rig.memory.map_host(pinned, sizeof pinned, memory::AllocationKind::Pinned,
                      memory::host_pages({}, memory::AllocatingCall::Pinned));
  const auto data = pattern_bytes(5000);
  std::memcpy(pinned + 100, data.data(), data.size());
  const VirtualAddress buffer = rig.device(8192);
  const auto in = rig.submit(rig.copy_in(buffer, pinned + 100, data.size()));
  auto back = rig.copy_in(VirtualAddress(), nullptr, data.size());  // both ends by GPU address
  back.copy.to = {false, virtual_address(pinned + 3), 0, 0};
  back.copy.from = {false, buffer, 0, 0};
  const auto out = rig.submit(std::move(back));
  rig.finish();
  EXPECT_EQ(std::memcmp(pinned + 3, data.data(), data.size()), 0);
  EXPECT_TRUE(rig.records[in].from_host);
  EXPECT_TRUE(rig.records[out].to_host);
}

TEST(Copy, BothDirectionsOverlapFully) {
  const Bytes bytes = 1_MiB;
  const Picoseconds alone = copy_times(gtx580(), bytes).to_gpu;
  Rig rig;
  const auto s1 = rig.driver().create_stream({}), s2 = rig.driver().create_stream({});
  const auto data = pattern_bytes(bytes);
  std::vector<std::byte> back(bytes);
  const VirtualAddress a = rig.device(bytes), b = rig.device(bytes);
  const auto in = rig.submit(rig.copy_in(a, data.data(), bytes, s1));
  const auto out = rig.submit(rig.copy_out(back.data(), b, bytes, s2));
  rig.finish();
  EXPECT_LT(rig.records[out].start_ps, rig.records[in].end_ps);
  EXPECT_NEAR(static_cast<double>(stage_three(rig.records[in])), static_cast<double>(alone), 0.001 * alone);
  EXPECT_NEAR(static_cast<double>(stage_three(rig.records[out])), static_cast<double>(alone), 0.001 * alone);
}

TEST(Copy, OneEngineServesOneCopyAtATime) {
  auto machine = gtx580();
  machine.gpu.copy_engines.count = 1;
  Rig rig(machine);
  const auto s1 = rig.driver().create_stream({}), s2 = rig.driver().create_stream({});
  const Bytes bytes = 1_MiB;
  std::vector<std::byte> host(2 * bytes);
  const VirtualAddress a = rig.device(bytes), b = rig.device(bytes);
  const auto in = rig.submit(rig.copy_in(a, host.data(), bytes, s1));
  const auto out = rig.submit(rig.copy_out(host.data() + bytes, b, bytes, s2));
  rig.finish();
  // The last packet's release is still on its way up when the next copy begins.
  EXPECT_GT(rig.records[out].start_ps + 200'000, rig.records[in].end_ps);
}

// lustig2013 §4.3: copy in, kernel and copy out of three streams run side by side.
TEST(Copy, CopyInKernelAndCopyOutDoNotBlockEachOther) {
  auto machine = gtx580();
  machine.gpu.front_end.queue_width = 3;
  Rig rig(machine);
  std::vector<driver::StreamId> s;
  for (int i = 0; i < 3; ++i) s.push_back(rig.driver().create_stream({}));
  const Bytes bytes = 1_MiB;
  std::vector<std::byte> host(2 * bytes);
  const VirtualAddress a = rig.device(bytes), b = rig.device(bytes);
  for (auto& sm : rig.sms)
    sm->duration = [](const gpu::Grid&, std::uint64_t) { return Picoseconds{100'000'000}; };
  std::vector<driver::CommandId> ids;
  ids.push_back(rig.submit(rig.launch(200, s[0])));
  ids.push_back(rig.submit(rig.copy_in(a, host.data(), bytes, s[1])));
  ids.push_back(rig.submit(rig.copy_out(host.data() + bytes, b, bytes, s[2])));
  rig.finish();
  EXPECT_TRUE(rig.all_ran_at_once(ids));
}

TEST(Copy, OneEntryInEveryQueueStillMovesTheBytes) {
  auto machine = gtx580();
  machine.link.queue_packets = 1;
  machine.gpu.copy_engines.outstanding_packets = 1;
  machine.gpu.front_end.queue_width = 1;
  machine.gpu.front_end.queue_depth = 1;
  machine.gpu.front_end.reference_counters = 1;
  machine.gpu.front_end.push_buffer_bytes = 256;
  machine.gpu.sm.count = 1;
  machine.gpu.sm.max_blocks = 1;
  machine.driver.queue_commands = 1;
  for (const bool read_ahead : {false, true}) {
    machine.driver.read_ahead = read_ahead;
    Rig rig(machine);
    std::vector<driver::StreamId> s;
    for (int i = 0; i < 4; ++i) s.push_back(rig.driver().create_stream({}));
    const auto data = pattern_bytes(4000);
    std::vector<std::vector<std::byte>> back(4, std::vector<std::byte>(data.size()));
    for (int i = 0; i < 4; ++i) {
      const VirtualAddress buffer = rig.device(data.size());
      rig.submit(rig.copy_in(buffer, data.data(), data.size(), s[i]));
      rig.submit(rig.launch(5, s[i]));
      const auto event = rig.driver().create_event();
      rig.submit(rig.event(driver::CommandKind::EventRecord, event, s[i]));
      rig.submit(rig.event(driver::CommandKind::StreamWaitEvent, event, s[(i + 1) % 4]));
      rig.submit(rig.copy_out(back[i].data(), buffer, data.size(), s[i]));
    }
    rig.finish();
    for (int i = 0; i < 4; ++i) EXPECT_EQ(back[i], data);
    EXPECT_EQ(rig.board.requests().in_use(), 0u);
  }
}

TEST(Copy, AnUnmappedAddressIsAFaultThatNamesIt) {
  Rig rig;
  const VirtualAddress buffer = rig.device(4096);
  const auto data = pattern_bytes(8192);
  rig.submit(rig.copy_in(buffer, data.data(), data.size()));
  rig.finish();
  ASSERT_TRUE(rig.driver().fault().has_value());
  char address[32];
  std::snprintf(address, sizeof address, "0x%llx", static_cast<unsigned long long>((buffer + 4096).value()));
  EXPECT_NE(rig.driver().fault()->text.find(address), std::string::npos) << rig.driver().fault()->text;
}

TEST(Copy, NothingToMoveCompletes) {
  Rig rig;
  std::byte host{};
  const auto id = rig.submit(rig.copy_in(rig.device(16), &host, 0));
  rig.finish();
  EXPECT_EQ(rig.records[id].bytes, 0u);
  EXPECT_FALSE(rig.driver().fault().has_value());
}

}  // namespace
}  // namespace duet::test
