#include "grids/results/face_results.hpp"

#include <cmath>
#include <limits>
#include <optional>

#include "backends/device/backend.hpp"
#include "grids/problem/mixed_bc.hpp"
#include "grids/results/cell_kappa.hpp"
#include "grids/results/value_sums.hpp"
#include "grids/sampling/problem_data.hpp"
#include "grids/schemes/cells/cell_face.hpp"
#include "grids/schemes/cells/media_system.hpp"

namespace poisson {
namespace {

// Contains the sums of a part of a face on one process, and the extrema.
struct FaceSums : ValueSums {
  double cells = 0, area = 0, flow = 0;

  void join(const FaceSums& o) {
    ValueSums::join(o);
    cells += o.cells;
    area += o.area;
    flow += o.flow;
  }
};

// Adds up the cells behind one face of the domain.
class FaceSum {
 public:
  FaceSum(const Discretization& d, const Field& u, int axis, int end, const Boundary& face)
      : d_(d), axis_(axis), end_(end), face_(d.problem(), d.block(), axis, end, d.media()) {
    const Box& behind = face_.behind();
    u_ = d.functionals().values(u, behind);
    if (behind.size() > 0 && !d.media()) kappa_.emplace(d.problem(), d.block(), static_cast<std::size_t>(axis), behind);
    place_centres(behind);
    if (face.mixed_bc) first_ = first_part(parts_of(face), centres_[0], centres_[1], centres_[2]);
  }

  // Returns the sums of all of the face, then those of its parts.
  std::vector<FaceSums> sums(std::size_t parts) const {
    std::vector<FaceSums> all(1 + parts);
    std::size_t at = 0;
    face_.visit([&](int i, int j, int k, const CellFace::Values& v) {
      add(all.front(), at, {i, j, k}, v);
      if (!first_.empty() && first_[at] >= 0) add(all[1 + static_cast<std::size_t>(first_[at])], at, {i, j, k}, v);
      ++at;
    });
    return all;
  }

 private:
  void place_centres(const Box& behind) {
    const Block& block = d_.block();
    for_each_place(behind, [&](int i, int j, int k) {
      const std::array cell{i, j, k};
      for (std::size_t e = 0; e < 3; ++e) {
        const Axis& axis = block.axes[e];
        const bool across = static_cast<int>(e) == axis_;
        centres_[e].push_back(axis.degenerate() ? 0
                              : across          ? (end_ == 0 ? axis.nodes().front() : axis.nodes().back())
                                                : axis.point(cell[e]));
      }
    });
  }

  void add(FaceSums& s, std::size_t at, const std::array<int, 3>& cell, const CellFace::Values& v) const {
    const auto [i, j, k] = cell;
    const double area = d_.block().face_area(axis_, i, j, k);
    s.cells += 1;
    s.area += area;
    if (d_.media() && !d_.media()->solved(i, j, k)) return;
    const double kappa = d_.media() ? d_.media()->end_kappa(axis_, end_)[at] : (*kappa_)(cell);
    const double into = v.given - (v.conductance == 0 ? 0 : v.conductance * u_[at]);
    const double h = d_.block().axes[axis_].width(cell[static_cast<std::size_t>(axis_)]);
    s.flow += area * into;
    s.add(u_[at] + into * 0.5 * h / kappa, area, [&] {
      return std::array{centres_[0][at], centres_[1][at], centres_[2][at]};
    });
  }

  const Discretization& d_;
  int axis_, end_;
  CellFace face_;
  std::vector<double> u_;
  std::optional<CellKappa> kappa_;
  std::array<std::vector<double>, 3> centres_;
  std::vector<int> first_;  ///< the number of the condition at each centre; empty if the face has one condition
};

FaceResult face_answer(const FaceSums& s, FaceResult r) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  const bool any = s.size > 0;
  r.cells = static_cast<std::int64_t>(s.cells);
  r.area = s.area;
  r.flow = s.flow;
  r.mean = any ? s.integral / s.size : none;
  r.min = any ? s.min : none;
  r.max = any ? s.max : none;
  r.min_at = s.min_at;
  r.max_at = s.max_at;
  return r;
}

}  // namespace

std::vector<FaceResult> face_results(const Discretization& d, const Field& u) {
  std::vector<FaceResult> results;
  for_each_face(d.problem(), [&](int axis, int end, const Boundary& face) {
    const std::size_t parts = face.mixed_bc ? parts_of(face).size() : 0;
    std::vector<FaceSums> sums = FaceSum(d, u, axis, end, face).sums(parts);
    for (std::size_t p = 0; p <= parts; ++p) {
      FaceSums total;
      for (const FaceSums& one : d.processes().gather(sums[p])) total.join(one);
      const Boundary& condition = p == 0 ? face : parts_of(face)[p - 1].boundary;
      results.push_back(
          face_answer(total, {.axis = axis, .end = end, .part = static_cast<int>(p) - 1, .kind = condition.kind}));
    }
  });
  return results;
}

}  // namespace poisson
