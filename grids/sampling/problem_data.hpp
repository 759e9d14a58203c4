#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "grids/problem/problem.hpp"
#include "grids/sampling/sampling.hpp"

/// These helpers are shared by the discretizations that evaluate the data of a problem.
namespace poisson {

/// Returns the configuration key of a coefficient for messages: coefficient, or coefficient.x …
inline const char* coefficient_key(const Problem& p, std::size_t d) {
  constexpr std::array<const char*, 3> keys{"coefficient.x", "coefficient.y", "coefficient.z"};
  return p.isotropic ? "coefficient" : keys[d];
}

inline std::size_t coefficient_count(const Problem& p) {
  return p.isotropic ? 1 : static_cast<std::size_t>(p.dimension);
}

/// Return the number of off-diagonal entries κ_xy, κ_xz, κ_yz of a problem, and their configuration keys for messages.
std::size_t offdiagonal_count(const Problem& problem);
const char* offdiagonal_key(std::size_t m);
/// Returns the independent components of κ in each cell: one entry, the diagonal, or the diagonal and the off-diagonal
/// entries.
std::vector<Quantity> kappa_components(const Problem& problem);

inline const Boundary& boundary(const Problem& p, int axis, int end) {
  return p.boundary[static_cast<std::size_t>(axis)][static_cast<std::size_t>(end)];
}

/// Calls f(axis, end, boundary) for every face that is not periodic.
template <class F>
void for_each_face(const Problem& p, const F& f) {
  for (int d = 0; d < p.dimension; ++d)
    for (int end = 0; end < 2; ++end)
      if (boundary(p, d, end).kind != BoundaryKind::periodic) f(d, end, boundary(p, d, end));
}

/// Runs checks that throw ValueError, and throws all collected errors together.
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
  /// Returns whether no check on any of these processes has failed.
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
