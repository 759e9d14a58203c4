#pragma once

#include <string>

#include "solver/model.hpp"
#include "solver/result.hpp"

namespace poisson {

/// Adds the iterations of the library that solved a model of compact rows, if one did.
void add_library_steps(const Model& model, Result& result);

/// Returns the size of the levels of compact rows in relation to the matrix, for a line of the terminal; empty if a
/// library or the diagonal is used.
std::string size_of_levels(const Model& model);

}  // namespace poisson
