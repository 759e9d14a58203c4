#include <algorithm>
#include <cmath>
#include <vector>

#include "backends/cpu/launch.hpp"
#include "backends/memory/places.hpp"
#include "grids/kernels/cpu/factories.hpp"
#include "grids/kernels/kappa_statistics.hpp"
#include "grids/operators/faces.hpp"
#include "grids/sampling/stronger_coupling.hpp"

namespace poisson::cpu {
namespace {

double least_of(const View<const double>& x, const Box& box) {
  return -max_over_lines(box, -1e300, [&](int j, int k) {
    return -*std::min_element(&x(box.first[0], j, k), &x(box.first[0], j, k) + (box.last[0] - box.first[0]));
  });
}
double largest_of(const View<const double>& x, const Box& box) {
  return max_over_lines(box, 0, [&](int j, int k) {
    return *std::max_element(&x(box.first[0], j, k), &x(box.first[0], j, k) + (box.last[0] - box.first[0]));
  });
}

// Sums and largest terms of functors f(i, j, k) over cells.
struct Loops {
  const Space& space;

  template <class F>
  double sum(const Box& box, const F& f) const {
    return sum_over_lines(space, box, [&](int j, int k) {
      double line = 0;
      for (int i = box.first[0]; i < box.last[0]; ++i) line += f(i, j, k);
      return line;
    });
  }
  template <class F>
  double largest(const Box& box, const F& f) const {
    return max_over_lines(box, 0, [&](int j, int k) {
      double line = 0;
      for (int i = box.first[0]; i < box.last[0]; ++i) line = std::max<double>(line, f(i, j, k));
      return line;
    });
  }
};

class HostSampler final : public Sampler {
 public:
  explicit HostSampler(const SampleGrid& grid) : block_(grid.block), points_(grid.cells) {
    for (int i = 0; i < block_.axes[0].size(); ++i) mass_x_.push_back(block_.axes[0].mass(i));
  }

  const std::string& note() const override { return note_; }

  void fill(const Datum& datum, Location location, const Box& box, const SampleWeight& weight, SampleStore store,
            Field& out) override {
    dispatch(out.precision(), [&]<class T>(T) {
      const auto to = out.view<T>();
      const auto mass = [&](int d, int i) { return d == weight.face_axis ? 1 : block_.axes[d].mass(i); };
      sample(datum.quantity, datum.name, datum.sign, {block_, points_}, location, box,
             [&](int j, int k, const double* values) {
               if (store == SampleStore::share) {
                 for (int i = box.first[0]; i < box.last[0]; ++i) {
                   const int faces = dirichlet_faces({i, j, k}, location);
                   const double value = values[i - box.first[0]];
                   T& at = to(i, j, k);
                   at = static_cast<T>(faces == 1 ? value : static_cast<double>(at) + value / faces);
                 }
               } else if (weight.volume) {
                 const double area = mass(1, j) * mass(2, k);
                 const bool across = weight.face_axis == 0;
                 put_line(to, box, j, k, store, [&](int i) {
                   const double length = across ? 1 : mass_x_[static_cast<std::size_t>(i)];
                   return weight.factor * (area * length * values[i - box.first[0]]);
                 });
               } else {
                 put_line(to, box, j, k, store, [&](int i) { return weight.factor * values[i - box.first[0]]; });
               }
             });
    });
  }

  void fill_integrals(const Datum& datum, const Box& box, const SampleWeight& weight, SampleStore store,
                      Field& out) override {
    dispatch(out.precision(), [&]<class T>(T) {
      const auto to = out.view<T>();
      integrate(datum.quantity, datum.name, datum.sign, block_, box, weight.face_axis,
                [&](int j, int k, const double* values) {
                  put_line(to, box, j, k, store, [&](int i) { return weight.factor * values[i - box.first[0]]; });
                });
    });
  }

  void fill_corners(const Datum& datum, const Box& cells, const std::array<int, 3>& corner, int face_axis,
                    Field& out) override {
    const auto to = out.view<double>();
    sample_corners(datum.quantity, datum.name, datum.sign, {block_, points_}, cells, corner, face_axis,
                   [&](int j, int k, const double* values) {
                     std::copy_n(values, cells.last[0] - cells.first[0], &to(cells.first[0], j, k));
                   });
  }

  void put(const Box& box, std::span<const double> values, SampleStore store, Field& out) override {
    dispatch(out.precision(), [&]<class T>(T) {
      const auto to = out.view<T>();
      auto value = values.begin();
      for (int k = box.first[2]; k < box.last[2]; ++k)
        for (int j = box.first[1]; j < box.last[1]; ++j) put_line(to, box, j, k, store, [&](int) { return *value++; });
    });
  }

