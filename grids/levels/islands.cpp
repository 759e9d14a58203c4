#include "grids/levels/islands.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "backends/backend.hpp"
#include "backends/cpu/launch.hpp"
#include "grids/kernels/grid_kernels.hpp"

namespace poisson {
namespace {

constexpr double strong = 1e-2;            // a coupling, beside the larger of its diagonal entries
constexpr double slow = 1e-2;              // 1ᵀA1/1ᵀD1, of which a sweep takes about as much off the error
constexpr std::size_t most_values = 1024;  // larger ones have values on many coarse grids

// The couplings of a matrix on the host, value by value.
class Couplings {
 public:
  explicit Couplings(const Bands& bands) : layout_(bands.layout()), offsets_(bands.offsets) {
    sum_ = std::make_unique<HostRead>(*bands.sum);
    for (const auto& band : bands.entries) bands_.push_back(std::make_unique<HostRead>(*band));
    for (const auto& band : bands_) views_.push_back((**band).view<double>());
    const std::size_t forward = offsets_.size();
    for (std::size_t b = 0; b < forward; ++b) offsets_.push_back({-offsets_[b][0], -offsets_[b][1], -offsets_[b][2]});
    diagonal_.resize(static_cast<std::size_t>(layout_.size()));
    cpu::for_each_line(layout_.box(), [&](int j, int k) {
      for (int i = 0; i < layout_.n[0]; ++i) {
        double d = row_sum({i, j, k});
        for_each_neighbour({i, j, k}, [&](const std::array<int, 3>&, double a) { d += a; });
        diagonal_[static_cast<std::size_t>(number({i, j, k}))] = d;
      }
    });
  }

  std::int64_t number(const std::array<int, 3>& p) const {
    return p[0] + std::int64_t{1} * layout_.n[0] * (p[1] + std::int64_t{1} * layout_.n[1] * p[2]);
  }
  double row_sum(const std::array<int, 3>& p) const { return (**sum_).view<double>()(p[0], p[1], p[2]); }
  double diagonal(const std::array<int, 3>& p) const { return diagonal_[static_cast<std::size_t>(number(p))]; }

  /// f(neighbour, coupling) for couplings that are not zero.
  template <class F>
  void for_each_neighbour(const std::array<int, 3>& p, const F& f) const {
    for (std::size_t b = 0; b < offsets_.size(); ++b) {
      const Offset& o = offsets_[b];
      std::array<int, 3> q{};
      bool exists = true;
      for (std::size_t d = 0; d < 3; ++d) {
        q[d] = p[d] + o[d];
        if (layout_.periodic[d])
          q[d] = q[d] < 0 ? q[d] + layout_.n[d] : q[d] >= layout_.n[d] ? q[d] - layout_.n[d] : q[d];
        exists = exists && q[d] >= 0 && q[d] < layout_.n[d];
      }
      if (!exists) continue;
      const auto& at = b < views_.size() ? p : q;  // backward, the entry stands at the neighbour
      const double a = views_[b % views_.size()](at[0], at[1], at[2]);
      if (a != 0) f(q, a);
    }
  }
  template <class F>
  void for_each_strong(const std::array<int, 3>& p, const F& f) const {
    const double here = diagonal(p);
    for_each_neighbour(p, [&](const std::array<int, 3>& q, double a) {
      if (std::abs(a) > strong * std::max(here, diagonal(q))) f(q);
    });
  }

