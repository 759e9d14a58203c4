#include "grids/kernels/functionals.hpp"

#include <limits>
#include <utility>

#include "backends/cpu/launch.hpp"
#include "backends/device/backend.hpp"
#include "backends/memory/places.hpp"
#include "grids/kernels/cpu/factories.hpp"

namespace poisson::cpu {
namespace {

using Moments = Functionals::Moments;

// Joins the moments of two consecutive ranges; the first range wins ties.
Moments joined(const Moments& a, const Moments& b) {
  return {a.first + b.first, a.second + b.second, b.low.value < a.low.value ? b.low : a.low,
          b.high.value > a.high.value ? b.high : a.high};
}

class CpuFunctionals final : public Functionals {
 public:
  CpuFunctionals(Backend& backend, const Block& block) : backend_(backend), cells_(block.cell_layout().box()) {
    for (std::size_t d = 0; d < 3; ++d) {
      const Axis& axis = block.axes[d];
      for (int i = 0; i < axis.size(); ++i) mass_[d].push_back(axis.mass(i));
      for (int i = 0; i < cells_.last[d]; ++i) width_[d].push_back(axis.width(i));
      ones_[d].assign(mass_[d].size(), 1.0);
    }
  }

  Moments moments(const Field& u) const override {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const Moments none{0, 0, {infinity}, {-infinity}};
    return dispatch(u.precision(), [&]<class T>(T) {
      const auto view = u.view<T>();
      return reduce_over_lines(
          u.space(), u.layout().box(), none,
          [&](int j, int k) {
            const T* const line = view.line(j, k);
            const double area = at(mass_, 1, j) * at(mass_, 2, k);
            Moments m = none;
            int low = 0, high = 0;
            for (int i = 0; i < view.n[0]; ++i) {
              const auto value = static_cast<double>(line[i]);
              const double part = mass_[0][static_cast<std::size_t>(i)] * value;
              m.first += part;
              m.second += part * value;
              if (value < m.low.value) m.low.value = value, low = i;
              if (value > m.high.value) m.high.value = value, high = i;
            }
            m.first *= area;
            m.second *= area;
            const auto& first = u.space().part().origin();
            m.low.at = {first[0] + low, first[1] + j, first[2] + k};
            m.high.at = {first[0] + high, first[1] + j, first[2] + k};
            return m;
          },
          joined);
    });
  }

  std::vector<double> sums(const Field& x, std::span<const Region> regions) const override {
    std::vector<double> all;
    dispatch(x.precision(), [&]<class T>(T) {
      const auto view = x.view<T>();
      for (const auto& [box, weighted] : regions) {
        const auto& wx = weighted[0] ? mass_ : ones_;
        const auto& wy = weighted[1] ? mass_ : ones_;
        const auto& wz = weighted[2] ? mass_ : ones_;
        all.push_back(sum_over_lines(x.space(), box, [&, first = box.first[0], last = box.last[0]](int j, int k) {
          double line = 0;
          for (int i = first; i < last; ++i)
            line += wx[0][static_cast<std::size_t>(i)] * static_cast<double>(view(i, j, k));
          return at(wy, 1, j) * at(wz, 2, k) * line;
        }));
      }
    });
    return all;
  }

  double product(const Field& x, const Field& y, const Box& box) const override {
    return dispatch(y.precision(), [&]<class T>(T) {
      const auto a = x.view<double>();
      const auto b = y.view<T>();
      return sum_over_lines(x.space(), box, [&](int j, int k) {
        double line = 0;
        for (int i = box.first[0]; i < box.last[0]; ++i) line += a(i, j, k) * static_cast<double>(b(i, j, k));
        return line;
      });
    });
  }

  double cell_product(const Field& x, const Field& u) const override {
    backend_.exchange(u);
    return dispatch(u.precision(), [&]<class T>(T) {
      const auto cells = x.view<double>();
      const auto value = u.view<T>();
      return sum_over_lines(x.space(), cells_, [&](int j, int k) {
        const std::array<const T*, 4> edges{value.line(j, k), value.line(j + 1, k), value.line(j, k + 1),
                                            value.line(j + 1, k + 1)};
        double line = 0;
        for (int i = 0; i < cells_.last[0]; ++i) {
          double corners = 0;
          for (const T* edge : edges) corners += static_cast<double>(edge[i]) + static_cast<double>(edge[i + 1]);
          line += width_[0][static_cast<std::size_t>(i)] * cells(i, j, k) * corners;
        }
        return 0.125 * at(width_, 1, j) * at(width_, 2, k) * line;
      });
    });
  }

  std::vector<double> values(const Field& x, const Box& box) const override {
    std::vector<double> all;
    all.reserve(static_cast<std::size_t>(box.size()));
    dispatch(x.precision(), [&]<class T>(T) {
      const auto view = x.view<T>();
      for_each_place(box, [&](int i, int j, int k) { all.push_back(static_cast<double>(view(i, j, k))); });
    });
    return all;
  }

 private:
  using Lengths = std::array<std::vector<double>, 3>;
  static double at(const Lengths& lengths, std::size_t d, int i) { return lengths[d][static_cast<std::size_t>(i)]; }

  Backend& backend_;
  Box cells_;
  Lengths mass_, width_, ones_;
};

}  // namespace

std::unique_ptr<Functionals> make_functionals(Backend& backend, const Block& block) {
  return std::make_unique<CpuFunctionals>(backend, block);
}

}  // namespace poisson::cpu
