#include "grids/results/gather.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "backends/cpu/launch.hpp"
#include "grids/results/cell_interpolation.hpp"
#include "grids/results/cell_kappa.hpp"
#include "grids/results/edge_gradient.hpp"
#include "grids/results/integrals.hpp"
#include "grids/rows/face_means.hpp"
#include "grids/sampling/problem_data.hpp"
#include "grids/sampling/sampling.hpp"
#include "grids/schemes/cells/cell_face.hpp"
#include "grids/schemes/cells/media_system.hpp"

namespace poisson {
namespace {

std::array<int, 3> sizes(const Box& box) {
  return {box.last[0] - box.first[0], box.last[1] - box.first[1], box.last[2] - box.first[2]};
}

// Provides the planes first ≤ k < last of this process's sub-block of a field on the host, with their halos. It reads
// the field itself if the host can access it, and copies otherwise.
// On axes that are periodic within this process, indices past an end wrap around.
template <class T>
class Planes {
 public:
  Planes(const Field& u, int first, int last)
      : view_(u.view<T>()), closed_(u.layout().periodic), first_(first), there_(on_host(u)) {
    if (there_) return;
    stride_ = (view_.n[1] + 2 * view_.halo[1] - 1) * view_.sy + view_.n[0] + 2 * view_.halo[0];
    copies_.resize(static_cast<std::size_t>(stride_ * (last - first)));
    for (int k = first; k < last; ++k)
      u.backend().read(&view_(-view_.halo[0], -view_.halo[1], wrapped(2, k)),
                       &copies_[static_cast<std::size_t>(stride_ * (k - first))],
                       static_cast<std::size_t>(stride_) * sizeof(T));
  }

  double operator()(int i, int j, int k) const {
    const int x = wrapped(0, i), y = wrapped(1, j);
    if (there_) return static_cast<double>(view_(x, y, wrapped(2, k)));
    return static_cast<double>(
        copies_[static_cast<std::size_t>(stride_ * (k - first_) + (y + view_.halo[1]) * view_.sy + x + view_.halo[0])]);
  }

 private:
  int wrapped(std::size_t d, int i) const {
    if (!closed_[d]) return i;
    return i < 0 ? i + view_.n[d] : i < view_.n[d] ? i : i - view_.n[d];
  }

