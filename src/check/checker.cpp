#include "check/checker.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace duet::check {

using memory::operator&;

namespace {

constexpr std::size_t kAsked = 256;

std::string index_text(std::uint64_t number, const std::uint32_t (&shape)[3]) {
  char text[64];
  std::snprintf(text, sizeof text, "(%u,%u,%u)", static_cast<unsigned>(number % shape[0]),
                static_cast<unsigned>(number / shape[0] % shape[1]),
                static_cast<unsigned>(number / shape[0] / shape[1]));
  return text;
}

}  // namespace

std::string thread_text(const Launch& launch, std::uint64_t block, std::uint64_t thread) {
  return "thread " + index_text(thread, launch.block) + " of block " + index_text(block, launch.grid);
}

Checker::Checker(const Checks& checks, const memory::AddressSpace& space, Order order, bool host_is_here)
    : checks_(checks),
      order_(std::move(order)),
      host_is_here_(host_is_here),
      global_(space),
      stream_memory_(findings_, order_.points),
      asked_(kAsked) {}

std::string Checker::call_text(const char* verb, CommandNumber command) const {
  const std::string call = order_.call(command);
  return call.empty() ? call : std::string("\n") + verb + " " + call;
}

void Checker::used_in_stream(Region& region, CommandNumber command, const std::string& side) {
  region.last_user = command;
  stream_memory_.used(region.base(), command, [&] { return side; });
}

// The order of two commands is settled when the later one has been submitted.
bool Checker::unordered(CommandNumber one, CommandNumber other) {
  const auto [first, second] = std::minmax(one, other);
  const std::uint64_t pair = std::uint64_t{first} << 32 | second;
  auto& [known, answer] = asked_[(pair ^ pair >> 29) % kAsked];
  if (known != pair) {
    known = pair;
    answer = !order_.before(first, second) && !synchronised_.contains({first, second});
  }
  return answer;
}

void Checker::synchronises(CommandNumber command, VirtualAddress address, bool writes) {
  CommandNumber& writer = synchronising_[address / memory::kLineBytes];
  if (writer != 0 && writer != command && unordered(writer, command)) {
    const auto [first, second] = std::minmax(writer, command);
    synchronised_.insert({first, second});
    asked_.assign(kAsked, {});
  }
  if (writes) writer = command;
}

void Checker::use(Region& region, VirtualAddress address, Bytes bytes, const LineUse& use) {
  if (region.ordered_by_bits()) return;
  LineUses& lines = region.lines();
  const std::uint64_t first_line = region.base() / memory::kLineBytes;
  LineUse part = use;
  const auto no_order = [this](CommandNumber a, CommandNumber b) { return unordered(a, b); };
  for (VirtualAddress at = address, end = address + bytes; at < end;) {
    const auto offset = static_cast<unsigned>(at % memory::kLineBytes);
    const auto here = static_cast<unsigned>(std::min<Bytes>(memory::kLineBytes - offset, end - at));
    const auto ones = [](unsigned count) { return count >= 64 ? ~0ull : (1ull << count) - 1; };
    part.bytes = memory::moved_up({{ones(here), here > 64 ? ones(here - 64) : 0}}, offset);
    part.witness.first = static_cast<std::uint8_t>(offset);
    part.witness.end = static_cast<std::uint8_t>(offset + here);
    if (use.witness.bytes != 0)
      part.witness.lane = static_cast<std::uint8_t>(use.witness.lane + (at - address) / use.witness.bytes);
    const std::size_t line = at / memory::kLineBytes - first_line;
    lines.add(line, part, no_order, [&](const LineUse& earlier, const LineUse& now, const ByteMask& both) {
      found_race(region, line, earlier, now, both);
    });
    at += here;
  }
}

// The thread is named where the kept access touched this byte.
std::string Checker::side_text(const LineUse& use, unsigned byte) const {
  const std::string verb = use.writes ? "write" : "read";
  const auto launch = launches_.find(use.command);
  if (launch == launches_.end())
    return verb + " by " + order_.name(use.command) + call_text("called at", use.command);
  const Witness& witness = use.witness;
  const ptx::Kernel& kernel = *launch->second.kernel;
  std::string who;
  if (byte >= witness.first && byte < witness.end) {
    const unsigned lane = witness.lane + (byte - witness.first) / std::max<unsigned>(witness.bytes, 1);
    who = thread_text(launch->second, witness.block, witness.warp * launch->second.width + lane);
  } else {
    who = "a thread beside " +
          thread_text(launch->second, witness.block, witness.warp * launch->second.width + witness.lane);
  }
  return verb + " by " + who + ", " + order_.name(use.command) + ", " +
         kernel.place_of(kernel.code[witness.pc].ptx_line) + call_text("launched at", use.command);
}

