// Statistics, each declared once, where it is counted: a member of a group, with name, unit and description.
//
//   struct CacheStatistics : sim::StatisticGroup {
//     using StatisticGroup::StatisticGroup;
//     sim::Counter read_hits{*this, "read_hits", "requests", "reads answered from the cache"};
//   };
//
// Counting is ++read_hits on a plain integer. A component owns its groups; sim::Statistics finds them in the
// engine's components and knows every value of each component and, under the group's prefix ("l1.read_hits"),
// the total of all that have it. Nothing else has to be told: reports, marks, the increase over a kernel and
// `duet statistics` follow from the declaration. Left out: rates, histograms, averages (whoever reads the
// values computes them).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace duet::sim {

class Component;
class Engine;

enum class StatisticKind : std::uint8_t {
  Count,  // since the run began; the total is the sum
  Most,   // the largest value so far; the total is the largest of all
  State   // how things stand at the moment, "held now"; the total is the sum
};

// What is declared together. Neither it nor its members are copied or moved: they are known by address.
class StatisticGroup {
 public:
  struct Declared {
    const char *name, *unit, *description;
    StatisticKind kind;
    const void* value;  // the integer; of a state the State
  };

  // `prefix` begins the public names: "l1.", "link.to_gpu_"; what stands before the dot is the component's
  // kind. Of a part of a component, which hands it to Component::declare().
  explicit StatisticGroup(std::string prefix) : prefix_(std::move(prefix)) {}
  StatisticGroup(Component& owner, std::string prefix);
  StatisticGroup(const StatisticGroup&) = delete;
  StatisticGroup& operator=(const StatisticGroup&) = delete;

  const std::string& prefix() const { return prefix_; }
  const std::vector<Declared>& declared() const { return declared_; }

  // The values of its counters. Adds as many, so many times.
  std::vector<std::uint64_t> counts() const;
  void add(const std::vector<std::uint64_t>& counts, std::uint64_t times);

 private:
  friend class Counter;
  friend class Maximum;
  friend class State;
  std::string prefix_;
  std::vector<Declared> declared_;
  std::vector<std::uint64_t*> counters_;
};

class Counter {
 public:
  Counter(StatisticGroup& group, const char* name, const char* unit, const char* description) {
    group.declared_.push_back({name, unit, description, StatisticKind::Count, &value_});
    group.counters_.push_back(&value_);
  }
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;

  Counter& operator++() {
    ++value_;
    return *this;
  }
  Counter& operator+=(std::uint64_t more) {
    value_ += more;
    return *this;
  }
  operator std::uint64_t() const { return value_; }

 private:
  std::uint64_t value_ = 0;
};

class Maximum {
 public:
  Maximum(StatisticGroup& group, const char* name, const char* unit, const char* description) {
    group.declared_.push_back({name, unit, description, StatisticKind::Most, &value_});
  }
  Maximum(const Maximum&) = delete;
  Maximum& operator=(const Maximum&) = delete;

  void at_least(std::uint64_t value) {
    if (value > value_) value_ = value;
  }
  operator std::uint64_t() const { return value_; }

 private:
  std::uint64_t value_ = 0;
};

class State {
 public:
  State(StatisticGroup& group, const char* name, const char* unit, const char* description,
        std::function<std::uint64_t()> now)
      : now_(std::move(now)) {
    group.declared_.push_back({name, unit, description, StatisticKind::State, this});
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  std::uint64_t now() const { return now_(); }

 private:
  std::function<std::uint64_t()> now_;
};

// A statistic of all components that have it.
struct Statistic {
  std::string name;  // "l2.read_hits"
  const char *unit, *description;
  StatisticKind kind;
};

// The statistics of a tree of components, which is complete and stays. Of a component that has not been
// ticked since somebody asked last, and has nothing to settle, nothing is read again: a machine has hundreds
// of them, and a small kernel wakes few.
class Statistics {
 public:
  // The engine stays as long.
  explicit Statistics(const Engine& engine);

  // In the order of the components and of what each declares.
  const std::vector<Statistic>& declared() const { return declared_; }

  using Values = std::vector<std::uint64_t>;
  // One for each declared one, as of the engine's time; states only where they are asked for, 0 otherwise.
  Values totals(bool with_states = false);
  // Reads what all components have counted so far, for of_components(). It settles nothing, so it changes
  // nothing, whenever it is called; what a component owes is missing.
  void look();
  // What the totals have grown by since they were `before`; 0 of what is no count.
  Values since(const Values& before, const Values& now) const;

  // The components, parents first, and where the values of each lie in what of_components() gives.
  struct Part {
    const Component* component;
    std::size_t first, count;
  };
  const std::vector<Part>& parts() const { return parts_; }
  // Of each value of a component, states left out: the number of its statistic in declared().
  const std::vector<std::uint32_t>& statistic_of_value() const { return statistic_of_value_; }
  // Writes the values of all components; as totals() left them, which settles what components owe. Of those
  // that have not changed since reads() was `unchanged_since`, nothing is written.
  void of_components(std::uint64_t* values, std::uint64_t unchanged_since = 0) const;
  // How often totals() and look() have been asked, from 1.
  std::uint64_t reads() const { return reads_; }

 private:
  // Values that lie in memory one after the other, in the order of their totals.
  struct Run {
    const std::byte* values;
    std::uint32_t total, count;
  };
  struct NamedState {
    const State* state;
    std::uint32_t total;
  };
  // What is known of the part of the same number.
  struct Known {
    Component* component;
    bool settles;  // or counts outside its ticks
    std::uint32_t first_run, run_count;
    std::uint64_t read = 1;     // what reads() was when totals() read its values last
    std::uint64_t changed = 1;  // when reads() was this, they were not what they had been
  };
  static constexpr std::uint32_t kNoPart = ~std::uint32_t{0};
  void add(const StatisticGroup& group, std::size_t first_run);
  void read(Known& known, std::size_t first_value);
  void read_anew(std::uint32_t part);
  void read_ticked(std::size_t from, std::size_t end);

  const Engine& engine_;
  std::vector<Statistic> declared_;
  std::vector<Part> parts_;
  std::vector<Known> known_;
  // By Component::number(): how often it had been ticked when its values were read last, and its part.
  std::vector<std::uint64_t> ticks_;
  std::vector<std::uint32_t> part_of_number_;
  std::vector<std::uint32_t> settling_;  // parts of which Known::settles holds
  std::vector<std::uint32_t> statistic_of_value_;
  Values values_;  // of the components, as they were read last
  Values totals_;  // of them
  std::uint64_t reads_ = 1;
  std::vector<Run> runs_;
  std::vector<NamedState> states_;
};

}  // namespace duet::sim