  View<const T> view_;
  std::array<bool, 3> closed_;
  int first_;
  bool there_;
  std::int64_t stride_ = 0;  // per copied plane
  std::vector<T> copies_;
};

// Fetches `width` layers of halo of a distributed field from other processes.
void fetch_neighbours(const Field& u, int width) {
  if (!u.space().is_global()) u.backend().exchange(u, width);
}

// Returns pieces whose places are computed one by one: make(u, node, values) fills the components. `u` provides `reach`
// planes before and after the requested ones, enough for differences over three nodes.
template <class Make>
Pieces pieces_from(const Block& block, const Field& u, int components, int reach, const Make& make) {
  fetch_neighbours(u, reach + 1);
  const Axis& z = block.axes[2];
  const bool wraps = z.periodic();
  // Planes exist past an end if the axis continues there; they are the halo.
  const auto beyond = [&](int end) { return z.degenerate() || z.open(end) ? 0 : cut_halo; };
  const int low = -beyond(0), high = z.size() + beyond(1);
  const Box part = shown_places(block, block.location());
  const std::array<int, 3> n = sizes(part);
  return {part, components, [=, &u](int first, int last, std::span<double> values) {
            const bool moves = reach > 0 && !wraps;  // the stencil is one-sided at open ends
            const int from = moves ? std::clamp(first - reach, low, std::max(low, high - 3)) : first - reach;
            const int to = moves ? std::clamp(last + reach, std::min(high, low + 3), high) : last + reach;
            dispatch(u.precision(), [&]<class T>(T) {
              const Planes<T> at(u, from, to);
              cpu::for_each_line({{0, 0, first}, {n[0], n[1], last}}, [&](int j, int k) {
                double* to_line = &values[(static_cast<std::size_t>(k - first) * static_cast<std::size_t>(n[1]) +
                                           static_cast<std::size_t>(j)) *
                                          static_cast<std::size_t>(n[0] * components)];
                for (int i = 0; i < n[0]; ++i, to_line += components) make(at, std::array{i, j, k}, to_line);
              });
            });
          }};
}

// Contains the weights of the first difference over three nodes, which is centred at a node or one-sided at an end.
struct Difference {
  std::array<int, 3> at{};  // counts from the node
  std::array<double, 3> weight{};
};

std::vector<Difference> first_differences(const Axis& axis) {
  std::vector<Difference> all;
  const int n = axis.size();
  for (int i = 0; i < n; ++i) {
    Difference d;
    // `s` are the distances from value i to the three nodes; the weights differentiate the Lagrange polynomial at 0.
    std::array<double, 3> s{};
    if (axis.periodic()) {
      d.at = {-1, 0, 1};
      s = {-1 / axis.inverse_distance(i - 1), 0, 1 / axis.inverse_distance(i)};
    } else {
      const int start = std::clamp(i - 1, 0, n - 3);
      for (int p = 0; p < 3; ++p) {
        d.at[static_cast<std::size_t>(p)] = start + p - i;
        s[static_cast<std::size_t>(p)] = axis.point(start + p) - axis.point(i);
      }
    }
    for (std::size_t p = 0; p < 3; ++p) {
      const std::size_t q = (p + 1) % 3, r = (p + 2) % 3;
      d.weight[p] = -(s[q] + s[r]) / ((s[p] - s[q]) * (s[p] - s[r]));
    }
    all.push_back(d);
  }
  return all;
}

// Computes the fluxes κ ∂u/∂x of cell-centred u through the faces at both ends of an axis.
class EndFluxes {
 public:
  template <class Value>
  EndFluxes(const Discretization& discretization, int axis, const Value& u) : axis_(static_cast<std::size_t>(axis)) {
    const Block& block = discretization.block();
    for (int end = 0; end < 2; ++end) {
      if (!block.axes[axis_].open(end)) continue;
      const CellFace face(discretization.problem(), block, axis, end, discretization.media());
      boxes_[static_cast<std::size_t>(end)] = face.behind();
      face.visit([&](int i, int j, int k, const CellFace::Values& v) {
        const double into = v.given - v.conductance * u(i, j, k);
        fluxes_[static_cast<std::size_t>(end)].push_back(end == 0 ? -into : into);
      });
    }
  }

  double at(int end, const std::array<int, 3>& cell) const {
    const Box& box = boxes_[static_cast<std::size_t>(end)];
    std::size_t number = 0;
    for (std::size_t d = 3; d-- > 0;)
      if (d != axis_)
        number = number * static_cast<std::size_t>(box.last[d] - box.first[d]) + static_cast<std::size_t>(cell[d]);
    return fluxes_[static_cast<std::size_t>(end)][number];
  }

