#include "machine/watch/command_checks.h"

#include "base/readable_name.h"

namespace duet::machine {

namespace {

check::Transfer::Side side_of(const driver::Endpoint& end) {
  return {true, end.address, end.row_pitch, end.slice_pitch};
}

check::Transfer transfer_of(const driver::CopyJob& job) {
  check::Transfer transfer;
  transfer.width_bytes = job.width_bytes;
  transfer.rows = job.rows;
  transfer.slices = job.slices;
  transfer.to = side_of(job.to);
  transfer.to_host = job.to.host;
  transfer.from_host = job.staged != nullptr || job.from.host;
  if (job.staged == nullptr) transfer.from = side_of(job.from);
  return transfer;
}

check::Transfer transfer_of(const driver::FillJob& job) {
  check::Transfer transfer;
  transfer.width_bytes = job.width_bytes;
  transfer.rows = job.rows;
  transfer.to = {true, job.address, job.row_pitch, 0};
  return transfer;
}

}  // namespace

check::Checker::Order order_of(driver::Driver& driver) {
  check::Checker::Order order;
  order.before = [&driver](check::CommandNumber earlier, check::CommandNumber later) {
    return driver.ordered(earlier, later);
  };
  order.points.point_before = [&driver](std::size_t point, check::CommandNumber later) {
    return driver.ordered(driver::StreamPoint{point}, later);
  };
  order.points.before_point = [&driver](check::CommandNumber earlier, std::size_t point) {
    return driver.ordered(earlier, driver::StreamPoint{point});
  };
  order.points.points = [&driver](std::size_t earlier, std::size_t later) {
    return driver.ordered(driver::StreamPoint{earlier}, driver::StreamPoint{later});
  };
  order.name = [&driver](check::CommandNumber number) {
    const driver::CommandLabel& label = driver.label(number);
    return (label.kernel != nullptr ? "kernel '" + readable_name(label.name) + "'" : label.name) +
           " (command " + std::to_string(number) + ", stream " + std::to_string(label.stream) + ")";
  };
  return order;
}

void tell_command(check::Checker& checker, driver::CommandId id, const driver::Command& command) {
  const auto number = static_cast<check::CommandNumber>(id);
  const auto submit = [&](check::Transfer transfer) {
    transfer.command = number;
    checker.submitted(transfer);
  };
  if (command.kind == driver::CommandKind::Copy)
    submit(transfer_of(command.copy));
  else if (command.kind == driver::CommandKind::Fill)
    submit(transfer_of(command.fill));
  else if (command.kind == driver::CommandKind::HostFunction)
    checker.host_function_submitted(number);
}

}  // namespace duet::machine
