#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "grids/problem/problem.hpp"
#include "grids/sampling/sampling.hpp"

/// What discretizations share where they evaluate the data of a problem.
namespace poisson {

/// The key by which messages name a coefficient: coefficient, or coefficient.x …
inline const char* coefficient_key(const Problem& p, std::size_t d) {
  constexpr std::array<const char*, 3> keys{"coefficient.x", "coefficient.y", "coefficient.z"};
  return p.isotropic ? "coefficient" : keys[d];
}

inline std::size_t coefficient_count(const Problem& p) {
  return p.isotropic ? 1 : static_cast<std::size_t>(p.dimension);
}

/// κ_xy, κ_xz and κ_yz, as many as a problem has, and the keys by which messages name them.
std::size_t mixed_count(const Problem& problem);
const char* mixed_key(std::size_t m);
/// What κ has of its own in each cell: one entry, the diagonal, or those and the mixed ones.
std::vector<Quantity> kappa_components(const Problem& problem);

inline const Boundary& boundary(const Problem& p, int axis, int end) {
  return p.boundary[static_cast<std::size_t>(axis)][static_cast<std::size_t>(end)];
}

/// f(axis, end, boundary) for every face that is not periodic.
template <class F>
void for_each_face(const Problem& p, const F& f) {
  for (int d = 0; d < p.dimension; ++d)
    for (int end = 0; end < 2; ++end)
      if (boundary(p, d, end).kind != BoundaryKind::periodic) f(d, end, boundary(p, d, end));
}

/// Runs checks that throw ValueError and throws what all of them found at once.
class ErrorCollector {
 public:
  template <class F>
  void operator()(const F& f) {
    try {
      f();
    } catch (const ValueError& e) {
      errors_.push_back(e);
    }
  }
  /// Whether no check of any of these processes has found any.
  bool none(const Processes& processes) const { return !processes.any(!errors_.empty()); }
  void finish(const Processes& processes = *one_process()) const {
    together(processes, [&] {
      if (!errors_.empty()) throw ValueErrors(errors_);
    });
  }

 private:
  std::vector<ValueError> errors_;
};

}  // namespace poisson
