// The memory below the cores of a simulated host, and the bytes of its program: host DRAM, an optional L3,
// the directory, and the guest's pages in frames of host DRAM. Bytes are in three places: lines held by cores
// are in the directory, L3 has some, memory the rest; reads and writes from outside of simulated time (system
// calls, images) see the newest, and leave no older ones behind.
//
// On a chip whose cores share a level of cache with the GPU (yang2012 section 3), the directory stands above
// the shared level, in the place of L3 and host DRAM. The program's pages then lie in the only memory, and
// there is a second address space (programs()), for programs that run ahead of kernels or execute their
// blocks: it has pages of its own and the GPU's allocations, at the GPU's addresses. A core sees one of the
// two at a time. Nothing keeps the cores' private caches and the GPU's L1 and L2 coherent: a core reads the
// bytes written back to the shared level; cpu_blocks.h has the write-backs for blocks on cores.
//
// On a chip whose cores and GPU share the DRAM alone, L3 stands above the GPU's controllers (MemoryFabric),
// and the program's pages lie in the only memory too. Nothing is coherent there: a line that cores or L3 hold
// keeps its bytes, whatever the GPU writes below, and the GPU sees what they have written back.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "config/machine.h"
#include "cpu/core.h"
#include "machine/host/shared_level_use.h"
#include "machine/levels/cache_level.h"
#include "machine/levels/memory_fabric.h"
#include "machine/levels/node.h"
#include "memory/address_space.h"
#include "memory/cache/cache.h"
#include "memory/coherence/directory.h"
#include "memory/host_port.h"
#include "memory/simple_memory.h"
#include "rv64/memory.h"

namespace duet::machine {

// What cores have in common with a GPU: a level of cache and what lies below it, or DRAM alone. All of it
// outlives them.
struct SharedMemory {
  CacheLevel* level = nullptr;     // one of the two
  MemoryFabric* fabric = nullptr;  // the cores' way to DRAM
  std::deque<memory::DramController>& controllers;
  memory::RequestPool& requests;
  memory::AddressSpace& space;  // the GPU's
};

class CpuMemory final : public cpu::MemoryView, public rv64::PagedMemory, private memory::CacheObserver {
 public:
  // With `shared` there is no host DRAM of the cores' own, and above a shared level no L3.
  CpuMemory(sim::Engine& engine, const config::Cpu& cpu, const config::Host& dram,
            const SharedMemory* shared = nullptr);

  static constexpr unsigned kNobody = ~0u;

  const sim::Component& node() const { return node_; }
  // With a GPU: a level of cache, or DRAM alone.
  bool shares_dram() const { return shared_fabric() != nullptr; }
  bool shares_level() const { return shared_ && shared_->level != nullptr; }
  // Cores in the order of their numbers.
  void connect(cpu::Core& core);

  // The address space of programs that run ahead of kernels. Of the GPU's memory they can only read (but
  // let_cores_write()).
  rv64::PagedMemory& programs() { return programs_; }
  // Which one a core sees. As cpu::Core::assign(); the core is told by change_address_space().
  void show_programs(unsigned core, bool on);
  // As place_of(), there, outside of ticks.
  PhysicalAddress place_in_programs(VirtualAddress address);
  // From now on it is known when the GPU's writes reach the shared level (state_of_held).
  void remember_gpu_writes() { remembers_gpu_writes_ = true; }

  // An agent of the coherent domain that is no core.
  struct Agent {
    sim::Queue<memory::CoherenceMessage>* requests = nullptr;  // to the directory, and back
    sim::Queue<memory::CoherenceMessage>* answers = nullptr;
    std::uint16_t number = 0;
  };
  Agent connect_agent(sim::Component& agent);
  // Whoever commands the cache below the directory; none where there is none. At most one.
  struct CommandPort {
    sim::Queue<memory::CacheCommand>* commands = nullptr;
    sim::Queue<std::uint32_t>* done = nullptr;
  };
  std::optional<CommandPort> connect_commander(sim::Component& commander);
  // Whoever answers the cores' accesses to device pages, at most one; and its page, between ticks.
  struct DevicePort {
    sim::Queue<memory::Packet>* requests = nullptr;
    sim::Queue<memory::Packet>* responses = nullptr;
  };
  DevicePort connect_device(sim::Component& device);
  void give_to_device(VirtualAddress page) { directory_.give_to_device(place_of(page), rv64::kPageBytes); }
  memory::RequestPool& requests() { return pool_; }
  // Whether cores hold the line, or ask for it; and all such lines, lowest first.
  bool holds_line(PhysicalAddress line) const { return directory_.has(line); }
  std::vector<PhysicalAddress> held_lines() const;
  // What it tells of itself in a tick at `now`: the first time at which something that it then sends may
  // reach the directory, as far as it concerns lines that nobody has asked it for.
  using AsksFrom = std::function<Picoseconds(Picoseconds)>;
  void agent_asks_from(AsksFrom tell) { agents_ask_from_.push_back(std::move(tell)); }
  // Where the program's address lies, and the type of its page; for `agent`, in its tick, or outside of ticks
  // for nobody. Throws duet::Error where it has nothing.
  PhysicalAddress place_of(VirtualAddress address, unsigned agent = kNobody,
                           rv64::MemoryType* type = nullptr);