void Checker::found_race(const Region& region, std::size_t line, const LineUse& earlier, const LineUse& now,
                         const ByteMask& both) {
  const auto where = [&](const LineUse& use) {
    const auto launch = launches_.find(use.command);
    if (launch != launches_.end()) {
      const ptx::Kernel& kernel = *launch->second.kernel;
      return line_number(kernel, kernel.code[use.witness.pc].ptx_line);
    }
    const std::string name = order_.name(use.command);
    return places_.try_emplace(name.substr(0, name.find(" (command")), places_.size() + 1).first->second;
  };
  findings_.add(
      {FindingKind::CommandRace, &region, where(earlier), where(now)},
      [&] {
        const unsigned byte = memory::first_byte(both);
        const VirtualAddress line_address =
            VirtualAddress(region.base().value() / memory::kLineBytes * memory::kLineBytes) +
            line * memory::kLineBytes;
        return "race between two commands that nothing orders, in " +
               global_.space().place_of(line_address + byte) + "\n" + side_text(earlier, byte) + "\n" +
               side_text(now, byte);
      },
      memory::count(both));
}

template <typename F>
void Checker::for_each_row(const Transfer& transfer, const Transfer::Side& side, F f) {
  if (!side.there) return;
  const bool dense = transfer.slices == 1 && (transfer.rows == 1 || side.row_pitch == transfer.width_bytes);
  if (dense) return f(side.address, transfer.width_bytes * transfer.rows);
  for (std::uint64_t slice = 0; slice < transfer.slices; ++slice)
    for (std::uint64_t row = 0; row < transfer.rows; ++row)
      f(side.address + slice * side.slice_pitch + row * side.row_pitch, transfer.width_bytes);
}

std::uint64_t Checker::hash_of(const Transfer& transfer) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for_each_row(transfer, transfer.from, [&](VirtualAddress address, Bytes bytes) {
    const auto* from = static_cast<const unsigned char*>(pointer_of(address));
    while (bytes != 0) {
      std::uint64_t word = 0;
      const Bytes here = std::min<Bytes>(bytes, sizeof word);
      std::memcpy(&word, from, here);
      hash = (hash ^ word) * 0x9e3779b97f4a7c15;
      hash ^= hash >> 32;
      from += here;
      bytes -= here;
    }
  });
  return hash;
}

void Checker::submitted(const Transfer& transfer) {
  Pending& pending = pending_[transfer.command];
  pending.transfer = transfer;
  if (!checks_.races || !host_is_here_ || !transfer.from_host || !transfer.from.there) return;
  pending.hash = hash_of(transfer);
  pending.hashed = true;
}

void Checker::host_touches(CommandNumber command, VirtualAddress address, bool writes,
                           const std::string& frames) {
  const std::string verb = writes ? "written" : "read";
  const std::uint64_t place = places_.try_emplace(frames, places_.size() + 1).first->second;
  findings_.add({FindingKind::HostRace, nullptr, place, writes}, [&] {
    return "the host " + std::string(writes ? "writes" : "reads") +
           " memory before it has waited for the copy into it: what is there depends on which is faster, "
           "in " +
           global_.space().place_of(address) + (frames.empty() ? "" : "\n" + verb + " at " + frames) +
           "\nwrite by " + order_.name(command) + call_text("called at", command);
  });
}

// Lines of PTX without a source line have numbers of their own.
std::uint64_t Checker::line_number(const ptx::Kernel& kernel, std::uint32_t ptx_line) {
  std::uint64_t& number = line_numbers_[{&kernel, ptx_line}];
  if (number != 0) return number;
  const auto source = kernel.sources != nullptr ? kernel.sources->find(ptx_line) : std::nullopt;
  const std::string place =
      source ? source->file + ":" + std::to_string(source->line) : kernel.place_of(ptx_line);
  return number = places_.try_emplace(place, places_.size() + 1).first->second;
}

GridOrder& Checker::order_in(const Launch& launch) {
  const std::uint64_t blocks = std::uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2];
  return grids_.try_emplace({launch.command, launch.number}, blocks).first->second;
}

void Checker::kernel_starts(CommandNumber command) {
  for (auto at = pending_.begin(); at != pending_.end() && at->first < command; ++at) {
    if (at->second.applied || !order_.before(at->first, command)) continue;
    apply(at->second.transfer);
    at->second.applied = true;
  }
}

