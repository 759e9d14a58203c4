#pragma once

#include "backends/field.hpp"
#include "grids/rows/island_build.hpp"
#include "grids/rows/island_views.hpp"

/// The GPU implements the steps of grids/kernels/island_steps.hpp here.
namespace poisson::cuda {

void search_clusters(Backend&, const Box& box, const ClusterSearch& search);
void build_islands(Backend&, std::uint32_t count, const IslandBuild& build);
void find_shifts(Backend&, const IslandViews&, const Field& b, const Field& u);
void shift_values(Backend&, const IslandViews&, Field& u);
void add_shifts(Backend&, const double* parts, std::int64_t step, int count, std::int64_t shifts, double* shift);

}  // namespace poisson::cuda