  // Entries of the program's page tables as a device's walker reads them (levels as Sv39's, the root is 2).
  // The last one is not valid where the page has no frame yet, which nothing gives it here.
  PhysicalAddress device_table_entry(VirtualAddress address, unsigned level);

  // The newest bytes of the program, within a line, as they are now: outside of ticks. Nothing is changed.
  void look_at(VirtualAddress address, unsigned bytes, std::byte* to) {
    peek_newest(place_of(address), bytes, to);
  }

  // From now on programs() may write to the GPU's memory, bytes beside allocations (AddressSpace::spare_page)
  // included; lines go back with the bytes that were written alone (Directory::keep_masks), and which lines
  // of the GPU's memory a core writes is kept. Cores are not to be told that they are alone
  // (Core::set_alone).
  void let_cores_write();
  // Between ticks. Of the GPU's memory, lowest first: the lines that this core has written since it was last
  // asked; those that are held above the shared level, or asked for.
  std::vector<PhysicalAddress> take_written_lines(unsigned core);
  std::vector<PhysicalAddress> device_lines() const;

  // cpu::MemoryView
  void peek(PhysicalAddress address, unsigned bytes, std::byte* to, unsigned core) override;
  void about_to_write(PhysicalAddress address, unsigned bytes, const std::byte* old, unsigned core) override;
  Picoseconds others_ask_from(Picoseconds now) override;
  PhysicalAddress physical_of(const std::byte* page) override;
  // Three levels, as Sv39 has them.
  rv64::Page page_of(VirtualAddress address, rv64::Access access, unsigned core) override;
  PhysicalAddress page_table_entry(VirtualAddress address, unsigned level, unsigned core) override;
  Held state_of_held(VirtualAddress address, const std::byte* bytes, const HeldLine& held) override;

  // rv64::Memory
  void settle(VirtualAddress first, Bytes bytes) override;
  void written(VirtualAddress first, Bytes bytes) override;

 private:
  class Programs final : public rv64::PagedMemory {
   public:
    explicit Programs(CpuMemory& owner) : owner_(owner) {}
    rv64::Page find_page(VirtualAddress address, rv64::Access access) override;
    void settle(VirtualAddress first, Bytes bytes) override;
    void written(VirtualAddress first, Bytes bytes) override;

   private:
    std::byte* take_frame() override { return owner_.take_frame(); }
    CpuMemory& owner_;
  };
  void settle_place(PhysicalAddress first, Bytes bytes);
  void place_written(PhysicalAddress first, Bytes bytes);
  void new_chunk(std::byte* chunk, Bytes bytes) override;
  void frame_cleared(std::byte* frame) override;
  std::byte* take_frame() override;
  void fill_frames();
  void fill(std::deque<std::byte*>& frames);
  void peek_newest(PhysicalAddress address, unsigned bytes, std::byte* to);
  void peek_below(PhysicalAddress address, unsigned bytes, std::byte* to);
  // What was there before a write of now, of `writer`; of nobody who holds the line.
  void remember(PhysicalAddress address, unsigned bytes, const std::byte* old, unsigned writer);
  void others_write(PhysicalAddress address, unsigned bytes, const std::byte* old);
  void undo_writes_of_now(PhysicalAddress address, unsigned bytes, std::byte* to, unsigned but_of);
  void remember_gpu_write(PhysicalAddress line);
  PhysicalAddress table(VirtualAddress address, unsigned level);
  PhysicalAddress write_entry(VirtualAddress address, unsigned level, const rv64::Page& page);
  void replace_lines(PhysicalAddress first, Bytes bytes);
  void connect_own(const config::Cpu& cpu, const config::Host& dram);
  void connect_level();
  void connect_fabric(const config::Cpu& cpu);
  void tell_changes_below();
  void build_l3(const config::Cpu& cpu);
  // memory::CacheObserver, of the shared level.
  void observe(const memory::CacheEvent& event) override;
  // The newest bytes of a line are those that the directory has, and not memory's.
  bool is_newer_above(PhysicalAddress line) const {
    return directory_.held(line) != nullptr && (shared_fabric() == nullptr || directory_.has_written(line));
  }
  MemoryFabric* shared_fabric() const { return shared_ ? shared_->fabric : nullptr; }
  template <typename F>
  void flush_below(PhysicalAddress first, Bytes bytes, F store);

