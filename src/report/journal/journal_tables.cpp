// The parts of a journal beside records appended once: the tables of its header, and records rewritten in
// place.
#include <algorithm>
#include <bit>
#include <cstring>

#include "base/error.h"
#include "report/journal/journal.h"

namespace duet::report {

ApiCount& JournalWriter::api(const char* name) {
  const std::uint32_t count = header_->api_count;
  for (std::uint32_t i = 0; i < count; ++i)
    if (std::strncmp(header_->api[i].name, name, sizeof header_->api[i].name - 1) == 0)
      return header_->api[i];
  const std::uint32_t index = std::min<std::uint32_t>(count, JournalHeader::kMaxApi - 1);
  std::strncpy(header_->api[index].name, name, sizeof header_->api[index].name - 1);
  header_->api_count = index + 1;
  return header_->api[index];
}

void JournalWriter::allocated(std::string_view call, std::string_view method, std::uint64_t bytes) {
  std::uint32_t i = 0;
  const std::uint32_t count = header_->allocated_count;
  while (i < count && call != header_->allocated[i].call) ++i;
  if (i == JournalHeader::kMaxAllocatingCalls) return;
  AllocatedMemory& memory = header_->allocated[i];
  if (i == count) {
    call.copy(memory.call, sizeof memory.call - 1);
    method.copy(memory.method, sizeof memory.method - 1);
    header_->allocated_count = count + 1;
  }
  ++memory.allocations;
  memory.bytes += bytes;
}

void JournalWriter::failed_call(const char* call, const char* error, const char* kernel, Picoseconds time) {
  const std::string_view of = kernel != nullptr ? kernel : "";
  const std::uint32_t count = header_->failed_call_count;
  const auto same = [](const auto& field, std::string_view text) {
    return text.substr(0, sizeof field - 1) == field;
  };
  for (std::uint32_t i = 0; i < count; ++i) {
    FailedCall& known = header_->failed_calls[i];
    const bool last = i + 1 == JournalHeader::kMaxFailedCalls;
    if (!last && !(same(known.call, call) && same(known.error, error) && same(known.kernel, of))) continue;
    ++known.calls;
    ++known.unasked;
    return;
  }
  const bool last = count + 1 == JournalHeader::kMaxFailedCalls;
  FailedCall& first = header_->failed_calls[count];
  std::strncpy(first.call, last ? "other calls" : call, sizeof first.call - 1);
  std::strncpy(first.error, last ? "" : error, sizeof first.error - 1);
  if (!last) of.copy(first.kernel, sizeof first.kernel - 1);
  first.launch = kernel != nullptr;
  first.first_ps = time;
  first.calls = first.unasked = 1;
  header_->failed_call_count = count + 1;
}

void JournalWriter::asked_for_error(const char* error) {
  for (std::uint32_t i = 0; i < header_->failed_call_count; ++i)
    if (std::strcmp(header_->failed_calls[i].error, error) == 0) header_->failed_calls[i].unasked = 0;
}

namespace {
std::size_t even(std::size_t n) { return n + n % 2; }
// Of a ComponentsRecord, from its start.
std::size_t offset_of_values(const ComponentsRecord& record) {
  return sizeof record + record.components * sizeof(ComponentDescription) +
         even(record.values) * sizeof(std::uint32_t);
}
}  // namespace

void add_increases(std::vector<std::byte>& bytes, const std::vector<std::uint64_t>& values) {
  const auto add = [&bytes](std::uint64_t number) {
    for (; number >= 0x80; number >>= 7) bytes.push_back(static_cast<std::byte>(number | 0x80));
    bytes.push_back(static_cast<std::byte>(number));
  };
  std::size_t next = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] == 0) continue;
    add(i - next);
    add(values[i]);
    next = i + 1;
  }
}

void JournalWriter::kernel_statistics(std::uint64_t kernel, const std::vector<std::uint64_t>& increase) {
  const KernelStatisticsRecord record{kernel};
  kernel_statistics_.resize(sizeof record);
  std::memcpy(kernel_statistics_.data(), &record, sizeof record);
  add_increases(kernel_statistics_, increase);
  append(RecordType::KernelStatistics, kernel_statistics_.data(), kernel_statistics_.size());
}

