#pragma once

#include "lab/command_line.hpp"

namespace poisson::lab {

/// Prints the studies of this build.
void list();

/// Runs the chosen studies, prints their findings, writes the files and makes the page. A study that fails is reported
/// and leaves no points; the others continue. Returns the exit status. Throws InputError if the choice or the device is
/// wrong.
int run(const Command& command);

/// Derives the conclusions again from the lab.json of a run, and writes the files and the page. Throws InputError.
int page(const Command& command);

/// Prints the conclusions in which two runs differ, and returns failure if there are any. Throws InputError.
int compare(const Command& command);

}  // namespace poisson::lab
