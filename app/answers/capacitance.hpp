#pragma once

#include <functional>
#include <memory>
#include <string>

#include "app/cases/case.hpp"
#include "io/config/config.hpp"

namespace poisson {

/// Returns the matrix that output.capacitance requests: entry (i, j) is the flow out of conductor i if conductor j is
/// at 1 and all other fixed values and data are 0. One solve for each conductor on the same levels, to a relative
/// residual of 1e-10 or solver.tolerance. `stopped` is called after every iteration. Throws RunError if a solve does
/// not converge. Collective.
Summary::Capacitance find_capacitance(const Config& config, Backend& backend,
                                      const std::shared_ptr<const Processes>& processes,
                                      const std::function<bool()>& stopped);

/// Returns the matrix as a table of comma-separated values, with the capacitance to ground in the last column.
std::string capacitance_table(const Summary::Capacitance& matrix);
/// Returns a SPICE subcircuit with a capacitor between each pair of conductors and to ground.
std::string capacitance_netlist(const Summary::Capacitance& matrix, const std::string& title);

}  // namespace poisson
