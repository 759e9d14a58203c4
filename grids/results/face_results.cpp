#include "grids/results/face_results.hpp"

#include <cmath>
#include <limits>
#include <optional>

#include "backends/cpu/launch.hpp"
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
      : d_(d), axis_(axis), end_(end), face_(d.problem(), d.block(), axis, end, d.media()), area_(d.block(), axis) {
    const Box& behind = face_.behind();
    u_ = d.functionals().values(u, behind);
    if (behind.size() > 0 && !d.media()) kappa_.emplace(d.problem(), d.block(), static_cast<std::size_t>(axis), behind);
    if (behind.size() > 0) half_width_ = 0.5 * d.block().axes[axis].width(behind.first[static_cast<std::size_t>(axis)]);
    if (!face.mixed_bc) return;
    std::array<std::vector<double>, 3> centres;
    for_each_place(behind, [&](int i, int j, int k) {
      const std::array<double, 3> centre = centre_of({i, j, k});
      for (std::size_t e = 0; e < 3; ++e) centres[e].push_back(centre[e]);
    });
    first_ = first_part(parts_of(face), centres[0], centres[1], centres[2]);
  }

  // Returns the sums of all of the face, then those of its parts.
  std::vector<FaceSums> sums(std::size_t parts) const {
    std::vector<FaceSums> all(1 + parts);
    const auto of_line = [&](int j, int k) {
      FaceSums line;
      face_.visit_line(j, k, [&](int i, int, int, const CellFace::Values& v) {
        add(line, face_.number(i, j, k), {i, j, k}, v);
      });
      return line;
    };
    const auto join = [](FaceSums sum, const FaceSums& other) {
      sum.join(other);
      return sum;
    };
    all.front() = cpu::reduce_over_lines(face_.behind(), FaceSums(), of_line, join);
    if (first_.empty()) return all;
    face_.visit([&](int i, int j, int k, const CellFace::Values& v) {
      const std::size_t at = face_.number(i, j, k);
      if (first_[at] >= 0) add(all[1 + static_cast<std::size_t>(first_[at])], at, {i, j, k}, v);
    });
    return all;
  }

 private:
  // Returns the centre of the face of a cell.
  std::array<double, 3> centre_of(const std::array<int, 3>& cell) const {
    std::array<double, 3> centre{};
    for (std::size_t e = 0; e < 3; ++e) {
      const Axis& axis = d_.block().axes[e];
      if (axis.degenerate()) continue;
      const bool across = static_cast<int>(e) == axis_;
      centre[e] = across ? (end_ == 0 ? axis.nodes().front() : axis.nodes().back()) : axis.point(cell[e]);
    }
    return centre;
  }

  void add(FaceSums& s, std::size_t at, const std::array<int, 3>& cell, const CellFace::Values& v) const {
    const auto [i, j, k] = cell;
    const double area = area_(i, j, k);
    s.cells += 1;
    s.area += area;
    if (d_.media() && !d_.media()->solved(i, j, k)) return;
    const double kappa = d_.media() ? d_.media()->end_kappa(axis_, end_)[at] : (*kappa_)(cell);
    const double into = v.given - (v.conductance == 0 ? 0 : v.conductance * u_[at]);
    s.flow += area * into;
    s.add(u_[at] + into * half_width_ / kappa, area, [&] { return centre_of(cell); });
  }

  const Discretization& d_;
  int axis_, end_;
  CellFace face_;
  std::vector<double> u_;
  std::optional<CellKappa> kappa_;
  FaceAreas area_;
  double half_width_ = 0;
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
