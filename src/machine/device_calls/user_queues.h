// Queues of a program from which the GPU takes kernels itself (gpu/front_end/packet_processor.h): whose they
// are, which kernels their packets may name, and the records of what they launch.
//
//   const std::uint64_t kernel_object = queues.add_kernel({&kernel});
//   const std::uint32_t queue = queues.open({ring, 64, read_index});
//   ..the program writes a packet into the ring..    queues.ring(queue, 1);   // packet 0 is written
//
// A launch is a command of the driver's book (Command::outside), with the stream of its queue.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "driver/driver.h"
#include "gpu/front_end/packet_processor.h"

namespace duet::machine {

class Process;

class UserQueues final : private gpu::PacketServices {
 public:
  explicit UserQueues(Process& process) : process_(process) {}

  struct Kernel {
    const ptx::Kernel* code = nullptr;
    Bytes hidden_bytes = 0;  // before its arguments, for the language's own
  };
  // A handle for packets.
  std::uint64_t add_kernel(const Kernel& kernel);

  // How many there may be at a time; 0: this GPU takes no packets.
  std::uint64_t most() const;
  // Throws duet::Error where there are as many already.
  std::uint32_t open(const gpu::UserQueue& queue);
  void close(std::uint32_t queue);
  // The doorbell: so many packets are written, or are about to be.
  void ring(std::uint32_t queue, std::uint64_t packets);
  // The program has changed signals or packets without a doorbell.
  void memory_written();
  // All that is read and written for packets has been answered by memory: it may be released.
  bool quiet();

  // A queue is closed by itself, and why: "packet 3: its kernel object names no kernel". Its number may be
  // given again.
  std::function<void(std::uint32_t queue, const gpu::PacketRefusal& refusal)> on_refusal =
      [](std::uint32_t, const gpu::PacketRefusal&) {};
  // The kernels of a packet, whose place in the ring is still its own, are commands from now on.
  std::function<void(std::uint32_t queue, std::uint64_t packet, const std::vector<driver::CommandId>&)>
      on_launch = [](std::uint32_t, std::uint64_t, const std::vector<driver::CommandId>&) {};

 private:
  struct Queue {
    driver::StreamId stream = 0;
    bool open = false;
  };
  std::optional<Bytes> kernarg_bytes(std::uint64_t kernel_object) const override;
  std::vector<gpu::Grid*> launch(std::uint32_t queue, std::uint64_t packet, const gpu::AqlDispatch& dispatch,
                                 std::span<const std::byte> kernarg) override;
  void completed(const std::vector<gpu::Grid*>& grids) override;
  void refused(std::uint32_t queue, std::uint64_t packet, const gpu::PacketRefusal& refusal) override;
  void forget(std::uint32_t queue);
  std::optional<gpu::PacketRefusal> refusal_of(const Kernel& kernel, const gpu::AqlDispatch& dispatch) const;
  const Kernel* find(std::uint64_t kernel_object) const;

  Process& process_;
  std::vector<Kernel> kernels_;
  std::vector<Queue> queues_;  // by the processor's numbers
};

}  // namespace duet::machine
