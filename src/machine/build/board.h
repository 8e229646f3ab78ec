// Everything between the driver and the SMs, put together from a machine file: link, memories, front end,
// copy engines and the queues between them. connect_sm plugs in SMs, so a test may bring its own.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "config/machine.h"
#include "driver/driver.h"
#include "gpu/front_end/block_dispatcher.h"
#include "gpu/front_end/cache_engine.h"
#include "gpu/front_end/data_transfer_engine.h"
#include "gpu/front_end/giga_thread_engine.h"
#include "gpu/front_end/gpu_port.h"
#include "gpu/front_end/packet_processor.h"
#include "gpu/front_end/work_distributor.h"
#include "link/link.h"
#include "machine/build/memory_system.h"
#include "machine/host/iommu_walker.h"
#include "machine/host/processor.h"
#include "machine/host/root_complex.h"
#include "machine/levels/node.h"
#include "memory/address_space.h"
#include "memory/simple_memory.h"
#include "sim/engine.h"

namespace duet::machine {

class Board {
 public:
  struct Kind {
    bool timed = false;           // the GPU
    bool simulated_host = false;  // connect() comes
  };
  Board(sim::Engine& engine, const config::Machine& config, memory::AddressSpace& address_space,
        memory::HostPort& host, gpu::OccupancyFunction occupancy, const Kind& kind,
        memory::RaceDetector* races = nullptr);

  // The host's memory is that of this processor.
  void connect(Processor& processor);

  struct SmQueues {
    sim::Queue<gpu::BlockLaunch>& launches;
    sim::Queue<gpu::BlockDone>& done;
  };
  SmQueues connect_sm(sim::Component& sm);
  SmQueues connect_fast_forward_sm(sim::Component& sm);

  // Somebody whose cores execute blocks too, of this many at a time.
  struct CoreQueues {
    sim::Queue<gpu::BlockClaim>& claims;
    sim::Queue<gpu::BlockGrant>& grants;
    sim::Queue<gpu::BlockDone>& done;
  };
  CoreQueues connect_cores(sim::Component& cores, std::size_t count);

  // The memory system of the timed GPU; null with the functional one, whose memory is a simple one.
  MemorySystem* memory_system() { return memory_system_ ? &*memory_system_ : nullptr; }
  // The memory of the functional GPU; null with the timed one.
  memory::SimpleMemory* device_memory() { return device_memory_ ? &*device_memory_ : nullptr; }

  driver::Driver& driver() { return *driver_; }
  const gpu::WorkDistributor& work_distributor() const { return work_distributor_; }
  gpu::WorkDistributor& work_distributor() { return work_distributor_; }
  const std::deque<gpu::DataTransferEngine>& copy_engines() const { return copy_engines_; }
  const sim::Component& gpu() const { return gpu_node_; }
  memory::RequestPool& requests() { return pool_; }
  // Null: this GPU has no user queues.
  gpu::PacketProcessor* packet_processor() { return packet_processor_ ? &*packet_processor_ : nullptr; }

 private:
  SmQueues queues_of_sm(sim::Component& sm);
  // Numbers of the ends of the link.
  static constexpr std::uint8_t kDriver = 0, kHostMemory = 1, kGigaThreadEngine = 2, kWorkDistributor = 3,
                                kHostBridge = 4, kPacketProcessor = 5, kFirstCopyEngine = 6;
  void connect_host_memory(const config::Machine& config);
  void connect_cache_engine(sim::Engine& engine);
  void connect_front_end(const config::Machine& config);
  void connect_packet_processor(sim::Engine& engine);
  void connect_copy_engine(gpu::DataTransferEngine& engine, const config::Machine& config,
                           std::uint16_t link_number, bool bits);

  const config::Machine config_;
  memory::RaceDetector* const races_;  // null: nobody looks for races
  memory::RequestPool pool_;
  gpu::TaskPool tasks_;
  gpu::GpuPort port_;
  Node system_node_, gpu_node_;
  link::Direction to_gpu_, to_host_;
  memory::SimpleMemory host_memory_;
  std::optional<RootComplex> root_complex_;            // with a simulated host
  std::optional<IommuWalker> iommu_walker_;            // there, where the IOMMU's translation takes time
  std::optional<memory::SimpleMemory> device_memory_;  // of the functional GPU
  std::optional<MemorySystem> memory_system_;          // of the timed GPU
  gpu::GigaThreadEngine giga_thread_engine_;
  gpu::WorkDistributor work_distributor_;
  std::deque<gpu::DataTransferEngine> copy_engines_;
  std::optional<gpu::PacketProcessor> packet_processor_;
  std::optional<sim::Queue<gpu::TaskEnded>> packet_tasks_ended_;
  std::optional<gpu::CacheEngine> cache_engine_;  // of a machine whose cores and GPU have one DRAM
  std::deque<memory::Channel> memory_channels_;
  std::deque<sim::Queue<memory::Packet>> memory_queues_;
  std::deque<sim::Queue<gpu::TaskReady>> channel_queues_;
  std::deque<sim::Queue<gpu::MoveStart>> move_queues_;
  std::deque<sim::Queue<gpu::MoveDone>> move_done_queues_;
  std::deque<sim::Queue<gpu::BlockLaunch>> launch_queues_;
  std::deque<sim::Queue<gpu::BlockDone>> done_queues_;
  std::optional<sim::Queue<gpu::BlockClaim>> claims_;
  std::optional<sim::Queue<gpu::BlockGrant>> grants_;
  std::unique_ptr<driver::Driver> driver_;
};

}  // namespace duet::machine
