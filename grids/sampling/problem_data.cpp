#include "grids/sampling/problem_data.hpp"

namespace poisson {

std::size_t offdiagonal_count(const Problem& p) {
  return !p.full_tensor ? 0 : p.dimension == 3 ? 3 : 1;
}

const char* offdiagonal_key(std::size_t m) {
  constexpr std::array<const char*, 3> keys{"coefficient.xy", "coefficient.xz", "coefficient.yz"};
  return keys[m];
}

std::vector<Quantity> kappa_components(const Problem& p) {
  std::vector<Quantity> all(p.coefficient.begin(), p.coefficient.begin() + static_cast<int>(coefficient_count(p)));
  all.insert(all.end(), p.offdiagonal.begin(), p.offdiagonal.begin() + static_cast<int>(offdiagonal_count(p)));
  return all;
}

}  // namespace poisson