void JournalWriter::describe_components(const std::vector<ComponentDescription>& components,
                                        const std::vector<std::uint32_t>& counter_of_value) {
  ComponentsRecord record{};
  record.components = static_cast<std::uint32_t>(components.size());
  record.values = static_cast<std::uint32_t>(counter_of_value.size());
  std::vector<std::byte> bytes(offset_of_values(record) + 2 * record.values * sizeof(std::uint64_t));
  std::byte* at = bytes.data();
  const auto add = [&at](const void* from, std::size_t size) {
    if (size != 0) std::memcpy(at, from, size);
    at += size;
  };
  add(&record, sizeof record);
  add(components.data(), components.size() * sizeof(ComponentDescription));
  add(counter_of_value.data(), counter_of_value.size() * sizeof(std::uint32_t));
  keep(components_, append(RecordType::Components, bytes.data(), bytes.size()));
}

std::uint64_t* JournalWriter::next_component_values() {
  if (components_.record == nullptr) return nullptr;
  const auto& record = *reinterpret_cast<const ComponentsRecord*>(components_.record);
  auto* const values = reinterpret_cast<std::uint64_t*>(components_.record + offset_of_values(record));
  return values + (record.version + 1) % 2 * record.values;
}

void JournalWriter::publish_component_values(Picoseconds time) {
  auto& record = *reinterpret_cast<ComponentsRecord*>(components_.record);
  const std::uint64_t version = record.version + 1;
  record.time_ps[version % 2] = time;
  record.version.store(version, std::memory_order_release);
}

ComponentValues component_values(const std::byte* bytes, std::size_t size) {
  ComponentValues result;
  if (size < sizeof(ComponentsRecord)) throw Error("journal record of an unknown size");
  const auto& record = *reinterpret_cast<const ComponentsRecord*>(bytes);
  if (size != offset_of_values(record) + 2 * record.values * sizeof(std::uint64_t))
    throw Error("journal record of an unknown size");
  const std::uint64_t version = record.version.load(std::memory_order_acquire);
  if (version == 0) return result;
  result.time_ps = record.time_ps[version % 2];
  result.components.resize(record.components);
  result.counter_of_value.resize(record.values);
  result.values.resize(record.values);
  const std::byte* at = bytes + sizeof record;
  std::memcpy(result.components.data(), at, record.components * sizeof(ComponentDescription));
  at += record.components * sizeof(ComponentDescription);
  std::memcpy(result.counter_of_value.data(), at, record.values * sizeof(std::uint32_t));
  at = bytes + offset_of_values(record) + version % 2 * record.values * sizeof(std::uint64_t);
  std::memcpy(result.values.data(), at, record.values * sizeof(std::uint64_t));
  return result;
}

namespace {
std::size_t offset_of_counts(const LinesRecord& record) {
  return sizeof record + record.instructions * sizeof(LineInstruction);
}
std::size_t bytes_of_counts(const LinesRecord& record) {
  return record.instructions * sizeof(InstructionCounts);
}
}  // namespace

std::optional<std::size_t> JournalWriter::describe_lines(const std::vector<LineInstruction>& instructions,
                                                         std::string_view text) {
  LinesRecord record{};
  record.instructions = static_cast<std::uint32_t>(instructions.size());
  record.columns = kInstructionCounts;
  std::vector<std::byte> bytes(offset_of_counts(record) + 2 * bytes_of_counts(record));
  std::memcpy(bytes.data(), &record, sizeof record);
  std::memcpy(bytes.data() + sizeof record, instructions.data(),
              instructions.size() * sizeof instructions[0]);
  std::byte* const place = append(RecordType::Lines, bytes.data(), bytes.size(), text);
  if (place == nullptr) return std::nullopt;
  keep(lines_.emplace_back(), place);
  return lines_.size() - 1;
}

