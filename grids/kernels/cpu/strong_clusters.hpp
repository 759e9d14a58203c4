#pragma once

#include "backends/device/field.hpp"
#include "grids/rows/strong_cluster_build.hpp"
#include "grids/rows/strong_cluster_tables.hpp"

/// The host implements the steps of grids/kernels/strong_cluster_steps.hpp here.
namespace poisson::cpu {

void search_clusters(const Box& box, const ClusterSearch& search);
void build_strong_clusters(std::uint32_t count, const StrongClusterBuild& build);
void sum_rhs(const StrongClusterTables&, const Field& b);
void find_shifts(const StrongClusterTables&, const Field& u);
void shift_values(const StrongClusterTables&, Field& u);
void correct_clusters(const StrongClusterTables&, Field& u);
void add_shifts(const double* parts, std::int64_t step, int count, std::int64_t shifts, double* shift);

}  // namespace poisson::cpu
