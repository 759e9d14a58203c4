#include "grids/results/gather.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

#include "backends/cpu/launch.hpp"
#include "grids/results/edge_gradient.hpp"
#include "grids/rows/face_means.hpp"
#include "grids/sampling/problem_data.hpp"
#include "grids/sampling/sampling.hpp"
#include "grids/schemes/cells/cell_face.hpp"

namespace poisson {
namespace {

// Planes of a field on the host, those past the last of a periodic axis as the wrapped ones: the field's own where the
// host reaches them, else copies.
template <class T>
class Planes {
 public:
  Planes(const Field& u, int first, int last)
      : view_(u.view<T>()), first_(first), there_(on_host(u) && u.space().whole()), size_(u.space().all()) {
    if (there_) return;
    if (!u.space().whole()) {
      collect(u, first, last);
      return;
    }
    pitch_ = view_.sy;
    const std::int64_t lines = size_[1] == 1 ? 0 : (size_[1] - 1) * pitch_;
    stride_ = lines + size_[0];
    copies_.resize(static_cast<std::size_t>(stride_ * (last - first)));
    for (int k = first; k < last; ++k)
      u.backend().read(&view_(0, 0, wrapped(2, k)), &copies_[static_cast<std::size_t>(stride_ * (k - first))],
                       static_cast<std::size_t>(stride_) * sizeof(T));
  }

  double operator()(int i, int j, int k) const {
    const int x = wrapped(0, i), y = wrapped(1, j);
    if (there_) return static_cast<double>(view_(x, y, wrapped(2, k)));
    return static_cast<double>(copies_[static_cast<std::size_t>(stride_ * (k - first_) + y * pitch_ + x)]);
  }

 private:
  // The planes of a field that several processes share come together in the first of them.
  void collect(const Field& u, int first, int last) {
    const Processes& processes = u.space().processes();
    pitch_ = size_[0];
    stride_ = pitch_ * size_[1];
    // Calls f(plane, box) for what a process has of the planes, its values in the whole.
    const auto each_part = [&](int process, const auto& f) {
      for (int k = first; k < last; ++k) {
        Box box = u.space().cuts().patch(process);
        const int plane = wrapped(2, k);
        if (plane < box.first[2] || plane >= box.last[2]) continue;
        box.first[2] = plane;
        box.last[2] = plane + 1;
        f(k, box);
      }
    };
    std::vector<T> own;
    const auto& o = u.space().origin();
    each_part(processes.rank(), [&](int, const Box& box) {
      const std::size_t n = static_cast<std::size_t>(box.last[0] - box.first[0]);
      for (int j = box.first[1]; j < box.last[1]; ++j) {
        own.resize(own.size() + n);
        u.backend().read(&view_(0, j - o[1], box.first[2] - o[2]), &own[own.size() - n], n * sizeof(T));
      }
    });
    std::vector<std::vector<T>> parts(static_cast<std::size_t>(processes.count()));
    std::vector<Processes::Message> sent, received;
    if (!processes.first()) {
      if (!own.empty()) sent.push_back({0, 0, own.data(), own.size() * sizeof(T)});
    } else {
      copies_.resize(static_cast<std::size_t>(stride_ * (last - first)));
      for (int p = 1; p < processes.count(); ++p) {
        std::int64_t size = 0;
        each_part(p, [&](int, const Box& box) { size += box.size(); });
        auto& part = parts[static_cast<std::size_t>(p)];
        part.resize(static_cast<std::size_t>(size));
        if (size > 0) received.push_back({p, 0, part.data(), part.size() * sizeof(T)});
      }
    }
    processes.start(sent, received)->finish();
    parts[0] = std::move(own);
    for (int p = 0; p < processes.count() && processes.first(); ++p) {
      auto value = parts[static_cast<std::size_t>(p)].begin();
      each_part(p, [&](int k, const Box& box) {
        for (int j = box.first[1]; j < box.last[1]; ++j, value += box.last[0] - box.first[0])
          std::copy_n(value, box.last[0] - box.first[0],
                      copies_.begin() + stride_ * (k - first) + j * pitch_ + box.first[0]);
      });
    }
  }

