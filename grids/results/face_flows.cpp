#include "grids/results/face_flows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "backends/device/backend.hpp"
#include "backends/memory/places.hpp"
#include "grids/problem/body_error.hpp"
#include "grids/results/cell_kappa.hpp"
#include "grids/rows/face_means.hpp"
#include "grids/sampling/problem_data.hpp"
#include "grids/schemes/cells/cell_face.hpp"
#include "grids/schemes/cells/media_system.hpp"

namespace poisson {
namespace {

// Reads a solution of cells with one layer of neighbours beyond cuts; indices beyond periodic ends wrap around.
class CellValues {
 public:
  CellValues(const Discretization& d, const Field& u) : block_(d.block()), box_(block_.layout().box()) {
    if (!u.space().is_global()) u.backend().exchange(u, 1);
    for (std::size_t e = 0; e < 3; ++e) {
      const Axis& axis = block_.axes[e];
      if (axis.degenerate() || axis.periodic()) continue;
      if (!axis.open(0)) --box_.first[e];
      if (!axis.open(1)) ++box_.last[e];
    }
    values_ = d.functionals().values(u, box_);
  }
  double operator()(std::array<int, 3> cell) const {
    for (std::size_t e = 0; e < 3; ++e)
      if (const int n = block_.axes[e].size(); block_.axes[e].periodic()) cell[e] = (cell[e] + n) % n;
    return values_[number_in(box_, cell)];
  }

 private:
  Block block_;
  Box box_;
  std::vector<double> values_;
};

}  // namespace

FaceFlows::FaceFlows(const Discretization& discretization, const Field& u, const std::array<double, 3>& rise)
    : d_(discretization), block_(d_.block()), n_(block_.layout().n) {
  const auto origin = u.space().part().origin();
  for (std::size_t e = 0; e < 3; ++e) origin_[e] = static_cast<int>(origin[e]);
  const CellValues values(d_, u);
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(block_.dimension()); ++axis) {
    std::array<int, 3> n = n_;
    ++n[axis];
    fluxes_[axis].resize(static_cast<std::size_t>(n[0]) * static_cast<std::size_t>(n[1]) *
                         static_cast<std::size_t>(n[2]));
    add_inner(axis, values, rise);
    add_ends(static_cast<int>(axis), values);
  }
  if (d_.media()) add_links(values, rise);
}

template <class Value>
void FaceFlows::add_inner(std::size_t d, const Value& u, const std::array<double, 3>& rise) {
  const Problem& problem = d_.problem();
  const Axis& axis = block_.axes[d];
  const MediaSystem* const media = d_.media();
  const Box cells = block_.layout().box();
  std::optional<CellKappa> kappa;
  if (!media) kappa.emplace(problem, block_, d, cells);
  const int all = static_cast<int>(problem.nodes[d].size()) - 1;
  const int first = axis.open(0) ? 1 : 0, last = axis.open(1) ? n_[d] - 1 : n_[d];
  Box faces = cells;
  faces.first[d] = first;
  faces.last[d] = last + 1;
#pragma omp parallel for collapse(2)
  for (int k = faces.first[2]; k < faces.last[2]; ++k)
    for (int j = faces.first[1]; j < faces.last[1]; ++j)
      for (int i = faces.first[0]; i < faces.last[0]; ++i) {
        const std::array above{i, j, k};
        std::array below = above;
        --below[d];
        const double h = axis.width(below[d]), beyond = axis.width(above[d]);
        const double mean =
            media ? media->face(d, i, j, k) : double(harmonic_face((*kappa)(below), h, (*kappa)(above), beyond));
        if (mean == 0) continue;
        double difference = u(above) - u(below);
        if (axis.closed() && (origin_[d] + above[d]) % all == 0) difference += rise[d];
        fluxes_[d][index(d, i, j, k)] = -mean * 2 / (h + beyond) * difference;
      }
}

