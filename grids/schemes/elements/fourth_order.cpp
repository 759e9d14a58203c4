#include "grids/schemes/elements/fourth_order.hpp"

#include "backends/error.hpp"
#include "grids/axes/axis.hpp"
#include "grids/sampling/problem_data.hpp"

namespace poisson {

std::vector<Obstacle> fourth_order_obstacles(const Problem& p, bool constant_reaction) {
  std::vector<Obstacle> found;
  constexpr std::array axes{"x", "y", "z"};
  for (std::size_t d = 0; d < static_cast<std::size_t>(p.dimension); ++d)
    if (!p.nodes[d].empty() && !Axis(p.nodes[d], BoundaryKind::neumann, BoundaryKind::neumann).equidistant())
      found.push_back({std::string("grid.axes.") + axes[d], "has cells of different widths", "equal ones",
                       "write grid.type: equidistant"});
  for (std::size_t d = 0; d < coefficient_count(p); ++d)
    if (!p.coefficient[d].constant())
      found.push_back({std::string("equation.") + coefficient_key(p, d), "varies", "a constant", "write a number"});
  if (p.full_tensor)
    found.push_back({"equation.coefficient", "is a full tensor", "a diagonal one", "leave out xy, xz and yz"});
  if (constant_reaction && !p.reaction.constant())
    found.push_back({"equation.reaction", "varies", "a constant", "write a number"});
  for_each_face(p, [&](int d, int end, const Boundary& b) {
    if (b.kind == BoundaryKind::dirichlet) return;
    const auto face = 2 * static_cast<std::size_t>(d) + static_cast<std::size_t>(end);
    found.push_back({"boundary." + std::string(face_names[face]),
                     b.kind == BoundaryKind::robin ? "is a Robin face" : "is a Neumann face",
                     "Dirichlet and periodic faces", "write dirichlet or periodic"});
  });
  if (p.centering == Centering::cell)
    found.push_back({"discretization.centering", "is cell", "unknowns at nodes", "write node"});
  return found;
}

void require_fourth_order(const Problem& problem, bool constant_reaction, const std::string& subject) {
  const auto found = fourth_order_obstacles(problem, constant_reaction);
  if (found.empty()) return;
  const Obstacle& o = found.front();
  throw InputError(o.key + " " + o.what + ", and " + subject + " takes " + o.wanted + ": " + o.remedy);
}

}  // namespace poisson
