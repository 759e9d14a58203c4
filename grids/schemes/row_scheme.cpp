#include "grids/schemes/row_scheme.hpp"

#include "backends/backend.hpp"
#include "grids/schemes/discretization.hpp"

namespace poisson {

const RowScheme& row_scheme(const Problem& problem) {
  if (on_elements(problem.scheme)) return element_scheme();
  return problem.centering == Centering::cell ? cell_scheme() : node_scheme();
}

void fill_nodal_solution(const Setting& setting, Field& u) {
  const Problem& problem = setting.problem;
  setting.backend.fill(u, 0);
  ErrorCollector check;
  if (problem.initial)
    check([&] {
      setting.sampler.fill({*problem.initial, "initial"}, Location::node, setting.values(), {}, SampleStore::set, u);
    });
  clear_dirichlet_nodes(setting, u);
  for_each_face(problem, [&](int d, int end, const Boundary& face) {
    if (face.kind != BoundaryKind::dirichlet) return;
    const std::string key = face_key(d, end);
    check([&] {
      setting.sampler.fill({face.value, key}, Location::node, face_box(setting.block, d, end), {}, SampleStore::share,
                           u);
    });
  });
  check.finish();
}

void clear_dirichlet_nodes(const Setting& setting, Field& x) {
  const Quantity zero = 0.0;
  for_each_face(setting.problem, [&](int d, int end, const Boundary& face) {
    if (face.kind == BoundaryKind::dirichlet)
      setting.sampler.fill({zero, "0"}, Location::node, face_box(setting.block, d, end), {}, SampleStore::set, x);
  });
}

bool has_dirichlet_face(const Problem& problem) {
  bool found = false;
  for_each_face(problem, [&](int, int, const Boundary& b) { found = found || b.kind == BoundaryKind::dirichlet; });
  return found;
}

}  // namespace poisson
