#include "machine/build/board.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "config/derived.h"

namespace duet::machine {

namespace {

Picoseconds nanoseconds(std::uint64_t ns) { return ns * kPicosecondsPerNanosecond; }

void at_least_one(std::uint64_t value, const char* key) {
  if (value == 0) throw Error(std::string(key) + " must be at least 1");
}

const config::Machine& checked(const config::Machine& config) {
  at_least_one(config.gpu.core_clock_khz, "gpu.core_clock_khz");
  at_least_one(config.gpu.front_end.hardware_channels, "gpu.front_end.hardware_channels");
  at_least_one(config.gpu.front_end.queue_width, "gpu.front_end.queue_width");
  at_least_one(config.gpu.front_end.queue_depth, "gpu.front_end.queue_depth");
  at_least_one(config.gpu.front_end.reference_counters, "gpu.front_end.reference_counters");
  at_least_one(config.gpu.copy_engines.count, "gpu.copy_engines.count");
  at_least_one(config.gpu.copy_engines.outstanding_packets, "gpu.copy_engines.outstanding_packets");
  at_least_one(config.link.queue_packets, "link.queue_packets");
  at_least_one(config.link.packet_payload_bytes, "link.packet_payload_bytes");
  at_least_one(config.gpu.l2.line_bytes, "gpu.l2.line_bytes");
  const Bytes payload = config.link.packet_payload_bytes, line = config.gpu.l2.line_bytes;
  if (payload > line && payload % line != 0)
    throw Error(fmt::format("link.packet_payload_bytes above {0} must be a multiple of {0}", line));
  if (config.gpu.copy_engines.outstanding_packets < payload / line)
    throw Error("gpu.copy_engines.outstanding_packets must be at least " + std::to_string(payload / line) +
                ", the lines of a packet of link.packet_payload_bytes");
  at_least_one(config.driver.queue_commands, "driver.queue_commands");
  if (config.gpu.copy_engines.count > 64) throw Error("gpu.copy_engines.count must be at most 64");
  return config;
}

}  // namespace

Board::Board(sim::Engine& engine, const config::Machine& config, memory::AddressSpace& address_space,
             memory::HostPort& host, gpu::OccupancyFunction occupancy, const Kind& kind,
             memory::RaceDetector* races)
    : config_(checked(config)),
      races_(races),
      port_(pool_, address_space, kDriver, kGigaThreadEngine),
      system_node_(engine, "system", nullptr, 2),
      gpu_node_(engine, "GPU", &system_node_, 2),
      to_gpu_(engine, "link to the GPU", "link.to_gpu_", &system_node_, config.link.payload_mb_per_s_to_gpu,
              nanoseconds(config.link.latency_ns), config.link.queue_packets),
      to_host_(engine, "link to the host", "link.to_host_", &system_node_,
               config.link.payload_mb_per_s_to_host, nanoseconds(config.link.latency_ns),
               config.link.queue_packets),
      host_memory_(
          engine, "host memory", &system_node_, 2,
          {nanoseconds(config.host.dram_latency_ns), config.host.dram_bandwidth_mb_per_s, kHostMemory}, pool_,
          address_space.memory(), host),
      giga_thread_engine_(engine, &gpu_node_, config_.gpu, port_, tasks_, kHostMemory),
      work_distributor_(engine, &gpu_node_, config_.gpu, port_, tasks_, occupancy, kWorkDistributor) {
  const bool timed = kind.timed;
  if (timed) {
    config::Gpu gpu = config_.gpu;
    if (config_.memory_fabric) gpu.l2.command_line_cycles = config_.memory_fabric->maintenance.l2_line_cycles;
    memory_system_.emplace(engine, &system_node_, &gpu_node_, gpu, config_.levels, pool_, address_space,
                           MemorySystem::LinkEnd{kHostBridge, kHostMemory, config_.link.byte_masks,
                                                 std::any_of(config_.methods.begin(), config_.methods.end(),
                                                             memory::is_in_l2_across_link),
                                                 nanoseconds(config_.link.latency_ns)},
                           config_.translation);
  } else {
    device_memory_.emplace(engine, "device memory", &gpu_node_, 1,
                           memory::SimpleMemoryConfig{config.gpu.functional.dram_latency_ps,
                                                      config::bandwidth_mb_per_s(config.gpu.dram), 0},
                           pool_, address_space.memory(), host);
  }
  if (memory_system_) memory_system_->look_for_races(races_);
  if (!config.link.full_duplex) to_gpu_.share_wire_with(to_host_);
  for (link::Direction* const direction : {&to_gpu_, &to_host_})
    direction->frame(config.link.header_bytes, config.link.flit_bytes);
  if (kind.simulated_host)
    root_complex_.emplace(engine, &system_node_, pool_, address_space.memory(), kHostMemory);
  if (kind.simulated_host && memory_system_ && memory_system_->translation_unit() != nullptr)
    iommu_walker_.emplace(engine, &system_node_, *config.translation, address_space.pages());
  connect_host_memory(config);
  connect_front_end(config);
  if (config.gpu.front_end.user_queues != 0) connect_packet_processor(engine);
  // The last ones only change full/empty bits.
  const config::CopyEngines& engines = config.gpu.copy_engines;
  const bool has_bits = timed && config.gpu.full_empty.granule_bytes != 0;
  for (std::uint64_t i = 0; i < engines.count + (has_bits ? engines.bit_engines : 0); ++i) {
    const auto link_number = static_cast<std::uint16_t>(kFirstCopyEngine + i);
    const bool bits = i >= engines.count;
    const gpu::DataTransferEngineConfig engine_config{
        config.gpu.core_clock_khz,
        bits ? engines.bit_lines_outstanding : engines.outstanding_packets,
        timed ? engines.outstanding_acks : 0,
        config.link.packet_payload_bytes,
        static_cast<std::uint8_t>(i),
        link_number,
        kHostMemory,
        timed ? 0 : config.gpu.functional.copy_block_bytes,
        timed && !bits ? engines.device_packets : 0,
        config.gpu.l2.line_bytes};
    connect_copy_engine(
        copy_engines_.emplace_back(engine, &gpu_node_, engine_config, pool_, address_space, tasks_), config,
        link_number, bits);
  }
  if (memory_system_ && config.memory_fabric) connect_cache_engine(engine);
  driver_ = std::make_unique<driver::Driver>(engine, &system_node_, config_, port_);
  // The driver lends host memory to the GPU in its ticks, and host memory looks up what is lent.
  driver_->tick_on_thread_of(host_memory_);
  port_.to_gpu = &to_gpu_.add_input(driver_.get());
  port_.from_gpu = &to_host_.add_output(kDriver, driver_.get());
}

void Board::connect_host_memory(const config::Machine& config) {
  // Host memory holds what all its clients may have outstanding, so it never lacks room.
  const std::size_t host_requests =
      config.gpu.copy_engines.count *
          (std::max(config.gpu.copy_engines.outstanding_packets, config.gpu.copy_engines.device_packets) +
           config.gpu.copy_engines.outstanding_acks) +
      config.gpu.front_end.hardware_channels * (gpu::GigaThreadEngine::kFetchAheadLines + 1) +
      (config.gpu.front_end.user_queues != 0 ? gpu::PacketProcessor::kOutstanding : 0);
  if (!root_complex_) {
    host_memory_.connect(to_host_.add_output(kHostMemory, &host_memory_),
                         to_gpu_.add_input(&host_memory_, host_requests));
    return;
  }
  RootComplex::Ports ports;
  ports.from_link = &to_host_.add_output(kHostMemory, &*root_complex_);
  ports.to_link = &to_gpu_.add_input(&*root_complex_, host_requests);
  ports.to_memory = &memory_queues_.emplace_back(host_requests, &*root_complex_, &host_memory_);
  ports.from_memory = &memory_queues_.emplace_back(host_requests, &host_memory_, &*root_complex_);
  host_memory_.connect(*ports.to_memory, *ports.from_memory);
  if (config.gpu.front_end.user_queues != 0) {
    ports.doorbells = &to_gpu_.add_input(&*root_complex_);
    ports.packet_processor = kPacketProcessor;
  }
  root_complex_->connect(ports);
}

void Board::connect(Processor& processor) {
  root_complex_->connect(processor.memory(), processor.config(), nanoseconds(config_.link.latency_ns));
  if (iommu_walker_)
    iommu_walker_->connect(processor.memory(), processor.config(), *memory_system_->translation_unit());
  host_memory_.tick_on_thread_of(*root_complex_);
  driver_->tick_on_thread_of(host_memory_);
  if (!packet_processor_) return;
  packet_processor_->poll_while([&processor] { return processor.executes(); });
  processor.on_change = [this] { packet_processor_->memory_written(); };
}

void Board::connect_front_end(const config::Machine& config) {
  giga_thread_engine_.connect_link(to_host_.add_input(&giga_thread_engine_),
                                   to_gpu_.add_output(kGigaThreadEngine, &giga_thread_engine_));
  for (std::uint64_t i = 0; i < config.gpu.front_end.hardware_channels; ++i) {
    auto& queue = channel_queues_.emplace_back(1, &giga_thread_engine_, &work_distributor_);
    giga_thread_engine_.connect_channel(queue);
    work_distributor_.connect_channel(queue);
  }
  work_distributor_.connect_link(to_host_.add_input(&work_distributor_));
  if (memory_system_)
    memory_system_->connect_link(to_host_.add_input(&memory_system_->bridge()),
                                 to_gpu_.add_output(kHostBridge, &memory_system_->bridge()));
}

void Board::connect_packet_processor(sim::Engine& engine) {
  gpu::PacketProcessor& own = packet_processor_.emplace(engine, &gpu_node_, config_.gpu, port_, tasks_,
                                                        kPacketProcessor, kHostMemory);
  own.connect_link(to_host_.add_input(&own), to_gpu_.add_output(kPacketProcessor, &own));
  auto& tasks = channel_queues_.emplace_back(1, &own, &work_distributor_);
  auto& ended = packet_tasks_ended_.emplace(config_.gpu.front_end.queue_width, &work_distributor_, &own);
  own.connect_distributor(tasks, ended);
  work_distributor_.connect_channel(tasks);
  port_.packet_processor_number = kPacketProcessor;
}

void Board::connect_copy_engine(gpu::DataTransferEngine& engine, const config::Machine& config,
                                std::uint16_t link_number, bool bits) {
  const std::size_t packets = config.gpu.copy_engines.outstanding_packets;
  gpu::DataTransferEngine::Ports ports;
  ports.starts = &move_queues_.emplace_back(1, &work_distributor_, &engine);
  ports.done = &move_done_queues_.emplace_back(1, &engine, &work_distributor_);
  ports.races = races_;
  ports.to_host = &to_host_.add_input(&engine);
  ports.from_host = &to_gpu_.add_output(link_number, &engine);
  if (memory_system_) {
    const MemorySystem::EnginePorts to_memory =
        memory_system_->connect_copy_engine(engine, bits ? 1 : config.gpu.copy_engines.ports);
    ports.to_device = to_memory.requests;
    ports.from_device = to_memory.responses;
    ports.device_number = to_memory.number;
    ports.destinations = &memory_system_->destinations();
  } else {
    ports.to_device = {&memory_channels_.emplace_back(config.link.queue_packets, &engine, &*device_memory_)};
    ports.from_device = {&memory_queues_.emplace_back(packets, &*device_memory_, &engine)};
    device_memory_->connect(ports.to_device[0]->of(memory::TrafficClass::NonTriggered),
                            *ports.from_device[0]);
  }
  engine.connect(ports);
  if (bits)
    work_distributor_.connect_bit_engine(*ports.starts, *ports.done);
  else
    work_distributor_.connect_engine(*ports.starts, *ports.done);
}

// Nothing keeps caches of cores and GPU coherent there: the driver has L2 written back, and given up.
void Board::connect_cache_engine(sim::Engine& engine) {
  const auto number = static_cast<std::uint32_t>(copy_engines_.size());
  gpu::CacheEngine& own = cache_engine_.emplace(engine, &gpu_node_, number, port_.address_space, tasks_);
  auto& starts = move_queues_.emplace_back(1, &work_distributor_, &own);
  auto& done = move_done_queues_.emplace_back(1, &own, &work_distributor_);
  std::vector<gpu::CacheEngine::Slice> slices;
  for (const MemorySystem::CommandPorts& slice : memory_system_->connect_commander(own))
    slices.push_back({slice.commands, slice.done});
  own.connect(starts, done, std::move(slices));
  work_distributor_.connect_cache_engine(starts, done);
  if (packet_processor_) packet_processor_->maintain_l2();
}

Board::SmQueues Board::queues_of_sm(sim::Component& sm) {
  const std::size_t blocks = config_.gpu.sm.max_blocks;
  return {launch_queues_.emplace_back(blocks, &work_distributor_, &sm),
          done_queues_.emplace_back(blocks, &sm, &work_distributor_)};
}

Board::SmQueues Board::connect_sm(sim::Component& sm) {
  const SmQueues queues = queues_of_sm(sm);
  work_distributor_.connect_sm(sm, queues.launches, queues.done);
  return queues;
}

Board::SmQueues Board::connect_fast_forward_sm(sim::Component& sm) {
  const SmQueues queues = queues_of_sm(sm);
  work_distributor_.connect_fast_forward_sm(sm, queues.launches, queues.done);
  return queues;
}

Board::CoreQueues Board::connect_cores(sim::Component& cores, std::size_t count) {
  claims_.emplace(count, &cores, &work_distributor_);
  grants_.emplace(count, &work_distributor_, &cores);
  auto& done = done_queues_.emplace_back(count, &cores, &work_distributor_);
  work_distributor_.connect_cores(*claims_, *grants_, done);
  return {*claims_, *grants_, done};
}

}  // namespace duet::machine