  DifferenceMoments measure(const Datum& datum, const Field& u) override { return measure_on_host(block_, datum, u); }
  CellStatistics statistics(const Field& cells) override {
    const Box box = cells.layout().box();
    return {sum_of_magnitudes(cells, box),
            kappa_statistics::measure_jumps(cells, extremes(cells, box), Loops{cells.space()})};
  }
  Extremes extremes(const Field& cells, const Box& box) override {
    const auto view = cells.view<double>();
    return {least_of(view, box), largest_of(view, box)};
  }
  bool positive_definite(const CellTensors& kappa) override {
    const Space& space = kappa.diagonal[0]->space();
    const Box box = kappa.diagonal[0]->layout().box();
    return !space.processes().any(Loops{space}.largest(box, kappa_statistics::Indefinite(kappa)) > 0);
  }
  double share_of_stronger(std::size_t a, const Field& kappa_a, std::size_t b, const Field& kappa_b) override {
    const std::array<std::vector<double>, 2> widths{widths_of(a), widths_of(b)};
    const StrongerCoupling stronger{{static_cast<int>(a), static_cast<int>(b)},
                                    {kappa_a.view<double>(), kappa_b.view<double>()},
                                    {widths[0].data(), widths[1].data()}};
    const Space& space = kappa_a.space();
    return Loops{space}.sum(kappa_a.layout().box(), stronger) / static_cast<double>(space.size());
  }
  double sum_of_magnitudes(const Field& x, const Box& box) override {
    return dispatch(x.precision(),
                    [&]<class T>(T) { return Loops{x.space()}.sum(box, kappa_statistics::Magnitude<T>{x.view<T>()}); });
  }

  void subtract_inside(Field& cells) override {
    const auto kappa = cells.view<double>();
    const Box all = with_halo(block_, block_.cell_layout().box());
    for (std::size_t d = 0; d < 3; ++d) {
      for (const int end : {-1, kappa.n[d]}) {
        if (!block_.axes[d].open(end < 0 ? 0 : 1)) continue;
        Box face = all;
        face.first[d] = end;
        face.last[d] = end + 1;
        std::array<int, 3> in{};
        in[d] = end < 0 ? 1 : -1;
        for_each_place(face, [&](int i, int j, int k) { kappa(i, j, k) -= kappa(i + in[0], j + in[1], k + in[2]); });
      }
    }
  }
  void faces_from_cells(std::size_t axis, const Field& cells, const Field* ends, Field& faces) override {
    poisson::faces_from_cells(block_, axis, cells, ends, faces);
  }
  void add_product(const MassRows& M, const Field& f, const Box& box, double factor, Field& out) override {
    const MassProduct product(M);
    const auto values = f.view<double>();
    dispatch(out.precision(), [&]<class T>(T) {
      const auto to = out.view<T>();
      for_each_line(box, [&](int j, int k) {
        for (int i = box.first[0]; i < box.last[0]; ++i)
          to(i, j, k) += static_cast<T>(factor * product(values, i, j, k));
      });
    });
  }

 private:
  std::vector<double> widths_of(std::size_t axis) const {
    std::vector<double> widths;
    for (int i = 0; i < block_.axes[axis].cells(); ++i) widths.push_back(block_.axes[axis].width(i));
    return widths;
  }
  template <class T, class F>
  static void put_line(const View<T>& to, const Box& box, int j, int k, SampleStore store, const F& value) {
    for (int i = box.first[0]; i < box.last[0]; ++i) {
      const T part = static_cast<T>(value(i));
      to(i, j, k) = store == SampleStore::add ? to(i, j, k) + part : part;
    }
  }

  // Returns the number of Dirichlet faces that contain a node, or that a cell lies beyond.
  int dirichlet_faces(const std::array<int, 3>& at, Location location) const {
    const int past = location == Location::cell ? 1 : 0;
    int faces = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      const Axis& axis = block_.axes[d];
      if (axis.degenerate()) continue;
      for (const int end : {0, 1})
        faces += axis.kind(end) == BoundaryKind::dirichlet && at[d] == (end == 0 ? -past : axis.size() - 1 + past);
    }
    return faces;
  }

  Block block_;
  CellPoints points_;
  std::vector<double> mass_x_;
  std::string note_;
};

}  // namespace

std::unique_ptr<Sampler> make_sampler(const SampleGrid& grid) {
  return std::make_unique<HostSampler>(grid);
}

}  // namespace poisson::cpu
