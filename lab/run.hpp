#pragma once

#include "lab/command_line.hpp"

namespace poisson::lab {

/// Prints the studies of this build.
void list();

/// Runs the chosen studies, prints what each found, writes the files and has the page made. A study that fails is
/// reported and leaves no points; the others go on. Returns the exit status. Throws InputError where the choice or the
/// device is wrong.
int run(const Command& command);

/// Concludes again from what a run measured, and writes its files and its page. Throws InputError.
int page(const Command& command);

/// Prints what two runs conclude differently; a failure where they do. Throws InputError.
int compare(const Command& command);

}  // namespace poisson::lab
