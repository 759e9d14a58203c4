#include "grids/results/mean_flux.hpp"

#include <functional>
#include <memory>

#include "backends/cpu/launch.hpp"
#include "backends/device/backend.hpp"
#include "backends/memory/places.hpp"
#include "grids/kernels/cell_codes.hpp"
#include "grids/results/face_flows.hpp"
#include "grids/sampling/problem_data.hpp"
#include "grids/schemes/balance_input.hpp"
#include "grids/schemes/cells/cell_face.hpp"
#include "grids/schemes/cells/media_system.hpp"

namespace poisson {
namespace {

// Sums flux · area · distance over the faces across an axis that this process owns.
class FluxSum {
 public:
  FluxSum(const Discretization& d, const Field& u, std::size_t axis)
      : d_(d), u_(u), axis_(axis), block_(d.block()), faces_(*std::get<FaceRows>(d.scheme_rows()).faces[axis]) {}

  double operator()(double rise) const {
    double sum = -sum_of_differences(faces_, u_, block_, axis_);
    const Axis& along = block_.axes[axis_];
    if (along.closed() && u_.space().part().origin()[axis_] == 0) sum += through_seam(rise);
    for (int end = 0; end < 2; ++end)
      if (along.open(end)) sum += through_end(end);
    return sum;
  }

 private:
  Box layer(int at) const {
    Box box = block_.layout().box();
    box.first[axis_] = at;
    box.last[axis_] = at + 1;
    return box;
  }
  double area(int i, int j, int k) const { return block_.face_area(static_cast<int>(axis_), i, j, k); }

  // The halo of u continues across cuts. Within one process the last cells are the neighbours.
  double through_seam(double rise) const {
    const bool periodic = block_.axes[axis_].periodic();
    const Box first = layer(0);
    const std::vector<double> kappa = d_.functionals().values(faces_, first);
    std::vector<double> above, below;
    if (periodic) {
      above = d_.functionals().values(u_, first);
      below = d_.functionals().values(u_, layer(block_.layout().n[axis_] - 1));
    }
    double sum = 0;
    std::size_t at = 0;
    for_each_place(first, [&](int i, int j, int k) {
      const double difference = periodic ? above[at] - below[at] + rise : rise;
      sum -= kappa[at++] * area(i, j, k) * difference;
    });
    return sum;
  }

  // A face at an end counts for half of the cell behind it.
  double through_end(int end) const {
    const int axis = static_cast<int>(axis_);
    if (CellFace::is_closed(boundary(d_.problem(), axis, end))) return 0;
    const Box cells = cells_behind(block_, axis, end);
    const Layer value(d_.functionals(), u_, cells);
    const double half = 0.5 * block_.axes[axis_].width(cells.first[axis_]);
    const FaceAreas area(block_, axis);
    const CellFace face(d_.problem(), block_, axis, end, d_.media());
    const auto of_line = [&](int j, int k) {
      double sum = 0;
      face.visit_line(j, k, [&](int i, int, int, const CellFace::Values& v) {
        const double into = v.given - (v.conductance == 0 ? 0 : v.conductance * value(i, j, k));
        sum += (end == 0 ? into : -into) * area(i, j, k) * half;
      });
      return sum;
    };
    return cpu::reduce_over_lines(cells, 0.0, of_line, std::plus());
  }

  const Discretization& d_;
  const Field& u_;
  std::size_t axis_;
  const Block& block_;
  const Field& faces_;
};

bool stores_faces(const Discretization& d) {
  const auto* rows = std::get_if<FaceRows>(&d.scheme_rows());
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(d.block().dimension()); ++axis)
    if (!rows || !rows->faces[axis]) return false;
  return true;
}

}  // namespace

std::array<double, 3> mean_flux(const Discretization& d, const Field& u, const std::array<double, 3>& rise) {
  const Processes& processes = d.processes();
  const bool linked = d.media() && processes.any(!d.media()->links().empty());
  if (linked || !stores_faces(d)) return FaceFlows(d, u, rise).mean();
  if (!u.space().is_global()) u.backend().exchange(u, 1);
  std::array<double, 3> means{};
  double volume = 1;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(d.block().dimension()); ++axis) {
    const std::vector<double>& nodes = d.problem().nodes[axis];
    volume *= nodes.back() - nodes.front();
    means[axis] = processes.sum(FluxSum(d, u, axis)(rise[axis]));
  }
  for (double& mean : means) mean /= volume;
  return means;
}

}  // namespace poisson
