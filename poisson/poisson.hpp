#pragma once

// The public interface of the library: problems, backends, models, solvers and their results.

#include "backends/device/arrays.hpp"
#include "backends/device/backend.hpp"
#include "backends/device/device.hpp"
#include "backends/device/device_setup.hpp"
#include "backends/memory/error.hpp"
#include "grids/axes/stretching.hpp"
#include "grids/problem/media_description.hpp"
#include "grids/problem/problem.hpp"
#include "grids/results/gather.hpp"
#include "grids/results/integrals.hpp"
#include "grids/results/region_results.hpp"
#include "grids/schemes/discretization.hpp"
#include "solver/capacitance.hpp"
#include "solver/effective.hpp"
#include "solver/grid_model.hpp"
#include "solver/matrix_model.hpp"
#include "solver/solver.hpp"
