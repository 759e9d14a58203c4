#include "solver/fallbacks/rows.hpp"

#include <cstddef>

#include "backends/device/backend.hpp"

namespace poisson {
namespace {

// Colours values along an axis so that equal colours are at least three apart, also across a periodic end.
struct Colours {
  int n;
  bool periodic;

  int count() const { return n <= 3 ? n : periodic ? 3 + n % 3 : 3; }
  int operator()(int i) const {
    const int whole = n - n % 3;
    return n <= 3 || !periodic || i < whole ? i % 3 : 3 + i - whole;
  }
  // Returns the value of this colour within reach of i, or −1.
  int near(int i, int colour) const {
    for (const int step : {0, -1, 1}) {
      const int q = periodic ? (i + step + n) % n : i + step;
      if (q >= 0 && q < n && (*this)(q) == colour) return q;
    }
    return -1;
  }
};

}  // namespace

UnknownBox::UnknownBox(const Operator& A) : box(A.space().part().unknowns()) {
  for (std::size_t d = 0; d < 3; ++d) {
    n[d] = box.last[d] - box.first[d];
    periodic[d] = A.space().part().layout().periodic[d] && n[d] > 1;
  }
}

Rows read_rows(const Operator& A, Field& in, Field& out) {
  const UnknownBox box(A);
  const auto size = static_cast<std::size_t>(box.box.size());
  std::vector<double> unit(size), product(size);
  const auto multiply = [&](const auto& is_one) {
    box.for_each(
        [&](int i, int j, int k) { unit[static_cast<std::size_t>(box.number(i, j, k))] = is_one(i, j, k) ? 1 : 0; });
    scatter(box, unit, in);
    A.apply(in, out);
    gather(box, out, product);
  };
  Rows rows;
  multiply([](int, int, int) { return true; });
  rows.sum = product;
  if (A.singular()) rows.sum.assign(size, 0);

  constexpr std::size_t most = 26;
  std::vector<std::array<double, most>> couplings(size);
  std::vector<std::array<std::int32_t, most>> columns(size);
  std::vector<std::uint8_t> counts(size);
  const std::array<Colours, 3> colours{Colours{box.n[0], box.periodic[0]}, Colours{box.n[1], box.periodic[1]},
                                       Colours{box.n[2], box.periodic[2]}};
  const std::array<int, 3> many{colours[0].count(), colours[1].count(), colours[2].count()};
  for (int c = 0; c < many[0] * many[1] * many[2]; ++c) {
    const std::array<int, 3> of{c % many[0], c / many[0] % many[1], c / many[0] / many[1]};
    multiply([&](int i, int j, int k) {
      return colours[0](i) == of[0] && colours[1](j) == of[1] && colours[2](k) == of[2];
    });
    box.for_each([&](int i, int j, int k) {
      const auto row = static_cast<std::size_t>(box.number(i, j, k));
      if (product[row] == 0) return;
      const int x = colours[0].near(i, of[0]), y = colours[1].near(j, of[1]), z = colours[2].near(k, of[2]);
      if (x < 0 || y < 0 || z < 0) return;
      const std::int64_t column = box.number(x, y, z);
      if (column == static_cast<std::int64_t>(row)) return;
      columns[row][counts[row]] = static_cast<std::int32_t>(column);
      couplings[row][counts[row]++] = -product[row];
    });
  }
  for (std::size_t row = 0; row < size; ++row) {
    rows.to.insert(rows.to.end(), columns[row].begin(), columns[row].begin() + counts[row]);
    rows.coupling.insert(rows.coupling.end(), couplings[row].begin(), couplings[row].begin() + counts[row]);
    rows.first.push_back(static_cast<std::int64_t>(rows.to.size()));
  }
  return rows;
}

void gather(const UnknownBox& box, const Field& field, std::vector<double>& values) {
  const HostRead read(field);
  const auto view = (*read).view<double>();
  values.resize(static_cast<std::size_t>(box.box.size()));
  const auto& first = box.box.first;
  box.for_each([&](int i, int j, int k) {
    values[static_cast<std::size_t>(box.number(i, j, k))] = view(first[0] + i, first[1] + j, first[2] + k);
  });
}

void scatter(const UnknownBox& box, const std::vector<double>& values, Field& field) {
  const auto fill = [&](Field& on_host) {
    const auto view = on_host.view<double>();
    const auto& first = box.box.first;
    box.for_each([&](int i, int j, int k) {
      view(first[0] + i, first[1] + j, first[2] + k) = values[static_cast<std::size_t>(box.number(i, j, k))];
    });
  };
  if (on_host(field)) return fill(field);
  const auto host = make_cpu_backend();
  Field copy(*host, field.layout(), field.precision());
  fill(copy);
  transfer(copy, field);
}

}  // namespace poisson
