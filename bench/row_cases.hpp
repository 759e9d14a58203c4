#pragma once

#include <memory>
#include <string>

#include "backends/device/backend.hpp"
#include "grids/compact/device_matrix.hpp"

namespace poisson::bench {

/// Makes the matrix of seven points on n³ unknowns with Dirichlet faces in memory of a GPU.
std::shared_ptr<const DeviceMatrix> seven_points(Backend& backend, int n);
/// Makes the matrix of linear elements on tetrahedra with n³ inner points, which are moved at random by up to a fifth
/// of their distance. Each cube of points has six tetrahedra.
std::shared_ptr<const DeviceMatrix> tetrahedra(Backend& backend, int n);

/// Contains seconds of a product: of compact rows, and of cuSPARSE; 0 if its library is missing.
struct ProductTimes {
  double own = 0, cusparse = 0, difference = 0;  ///< difference: largest |own − cuSPARSE|
};
ProductTimes time_products(Backend& backend, const DeviceMatrix& A, Precision precision, std::string& why_not);

}  // namespace poisson::bench