  // Bytes before a core wrote them.
  struct Overwritten {
    Overwritten(PhysicalAddress its, unsigned its_bytes, unsigned writer)
        : address(its), bytes(its_bytes), core(writer) {}
    PhysicalAddress address;
    unsigned bytes, core;
    std::array<std::byte, memory::kLineBytes> old;  // of these the first `bytes`
  };

  sim::Engine& engine_;
  const Bytes line_bytes_;
  const std::size_t requests_of_agent_;  // that may be on their way
  const std::optional<SharedMemory> shared_;
  std::optional<memory::PhysicalMemory> own_physical_;
  memory::PhysicalMemory& physical_;
  memory::RequestPool pool_;
  Node node_;
  std::optional<memory::SimpleMemory> dram_;
  std::optional<memory::Cache> l3_;
  memory::Directory directory_;
  std::optional<SharedLevelUse> use_;
  // The directory's requests and their answers; below them L3's.
  std::optional<memory::Channel> requests_, requests_of_l3_;
  std::optional<sim::Queue<memory::Packet>> answers_, answers_to_l3_;
  std::optional<sim::Queue<memory::CacheCommand>> commands_to_l3_;
  std::optional<sim::Queue<std::uint32_t>> commands_done_;
  std::optional<sim::Queue<memory::Packet>> to_device_, from_device_;
  Programs programs_{*this};
  std::vector<bool> sees_programs_;  // by core; those beyond do not
  std::deque<sim::Queue<memory::CoherenceMessage>> messages_;
  std::uint16_t agents_ = 0;  // of the directory
  std::vector<cpu::Core*> cores_;
  std::vector<AsksFrom> agents_ask_from_;
  // Frames of page tables, kTables of them that follow each other, by level and by what their addresses have
  // in common: so the last bits of where a table lies do not depend on who walks there first.
  static constexpr std::uint64_t kTables = 512;
  std::map<std::pair<unsigned, std::uint64_t>, PhysicalAddress> tables_;
  std::vector<std::unique_ptr<std::byte, void (*)(void*)>> table_bytes_;
  // Frames for each agent, as Linux has lists of free pages for each CPU: two that touch pages at one time
  // take theirs from different lists, which are filled when all have been ticked, in the agents' order.
  // Always by kFrames that follow each other: so pages touched in their order have frames whose last bits go
  // up in that order, whatever was touched before by others. At one time lists of agents come before that of
  // nobody.
  static constexpr std::size_t kFrames = 64, kFewFrames = 32;  // few: more than one touches in a tick
  std::vector<std::deque<std::byte*>> frames_;
  std::deque<std::byte*> frames_of_nobody_;  // outside of ticks
  unsigned touches_ = kNobody;               // the agent
  bool to_fill_ = false;
  bool cores_write_ = false;                                      // to the GPU's memory
  std::vector<std::unordered_set<std::uint64_t>> written_lines_;  // by core
  std::vector<Overwritten> overwritten_;                          // at overwritten_at_, oldest first
  Picoseconds overwritten_at_ = 0;
  // Lines of the shared level, and when the GPU last wrote there: two times, since what is done now counts
  // from the next tick on.
  struct GpuWrites {
    Picoseconds last = 0, before = 0;
  };
  std::unordered_map<std::uint64_t, GpuWrites> gpu_writes_;
  bool remembers_gpu_writes_ = false;
  std::map<const std::byte*, PhysicalAddress> chunks_;  // host memory that frames were cut from
};

}  // namespace duet::machine
