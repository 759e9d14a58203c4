#include "solver/smoothers/smoother.hpp"

#include <array>
#include <cstdio>
#include <stdexcept>
#include <utility>

#include "solver/smoothers/planes.hpp"
#include "solver/smoothers/semicoarsening.hpp"

namespace poisson {

extern const SmootherKind jacobi, red_black, chebyshev_first, chebyshev_fourth, chebyshev_elements;

std::span<const SmootherKind* const> smoother_kinds() {
  static constexpr std::array<const SmootherKind*, 5> kinds{&jacobi, &red_black, &chebyshev_first, &chebyshev_fourth,
                                                            &chebyshev_elements};
  return kinds;
}

const SmootherKind& smoother_kind(std::string_view type, std::string_view form) {
  for (const SmootherKind* kind : smoother_kinds())
    if (kind->type == type && (form.empty() || kind->form == form)) return *kind;
  throw std::out_of_range("no smoother " + std::string(type) + " " + std::string(form));
}

void SmoothersInTurn::smooth(const Field& b, Iterate& u, bool reversed) const {
  for (std::size_t p = 0; p < parts_.size(); ++p) parts_[reversed ? parts_.size() - 1 - p : p]->smooth(b, u, reversed);
}

namespace {

// Returns the axes along which a level relaxes lines; empty for point relaxation.
std::vector<int> axes_of_lines(const Operator& A, Relaxation relaxation) {
  if (relaxation.extent == Extent::line) return {relaxation.axis};
  std::vector<int> axes;
  if (relaxation.extent == Extent::alternating_lines)
    for (int d = 0; d < 3; ++d)
      if (A.space().part().all()[static_cast<std::size_t>(d)] > 1) axes.push_back(d);
  return axes;
}

// Contains a splitting that is used in turn with others, and the largest eigenvalue of its B⁻¹A.
struct Turn {
  std::shared_ptr<const Splitting> splitting;
  double largest;
};
std::vector<Turn> turns_of(const Operator& A, const SmootherKind& kind, Relaxation relaxation) {
  if (!kind.symmetric) return {{A.split_by_colours(), 0}};
  std::vector<Turn> turns;
  const auto add = [&](const Relaxation& part) {
    std::shared_ptr<const SymmetricSplitting> symmetric = A.split(part);
    const double largest = symmetric->largest_eigenvalue();
    turns.push_back({std::move(symmetric), largest});
  };
  for (const int axis : axes_of_lines(A, relaxation)) add(Relaxation::of_lines(axis));
  if (turns.empty()) add({});
  return turns;
}

}  // namespace

Smoothers make_smoothers(const Operator& A, const SmootherOptions& options, Relaxation relaxation,
                         const std::shared_ptr<Preconditioner>& planes, const std::vector<SideCorrection>& sides) {
  const bool points = relaxation.extent == Extent::point;
  const SmootherKind& kind = points || options.kind->symmetric ? *options.kind : chebyshev_first;
  const std::vector<Turn> turns = planes ? std::vector<Turn>{} : turns_of(A, kind, relaxation);
  const auto make = [&](int sweeps) -> std::unique_ptr<const Smoother> {
    if (sweeps == 0) return nullptr;
    if (planes)
      return std::make_unique<PlaneSmoother>(A, kind.steps(options, sweeps, PlaneSmoother::largest_eigenvalue), planes);
    std::vector<std::unique_ptr<const Smoother>> parts;
    for (const Turn& turn : turns)
      parts.push_back(std::make_unique<SteppingSmoother>(turn.splitting, kind.steps(options, sweeps, turn.largest)));
    if (!sides.empty()) parts.push_back(std::make_unique<SemicoarseningSmoother>(A, sides));
    if (parts.size() == 1) return std::move(parts.front());
    return std::make_unique<SmoothersInTurn>(std::move(parts));
  };
  return {make(*options.pre), make(*options.post)};
}

std::string in_short(double value) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.4g", value);
  return text.data();
}

}  // namespace poisson
