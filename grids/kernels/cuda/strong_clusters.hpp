#pragma once

#include "backends/device/field.hpp"
#include "grids/rows/strong_cluster_build.hpp"
#include "grids/rows/strong_cluster_tables.hpp"

/// The GPU implements the steps of grids/kernels/strong_cluster_steps.hpp here.
namespace poisson::cuda {

void search_clusters(Backend&, const Box& box, const ClusterSearch& search);
void build_strong_clusters(Backend&, std::uint32_t count, const StrongClusterBuild& build);
void sum_rhs(Backend&, const StrongClusterTables&, const Field& b);
void find_shifts(Backend&, const StrongClusterTables&, const Field& u);
void shift_values(Backend&, const StrongClusterTables&, Field& u);
void correct_clusters(Backend&, const StrongClusterTables&, Field& u);
void add_shifts(Backend&, const double* parts, std::int64_t step, int count, std::int64_t shifts, double* shift);

}  // namespace poisson::cuda