 private:
  Layout layout_;
  std::vector<Offset> offsets_;
  std::unique_ptr<HostRead> sum_;
  std::vector<std::unique_ptr<HostRead>> bands_;
  std::vector<View<const double>> views_;
  std::vector<double> diagonal_;
};

struct Island {
  std::vector<std::int64_t> values;
  std::vector<IslandSets::Entry> row;
  double energy = 0;
};

// The island of which p is the first value; empty where p is none, or not the first. Most searches end at once, at a
// neighbour that comes before.
Island island_from(const Couplings& A, const Box& unknowns, const std::array<int, 3>& p) {
  const auto is_unknown = [&](const std::array<int, 3>& q) {
    for (std::size_t d = 0; d < 3; ++d)
      if (q[d] < unknowns.first[d] || q[d] >= unknowns.last[d]) return false;
    return true;
  };
  const std::int64_t first = A.number(p);
  std::map<std::int64_t, std::array<int, 3>> found{{first, p}};
  std::vector<std::array<int, 3>> waiting{p};
  bool whole = true;
  while (whole && !waiting.empty()) {
    const std::array<int, 3> q = waiting.back();
    waiting.pop_back();
    A.for_each_strong(q, [&](const std::array<int, 3>& r) {
      whole = whole && A.number(r) >= first && is_unknown(r);
      if (whole && found.emplace(A.number(r), r).second) waiting.push_back(r);
    });
    whole = whole && found.size() <= most_values;
  }
  Island island;
  if (!whole || found.size() == 1) return island;

  std::map<std::int64_t, double> row;
  double diagonals = 0;
  for (const auto& [number, q] : found) {
    const double sum = A.row_sum(q);
    if (sum != 0) row[number] += sum;
    island.energy += sum;
    diagonals += A.diagonal(q);
    A.for_each_neighbour(q, [&](const std::array<int, 3>& r, double a) {
      if (found.contains(A.number(r))) return;
      row[number] += a;
      if (is_unknown(r)) row[A.number(r)] -= a;
      island.energy += a;
    });
  }
  if (!(island.energy > 0 && island.energy < slow * diagonals)) return island;
  for (const auto& [number, q] : found) island.values.push_back(number);
  for (const auto& [number, weight] : row) island.row.push_back({number, weight});
  return island;
}

}  // namespace

IslandSets find_islands(const Bands& bands) {
  const Couplings A(bands);
  const Box& box = bands.unknowns();
  const int ny = std::max(0, box.last[1] - box.first[1]), nz = std::max(0, box.last[2] - box.first[2]);
  std::vector<std::vector<Island>> found(static_cast<std::size_t>(ny) * static_cast<std::size_t>(nz));  // by line
  cpu::for_each_line(box, [&](int j, int k) {
    auto& line = found[static_cast<std::size_t>(j - box.first[1]) +
                       static_cast<std::size_t>(ny) * static_cast<std::size_t>(k - box.first[2])];
    for (int i = box.first[0]; i < box.last[0]; ++i) {
      Island island = island_from(A, box, {i, j, k});
      if (!island.values.empty()) line.push_back(std::move(island));
    }
  });
  IslandSets sets;
  for (const auto& line : found)
    for (const Island& island : line) {
      sets.values.insert(sets.values.end(), island.values.begin(), island.values.end());
      sets.row.insert(sets.row.end(), island.row.begin(), island.row.end());
      sets.first.push_back(static_cast<std::int64_t>(sets.values.size()));
      sets.row_first.push_back(static_cast<std::int64_t>(sets.row.size()));
      sets.energy.push_back(island.energy);
    }
  return sets;
}

Islands::Islands(Backend& backend, const IslandSets& sets, const Layout& layout, Precision precision)
    : backend_(backend) {
  const std::int64_t sy = layout.pitch(precision), sz = sy * (layout.n[1] == 1 ? 1 : layout.n[1] + 2);
  const auto place = [&](std::int64_t number) {
    const std::int64_t x = number % layout.n[0], y = number / layout.n[0] % layout.n[1],
                       z = number / layout.n[0] / layout.n[1];
    return x + y * sy + z * sz;
  };
  std::vector<std::int64_t> whole(sets.first);
  const std::size_t values = whole.size();
  for (const std::int64_t v : sets.values) whole.push_back(place(v));
  const std::size_t row_first = whole.size();
  whole.insert(whole.end(), sets.row_first.begin(), sets.row_first.end());
  const std::size_t row_values = whole.size();
  for (const auto& entry : sets.row) whole.push_back(place(entry.value));
  std::vector<double> real;
  for (const auto& entry : sets.row) real.push_back(entry.weight);
  for (const double energy : sets.energy) real.push_back(1 / energy);

  const std::size_t integers = whole.size() * sizeof(std::int64_t), reals = real.size() * sizeof(double);
  memory_ = backend.allocate(integers + reals + sets.size() * sizeof(double));
  auto* const at = static_cast<char*>(memory_.data());
  backend.write(whole.data(), at, integers);
  backend.write(real.data(), at + integers, reals);
  const auto* const numbers = static_cast<const std::int64_t*>(memory_.data());
  auto* const weights = reinterpret_cast<double*>(at + integers);
  views_ = {static_cast<std::int64_t>(sets.size()),
            numbers,
            numbers + values,
            numbers + row_first,
            numbers + row_values,
            weights,
            weights + sets.row.size(),
            weights + real.size()};
}

void Islands::correct(const Field& b, Field& u) const {
  grid_kernels(backend_).correct_islands(backend_, views_, b, u);
}

}  // namespace poisson
