#include "app/cases/case.hpp"

namespace poisson {

std::unique_ptr<Case> make_case(const Config& config) {
  return config.matrix ? make_matrix_case(config) : make_grid_case(config);
}

}  // namespace poisson
