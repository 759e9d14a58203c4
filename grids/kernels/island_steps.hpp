#pragma once

#include "backends/field.hpp"
#include "grids/rows/island_build.hpp"
#include "grids/rows/island_views.hpp"

namespace poisson {

/// One step of the search for clusters, for the places of a box.
void search_clusters(Backend&, const Box& box, const ClusterSearch& search);
/// One step of the tables of islands, for so many entries.
void build_islands(Backend&, std::uint32_t count, const IslandBuild& build);

/// A correction on islands (grids/levels/islands.hpp) step by step, on a backend.
/// shift[s] = what an island is shifted by, as far as the values at hand say
void find_shifts(Backend&, const IslandViews&, const Field& b, const Field& u);
/// u += the shifts
void shift_values(Backend&, const IslandViews&, Field& u);
/// shift[s] = Σ_p parts[s + p·step] for so many s and p, in the order of p
void add_shifts(Backend&, const double* parts, std::int64_t step, int count, std::int64_t shifts, double* shift);

}  // namespace poisson
