// The engine advances simulated time. A component sleeps until its wake-up time, is ticked, and returns the
// time of its next work; nothing is polled. Components due at the same time may be ticked in any order (a
// test shuffles it): they meet only in sim::Queue, whose contents become visible strictly later than they
// were pushed. As a proof, components may also be dealt to two threads (a debugging aid: it is slower than
// one). Levels and roles are from hu2016 §2 and Table II.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/task_event.h"
#include "base/units.h"

namespace duet::sim {

class Engine;
class EventSink;
class StatisticGroup;
class TwoThreads;

// hu2016 §2.1, §2.5, Table II: the component's part in the descriptive model.
enum class Role : std::uint8_t {
  None,
  ProcessingElement,    // PE_C: executes computing tasks
  DataMovementElement,  // PE_D: moves data between two levels
  SchedulingElement,    // SE
  TaskUnit,             // TU
  TaskBuffer,           // TB
  Memory
};
const char* role_name(Role role);  // "processing element"

// Looks at the machine between two points of simulated time of its choice. It wakes no component, nothing
// waits for it, and a machine without work stands still all the same.
class Observer {
 public:
  virtual ~Observer() = default;
  // All components due up to and including Engine::now() have been ticked, and nothing is due before `next`.
  // Returns the time of its next look, later than now().
  virtual Picoseconds look(Picoseconds next) = 0;
};

class Component {
 public:
  // `level` is the level of hu2016's tree (0: SM internals, 1: GPU internals, 2: system), `parent` null for
  // the root.
  Component(Engine& engine, std::string name, const Component* parent, int level, Role role);
  virtual ~Component();
  Component(const Component&) = delete;
  Component& operator=(const Component&) = delete;

  // Does all work due at `now` and returns the next time with work that needs no outside input: strictly
  // greater than `now`, or kNever to sleep until it is woken.
  virtual Picoseconds tick(Picoseconds now) = 0;
  // For reports: the waits of this component, one fact a line; empty when it waits for nothing. For a
  // processing element each line is a sentence.
  virtual std::string waits_for() const { return {}; }
  // First time at which the component may see an event of `time`: a clocked component returns its first edge
  // strictly after it. Default: one picosecond later.
  virtual Picoseconds next_opportunity(Picoseconds time) const { return time + 1; }
  // Brings its counts (sim/statistics.h) up to the engine's time, without any other visible change. Returns
  // whether it may have work here, or new counts, before it is ticked again.
  virtual bool settle_statistics() { return false; }

  // Its statistics. Statistics of its parts are declared here; a group made for the component is already.
  void declare(StatisticGroup& group) { statistic_groups_.push_back(&group); }
  const std::vector<StatisticGroup*>& statistic_groups() const { return statistic_groups_; }

  const std::string& name() const { return name_; }
  const Component* parent() const { return parent_; }
  int level() const { return level_; }
  Role role() const { return role_; }
  std::uint64_t number() const { return number_; }
  Engine& engine() const { return engine_; }
  // When it will be ticked next; kNever when nobody has asked for it.
  Picoseconds wake_time() const { return wake_time_; }
  // This one and `other` are parts of one thing, and look into each other when they are ticked: they are
  // never ticked at once.
  void tick_on_thread_of(const Component& other) { unit_ = other.unit_; }