 private:
  std::size_t axis_;
  std::array<Box, 2> boxes_;
  std::array<std::vector<double>, 2> fluxes_;
};

std::vector<double> gradient_in_cells(const Discretization& discretization, const Field& u) {
  const Block& block = discretization.block();
  const Problem& problem = discretization.problem();
  const Box cells = block.layout().box();
  const std::array<int, 3> n = cells.last;
  const auto components = static_cast<std::size_t>(block.dimension());
  std::vector<double> gradient(static_cast<std::size_t>(cells.size()) * components);
  dispatch(u.precision(), [&]<class T>(T) {
    const bool flat = block.axes[2].degenerate();
    const Planes<T> value(u, flat ? 0 : -1, n[2] + (flat ? 0 : 1));
    for (std::size_t d = 0; d < components; ++d) {
      const Axis& axis = block.axes[d];
      const CellKappa kappa(problem, block, d, cells);
      const EndFluxes ends(discretization, static_cast<int>(d), value);
      cpu::for_each_line(cells, [&](int j, int k) {
        double* to =
            &gradient[(static_cast<std::size_t>(k) * static_cast<std::size_t>(n[1]) + static_cast<std::size_t>(j)) *
                          static_cast<std::size_t>(n[0]) * components +
                      d];
        for (int i = 0; i < n[0]; ++i, to += components) {
          const std::array cell{i, j, k};
          double flux = 0;
          for (const int end : {0, 1}) {
            std::array other = cell;
            other[d] += end == 0 ? -1 : 1;
            if (axis.open(end) && (other[d] < 0 || other[d] >= n[d])) {
              flux += ends.at(end, cell);
              continue;
            }
            const double h = axis.width(cell[d]), beyond = axis.width(other[d]);
            const double rise = value(other[0], other[1], other[2]) - value(i, j, k);
            double through = harmonic_face(kappa(cell), h, kappa(other), beyond);
            if (const MediaSystem* media = discretization.media()) {
              std::array face = cell;
              face[d] += end;
              const double averaged = media->face(d, face[0], face[1], face[2]);
              if (averaged > 0 || kappa(other) == 0) through = averaged;
            }
            flux += (end == 0 ? -1 : 1) * through * 2 / (h + beyond) * rise;
          }
          *to = 0.5 * flux / kappa(cell);
        }
      });
    }
  });
  correct_edges(problem, block, gradient);
  return gradient;
}

}  // namespace

Box shown_places(const Block& block, Location location) {
  Box box;
  for (std::size_t d = 0; d < 3; ++d) {
    const Axis& axis = block.axes[d];
    const int past = axis.origin() + axis.size(), values = axis.global().size();
    box.first[d] = axis.origin();
    box.last[d] = past == values ? axis.all_cells() : past;
    if (location == Location::node || axis.degenerate()) ++box.last[d];
  }
  return box;
}

std::array<int, 3> file_shape(const Block& block) {
  return sizes(shown_places(block, block.location()));
}

Pieces::Pieces(const Box& part, int components_of_each, Fill filling)
    : first(part.first), shape(sizes(part)), components(components_of_each), fill(std::move(filling)) {}

std::size_t Pieces::plane() const {
  return static_cast<std::size_t>(shape[0]) * static_cast<std::size_t>(shape[1]) * static_cast<std::size_t>(components);
}

std::vector<double> Pieces::all() const {
  std::vector<double> values(plane() * static_cast<std::size_t>(shape[2]));
  fill(0, shape[2], values);
  return values;
}

Pieces gather_values(const Block& block, const Field& u) {
  return pieces_from(block, u, 1, 0, [](const auto& at, const std::array<int, 3>& node, double* value) {
    *value = at(node[0], node[1], node[2]);
  });
}

namespace {

// Writes NaN in cells without a solution, and the value of fixed bodies.
Pieces with_gaps(const Discretization& discretization, Pieces values) {
  const MediaSystem& media = *discretization.media();
  if (!media.has_gaps()) return values;
  const int components = values.components;
  values.fill = [&media, fill = std::move(values.fill), shape = values.shape, components](int first, int last,
                                                                                          std::span<double> piece) {
    fill(first, last, piece);
    std::size_t at = 0;
    for_each_place({{0, 0, first}, {shape[0], shape[1], last}}, [&](int i, int j, int k) {
      const CellState state = media.state(i, j, k);
      const double none = std::numeric_limits<double>::quiet_NaN();
      for (int c = 0; c < components; ++c, ++at) {
        if (state == CellState::solved) continue;
        piece[at] = state != CellState::fixed ? none : components == 1 ? media.fixed_value(i, j, k) : 0;
      }
    });
  };
  return values;
}

}  // namespace

Pieces gather_solution(const Discretization& discretization, const Field& u) {
  const Block& block = discretization.block();
  Pieces values = gather_values(block, u);
  if (discretization.media()) values = with_gaps(discretization, std::move(values));
  if (block.centering() == Centering::cell)
    values.on_plane = [&discretization, &u](int normal, double position) {
      return values_on_plane(discretization, u, static_cast<std::size_t>(normal), position);
    };
  return values;
}

Pieces gather_gradient(const Discretization& discretization, const Field& u) {
  const Block& block = discretization.block();
  const int components = block.dimension();
  if (block.centering() == Centering::cell) {
    fetch_neighbours(u, 1);
    const auto gathered = std::make_shared<const std::vector<double>>(gradient_in_cells(discretization, u));
    const Box part = shown_places(block, Location::cell);
    const std::size_t plane = gathered->size() / static_cast<std::size_t>(part.last[2] - part.first[2]);
    Pieces pieces{part, components, [gathered, plane](int first, int, std::span<double> values) {
                    std::copy_n(
                        gathered->begin() + static_cast<std::ptrdiff_t>(plane * static_cast<std::size_t>(first)),
                        values.size(), values.begin());
                  }};
    return discretization.media() ? with_gaps(discretization, std::move(pieces)) : pieces;
  }
  std::array<std::vector<Difference>, 3> differences;
  for (std::size_t d = 0; d < 3; ++d)
    if (!block.axes[d].degenerate()) differences[d] = first_differences(block.axes[d].global());
  return pieces_from(
      block, u, components, 1,
      [=, origin = u.space().part().origin()](const auto& at, const std::array<int, 3>& node, double* gradient) {
        for (std::size_t d = 0; d < static_cast<std::size_t>(components); ++d) {
          const Difference& w = differences[d][static_cast<std::size_t>(node[d] + origin[d]) % differences[d].size()];
          double sum = 0;
          for (std::size_t p = 0; p < 3; ++p) {
            std::array to = node;
            to[d] += w.at[p];
            sum += w.weight[p] * at(to[0], to[1], to[2]);
          }
          gradient[d] = sum;
        }
      });
}

Pieces gather_error(const Discretization& discretization, const Field& u) {
  const Block& block = discretization.block();
  const Pieces values = gather_values(block, u);
  const Pieces exact = gather_quantities(discretization, {*discretization.problem().exact}, "exact", block.location());
  return {shown_places(block, block.location()), 1,
          [=, mean = mean_error(discretization, u)](int first, int last, std::span<double> error) {
            std::vector<double> of_exact(error.size());
            values.fill(first, last, error);
            exact.fill(first, last, of_exact);
            for (std::size_t i = 0; i < error.size(); ++i) error[i] = error[i] - of_exact[i] - mean;
          }};
}

Pieces gather_density(const Block& part, const Field& r, double factor) {
  const Block block = part.global();
  const Box unknowns = block.unknowns();
  const std::array<int, 3> size = block.layout().n;
  return pieces_from(
      part, r, 1, 0,
      [=, origin = r.space().part().origin()](const auto& at, const std::array<int, 3>& here, double* value) {
        std::array<int, 3> node{};
        *value = 0;
        for (std::size_t d = 0; d < 3; ++d) {
          node[d] = (here[d] + origin[d]) % size[d];
          if (node[d] < unknowns.first[d] || node[d] >= unknowns.last[d]) return;
        }
        *value = factor * at(here[0], here[1], here[2]) / block.mass(node[0], node[1], node[2]);
      });
}

Pieces gather_quantities(const Discretization& discretization, std::vector<Quantity> quantities, std::string_view name,
                         Location location) {
  const auto whole = std::make_shared<const Block>(discretization.block().global());
  const Box part = shown_places(discretization.block(), location);
  const std::array<int, 3> n = sizes(part),
                           size = location == Location::cell ? whole->cell_layout().n : whole->layout().n;
  const std::size_t components = quantities.size();
  return {part, static_cast<int>(components),
          [=, points = discretization.sample_grid().cells, name = std::string(name)](int first, int last,
                                                                                     std::span<double> values) {
            // Fills the places; the last node of a periodic axis repeats the first one.
            Box wanted = part;
            wanted.first[2] = part.first[2] + first;
            wanted.last[2] = part.first[2] + last;
            for (int repeated = 0; repeated < 8; ++repeated) {
              Box box = wanted;
              std::array<int, 3> shift{};
              for (std::size_t d = 0; d < 3; ++d)
                if (repeated >> d & 1) {
                  shift[d] = size[d];
                  box.first[d] = std::max(wanted.first[d], size[d]) - size[d];
                  box.last[d] = wanted.last[d] - size[d];
                } else {
                  box.last[d] = std::min(wanted.last[d], size[d]);
                }
              if (box.size() == 0) continue;
              for (std::size_t c = 0; c < components; ++c)
                sample(quantities[c], name, Sign::any, {*whole, points}, location, box,
                       [&](int j, int k, const double* line) {
                         const int row = (k + shift[2] - wanted.first[2]) * n[1] + j + shift[1] - wanted.first[1];
                         double* to = &values[(static_cast<std::size_t>(row) * static_cast<std::size_t>(n[0]) +
                                               static_cast<std::size_t>(box.first[0] + shift[0] - wanted.first[0])) *
                                                  components +
                                              c];
                         for (int i = 0; i < box.last[0] - box.first[0]; ++i, to += components) *to = line[i];
                       });
            }
          }};
}

}  // namespace poisson