void Checker::completed(CommandNumber command) {
  grids_.erase(grids_.lower_bound({command, 0}), grids_.upper_bound({command, ~0u}));
  const auto at = pending_.find(command);
  if (at == pending_.end()) return;
  if (!at->second.applied) apply(at->second.transfer);
  if (at->second.hashed) compare(at->second);
  pending_.erase(at);
}

void Checker::read_unwritten(const Transfer& transfer, VirtualAddress address, Bytes bytes) {
  Region* const region = global_.find(address);
  if (region == nullptr || !region->holds(address, bytes)) return;
  const Bytes offset = address - region->base();
  if (region->written(offset, bytes)) return;
  Bytes first = 0;
  while (region->written(offset + first, 1)) ++first;
  // Calls at one place of the program are one finding.
  const std::string call = order_.call(transfer.command);
  const bool known = !call.empty();
  const std::uint64_t place =
      known ? places_.try_emplace(call, places_.size() + 1).first->second : transfer.command;
  findings_.add({FindingKind::UninitialisedCopy, known ? nullptr : region, place, 0}, [&] {
    return "copy to the host of bytes that nobody has written, of " +
           global_.space().place_of(address + first) + "\nread by " + order_.name(transfer.command) +
           call_text("called at", transfer.command);
  });
}

void Checker::apply(const Transfer& transfer) {
  const auto touch = [&](bool writes) {
    return [&, writes](VirtualAddress address, Bytes bytes) {
      Region* const region = global_.find(address);
      if (region == nullptr || !region->holds(address, bytes)) return;
      if (checks_.races) use(*region, address, bytes, {transfer.command, writes, {}, {}});
      if (checks_.memory && region->in_stream_order && region->last_user != transfer.command)
        used_in_stream(*region, transfer.command,
                       (writes ? "write by " : "read by ") + order_.name(transfer.command) +
                           call_text("called at", transfer.command));
      if (writes) region->set_written(address - region->base(), bytes);
    };
  };
  if (checks_.init && transfer.to_host && !transfer.from_host)
    for_each_row(transfer, transfer.from,
                 [&](VirtualAddress address, Bytes bytes) { read_unwritten(transfer, address, bytes); });
  for_each_row(transfer, transfer.from, touch(false));
  // A copy of an unwritten byte is unwritten too.
  std::vector<bool> written;
  const bool within = transfer.from.there && transfer.to.there && !transfer.from_host && !transfer.to_host;
  if (within && checks_.init)
    for_each_row(transfer, transfer.from, [&](VirtualAddress address, Bytes bytes) {
      Region* const region = global_.find(address);
      const bool known = region != nullptr && region->holds(address, bytes) &&
                         !region->written(address - region->base(), bytes);
      for (Bytes i = 0; i < bytes; ++i)
        written.push_back(!known || region->written(address - region->base() + i, 1));
    });
  for_each_row(transfer, transfer.to, touch(true));
  if (std::find(written.begin(), written.end(), false) == written.end()) return;
  std::size_t next = 0;
  for_each_row(transfer, transfer.to, [&](VirtualAddress address, Bytes bytes) {
    Region* const region = global_.find(address);
    for (Bytes i = 0; i < bytes; ++i, ++next)
      if (!written[next] && region != nullptr && region->holds(address, bytes))
        region->set_written(address - region->base() + i, 1, false);
  });
}

// Whether other kernels, copies or functions of the host write the same host memory, in any order.
bool Checker::others_write(const Transfer& transfer) {
  if (host_functions_ != 0) return true;
  bool found = false;
  for_each_row(transfer, transfer.from, [&](VirtualAddress address, Bytes bytes) {
    Region* const region = global_.find(address);
    if (region == nullptr || !region->holds(address, bytes)) return;
    const std::uint64_t base = region->base() / memory::kLineBytes;
    region->lines().for_each_writer(address / memory::kLineBytes - base,
                                    (address + (bytes - 1)) / memory::kLineBytes - base + 1,
                                    [&](CommandNumber) { found = true; });
  });
  return found;
}

void Checker::compare(const Pending& pending) {
  const Transfer& transfer = pending.transfer;
  if (hash_of(transfer) == pending.hash || others_write(transfer)) return;
  findings_.add({FindingKind::HostChanged, nullptr, transfer.from.address.value(), 0}, [&] {
    return std::string(
               "host memory changed between the call of an asynchronous copy and the copy's end: what "
               "arrives depends on which is faster") +
           "\nread by " + order_.name(transfer.command) + ", from " +
           global_.space().place_of(transfer.from.address, transfer.width_bytes) +
           call_text("called at", transfer.command) +
           "\nwritten by the host before anything waited for the copy";
  });
}

}  // namespace duet::check