 private:
  friend class Engine;
  Engine& engine_;
  std::string name_;
  const Component* parent_;
  int level_;
  Role role_;
  std::uint64_t number_;          // of the engine's components, in the order of their making
  std::uint64_t unit_ = number_;  // the number of the component it shares a thread with
  std::vector<StatisticGroup*> statistic_groups_;
  Picoseconds wake_time_ = kNever;
  Component *before_ = nullptr, *after_ = nullptr;  // in the engine's list for its wake-up time
};

class Engine {
 public:
  // A seed other than 0 shuffles the order of components due at the same time. With `two_threads` each of
  // them is ticked on one of two threads, by the seed, and the time moves on when both are through.
  explicit Engine(std::uint64_t shuffle_seed = 0, bool two_threads = false);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  Picoseconds now() const { return now_; }
  // Has `component` ticked at `time` or earlier. `time` must not lie before now().
  void wake(Component& component, Picoseconds time);
  // The same, at its first opportunity to see an event of `time`.
  void wake_after(Component& component, Picoseconds time);
  // Simulates everything up to and including `time`; afterwards now() == time.
  void run_until(Picoseconds time);
  // Simulates until `done()` holds (checked after each point in time), or nothing is left to do, or the next
  // thing to do lies after `limit`. Returns whether done() holds. now() is then the time of the last point
  // simulated.
  bool run_while_not(const std::function<bool()>& done, Picoseconds limit = kNever);
  // Called from a tick: `action` runs when all components due at this time have been ticked, so its view does
  // not depend on the order of ticks. With two threads actions run in the order of the components' making.
  void after_ticks(std::function<void()> action);
  bool two_threads() const { return threads_ != nullptr; }
  // For messages between the two ends of a queue: runs `action` at once, or, in a tick on one of two threads,
  // when all components due at this time have been ticked, before the actions of after_ticks(). The order of
  // such actions must not matter.
  template <typename F>
  void between_ticks(F&& action) {
    if (dealt_) [[unlikely]]
      put_between_ticks(std::forward<F>(action));
    else
      action();
  }
  // kNever when every component sleeps.
  Picoseconds next_time();

  // `sink` is told of these kinds of task events (sim/event_sink.h), beside those that are told already.
  void report_events(EventSink& sink, TaskEventMask kinds);
  // Null: nobody looks.
  EventSink* event_sink(TaskEventKind kind) const { return event_sinks_[static_cast<std::size_t>(kind)]; }

  // From `first` on, a future time. Observers of one time look in the order of these calls.
  void observe(Observer& observer, Picoseconds first);

  const std::vector<Component*>& components() const { return components_; }
  // By Component::number(): how often it has been ticked.
  const std::vector<std::uint64_t>& ticks() const { return ticks_; }
  // The components' waits, one fact a line: "a waits for b", "SM 0: ...". Components in `told` are left out.
  std::vector<std::string> waiting_lines(const std::vector<const Component*>& told = {}) const;
  // The same in one line.
  std::string waiting_report() const;

 private:
  friend class Component;
  // Sleeping components lie in lists by their wake-up time: one for each kSlotPs of the near future, a ring,
  // and one for all later times. A slot's list is not sorted; mostly all in it have one time.
  static constexpr unsigned kSlots = 1024;
  static constexpr unsigned kSlotShift = 8;
  static constexpr Picoseconds kReach = Picoseconds{kSlots - 1} << kSlotShift;

  bool is_near(Picoseconds time) const { return time - base_ < kReach; }
  void link(Component& component);
  void unlink(Component& component);
  void bring_near();
  static Picoseconds first_of(const Component* list);  // kNever when it is empty
  unsigned next_slot() const;
  bool step(Picoseconds limit);
  void look_before(Picoseconds time);
  void tick_on_two_threads(Picoseconds time);
  void schedule(Component& component, Picoseconds next);
  void run_after_ticks();
  void put_between_ticks(std::function<void()> action);

  Picoseconds now_ = 0;
  // All near wake-up times lie in [base_, base_ + kReach). A multiple of the slots' length, at most now().
  Picoseconds base_ = 0;
  Picoseconds far_from_ = kNever;  // nothing in the later list is due before
  struct Look {
    Observer* observer;
    Picoseconds at;
  };
  Picoseconds look_at_ = kNever;  // the first of `looks_`
  std::vector<Look> looks_;
  std::uint64_t shuffle_state_;
  bool dealt_ = false;  // both threads are ticking: lists and wake-up times are nobody's
  std::unique_ptr<TwoThreads> threads_;
  std::array<Component*, kSlots> near_{};
  std::array<std::uint64_t, kSlots / 64> used_{};
  Component* far_ = nullptr;
  std::vector<Component*> due_;
  std::vector<std::function<void()>> after_ticks_;
  std::vector<Component*> components_;
  std::vector<std::uint64_t> ticks_;
  std::array<EventSink*, kTaskEventKinds> event_sinks_{};
  struct SinkPair;  // where several are told of a kind: the ones before, then the last
  std::vector<std::unique_ptr<SinkPair>> sink_pairs_;
  std::uint64_t made_ = 0;
};

}  // namespace duet::sim
