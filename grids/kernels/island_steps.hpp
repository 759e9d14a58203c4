#pragma once

#include "backends/field.hpp"
#include "grids/rows/island_build.hpp"
#include "grids/rows/island_views.hpp"

namespace poisson {

/// Runs one step of the cluster search at the points of a box.
void search_clusters(Backend&, const Box& box, const ClusterSearch& search);
/// Runs one step that builds the tables of strong clusters, for `count` entries.
void build_islands(Backend&, std::uint32_t count, const IslandBuild& build);

/// Computes shift[s], this process's share of the shift of strong cluster s (grids/levels/islands.hpp).
void find_shifts(Backend&, const IslandViews&, const Field& b, const Field& u);
/// Adds the shifts to u.
void shift_values(Backend&, const IslandViews&, Field& u);
/// Computes shift[s] = Σ_p parts[s + p·step] for s < `shifts` and p < `count`, in the order of p.
void add_shifts(Backend&, const double* parts, std::int64_t step, int count, std::int64_t shifts, double* shift);

}  // namespace poisson
