#include "guest/served_hsa.h"

#include <map>
#include <vector>

#include "guest/hsa_arguments.h"
#include "guest/lasting_room.h"
#include "hsa/session/session.h"

namespace duet::guest {

namespace {

// The answered text is one of this process: the program gets a copy of its own. `place`: the parameter that
// says where the pointer goes.
std::uint64_t with_text(ArgumentWords& words, unsigned place, std::uint64_t status) {
  auto* const there = ArgumentWords::pointer<const char*>(words.word(place));
  if (status != HSA_STATUS_SUCCESS) return status;
  const char* text = nullptr;
  words.program().read(there, &text, sizeof text);
  const std::uint64_t own = lasting_text(words.program(), text);
  words.program().write(there, &own, sizeof own);
  return status;
}

template <auto function>
std::uint64_t text_of(ArgumentWords& words) {
  return with_text(words, 1, ServeHsa<function>::call(words));
}

std::uint64_t system_info(ArgumentWords& words) {
  const std::uint64_t status = ServeHsa<&hsa_system_get_info>::call(words);
  return words.word(0) == HSA_AMD_SYSTEM_INFO_BUILD_VERSION ? with_text(words, 1, status) : status;
}

// (count, signals, conditions, compared, timeout, state, value)
std::uint64_t wait_any(ArgumentWords& words) {
  process::ProgramSide& program = words.program();
  const auto count = static_cast<std::uint32_t>(words.next());
  List<hsa_signal_t> signals(program, words.next(), count);
  List<hsa_signal_condition_t> conditions(program, words.next(), count);
  List<hsa_signal_value_t> compared(program, words.next(), count);
  const std::uint64_t timeout = words.next();
  const auto state = static_cast<hsa_wait_state_t>(words.next());
  return register_of(hsa_amd_signal_wait_any(count, signals.get(), conditions.get(), compared.get(), timeout,
                                             state,
                                             ArgumentWords::pointer<hsa_signal_value_t>(words.next())));
}

// (group, conditions, compared, state, signal, value): as many as the group has signals.
template <auto function>
std::uint64_t wait_for_group(ArgumentWords& words) {
  process::ProgramSide& program = words.program();
  const hsa_signal_group_t group{words.next()};
  const std::vector<hsa_signal_t>* const signals = hsa::Session::get().signal_groups.find(group.handle);
  const std::size_t count = signals != nullptr ? signals->size() : 0;
  List<hsa_signal_condition_t> conditions(program, words.next(), count);
  List<hsa_signal_value_t> compared(program, words.next(), count);
  const auto state = static_cast<hsa_wait_state_t>(words.next());
  auto* const signal = ArgumentWords::pointer<hsa_signal_t>(words.next());
  auto* const value = ArgumentWords::pointer<hsa_signal_value_t>(words.next());
  return register_of(function(group, conditions.get(), compared.get(), state, signal, value));
}

// The program's function that makes room for a list knows it by nothing: it is that of the thread's call.
thread_local ProgramFunction makes_room{};
void* room_in_program(std::size_t bytes) {
  return ArgumentWords::pointer<void>(makes_room.program->call({makes_room.address, {bytes}}));
}

// (pointer, info, allocate, count, agents)
std::uint64_t pointer_info(ArgumentWords& words) {
  const auto* const pointer = ArgumentWords::pointer<const void>(words.next());
  auto* const info = ArgumentWords::pointer<hsa_amd_pointer_info_t>(words.next());
  const ProgramFunction own{&words.program(), ArgumentWords::pointer<const void>(words.next()), 0};
  auto* const count = ArgumentWords::pointer<std::uint32_t>(words.next());
  auto** const agents = ArgumentWords::pointer<hsa_agent_t*>(words.next());
  makes_room = own;
  return register_of(hsa_amd_pointer_info(pointer, info, own.address != nullptr ? &room_in_program : nullptr,
                                          count, agents));
}

const std::map<std::string, Served>& all_calls() {
  static const auto* const calls = [] {
    auto* const all = new std::map<std::string, Served>{
#define DUET_SERVED(name) {#name, &ServeHsa<&name>::call},
#include "hsa_names.inc"
#undef DUET_SERVED
    };
    (*all)["hsa_status_string"] = &text_of<&hsa_status_string>;
    (*all)["hsa_extension_get_name"] = &text_of<&hsa_extension_get_name>;
    (*all)["hsa_system_get_info"] = &system_info;
    (*all)["hsa_amd_signal_wait_any"] = &wait_any;
    (*all)["hsa_signal_group_wait_any_scacquire"] = &wait_for_group<&hsa_signal_group_wait_any_scacquire>;
    (*all)["hsa_signal_group_wait_any_relaxed"] = &wait_for_group<&hsa_signal_group_wait_any_relaxed>;
    (*all)["hsa_amd_pointer_info"] = &pointer_info;
    return all;
  }();
  return *calls;
}

}  // namespace

Served served_hsa(const std::string& name) {
  const auto found = all_calls().find(name);
  return found != all_calls().end() ? found->second : nullptr;
}

}  // namespace duet::guest
