#pragma once

#include <memory>
#include <string>

#include "backends/device/backend.hpp"
#include "grids/compact/device_matrix.hpp"

namespace poisson::bench {

/// Describes a matrix with n³ rows: seven points with Dirichlet faces, or linear elements on tetrahedra, six in each
/// cube of points.
struct RowCase {
  bool elements = false;
  int n = 32;
  double along_z = 1;     ///< factor of couplings along z, of seven points
  double jump = 1;        ///< κ in half of the blocks of 8³ cells, chosen at random
  bool neumann = false;   ///< of seven points
  double shift = 0.2;     ///< points of elements move at random by up to this share of their distance
  double stretching = 1;  ///< exponent of the coordinates of elements
};
/// Makes the matrix in memory of a GPU.
std::shared_ptr<const DeviceMatrix> make_rows(Backend& backend, const RowCase& of);

/// Contains seconds of the assembly of linear elements on tetrahedra.
struct AssemblyTimes {
  double pattern = 0, values = 0, difference = 0;  ///< difference: from make_rows, relative to the largest entry
};
AssemblyTimes time_assembly(Backend& backend, const RowCase& of);

/// Prints the milliseconds of each stage of the set-up of the first coarse level, and of its new values.
void print_stages(Backend& backend, const DeviceMatrix& A);

/// Contains seconds of a product: of compact rows, and of cuSPARSE; 0 if its library is missing.
struct ProductTimes {
  double own = 0, cusparse = 0, difference = 0;  ///< difference: largest |own − cuSPARSE|
};
ProductTimes time_products(Backend& backend, const DeviceMatrix& A, Precision precision, std::string& why_not);

}  // namespace poisson::bench
