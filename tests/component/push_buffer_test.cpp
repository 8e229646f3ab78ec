// Push-buffer commands as bytes, and all of Table III's commands traced in one run.
#include "gpu/front_end/push_buffer.h"

#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "gpu/front_end/move_command.h"
#include "memory/cache/cache_command.h"
#include "rig.h"

namespace duet::test {
namespace {

using namespace gpu;

TEST(PushBuffer, EveryCommandSurvivesEncodingAndDecoding) {
  std::vector<std::byte> bytes;
  PushBufferWriter writer(bytes);
  writer.command(PushBufferOpcode::DefineSemaphore, {3, 0x1234'5678'9abc'def0});
  writer.command(PushBufferOpcode::ResetRefCnt, {});
  const auto data = pattern_bytes(13);
  writer.parameter(40, data);
  writer.command(PushBufferOpcode::CopyRange, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  writer.command(PushBufferOpcode::Launch, {7, 0xffff'ffff'ffff});
  writer.mark_last();

  std::span<const std::byte> rest(bytes);
  const auto next = [&] {
    const std::size_t size = push_buffer_command_bytes(rest).value();
    const PushBufferCommand command = decode_push_buffer_command(rest.first(size));
    rest = rest.subspan(size);
    return command;
  };
  PushBufferCommand command = next();
  EXPECT_EQ(command.opcode, PushBufferOpcode::DefineSemaphore);
  EXPECT_EQ(command.words[0], 3u);
  EXPECT_EQ(command.words[1], 0x1234'5678'9abc'def0u);
  EXPECT_EQ(next().opcode, PushBufferOpcode::ResetRefCnt);
  command = next();
  EXPECT_EQ(command.words[0], 40u);
  ASSERT_EQ(command.data_bytes, 13u);
  EXPECT_TRUE(std::equal(data.begin(), data.end(), command.data.begin()));
  command = next();
  for (std::uint64_t i = 0; i < 9; ++i) EXPECT_EQ(command.words[i], i + 1);
  EXPECT_FALSE(command.last);
  command = next();
  EXPECT_EQ(command.words[1], 0xffff'ffff'ffffu);
  EXPECT_TRUE(command.last);
  EXPECT_TRUE(rest.empty());
}

TEST(PushBuffer, OperationsOnCachesSurvive) {
  for (const std::uint64_t operations : {kCacheClean, kCacheInvalidate, kCacheClean | kCacheInvalidate}) {
    DataMove move;
    move.to = 0x2000'0040;
    move.width_bytes = memory::CacheCommand::kWhole;
    move.cache_operations = operations;
    std::vector<std::byte> bytes;
    PushBufferWriter writer(bytes);
    write_move(writer, move);
    const PushBufferCommand command = decode_push_buffer_command(bytes);
    EXPECT_EQ(command.opcode, PushBufferOpcode::CacheRange);
    const DataMove read = read_move(command);
    EXPECT_EQ(read.to, move.to);
    EXPECT_EQ(read.width_bytes, move.width_bytes);
    EXPECT_EQ(read.cache_operations, operations);
  }
  for (const std::uint64_t operations : {0u, 4u}) {
    std::vector<std::byte> bytes;
    PushBufferWriter(bytes).command(PushBufferOpcode::CacheRange, {0, 4, operations});
    EXPECT_THROW(read_move(decode_push_buffer_command(bytes)), Error) << operations;
  }
}

TEST(PushBuffer, WrongBytesAreRefused) {
  std::vector<std::byte> unknown(4);
  unknown[0] = std::byte{99};
  EXPECT_THROW(decode_push_buffer_command(unknown), Error);
  std::vector<std::byte> bytes;
  PushBufferWriter(bytes).command(PushBufferOpcode::Launch, {1, 2});
  bytes[2] = std::byte{8};  // says that one word follows
  EXPECT_THROW(decode_push_buffer_command(bytes), Error);
}

TEST(PushBuffer, TheNineCommandsOfTableThreeInOneRun) {
  Rig rig;
  const auto other = rig.driver().create_stream({});
  const auto event = rig.driver().create_event();
  EventLog trace;
  rig.engine.report_events(trace, mask_of(TaskEventKind::PushBufferCommand));
  auto launch = rig.launch(5);
  launch.grid->parameters = pattern_bytes(100);
  const auto parameters = launch.grid->parameters;
  std::vector<std::byte> received;
  rig.also_on_complete = [&](const driver::CommandRecord& record) {
    if (record.grid != nullptr && record.stream == 0) received = record.grid->parameters;
  };
  rig.submit(std::move(launch));
  rig.submit(rig.event(driver::CommandKind::EventRecord, event, 0));
  rig.submit(rig.event(driver::CommandKind::StreamWaitEvent, event, other));
  rig.submit(rig.launch(1, other));
  rig.finish();

  std::vector<std::string> kernel;
  std::set<std::string> seen;
  for (const EventLog::Entry& entry : trace.entries) {
    seen.insert(entry.text);
    if (entry.stream == 0 && kernel.size() < 11) kernel.push_back(entry.text);
  }
  EXPECT_EQ(kernel, (std::vector<std::string>{"SetStream", "DefineSemaphore", "SetProgram",
                                              "SetParameterSize", "Parameter", "Parameter", "SetLaunchID",
                                              "SetRefCntValue", "ResetRefCnt", "Launch", "WaitRefCnt"}));
  for (const char* command : {"DefineSemaphore", "AcquireSemaphore", "SetLaunchID", "SetRefCntValue",
                              "ResetRefCnt", "WaitRefCnt", "Launch", "SetParameterSize", "Parameter"})
    EXPECT_EQ(seen.count(command), 1u) << command;
  for (const EventLog::Entry& entry : trace.entries)
    if (entry.stream == 0 && entry.text == "Launch") {
      EXPECT_EQ(entry.argument, 5u);
    }
  EXPECT_EQ(received, parameters);
}

TEST(PushBuffer, ParametersTravelAsBytes) {
  Rig rig;
  auto launch = rig.launch(1);
  launch.grid->parameters = pattern_bytes(4000);  // about as large as the whole ring
  const auto expected = launch.grid->parameters;
  gpu::Grid* grid = launch.grid.get();
  bool same = false;
  rig.sms[0]->at_end = [&](gpu::Grid& running, std::uint64_t) {
    same = running.parameters == expected;
    return false;
  };
  rig.submit(std::move(launch));
  // The runtime's copy is not what the kernel sees: only the push buffer's bytes are.
  rig.engine.run_until((1500 + 3000 + 1) * 1000);  // stage (ii) has ended
  std::fill(grid->parameters.begin(), grid->parameters.end(), std::byte{0});
  rig.finish();
  EXPECT_TRUE(same);
}

TEST(PushBuffer, AStreamLargerThanTheRingIsWrittenPiecewise) {
  auto machine = gtx580();
  machine.gpu.front_end.push_buffer_bytes = 256;
  Rig rig(machine);
  auto launch = rig.launch(3);
  launch.grid->parameters = pattern_bytes(3000);
  const auto expected = launch.grid->parameters;
  unsigned same = 0;
  for (auto& sm : rig.sms)
    sm->at_end = [&](gpu::Grid& running, std::uint64_t) {
      same += running.parameters == expected;
      return false;
    };
  rig.submit(std::move(launch));
  rig.finish();
  EXPECT_EQ(same, 3u);
}

}  // namespace
}  // namespace duet::test
