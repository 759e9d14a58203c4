#pragma once

#include <memory>
#include <utility>

#include "grids/schemes/row_scheme.hpp"

namespace poisson {

/// Samples the data behind the Robin faces across an axis; returns null if there are none. `kappa` contains κ of the
/// cells behind these faces. Sets `regular` if these faces determine u.
std::shared_ptr<Field> sample_ends(const SchemeContext& context, std::size_t axis, const Field& kappa,
                                   ErrorCollector& check, bool& regular);

/// Returns whether cells may leave the system beside cells whose couplings are small: κ has this range, or surfaces cut
/// cells. Their diagonal is then so small that corrections in fp32 may overflow.
bool has_negligible_gaps(const Problem& problem, double range);

/// Adds 1 to the diagonals of the anchors.
void add_anchors(const SchemeContext& context, Field& reaction);
/// Returns the rows of cells whose materials come from Problem::media, and the jumps of κ between their centres. Rows
/// of cells that left the system have no couplings and a tiny diagonal.
std::pair<SchemeRows, Jumps> media_rows(const SchemeContext& context);
/// Fills b with the sources of the problem and of the materials; it is zero in cells that left.
void fill_media_sources(const SchemeContext& context, double scale, Field& b);
/// Adds the couplings to fixed bodies to b. Throws InputError if no value is fixed and the data do not balance.
void add_fixed_values(const SchemeContext& context, double scale, Field& b);

/// Returns Σ conductance · u of the cells that couple to fixed bodies, a part of the flow into these. Collective.
double flow_to_fixed(const SchemeContext& context, const Field& u);

}  // namespace poisson
