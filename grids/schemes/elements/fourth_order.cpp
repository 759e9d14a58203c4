#include "grids/schemes/elements/fourth_order.hpp"

#include "backends/memory/error.hpp"
#include "grids/axes/axis.hpp"
#include "grids/sampling/problem_data.hpp"

namespace poisson {

std::vector<Obstacle> fourth_order_obstacles(const Problem& p, bool constant_reaction) {
  using enum Obstacle::Datum;
  std::vector<Obstacle> found;
  for (std::size_t d = 0; d < static_cast<std::size_t>(p.dimension); ++d)
    if (!p.nodes[d].empty() && !Axis(p.nodes[d], BoundaryKind::neumann, BoundaryKind::neumann).equidistant())
      found.push_back({cells, d, "has cells of different widths", "equal cells"});
  for (std::size_t d = 0; d < coefficient_count(p); ++d)
    if (!p.coefficient[d].constant()) found.push_back({coefficient, d, "varies", "a constant"});
  if (p.full_tensor) found.push_back({tensor, 0, "is a full tensor", "a diagonal tensor"});
  if (constant_reaction && !p.reaction.constant()) found.push_back({reaction, 0, "varies", "a constant"});
  for_each_face(p, [&](int d, int end, const Boundary& b) {
    if (b.kind == BoundaryKind::dirichlet) return;
    found.push_back({face, static_cast<std::size_t>(2 * d + end),
                     b.mixed_bc                      ? "has several conditions"
                     : b.kind == BoundaryKind::robin ? "is a Robin face"
                                                     : "is a Neumann face",
                     "Dirichlet and periodic faces"});
  });
  if (p.centering == Centering::cell) found.push_back({centering, 0, "is cell", "unknowns at nodes"});
  return found;
}

void require_fourth_order(const Problem& problem, bool constant_reaction, const std::string& subject) {
  const auto found = fourth_order_obstacles(problem, constant_reaction);
  if (found.empty()) return;
  const Obstacle& o = found.front();
  const std::array<std::string, 6> data{"axis " + std::to_string(o.place),
                                        coefficient_key(problem, o.place),
                                        "coefficient",
                                        "reaction",
                                        "face " + std::string(face_names[o.place]),
                                        "centering"};
  throw InputError(data[static_cast<std::size_t>(o.datum)] + " " + std::string(o.what) + ", but " + subject +
                   " requires " + std::string(o.wanted));
}

}  // namespace poisson
