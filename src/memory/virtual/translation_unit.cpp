#include "memory/virtual/translation_unit.h"

#include <algorithm>

namespace duet::memory {

TranslationUnit::TranslationUnit(sim::Engine& engine, const sim::Component* parent,
                                 const config::Translation& config, std::uint64_t clock_hz,
                                 Picoseconds link_latency_ps)
    : Component(engine, "translation unit", parent, 1, sim::Role::DataMovementElement),
      config_(config),
      clock_(clock_hz),
      link_latency_ps_(link_latency_ps),
      iommu_ps_(config.iommu_ns * kPicosecondsPerNanosecond),
      second_tlb_(config.l2_tlb_entries, config.l2_tlb_ways),
      iommu_tlb_(config.iommu_entries, config.iommu_ways),
      table_{config.table_walkers, config.table_walk_ns * kPicosecondsPerNanosecond, {}},
      iommu_{config.iommu_walkers, config.iommu_walk_ns * kPicosecondsPerNanosecond, {}} {}

TranslationUnit::Client TranslationUnit::connect_client(sim::Component& client, std::size_t pages) {
  return {&asks_.emplace_back(pages, &client, this), &answers_.emplace_back(pages, this, &client)};
}

TranslationUnit::WalkerEnd TranslationUnit::connect_walker(sim::Component& walker) {
  return {&walks_.emplace(config_.iommu_walkers, this, &walker),
          &walked_.emplace(config_.iommu_walkers, &walker, this)};
}

Picoseconds TranslationUnit::tick(Picoseconds now) {
  while (walked_ && walked_->can_pop(now))
    perform(now, {Step::Walked, walked_->pop(now), Translation::Iommu, 0});
  while (!events_.empty() && events_.begin()->first <= now) {
    const Event event = events_.begin()->second;
    events_.erase(events_.begin());
    perform(now, event);
  }
  // One lookup a cycle; SMs take turns.
  bool more = false, taken = false;
  const std::size_t first = next_client_;
  for (std::size_t i = 0; i < asks_.size(); ++i) {
    const std::size_t client = (first + i) % asks_.size();
    if (!asks_[client].can_pop(now)) continue;
    if (taken) {
      more = true;
      break;
    }
    const PageAsk ask = asks_[client].pop(now);
    at(clock_.edge_after(now, config_.l2_tlb_cycles), {Step::SecondTlb, ask.page, ask.by, client});
    next_client_ = (client + 1) % asks_.size();
    taken = true;
    more |= asks_[client].can_pop(now);
  }
  Picoseconds next = more ? clock_.first_edge_after(now) : kNever;
  for (const auto& asks : asks_)
    if (const Picoseconds arrival = asks.next_arrival(now); arrival != kNever)
      next = std::min(next, clock_.first_edge_after(arrival));
  if (walked_)
    if (const Picoseconds arrival = walked_->next_arrival(now); arrival != kNever)
      next = std::min(next, clock_.first_edge_after(arrival));
  if (!events_.empty()) next = std::min(next, events_.begin()->first);
  return next;
}

void TranslationUnit::perform(Picoseconds now, const Event& event) {
  const std::uint64_t page = event.page;
  switch (event.step) {
    case Step::SecondTlb: {
      if (second_tlb_.find(page)) {
        ++statistics_.l2_hits;
        answers_[event.client].push(now, page);
        return;
      }
      ++statistics_.l2_misses;
      std::vector<std::size_t>& clients = waiting_[page];
      clients.push_back(event.client);
      if (clients.size() != 1) return;
      if (event.by == Translation::Table)
        begin_walk(now, event.by, page, 0);
      else
        at(now + link_latency_ps_, {Step::AtIommu, page, event.by, 0});
      return;
    }
    case Step::AtIommu:
      if (iommu_tlb_.find(page)) {
        ++statistics_.iommu_hits;
        at(now + iommu_ps_ + link_latency_ps_, {Step::Known, page, event.by, 0});
      } else {
        begin_walk(now, event.by, page, iommu_ps_);
      }
      return;
    case Step::Walked:
      end_walk(now, event.by);
      if (event.by == Translation::Iommu) {
        iommu_tlb_.insert(page);
        at(now + link_latency_ps_, {Step::Known, page, event.by, 0});
      } else {
        known(now, page);
      }
      return;
    case Step::Known:
      known(now, page);
      return;
  }
}

// `before`: what passes until it needs a walker.
void TranslationUnit::begin_walk(Picoseconds now, Translation by, std::uint64_t page, Picoseconds before) {
  ++(by == Translation::Iommu ? statistics_.iommu_walks : statistics_.table_walks);
  Walkers& walkers = walkers_of(by);
  if (walkers.free == 0) {
    ++statistics_.walk_waits;
    walkers.waiting.push_back(page);
    return;
  }
  --walkers.free;
  walk(now, by, page, before);
}

// A walker is told of a page as long before as a lookup takes, also of one that has waited for its turn:
// cores may count on that (machine/host/iommu_walker, asks_from).
void TranslationUnit::walk(Picoseconds now, Translation by, std::uint64_t page, Picoseconds before) {
  if (by == Translation::Iommu && walks_)
    walks_->push(now, page, now + iommu_ps_);
  else
    at(now + before + walkers_of(by).walk_ps, {Step::Walked, page, by, 0});
}

void TranslationUnit::end_walk(Picoseconds now, Translation by) {
  Walkers& walkers = walkers_of(by);
  if (walkers.waiting.empty()) {
    ++walkers.free;
    return;
  }
  walk(now, by, walkers.waiting.front(), 0);
  walkers.waiting.pop_front();
}

void TranslationUnit::known(Picoseconds now, std::uint64_t page) {
  second_tlb_.insert(page);
  const auto waiting = waiting_.find(page);
  for (const std::size_t client : waiting->second) answers_[client].push(now, page);
  waiting_.erase(waiting);
}

std::string TranslationUnit::waits_for() const {
  return waiting_.empty() ? std::string() : std::to_string(waiting_.size()) + " pages to be translated";
}

}  // namespace duet::memory
