#pragma once

#include "backends/device/field.hpp"
#include "grids/rows/strong_cluster_build.hpp"
#include "grids/rows/strong_cluster_tables.hpp"

namespace poisson {

/// Runs one step of the cluster search at the points of a box.
void search_clusters(Backend&, const Box& box, const ClusterSearch& search);
/// Runs one step that builds the tables of strong clusters, for `count` entries.
void build_strong_clusters(Backend&, std::uint32_t count, const StrongClusterBuild& build);

/// Computes rhs[s], the sum of b over this process's values of strong cluster s.
void sum_rhs(Backend&, const StrongClusterTables&, const Field& b);
/// Computes shift[s], this process's share of the shift of strong cluster s (grids/levels/strong_clusters.hpp).
void find_shifts(Backend&, const StrongClusterTables&, const Field& u);
/// Adds the shifts to u.
void shift_values(Backend&, const StrongClusterTables&, Field& u);
/// Computes the shifts and adds them.
void correct_clusters(Backend&, const StrongClusterTables&, Field& u);
/// Computes shift[s] = Σ_p parts[s + p·step] for s < `shifts` and p < `count`, in the order of p.
void add_shifts(Backend&, const double* parts, std::int64_t step, int count, std::int64_t shifts, double* shift);

}  // namespace poisson
