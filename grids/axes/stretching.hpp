#pragma once

#include <vector>

namespace poisson {

/// Names the end of an axis at which a stretching has its smallest cells.
enum class StretchedEnd { lower, upper, both };

/// Returns the cells + 1 nodes of `cells` equal cells, with exact ends.
std::vector<double> uniform_nodes(double lower, double upper, int cells);

/// Returns the nodes of a hyperbolic-tangent stretching of the given strength > 0 (Vinokur, J. Comput. Phys. 50, 1983).
/// Cells cluster at the given end. As strength → 0 the axis becomes uniform.
std::vector<double> tanh_nodes(double lower, double upper, int cells, double strength, StretchedEnd at);

/// Returns the nodes of cells that grow by the factor `ratio` > 0 from one to the next, away from the given end. With
/// `both` they grow from both ends to the middle.
std::vector<double> geometric_nodes(double lower, double upper, int cells, double ratio, StretchedEnd at);

/// Returns the ratio for which the largest cell of geometric_nodes is `expansion` times as wide as the smallest.
double geometric_ratio(double expansion, int cells, StretchedEnd at);

/// Returns the strength for which tanh_nodes have cells of width `first` at the end (at both ends) of an axis. Requires
/// 0 < first < length / cells.
double tanh_strength_of_first_cell(double first, double length, int cells, StretchedEnd at);
/// Returns the ratio for which geometric_nodes have cells of width `first` at the end (at both ends) of an axis.
/// Requires 0 < first < length / cells.
double geometric_ratio_of_first_cell(double first, double length, int cells, StretchedEnd at);

}  // namespace poisson
