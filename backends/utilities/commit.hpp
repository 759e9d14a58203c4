#pragma once

namespace poisson {

/// Returns the commit of the sources that the program was built from, with "-dirty" appended if they had uncommitted
/// changes. Empty if git was not available. Every build sets it (cmake/commit.cmake); a program that is copied to
/// another machine keeps it.
const char* commit();

}  // namespace poisson