template <class Value>
void FaceFlows::add_ends(int axis, const Value& u) {
  const auto d = static_cast<std::size_t>(axis);
  for (int end = 0; end < 2; ++end) {
    if (!block_.axes[d].open(end)) continue;
    CellFace(d_.problem(), block_, axis, end, d_.media()).visit([&](int i, int j, int k, const CellFace::Values& v) {
      std::array face{i, j, k};
      face[d] += end;
      const double into = v.given - (v.conductance == 0 ? 0 : v.conductance * u({i, j, k}));
      fluxes_[d][index(d, face[0], face[1], face[2])] = end == 0 ? into : -into;
    });
  }
}

template <class Value>
void FaceFlows::add_links(const Value& u, const std::array<double, 3>& rise) {
  const MediaSystem& media = *d_.media();
  for (const FixedLink& link : media.links()) {
    const auto [i, j, k] = link.cell;
    if (!media.solved(i, j, k)) continue;
    const auto d = static_cast<std::size_t>(link.axis);
    std::array face = link.cell;
    if (link.side > 0) ++face[d];
    const double into =
        link.conductance * (media.value_of(link, rise) - u(link.cell)) / block_.face_area(link.axis, i, j, k);
    fluxes_[d][index(d, face[0], face[1], face[2])] += link.side < 0 ? into : -into;
    if (link.body < 0) continue;
    // No cell contains the flow through the body. Its mean is the first moment of the flow through the surface, which
    // depends on no origin because the flows add up to the charge. A cell of the body beside the face already counts
    // the way to its centre.
    std::array beside = link.cell;
    beside[d] += link.side;
    const double counted = beside[d] >= 0 && beside[d] < n_[d] ? 0.5 * link.side * block_.axes[d].width(beside[d]) : 0;
    const double flow = into * block_.face_area(link.axis, i, j, k);
    for (std::size_t e = 0; e < static_cast<std::size_t>(block_.dimension()); ++e) {
      const std::vector<double>& nodes = block_.axes[e].nodes();
      const double share = e == d ? (link.side < 0 ? 0.0 : 1.0) : 0.5;
      const double place =
          block_.axes[e].point_in_cell(link.cell[e], share) - link.periods[e] * (nodes.back() - nodes.front());
      through_bodies_[e] += flow * (place + (e == d ? counted : 0) - 0.5 * (nodes.front() + nodes.back()));
    }
  }
}

double FaceFlows::out_of(int i, int j, int k) const {
  double sum = 0;
  for (std::size_t d = 0; d < static_cast<std::size_t>(block_.dimension()); ++d) {
    std::array above{i, j, k};
    ++above[d];
    sum += block_.face_area(static_cast<int>(d), i, j, k) * (flux(d, above[0], above[1], above[2]) - flux(d, i, j, k));
  }
  return sum;
}

double FaceFlows::largest() const {
  double most = 0;
  for (std::size_t d = 0; d < static_cast<std::size_t>(block_.dimension()); ++d) {
#pragma omp parallel for reduction(max : most)
    for (int k = 0; k < n_[2]; ++k)
      for (int j = 0; j < n_[1]; ++j)
        for (int i = 0; i < n_[0]; ++i) {
          std::array above{i, j, k};
          ++above[d];
          const double flux_here =
              std::max(std::abs(flux(d, i, j, k)), std::abs(flux(d, above[0], above[1], above[2])));
          most = std::max(most, block_.face_area(static_cast<int>(d), i, j, k) * flux_here);
        }
  }
  return d_.processes().largest(most);
}

std::array<double, 3> FaceFlows::mean() const {
  std::array<double, 3> sums{};
  double volume = 1;
  for (std::size_t d = 0; d < static_cast<std::size_t>(block_.dimension()); ++d) {
    const std::vector<double>& nodes = d_.problem().nodes[d];
    volume *= nodes.back() - nodes.front();
    // Each face counts half of the distance to its neighbours for both cells; the sum over cells is that over faces.
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int k = 0; k < n_[2]; ++k)
      for (int j = 0; j < n_[1]; ++j)
        for (int i = 0; i < n_[0]; ++i) sum += at_centre(d, {i, j, k}) * block_.cell_volume(i, j, k);
    sums[d] = d_.processes().sum(sum + through_bodies_[d]);
  }
  for (double& sum : sums) sum /= volume;
  return sums;
}

