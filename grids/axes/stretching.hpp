#pragma once

#include <vector>

namespace poisson {

/// The end of an axis at which a stretching has its smallest cells.
enum class StretchedEnd { lower, upper, both };

/// `cells` equal cells: cells + 1 nodes, the ends exact.
std::vector<double> uniform_nodes(double lower, double upper, int cells);

/// Nodes of a hyperbolic-tangent stretching of the given strength > 0 (Vinokur, J. Comput. Phys. 50, 1983):
/// cells cluster at the given end; strength → 0 is the uniform axis.
std::vector<double> tanh_nodes(double lower, double upper, int cells, double strength, StretchedEnd at);

/// Nodes of cells that grow by `ratio` > 0 from one to the next, away from the given end (with `both`, from both ends
/// to the middle).
std::vector<double> geometric_nodes(double lower, double upper, int cells, double ratio, StretchedEnd at);

/// The ratio for which the largest cell of geometric_nodes is `expansion` times the smallest.
double geometric_ratio(double expansion, int cells, StretchedEnd at);

/// The strength for which the cell at the end (at both ends) of tanh_nodes over a length is `first` wide, and the ratio
/// for which that of geometric_nodes is; 0 < first < length / cells.
double tanh_strength_of_first_cell(double first, double length, int cells, StretchedEnd at);
double geometric_ratio_of_first_cell(double first, double length, int cells, StretchedEnd at);

}  // namespace poisson
