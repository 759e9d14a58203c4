#pragma once

#include <vector>

#include "grids/problem.hpp"
#include "grids/sampling.hpp"

namespace poisson {

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
  void finish() const {
    if (!errors_.empty()) throw ValueErrors(errors_);
  }

 private:
  std::vector<ValueError> errors_;
};

}  // namespace poisson
