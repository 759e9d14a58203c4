#pragma once

#include "backends/field.hpp"
#include "grids/rows/island_build.hpp"
#include "grids/rows/island_views.hpp"

/// The host implements the steps of grids/kernels/island_steps.hpp here.
namespace poisson::cpu {

void search_clusters(const Box& box, const ClusterSearch& search);
void build_islands(std::uint32_t count, const IslandBuild& build);
void find_shifts(const IslandViews&, const Field& b, const Field& u);
void shift_values(const IslandViews&, Field& u);
void add_shifts(const double* parts, std::int64_t step, int count, std::int64_t shifts, double* shift);

}  // namespace poisson::cpu