void JournalWriter::publish_lines(std::size_t number, std::uint64_t launches, std::uint64_t no_warp_slots,
                                  const std::vector<InstructionCounts>& counts) {
  std::byte* const bytes = lines_[number].record;
  auto& record = *reinterpret_cast<LinesRecord*>(bytes);
  const std::uint64_t version = record.version + 1;
  record.launches[version % 2] = launches;
  record.no_warp_slots[version % 2] = no_warp_slots;
  std::memcpy(bytes + offset_of_counts(record) + version % 2 * bytes_of_counts(record), counts.data(),
              bytes_of_counts(record));
  record.version.store(version, std::memory_order_release);
}

LinesOfKernel lines_of_kernel(const std::byte* bytes, std::size_t size) {
  LinesOfKernel result;
  if (size < sizeof(LinesRecord)) throw Error("journal record of an unknown size");
  const auto& record = *reinterpret_cast<const LinesRecord*>(bytes);
  if (record.columns != kInstructionCounts || size != offset_of_counts(record) + 2 * bytes_of_counts(record))
    throw Error("journal record of an unknown size");
  const std::uint64_t version = record.version.load(std::memory_order_acquire);
  if (version == 0) return result;
  result.launches = record.launches[version % 2];
  result.no_warp_slots = record.no_warp_slots[version % 2];
  result.instructions.resize(record.instructions);
  result.counts.resize(record.instructions);
  std::memcpy(result.instructions.data(), bytes + sizeof record,
              record.instructions * sizeof(LineInstruction));
  std::memcpy(result.counts.data(), bytes + offset_of_counts(record) + version % 2 * bytes_of_counts(record),
              bytes_of_counts(record));
  return result;
}

namespace {
constexpr std::size_t kFewestThreads = 8;
std::size_t bytes_of_threads(std::size_t room) {
  return sizeof(ThreadsRecord) + 2 * room * sizeof(ThreadDescription);
}
}  // namespace

void JournalWriter::publish_threads(const std::vector<ThreadDescription>& threads) {
  const auto room_of = [](const std::byte* record) {
    return record == nullptr ? 0 : reinterpret_cast<const ThreadsRecord*>(record)->room;
  };
  if (threads.size() > room_of(threads_.record)) {
    if (header_->lost_records != 0) return;
    const std::size_t room = std::bit_ceil(std::max(threads.size(), kFewestThreads));
    std::vector<std::byte> bytes(bytes_of_threads(room));
    ThreadsRecord record{};
    record.room = static_cast<std::uint32_t>(room);
    std::memcpy(bytes.data(), &record, sizeof record);
    keep(threads_, append(RecordType::Threads, bytes.data(), bytes.size()));
  }
  if (threads_.record == nullptr) return;
  auto& record = *reinterpret_cast<ThreadsRecord*>(threads_.record);
  const std::uint64_t version = record.version + 1;
  if (!threads.empty())
    std::memcpy(threads_.record + sizeof record + version % 2 * record.room * sizeof threads[0],
                threads.data(), threads.size() * sizeof threads[0]);
  record.count[version % 2] = static_cast<std::uint32_t>(threads.size());
  record.version.store(version, std::memory_order_release);
}

std::optional<std::vector<ThreadDescription>> thread_descriptions(const std::byte* bytes, std::size_t size) {
  if (size < sizeof(ThreadsRecord)) throw Error("journal record of an unknown size");
  const auto& record = *reinterpret_cast<const ThreadsRecord*>(bytes);
  const std::uint64_t version = record.version.load(std::memory_order_acquire);
  const std::uint32_t count = record.count[version % 2];
  if (size != bytes_of_threads(record.room) || count > record.room)
    throw Error("journal record of an unknown size");
  if (version == 0) return {};
  std::vector<ThreadDescription> threads(count);
  if (count != 0)
    std::memcpy(threads.data(), bytes + sizeof record + version % 2 * record.room * sizeof(ThreadDescription),
                count * sizeof(ThreadDescription));
  for (ThreadDescription& thread : threads) thread.name[sizeof thread.name - 1] = 0;
  return threads;
}

}  // namespace duet::report
