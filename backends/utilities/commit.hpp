#pragma once

namespace poisson {

/// The commit of the sources that a program was built from, "-dirty" behind it where these held more; empty where git
/// did not say. Made by every build (cmake/commit.cmake); a program that is carried elsewhere keeps it.
const char* commit();

}  // namespace poisson
