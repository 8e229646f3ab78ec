// The parts of a journal (journal.h): its header, chunks and records, as in the file.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "base/instruction_counts.h"
#include "base/task_event.h"
#include "base/units.h"

namespace duet::report {

enum class RecordType : std::uint32_t {
  Kernel = 1,
  Copy = 2,
  Mark = 3,
  Fault = 5,
  ApiCall = 6,
  Race = 7,
  KernelStatistics = 8,
  Components = 9,
  Event = 10,
  EventComponent = 11,
  EventCounts = 12,
  Threads = 13,
  Preexecution = 14,
  PreexecutionOptions = 15,  // lines: key=value
  CpuBlocks = 16,
  PathSteps = 17,
  MomentStretches = 18,
  IntervalColumns = 19,
  Outside = 20,
  Conflict = 21,
  Interval = 22,
  Range = 23,
  Checks = 24,  // the checks of the run, with commas between
  Finding = 25,
  Resource = 26,
  Lines = 27,
  Prediction = 28,
  Launched = 29,
  Sample = 30,
  FailedAt = 31,  // a failed call: lines of its name, its error, and where the program called (host_lines.h)
  CheckNote = 32,
  HostStack = 33
};

struct KernelRecord {
  std::uint64_t command, call;  // the driver's number; the number of the API's call, 0: of none
  std::uint32_t stream;
  std::uint32_t registers;
  std::uint32_t blocks_per_sm;  // with room on an SM
  char occupancy_limit[20];     // the limit of this number: "registers"
  Bytes shared_bytes;           // of a block, as allocated
  std::uint32_t grid[3], block[3];
  Picoseconds queued_ps, driver_start_ps, prepared_ps, start_ps, end_ps;
  std::uint64_t cycles, warp_instructions, thread_instructions;
  double occupancy;           // resident warps over the SM's maximum
  IssueSlots issue_slots;     // all zero with the functional GPU
  WarpCycles warp_cycles;     // the same
  double achieved_occupancy;  // warps there over the SM's maximum, mean of the cycles with a block there
  std::uint64_t completed_blocks;
  std::uint32_t complete;  // 0: the run ended before the kernel did; end_ps is then the end of the run
  std::uint32_t
      fast_forwarded;          // executed functionally on the timed GPU (machine/time_models/fast_forward.h)
  std::uint64_t timed_blocks;  // of a launch fast-forwarded from some block on: the blocks before; otherwise
                               // 0
  double narrow_doubles, narrow_conversions;  // of its code (ptx::Kernel)
  // Of the allocations that its arguments point into: on the device, and in memory of the host.
  Bytes device_bytes, host_bytes;
  std::uint64_t pointers;  // one of 64 bits for each of these arguments, by its value
};                         // followed by the name

// A kernel launched by a kernel, when it and all its own launches have completed.
struct LaunchedRecord {
  std::uint64_t command;         // of the kernel launched by the host
  std::uint64_t number, parent;  // its own number, and its launching kernel's; 0: the command's
  std::uint32_t grid[3], block[3];
  Picoseconds launched_ps, start_ps, end_ps;  // the call, its first block, its end
  std::uint64_t warp_instructions, thread_instructions;
};  // followed by the name

// The increase of the values of JournalHeader::counters from a kernel's first block to its completion as the
// driver saw it, by all components. 0 for values other than counts.
struct KernelStatisticsRecord {
  std::uint64_t kernel;  // number of its record among the kernels' records, from 0
};                       // followed by the values other than 0, as add_increases() writes them

// The counts of each instruction of a kernel in all launches (`duet run --lines`), written once and brought
// up to date when a launch completes.
struct LineInstruction {
  std::uint32_t ptx_line;
  std::uint32_t place;                 // number among the places, from 0; kNoPlace: the PTX line alone
  std::uint32_t machine_instructions;  // 0: it comes with its successor
  enum class Kind : std::uint32_t { Other, Load, Atomic } kind;
  static constexpr std::uint32_t kNoPlace = ~0u;
};
struct LinesRecord {
  std::uint32_t instructions, columns;  // kInstructionCounts
  std::atomic<std::uint64_t> version;   // as of components
  std::uint64_t launches[2];            // complete ones
  std::uint64_t no_warp_slots[2];
};  // followed by LineInstruction[instructions], two times their counts, and lines: the kernel's name, the
    // name of its PTX, and for each place file, line, and file and line of the function inlined there (or
    // nothing and 0), with tabs between

// The components of the machine and the counts of each, written once. The values are brought up to date
// whenever a command completes and nothing more is outstanding.
struct ComponentDescription {
  static constexpr std::uint32_t kNoParent = ~0u;
  char name[56];
  char role[24];
  std::uint32_t parent, level;  // of hu2016's tree; the parent's number
  std::uint32_t first_value, value_count;
};
struct ComponentsRecord {
  std::uint32_t components, values;
  std::atomic<std::uint64_t> version;  // version v lies in [v % 2]; 0: no values yet
  Picoseconds time_ps[2];
};  // followed by ComponentDescription[components], of each value the number in JournalHeader::counters
    // (uint32_t, an even number of them), and two times the values

// The time of the program's threads on the machine's cores, in the order of their creation. With more threads
// than room a larger record takes its place.
struct ThreadDescription {
  std::uint64_t id;
  char name[16];
  Picoseconds core_time_ps;
  std::uint64_t instructions;
};
// Functions of the program on simulated cores that were active together, once at the run's end
// (machine/host/host_profile.h).
struct HostStackRecord {
  static constexpr std::size_t kStates = 9;
  Picoseconds period_ps;  // between two samples of a core
  std::uint64_t samples[kStates];
};  // followed by their names: main;search;strcmp
struct ThreadsRecord {
  std::uint32_t room, count[2];
  std::uint32_t none;
  std::atomic<std::uint64_t> version;  // as of components
};                                     // followed by two times ThreadDescription[room]

enum class CopyKind : std::uint32_t {
  HostToDevice,
  DeviceToHost,
  DeviceToDevice,
  HostToHost,
  Fill,
  FullEmptySet,
  FullEmptyRelease,
  CacheMaintenance
};
// The result of the model of src/predict for a launch. Names of the numbers: report/prediction.cpp.
struct PredictionRecord {
  static constexpr std::size_t kLimits = 10, kBusy = 5;
  std::uint64_t command;
  Picoseconds time_ps;              // from its first block to when the host knows of its last one's end
  Picoseconds without_ps[kLimits];  // the same without a limit; 0: not computed
  Picoseconds roofline_ps, hong_kim_ps;
  IssueSlots issue_slots;  // of the computed SM
  double busy[kBusy];      // load-store unit, port, L2, DRAM, atomics: share of the time
  double computed_share;   // of the computed SM's instructions
  std::uint64_t l1_requests, l1_hits, requests_below, dram_requests;  // of the computed SM
  std::uint32_t doubts;                                               // a bit each
  std::uint32_t repeated;  // it repeated earlier launches, and was not computed
  std::uint32_t partial;   // only the slice that decides its time was executed (--sampled)
  std::uint32_t none;
};  // followed by the kernel's name

// The treatment of a launch by `duet run --sample` (src/sample).
struct SampleRecord {
  std::uint64_t command;
  double error_percent;         // the allowed error
  std::uint32_t group, window;  // numbers, from 0; of the window within the group
  std::uint32_t timed, overlapped, failed;
  std::uint32_t warming;  // in time, and no sample
  std::uint32_t grid[3], block[3];
  Bytes dynamic_shared_bytes;
  std::uint64_t work;          // warp instructions
  std::uint64_t timed_blocks;  // of one in time, where not all blocks were; otherwise 0
  Picoseconds time_ps;   // from its first block to its last one's end; of an untimed one as estimated then
  Picoseconds error_ps;  // of the time, where not all blocks were in time
};                       // of the group's first followed by the kernel's name

struct CopyRecord {
  std::uint64_t command, call;  // as a kernel's
  CopyKind kind;
  std::uint32_t stream;
  Bytes bytes;
  Picoseconds queued_ps, driver_start_ps, prepared_ps, start_ps, end_ps;
  // Of full/empty bits: 0 none; waits for 1 full, 2 empty; 1 fills, 2 empties.
  std::uint32_t trigger, action;
  std::uint32_t pageable, none;  // 1: the processor moved it through a staging buffer
};

struct MarkRecord {
  Picoseconds time_ps;
};  // followed by the values of JournalHeader::counters at this moment, in their order, and the name

// The fields are described in sim/event_sink.h.
struct EventRecord {
  TaskEventKind kind;
  TaskEventPhase phase;
  std::uint32_t component;  // number of its EventComponentRecord, an earlier record
  std::uint32_t stream, unit;
  Picoseconds time_ps;
  std::uint64_t id, parent, argument;
};  // followed by the name, if it has one

struct EventComponentRecord {
  std::uint32_t number;
};  // followed by its name

// A record of EventCounts has the counts of the next record's component, since the begin of the event that
// ends there: values of JournalHeader::counters, as add_increases() writes them.

// Of the first kCalls calls; of all with events switched on (JournalHeader::events).
struct ApiCallRecord {
  static constexpr std::uint64_t kCalls = 20'000;
  std::uint32_t api;  // index into JournalHeader::api
  std::uint32_t thread;
  Picoseconds start_ps, end_ps;
  std::uint64_t number;  // in the order of the calls' beginnings, from 1
  std::uint64_t outer;   // number of the call around it; 0: none
};

// A step of a critical path, perhaps to the program's end (TimeAccount::path_step). Steps are numbered from 1
// in the journal's order; a record has one or more. A very long run has the first kMost.
struct PathStep {
  static constexpr std::uint32_t kMost = 60'000;
  std::uint32_t before;  // the step before it; 0: none
  std::uint32_t part;    // PathPart
  Picoseconds start_ps, end_ps;
};

// For `of_ps` of the time between start and end the run was at this moment (an index of
// TimeAccount::moments_ps); for the rest it was at another one, in a later stretch with the same start and
// end. A record has one or more.
struct MomentStretch {
  std::uint32_t moment, none;
  Picoseconds start_ps, end_ps, of_ps;
};

// A range or mark of the program's NVTX.
struct RangeRecord {
  enum class What : std::uint32_t { Mark, Push, Pop, Start, End };
  What what;
  std::uint32_t thread;
  Picoseconds time_ps;  // the thread's
  std::uint64_t id;     // of a Start and its End
};                      // followed by the message, if it has one

// The names of an interval's values: once, as text, for each value a line of its statistic, the component
// (empty: all together), and "count" or "state", with tabs between them.

// The counts of an interval of simulated time, its end included, and the states at its end.
struct IntervalRecord {
  Picoseconds start_ps, end_ps;
};  // followed by the values other than 0, as add_increases() writes them

struct RaceRecord {  // memory/race_detector.h
  struct Command {
    std::uint64_t number;  // in submission order, from 1
    std::uint32_t stream;
    std::uint32_t kernel;  // 0: a copy or a fill
  };
  Command reader, writer;
  Address first, last;  // virtual
  Bytes bytes;
  Picoseconds read_ps, written_ps;  // the first of each
  std::uint32_t sm, ptx_line;       // of the kernel's first access
};  // followed by the reader's name, the writer's and the place of the access, a line each

struct ConflictRecord {  // memory/conflict_detector.h
  struct Side {
    RaceRecord::Command command;
    std::uint32_t writes;
    std::uint32_t ptx_line;  // of a kernel
  };
  Side sides[2];
  Address first, last;  // virtual
  Bytes bytes;
};  // followed by lines: of each side its name and place, then where the bytes lie

// Of src/check. Of records with one number the last counts.
struct FindingRecord {
  std::uint64_t number, count;
};  // followed by lines: check, kind, the finding, and a fact each

// A resource that a call of the program has made, or released.
struct ResourceRecord {
  std::uint64_t id;
  Bytes bytes;                 // 0: no memory
  std::uint32_t made, number;  // the how manyth of its call's
  std::uint64_t in_stream;     // memory of a pool, in stream order
};  // followed by lines: the call, or the kind of thing; where the program called (host_lines.h)

enum class OutsideKind : std::uint32_t { Read, Write, Atomic };
// The accesses of an instruction of a launch beside the allocations (gpu/outside_accesses.h).
struct OutsideRecord {
  OutsideKind kind;
  std::uint32_t before;    // of the farthest: 1 before its nearest allocation, 0 past its end
  std::uint64_t accesses;  // of threads
  Address lowest, highest;
  Bytes distance_bytes;   // of the farthest
  std::uint64_t several;  // 1: others lie nearer
};                        // followed by lines: the kernel's name, the instruction's place, the allocation

// The program that ran ahead of a launch's kernel, as of the kernel's end
// (machine/cores_for_gpu/preexecution.h).
struct SkipFactorSample {
  Picoseconds time_ps;
  std::uint64_t skip_factor;
};
struct PreexecutionRecord {
  std::uint64_t command;
  Picoseconds started_ps, ended_ps, on_core_ps;
  std::uint32_t started, ended;     // 0: it did not; ended: by itself, before the kernel
  std::uint32_t accesses, covered;  // of the kernel, to global memory; of these: prefetched
  std::uint64_t instructions, loads, suppressed_loads, requests, l3_hits, lines_from_memory, polls;
  std::uint64_t interruptions;                         // a thread of the program took its core back
  std::uint64_t private_hits, stale_hits, wrong_hits;  // cpu/core_statistics.h
  std::uint64_t lines_dropped;                         // of private caches, when it began
  std::uint64_t block_writes;                          // of ids and counts of forwarded blocks
  std::uint32_t skip_factor, samples;                  // at its beginning
};  // followed by SkipFactorSample[samples], and lines: why there is no program, or nothing, and a line for
    // each access without a prefetch

// The work of cores on a launch's blocks (machine/cores_for_gpu/cpu_blocks.h).
struct CpuBlocksRecord {
  std::uint64_t command;
  std::uint64_t blocks, claims, instructions, lines_written;
  Picoseconds first_ps, last_ps;  // with blocks: a core has its first one; its last one is done
};                                // followed by why they did nothing, if there is a reason

struct ApiCount {
  char name[56];
  std::atomic<std::uint64_t> calls;
  std::atomic<std::uint64_t> total_ps;
};

// Memory that the program has allocated by a call of config::kMethodCalls, on a machine with [[method]] rows.
struct AllocatedMemory {
  char call[32], method[48];  // the row that counts for it
  std::atomic<std::uint64_t> allocations, bytes;
};

struct Counter {
  char name[48];
  std::uint64_t value;
  std::uint64_t state;  // 1: counts nothing, says how things stand; only marks tell
};

// The activities of a moment; any of them together.
enum class Activity : std::uint32_t { Kernel, Copy, Driver, Call };
inline constexpr std::size_t kActivities = 4;
inline constexpr std::size_t kMomentKinds = std::size_t{1} << kActivities;  // an activity a bit

// The parts of the critical path.
enum class PathPart : std::uint32_t {
  BetweenCalls,
  Calls,
  Driver,
  HostToDevice,
  DeviceToHost,
  OtherCopies,
  Kernels
};
inline constexpr std::size_t kPathParts = 7;

// Where the time of the run went (machine/watch/time_account.h): each of the two adds up to time_ps.
struct TimeAccount {
  Picoseconds time_ps;
  std::array<Picoseconds, kMomentKinds> moments_ps;
  std::array<Picoseconds, kPathParts> path_ps;
  // The steps of path_ps: the last of its steps (PathStep), 0: none, and its part from then on.
  std::uint32_t path_step, last_part;
  Picoseconds last_start_ps;
  // The part of moments_ps not yet in a MomentStretch, and since when.
  Picoseconds open_start_ps;
  std::array<Picoseconds, kMomentKinds> open_ps;
};

// Failed calls of one function with one error.
struct FailedCall {
  char call[56], error[64];  // "cudaLaunchKernel", "cudaErrorInvalidConfiguration"
  char kernel[192];          // of a launch, where it is known
  std::uint32_t launch;      // its kernel did not run
  std::atomic<std::uint64_t> calls;
  std::atomic<std::uint64_t> unasked;  // of them, since the program last asked for this error
  Picoseconds first_ps;
};

// The current state of the process, for its followers, and for the report when it ends before its kernels do.
struct RunningKernel {
  KernelRecord record;
  char name[192];
};
struct Progress {
  static constexpr std::size_t kMaxKernels = 16;
  Picoseconds simulated_ps;
  std::uint64_t warp_instructions;  // of the whole process so far
  std::uint32_t kernel_count;       // the oldest kMaxKernels running ones
  RunningKernel kernels[kMaxKernels];
};

// Commands of a stream, as reports name them.
enum class StreamCommand : std::uint32_t {
  Kernel,
  Copy,
  Fill,
  FullEmptySet,
  CacheMaintenance,
  EventRecord,
  EventWait,
  HostFunction,
  Count
};
const char* stream_command_name(StreamCommand command);  // "event_record"

// At the start of the file. The child's counters live here, so they are complete at any moment.
struct JournalHeader {
  static constexpr std::uint64_t kMagic = 0x004a'5445'5544'0a0dull;
  static constexpr std::uint32_t kVersion = 19;
  static constexpr std::size_t kMaxApi = 512;
  struct Start {  // stays as it is in every version
    std::uint64_t magic;
    std::uint32_t version;
    std::uint32_t header_bytes;  // the first chunk begins there
  } start;
  std::uint32_t process_index;
  std::int32_t pid;
  char command[256];
  std::atomic<std::uint64_t> lost_records;  // the file or the disk was full
  std::atomic<std::int32_t> lost_because;   // errno
  std::atomic<std::uint64_t> simulated_ps;  // largest host clock or machine time so far
  std::atomic<std::uint32_t> deterministic;
  std::atomic<std::uint32_t> failure;  // 0, or Duet's own exit status for this process (124, 125)
  std::uint32_t events;                // every API call is recorded, for a timeline
  std::uint64_t core_clock_khz;
  // The processor of the program, where it is the machine's.
  struct Processor {
    std::uint64_t clock_khz;  // 0: it is not
    std::uint32_t has_l2, has_l3;
    std::int32_t status, signal;       // how the program ended; signal 0: with this status
    std::atomic<std::uint32_t> ended;  // 0: it has not come to its end
  } processor;
  // For watchers of the process: API calls entered and left so far, and whether commands were outstanding
  // when the last one was left.
  std::atomic<std::uint64_t> entered_calls, left_calls;
  // Real time of calls: the simulator's part. For `duet predict`; otherwise 0.
  std::atomic<std::uint64_t> inside_calls_ns;
  std::atomic<std::uint32_t> outstanding;
  // By StreamCommand: submitted and not complete when the last call was left.
  std::atomic<std::uint64_t> incomplete[static_cast<std::size_t>(StreamCommand::Count)];
  std::atomic<std::uint32_t> api_count;
  ApiCount api[kMaxApi];
  static constexpr std::size_t kMaxFailedCalls = 64;  // in the last one all without room
  std::atomic<std::uint32_t> failed_call_count;
  FailedCall failed_calls[kMaxFailedCalls];
  static constexpr std::size_t kMaxAllocatingCalls = 16;
  std::atomic<std::uint32_t> allocated_count;
  AllocatedMemory allocated[kMaxAllocatingCalls];
  static constexpr std::size_t kMaxCounters = 256;
  std::atomic<std::uint32_t> counter_count;
  Counter counters[kMaxCounters];  // the machine's statistics, as of the last completed command
  // Version v lies in progress[v % 2]; 0: none yet.
  std::atomic<std::uint64_t> progress_version;
  Progress progress[2];
  // The same for the account; it is never behind simulated_ps.
  std::atomic<std::uint64_t> account_version;
  TimeAccount account[2];
};

// At the start of each chunk; the next one lies `bytes` further.
struct JournalChunk {
  static constexpr std::uint64_t kMagic = 0x4b4e'5548'4354'4544ull;
  static constexpr std::size_t kBytes = 1_MiB;  // of all but chunks with one longer record
  std::atomic<std::uint64_t> magic;             // written last: without it the chunk does not count
  std::uint64_t bytes;                          // with this header
  std::atomic<std::uint64_t> used;              // of them by this header and complete records
  std::uint64_t index;                          // from 0
};

// Stays as it is in every version. Records and their headers begin at multiples of 8 bytes.
struct JournalRecordHeader {
  std::uint32_t type;
  std::uint32_t record_bytes;
  std::uint32_t text_bytes;
  std::uint32_t total_bytes;  // to the next header: an unknown type is skipped
};

}  // namespace duet::report