  int wrapped(std::size_t d, int i) const { return i < 0 ? i + size_[d] : i < size_[d] ? i : i - size_[d]; }

  View<const T> view_;
  int first_;
  bool there_;
  std::array<int, 3> size_;
  std::int64_t stride_ = 0, pitch_ = 0;  // of copied planes and lines
  std::vector<T> copies_;
};

// Pieces whose places are made one by one: make(u, i, j, k, values) fills the components, where u has the planes at
// hand that a difference over three nodes takes, `reach` before and past those that are made.
template <class Make>
Pieces pieces_from(const Block& block, const Field& u, int components, int reach, const Make& make) {
  const std::array<int, 3> n = file_shape(block);
  const int own = u.space().all()[2];
  const bool wraps = block.axes[2].periodic();
  return {n, components, [=, &u](int first, int last, std::span<double> values) {
            const bool moves = reach > 0 && !wraps;  // at open ends to one side
            const int from = moves ? std::clamp(first - reach, 0, std::max(0, own - 3)) : first - reach;
            const int to = moves ? std::clamp(last + reach, std::min(own, 3), own) : last + reach;
            dispatch(u.precision(), [&]<class T>(T) {
              const Planes<T> planes(u, from, to);
              if (!u.space().processes().first()) return;
              cpu::for_each_line({{0, 0, first}, {n[0], n[1], last}}, [&](int j, int k) {
                double* to_line = &values[(static_cast<std::size_t>(k - first) * static_cast<std::size_t>(n[1]) +
                                           static_cast<std::size_t>(j)) *
                                          static_cast<std::size_t>(n[0] * components)];
                for (int i = 0; i < n[0]; ++i, to_line += components) make(planes, i, j, k, to_line);
              });
            });
          }};
}

// Weights of the first difference at a node over three nodes around it, or beside it at an end.
struct Difference {
  std::array<int, 3> at{};  // from the node on
  std::array<double, 3> weight{};
};

std::vector<Difference> first_differences(const Axis& axis) {
  std::vector<Difference> all;
  const int n = axis.size();
  for (int i = 0; i < n; ++i) {
    Difference d;
    // Distances from value i to the three; the derivative of their Lagrange polynomial at 0.
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

// κ ∂u/∂x through the faces across an axis of cells at both ends of it.
class EndFluxes {
 public:
  template <class Value>
  EndFluxes(const Problem& problem, const Block& block, int axis, const Value& u)
      : axis_(static_cast<std::size_t>(axis)) {
    for (int end = 0; end < 2; ++end) {
      if (block.axes[axis_].periodic()) continue;
      const CellFace face(problem, block, axis, end);
      box_ = face.behind();
      face.visit([&](int i, int j, int k, const CellFace::Values& v) {
        const double into = v.given - v.conductance * static_cast<double>(u(i, j, k));
        fluxes_[static_cast<std::size_t>(end)].push_back(end == 0 ? -into : into);
      });
    }
  }

  double at(int end, const std::array<int, 3>& cell) const {
    std::size_t number = 0;
    for (std::size_t d = 3; d-- > 0;)
      if (d != axis_)
        number = number * static_cast<std::size_t>(box_.last[d] - box_.first[d]) + static_cast<std::size_t>(cell[d]);
    return fluxes_[static_cast<std::size_t>(end)][number];
  }

 private:
  std::size_t axis_;
  Box box_;
  std::array<std::vector<double>, 2> fluxes_;
};

// All of a field on the host; of one that several processes share in the first of them.
Field whole_on_host(Backend& host, const Block& block, const Field& field) {
  Field all(host, block.layout(), field.precision());
  dispatch(field.precision(), [&]<class T>(T) {
    const auto to = all.view<T>();
    const Planes<T> planes(field, 0, to.n[2]);
    if (field.space().processes().first())
      cpu::for_each_line(all.layout().box(), [&](int j, int k) {
        for (int i = 0; i < to.n[0]; ++i) to(i, j, k) = static_cast<T>(planes(i, j, k));
      });
  });
  return all;
}

std::vector<double> gradient_in_cells(const Discretization& discretization, const Field& field) {
  const Block block = discretization.block().whole();
  const Problem& problem = discretization.problem();
  const auto host = make_cpu_backend();
  const Field u = whole_on_host(*host, block, field);
  const Box cells = block.layout().box();
  const std::array<int, 3> n = cells.last;
  const auto components = static_cast<std::size_t>(block.dimension());
  std::vector<double> gradient(static_cast<std::size_t>(cells.size()) * components), kappas;
  dispatch(u.precision(), [&]<class T>(T) {
    const auto value = u.view<T>();
    for (std::size_t d = 0; d < components; ++d) {
      const Axis& axis = block.axes[d];
      const Quantity& coefficient = problem.coefficient[problem.isotropic ? 0 : d];
      if (!coefficient.constant() && (d == 0 || !problem.isotropic))
        kappas = sample(coefficient, coefficient_key(problem, d), Sign::positive, {block}, Location::cell, cells);
      const auto place = [&](const std::array<int, 3>& cell) {
        return (static_cast<std::size_t>(cell[2]) * static_cast<std::size_t>(n[1]) +
                static_cast<std::size_t>(cell[1])) *
                   static_cast<std::size_t>(n[0]) +
               static_cast<std::size_t>(cell[0]);
      };
      const auto kappa = [&](const std::array<int, 3>& cell) {
        return coefficient.constant() ? *coefficient.constant() : kappas[place(cell)];
      };
      const EndFluxes ends(problem, block, static_cast<int>(d), value);
      cpu::for_each_line(cells, [&](int j, int k) {
        for (int i = 0; i < n[0]; ++i) {
          const std::array cell{i, j, k};
          double flux = 0;
          for (const int end : {0, 1}) {
            std::array other = cell;
            other[d] += end == 0 ? -1 : 1;
            if (!axis.periodic() && (other[d] < 0 || other[d] >= n[d])) {
              flux += ends.at(end, cell);
              continue;
            }
            const double h = axis.width(cell[d]), beyond = axis.width(other[d]);
            other[d] = (other[d] + n[d]) % n[d];
            const double rise =
                static_cast<double>(value(other[0], other[1], other[2])) - static_cast<double>(value(i, j, k));
            flux += (end == 0 ? -1 : 1) * harmonic_face(kappa(cell), h, kappa(other), beyond) * 2 / (h + beyond) * rise;
          }
          gradient[place(cell) * components + d] = 0.5 * flux / kappa(cell);
        }
      });
    }
  });
  correct_edges(problem, block, gradient);
  return gradient;
}

}  // namespace

std::array<int, 3> file_shape(const Block& block) {
  std::array<int, 3> n{};
  const int past = block.centering() == Centering::node ? 1 : 0;
  for (std::size_t d = 0; d < 3; ++d) n[d] = std::max(1, block.axes[d].cells() + past);
  return n;
}

std::size_t Pieces::plane() const {
  return static_cast<std::size_t>(shape[0]) * static_cast<std::size_t>(shape[1]) * static_cast<std::size_t>(components);
}

std::vector<double> Pieces::all() const {
  std::vector<double> values(plane() * static_cast<std::size_t>(shape[2]));
  fill(0, shape[2], values);
  return values;
}

Pieces gather_values(const Block& block, const Field& u) {
  return pieces_from(block.whole(), u, 1, 0,
                     [](const auto& at, int i, int j, int k, double* value) { *value = at(i, j, k); });
}

Pieces gather_gradient(const Discretization& discretization, const Field& u) {
  const Block block = discretization.block().whole();
  const int components = block.dimension();
  if (block.centering() == Centering::cell)
    return {file_shape(block), components,
            [&](int, int, std::span<double> values) {
              std::ranges::copy(gradient_in_cells(discretization, u), values.begin());
            },
            true};
  std::array<std::vector<Difference>, 3> differences;
  for (std::size_t d = 0; d < 3; ++d)
    if (!block.axes[d].degenerate()) differences[d] = first_differences(block.axes[d]);
  return pieces_from(block, u, components, 1, [=](const auto& at, int i, int j, int k, double* gradient) {
    const std::array node{i, j, k};
    for (std::size_t d = 0; d < static_cast<std::size_t>(components); ++d) {
      const Difference& w = differences[d][static_cast<std::size_t>(node[d]) % differences[d].size()];
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
  const Block block = discretization.block().whole();
  const Pieces values = gather_values(block, u);
  const Pieces exact = gather_quantities(discretization, {*discretization.problem().exact}, "exact", block.location());
  const auto difference = [=](int first, int last, std::span<double> error) {
    std::vector<double> of_exact(error.size());
    values.fill(first, last, error);
    exact.fill(first, last, of_exact);
    for (std::size_t i = 0; i < error.size(); ++i) error[i] -= of_exact[i];
  };
  if (!discretization.rows().singular) return {values.shape, 1, difference};
  // The mean; at nodes by half cells to both sides: right on periodic axes too, whose last node is the first.
  const std::array<int, 3> n = values.shape;
  const auto weight = [&](std::size_t d, int i) {
    const Axis& axis = block.axes[d];
    if (axis.degenerate()) return 1.0;
    if (axis.centering() == Centering::cell) return axis.mass(i);
    return 0.5 * ((i > 0 ? axis.width(i - 1) : 0) + (i < axis.cells() ? axis.width(i) : 0));
  };
  double sum = 0, volume = 0;
  std::vector<double> plane(values.plane());
  for (int k = 0; k < n[2]; ++k) {
    difference(k, k + 1, plane);
    auto value = plane.begin();
    for (int j = 0; j < n[1]; ++j)
      for (int i = 0; i < n[0]; ++i, ++value) {
        const double w = weight(0, i) * weight(1, j) * weight(2, k);
        sum += w * *value;
        volume += w;
      }
  }
  return {n, 1, [=, mean = sum / volume](int first, int last, std::span<double> error) {
            difference(first, last, error);
            for (double& e : error) e -= mean;
          }};
}

Pieces gather_density(const Block& part, const Field& r, double factor) {
  const Block block = part.whole();
  const Box unknowns = block.unknowns();
  const std::array<int, 3> size = block.layout().n;
  return pieces_from(block, r, 1, 0, [=](const auto& at, int i, int j, int k, double* value) {
    const std::array node{i % size[0], j % size[1], k % size[2]};
    *value = 0;
    for (std::size_t d = 0; d < 3; ++d)
      if (node[d] < unknowns.first[d] || node[d] >= unknowns.last[d]) return;
    *value = factor * at(i, j, k) / block.mass(node[0], node[1], node[2]);
  });
}

Pieces gather_quantities(const Discretization& discretization, std::vector<Quantity> quantities, std::string_view name,
                         Location location) {
  const auto whole = std::make_shared<const Block>(discretization.block().whole());
  const Block& block = *whole;
  const SampleGrid grid{block, discretization.sample_grid().cells};
  const bool first_process = discretization.processes().first();
  const bool cells = location == Location::cell;
  const std::array<int, 3> n = cells ? block.cell_layout().n : file_shape(block);
  const std::array<int, 3> size = cells ? n : block.layout().n;
  const std::size_t components = quantities.size();
  return {n, static_cast<int>(components),
          [=, &block, keep = whole, name = std::string(name)](int first, int last, std::span<double> values) {
            if (!first_process) return;
            // What the last node of a periodic axis repeats.
            const auto line_at = [&](int j, int k) {
              return &values[(static_cast<std::size_t>(k - first) * static_cast<std::size_t>(n[1]) +
                              static_cast<std::size_t>(j)) *
                             static_cast<std::size_t>(n[0]) * components];
            };
            for (std::size_t c = 0; c < components; ++c)
              for (const auto& [from, to, shift] : {std::array{first, std::min(last, size[2]), 0},
                                                    {std::max(first, size[2]) - size[2], last - size[2], size[2]}})
                if (from < to)
                  sample(quantities[c], name, Sign::any, grid, location, {{0, 0, from}, {size[0], size[1], to}},
                         [&, shift = shift](int j, int k, const double* line) {
                           double* const there = line_at(j, k + shift);
                           for (int i = 0; i < n[0]; ++i)
                             there[static_cast<std::size_t>(i) * components + c] = line[i % size[0]];
                         });
            if (n[1] > size[1])
              for (int k = first; k < last; ++k)
                std::copy_n(line_at(0, k), static_cast<std::size_t>(n[0]) * components, line_at(size[1], k));
          }};
}

}  // namespace poisson
