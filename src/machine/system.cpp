#include "machine/system.h"

#include "gpu/occupancy.h"
#include "machine/board.h"

namespace duet::machine {

struct System::Parts {
  Parts(const config::Machine& config, driver::HostPort& host, gpu::DeviceServices device_services,
        const Options& options)
      : machine(config),
        services(std::move(device_services)),
        engine(options.shuffle_seed),
        address_space(config.gpu.dram.bytes, config.gpu.dram.page_bytes),
        board(engine, machine, address_space, host, gpu::occupancy) {
    for (std::uint32_t i = 0; i < machine.gpu.sm.count; ++i) {
      auto& sm = *sms.emplace_back(
          std::make_unique<gpu::FunctionalSm>(engine, &board.gpu(), i, machine.gpu, address_space, services));
      const Board::SmQueues queues = board.connect_sm(sm);
      sm.connect(queues.launches, queues.done);
    }
  }

  const config::Machine machine;
  const gpu::DeviceServices services;
  sim::Engine engine;
  memory::AddressSpace address_space;
  Board board;
  std::vector<std::unique_ptr<gpu::FunctionalSm>> sms;
};

System::System(const config::Machine& config, driver::HostPort& host, gpu::DeviceServices services,
               const Options& options)
    : parts_(std::make_unique<Parts>(config, host, std::move(services), options)) {}

System::~System() = default;

sim::Engine& System::engine() { return parts_->engine; }
memory::AddressSpace& System::address_space() { return parts_->address_space; }
driver::Driver& System::driver() { return parts_->board.driver(); }
const config::Machine& System::config() const { return parts_->machine; }

}  // namespace duet::machine
