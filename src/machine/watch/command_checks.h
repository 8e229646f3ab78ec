// Between the driver's commands and the checks of a run (check/checker.h): copies and fills with the memory
// they read and write, the order of commands, and their names.
#pragma once

#include "check/checker.h"
#include "driver/driver.h"

namespace duet::machine {

check::Checker::Order order_of(driver::Driver& driver);
// Tells the checker of a command that has been submitted.
void tell_command(check::Checker& checker, driver::CommandId id, const driver::Command& command);

}  // namespace duet::machine
