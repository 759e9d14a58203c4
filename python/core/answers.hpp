#pragma once

#include <string>

#include <nanobind/nanobind.h>

#include "io/files/summary.hpp"

namespace poisson::python {

/// Return results as dictionaries with the names of summary.json; numbers that are not known are NaN.
nanobind::dict to_dict(const Summary& summary);
nanobind::dict to_dict(const Summary::Effective& effective, int dimension);
nanobind::dict to_dict(const Summary::Capacitance& matrix, const std::string& title);

}  // namespace poisson::python
