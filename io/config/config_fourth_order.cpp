#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "grids/sampling/problem_data.hpp"
#include "grids/schemes/elements/fourth_order.hpp"
#include "io/config/config_parts.hpp"

namespace poisson {
namespace {

// Returns the key of an obstacle and the remedy.
std::pair<std::string, std::string> place_of(const Problem& problem, const Obstacle& o) {
  switch (o.datum) {
    case Obstacle::Datum::cells:
      return {"grid.axes." + std::string(axis_names[o.place]), "write grid.type: equidistant"};
    case Obstacle::Datum::coefficient:
      return {std::string("equation.") + coefficient_key(problem, o.place), "write a number"};
    case Obstacle::Datum::tensor:
      return {"equation.coefficient", "omit xy, xz and yz"};
    case Obstacle::Datum::reaction:
      return {"equation.reaction", "write a number"};
    case Obstacle::Datum::face:
      return {"boundary." + std::string(face_names[o.place]), "write dirichlet or periodic"};
    case Obstacle::Datum::centering:
      break;
  }
  return {"discretization.centering", "write node"};
}

/// Reports every obstacle at its place. `subject` names the scheme or option that excludes it; `otherwise` names the
/// alternative.
class FourthOrder {
 public:
  FourthOrder(ConfigParts& parts, const std::string& subject, const std::string& otherwise)
      : parts_(parts), subject_(subject), otherwise_(otherwise) {}

  void refuse(const Obstacle& o, const Value& asked) {
    auto [key, remedy] = place_of(parts_.config.problem, o);
    const Value* value = parts_.document.at(key);
    if (!value) return;  // it was wrong and has been reported
    // Faces that inherit the default cause one error, at the default.
    const Value* fallback = key.starts_with("boundary.") ? parts_.document.at("boundary.default") : nullptr;
    if (fallback && fallback->given && fallback->mark.text() == value->mark.text()) key = "boundary.default";
    if (std::ranges::find(refused_, key) != refused_.end()) return;
    refused_.push_back(key);
    parts_.errors.add(value->given ? value->mark : asked.mark, key,
                      std::string(o.what) + ", but " + subject_ + " requires " + std::string(o.wanted) + "; " + remedy +
                          ", or " + otherwise_);
  }

 private:
  ConfigParts& parts_;
  std::string subject_, otherwise_;
  std::vector<std::string> refused_;
};

void check_extrapolation(ConfigParts& parts, const Value& asked) {
  constexpr const char* key = "solver.extrapolate";
  const Problem& problem = parts.config.problem;
  const auto fail = [&](const std::string& text) { parts.errors.add(asked.mark, key, text); };
  if (parts.config.matrix)
    return fail(
        "requires finite volumes, but a matrix from a file has no grid of twice the spacing; write extrapolate: false");
  if (problem.scheme == Scheme::compact4)
    return fail("requires scheme: fv, but compact4 is of fourth order without it; write extrapolate: false");
  if (problem.scheme != Scheme::fv) return fail("requires scheme: fv, but the scheme is q1; write extrapolate: false");
  FourthOrder check(parts, key, "extrapolate: false");
  for (const Obstacle& o : fourth_order_obstacles(problem, false)) check.refuse(o, asked);
  const Value* cells = parts.document.at("grid.cells");
  for (std::size_t d = 0; d < static_cast<std::size_t>(problem.dimension); ++d) {
    if (problem.nodes[d].empty()) continue;  // unknown
    const std::size_t count = problem.nodes[d].size() - 1;
    if (count % 2 == 0 && count >= 4) continue;
    const bool written = cells && d < cells->items.size() && cells->items[d].mark.source;  // else it follows from nodes
    parts.errors.add(written ? cells->items[d].mark : asked.mark, "grid.cells[" + std::to_string(d) + "]",
                     "is " + std::to_string(count) + ", but " + key +
                         " requires an even number of at least 4 (it compares with every second node); write " +
                         std::to_string(std::max<std::size_t>(4, count + 1)) + ", or extrapolate: false");
  }
}

}  // namespace

void check_fourth_order(ConfigParts& parts) {
  const Problem& problem = parts.config.problem;
  if (problem.scheme == Scheme::compact4 && !parts.config.matrix)
    if (const Value* scheme = parts.document.at("discretization.scheme")) {
      FourthOrder check(parts, "discretization.scheme: compact4", "another scheme");
      for (const Obstacle& o : fourth_order_obstacles(problem, true))
        if (o.datum != Obstacle::Datum::centering) check.refuse(o, *scheme);  // reported elsewhere
    }
  if (const Value* asked = parts.document.at("solver.extrapolate"); asked && parts.config.options.extrapolate)
    check_extrapolation(parts, *asked);
}

}  // namespace poisson