Pieces gather_flux(const Discretization& discretization, const Field& u, const std::array<double, 3>& rise) {
  const auto flows = std::make_shared<const FaceFlows>(discretization, u, rise);
  const Block& block = discretization.block();
  const int components = block.dimension();
  const std::array<int, 3> n = block.layout().n;
  return {shown_places(block, Location::cell), components,
          [flows, components, n, media = discretization.media()](int first, int last, std::span<double> values) {
            std::size_t at = 0;
            for (int k = first; k < last; ++k)
              for (int j = 0; j < n[1]; ++j)
                for (int i = 0; i < n[0]; ++i)
                  for (int d = 0; d < components; ++d)
                    values[at++] = media && !media->solved(i, j, k)
                                       ? std::numeric_limits<double>::quiet_NaN()
                                       : flows->at_centre(static_cast<std::size_t>(d), {i, j, k});
          }};
}

Pieces gather_face_flux(const Discretization& discretization, const Field& u, int axis,
                        const std::array<double, 3>& rise) {
  const auto fluxes = std::make_shared<const std::vector<double>>(
      FaceFlows(discretization, u, rise).release(static_cast<std::size_t>(axis)));
  Box part = shown_places(discretization.block(), Location::cell);
  ++part.last[static_cast<std::size_t>(axis)];
  const auto plane =
      static_cast<std::size_t>(part.last[0] - part.first[0]) * static_cast<std::size_t>(part.last[1] - part.first[1]);
  return {part, 1, [fluxes, plane](int first, int last, std::span<double> values) {
            const auto begin = plane * static_cast<std::size_t>(first);
            std::copy_n(&(*fluxes)[begin], plane * static_cast<std::size_t>(last - first), values.begin());
          }};
}

namespace {

// Adds the change of the couplings to floating bodies that a rise along an axis causes.
void add_rise_of_bodies(const Discretization& d, std::size_t axis, double rise, double scale, Field& b) {
  const MediaSystem& media = *d.media();
  if (!media.floating()) return;
  for (const FloatingBody& body : media.floating()->all())
    if (body.winds[axis])
      throw BodyError(media.media().regions[body.regions.front()].name,
                      std::string("floats and connects both ends of ") + "xyz"[axis] +
                          " without resistance, so the effective coefficient is infinite: give it a coefficient, "
                          "shorten it, or leave " +
                          "xyz"[axis] + " out of output.effective.axes");
  const Box own = d.block().layout().box();
  std::vector<double> added(static_cast<std::size_t>(own.size()));
  for (const FixedLink& link : media.links()) {
    const auto [i, j, k] = link.cell;
    if (link.body >= 0 && media.solved(i, j, k))
      added[media.own(i, j, k)] += scale * link.conductance * rise * link.periods[axis];
  }
  d.sampler().put(own, added, SampleStore::add, b);
}

}  // namespace

void add_rise(const Discretization& discretization, std::size_t axis, double rise, double scale, Field& b) {
  const MediaSystem& media = *discretization.media();
  add_rise_of_bodies(discretization, axis, rise, scale, b);
  const Block& block = discretization.block();
  const Axis& across = block.axes[axis];
  const int n = block.layout().n[axis], all = static_cast<int>(discretization.problem().nodes[axis].size()) - 1;
  const int origin = static_cast<int>(b.space().part().origin()[axis]);
  for (const int end : {0, 1}) {
    if (origin + (end == 0 ? 0 : n) != (end == 0 ? 0 : all)) continue;
    Box layer = block.layout().box();
    layer.first[axis] = end == 0 ? 0 : n - 1;
    layer.last[axis] = layer.first[axis] + 1;
    const int face = end == 0 ? 0 : n;
    const double distance = 0.5 * (across.width(face - 1) + across.width(face));
    std::vector<double> added;
    for_each_place(layer, [&](int i, int j, int k) {
      std::array at{i, j, k};
      at[axis] = face;
      const double flow = media.face(axis, at[0], at[1], at[2]) * block.face_area(static_cast<int>(axis), i, j, k) /
                          distance * rise * scale;
      added.push_back(end == 0 ? -flow : flow);
    });
    discretization.sampler().put(layer, added, SampleStore::add, b);
  }
}

}  // namespace poisson
