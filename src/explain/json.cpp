// explain.json, schema duet.explanation/1.
#include "explain/explanation.h"
#include "report/json/json_writer.h"

namespace duet::explain {

namespace {

using report::Json;

Json level_json(const Level& level) {
  Json parts = Json::array();
  for (const Part& part : level.parts)
    parts.push_back({{"term", part.term}, {"name", part.name}, {"holds", part.holds}});
  return {{"level", level.level}, {"of", level.of}, {"parts", std::move(parts)}};
}

Json command_json(const Command& command) {
  Json waits = Json::array(), steps = Json::array();
  for (const Dependency& one : command.waits_for)
    waits.push_back({{"command", one.command}, {"why", one.why}, {"end_ps", one.end_ps}});
  for (const PushBufferStep& step : command.steps)
    steps.push_back({{"name", step.name},
                     {"argument", step.argument},
                     {"decoded_ps", step.decoded_ps},
                     {"until_next_ps", step.until_next_ps},
                     {"effect", step.effect}});
  return {{"command", command.number},
          {"call", command.call},
          {"call_name", command.call_name},
          {"kind", command.kind},
          {"script", command.script},
          {"what", command.what},
          {"stream", command.stream},
          {"channel", command.channel},
          {"behind", command.behind},
          {"behind_ps", command.behind_ps},
          {"queued_ps", command.queued_ps},
          {"free_ps", command.free_ps()},
          {"driver_start_ps", command.driver_start_ps},
          {"prepared_ps", command.prepared_ps},
          {"start_ps", command.start_ps},
          {"gpu_wait_ps", command.gpu_wait_ps()},
          {"end_ps", command.end_ps},
          {"waits_for", std::move(waits)},
          {"push_buffer", std::move(steps)}};
}

// A point is a list: time, launched, complete.
Json points_json(const std::vector<CounterPoint>& points) {
  Json result = Json::array();
  for (const CounterPoint& point : points) result.push_back({point.time_ps, point.launched, point.completed});
  return result;
}

Json block_json(const Block& block) {
  Json warps = Json::array();
  for (const Warp& warp : block.warps)
    warps.push_back(
        {{"warp", warp.index}, {"slot", warp.slot}, {"begin_ps", warp.begin_ps}, {"end_ps", warp.end_ps}});
  return {{"block", block.number},      {"why", block.why},       {"sm", block.sm},
          {"begin_ps", block.begin_ps}, {"end_ps", block.end_ps}, {"warps", std::move(warps)}};
}

Json launch_json(const Launch& launch) {
  const report::KernelResult& record = launch.record;
  Json sms = Json::array(), bins = Json::array(), blocks = Json::array(), slots = Json::object(),
       states = Json::object();
  for (const SmShare& share : launch.sms)
    sms.push_back({{"sm", share.sm},
                   {"blocks", share.blocks},
                   {"most_at_once", share.most_at_once},
                   {"first_ps", share.first_ps},
                   {"last_ps", share.last_ps}});
  for (const Bin& bin : launch.bins)
    bins.push_back({{"from_ps", bin.from_ps}, {"to_ps", bin.to_ps}, {"blocks", bin.blocks}});
  for (const Block& block : launch.shown) blocks.push_back(block_json(block));
  for (std::size_t i = 0; i < kIssueSlots; ++i) {
    slots[issue_slot_name(static_cast<IssueSlot>(i))] = record.issue_slots[i];
    states[warp_state_name(static_cast<IssueSlot>(i))] = record.warp_cycles[i];
  }
  return {{"command", record.command},
          {"name", launch.name},
          {"grid", {record.grid[0], record.grid[1], record.grid[2]}},
          {"block", {record.block[0], record.block[1], record.block[2]}},
          {"stream", record.stream},
          {"blocks", launch.blocks},
          {"warps_per_block", launch.warps_per_block},
          {"warp_instructions", record.warp_instructions},
          {"blocks_per_sm", record.blocks_per_sm},
          {"occupancy_limit", record.occupancy_limit},
          {"start_ps", record.start_ps},
          {"end_ps", record.end_ps},
          {"reference_counter", launch.counter},
          {"set_launch_id_ps", launch.set_launch_id_ps},
          {"wait_ref_cnt_ps", launch.wait_ref_cnt_ps},
          {"last_dispatch_ps", launch.last_dispatch_ps},
          {"told_blocks", launch.told_blocks},
          {"point_step", launch.point_step},
          {"points", points_json(launch.points)},
          {"quarters", points_json(launch.quarters)},
          {"sms", std::move(sms)},
          {"shortest_ps", launch.shortest_ps},
          {"median_ps", launch.median_ps},
          {"longest_ps", launch.longest_ps},
          {"bins", std::move(bins)},
          {"shown_blocks", std::move(blocks)},
          {"achieved_occupancy", record.achieved_occupancy},
          {"stalls", std::move(slots)},
          {"warp_states", std::move(states)},
          {"counters", report::values(launch.counters)}};
}

Json move_json(const Move& move) {
  return {{"command", move.command}, {"engine", move.engine},     {"step", move.step},
          {"bytes", move.bytes},     {"begin_ps", move.begin_ps}, {"end_ps", move.end_ps}};
}

template <typename List, typename Make>
Json list_json(const List& list, Make make) {
  Json result = Json::array();
  for (const auto& one : list) result.push_back(make(one));
  return result;
}

}  // namespace

std::string json_of(const Explanation& e) {
  const Json result = {{"schema", "duet.explanation/1"},
                       {"command", e.command},
                       {"machine", e.machine},
                       {"complete", e.complete},
                       {"time_ps", e.simulated_ps},
                       {"kernel", e.selection.kernel},
                       {"commands_in_all", e.commands_in_all},
                       {"launches_in_all", e.launches_in_all},
                       {"moves_in_all", e.moves_in_all},
                       {"levels", list_json(e.levels, level_json)},
                       {"commands", list_json(e.commands, command_json)},
                       {"launches", list_json(e.launches, launch_json)},
                       {"main_launch", e.main_launch},
                       {"moves", list_json(e.moves, move_json)}};
  return result.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace duet::explain
