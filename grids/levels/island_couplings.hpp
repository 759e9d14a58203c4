#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "backends/cpu/launch.hpp"
#include "backends/places.hpp"
#include "grids/operators/bands.hpp"

namespace poisson {

/// An island has at most so many values: larger ones have values on many coarse grids.
inline constexpr std::size_t most_island_values = 1024;

/// The couplings of a matrix of reach 1 on the host, value by value: of a part of a grid with the values beyond its
/// cuts.
class IslandCouplings {
 public:
  using Place = std::array<int, 3>;

  explicit IslandCouplings(const Bands& bands) : space_(bands.space), offsets_(bands.offsets) {
    sum_ = std::make_unique<HostRead>(*bands.sum);
    for (const auto& band : bands.entries) bands_.push_back(std::make_unique<HostRead>(*band));
    for (const auto& band : bands_) views_.push_back((**band).view<double>());
    const std::size_t forward = offsets_.size();
    for (std::size_t b = 0; b < forward; ++b) offsets_.push_back({-offsets_[b][0], -offsets_[b][1], -offsets_[b][2]});
    for (std::size_t d = 0; d < 3; ++d) {
      n_[d] = layout().n[d];
      if (space_.cuts().count(d) > 1) margin_[d] = 1;
    }
    diagonal_.resize(static_cast<std::size_t>(size(0) * size(1) * size(2)));
    const Box all{{-margin_[0], -margin_[1], -margin_[2]},
                  {n_[0] + margin_[0], n_[1] + margin_[1], n_[2] + margin_[2]}};
    cpu::for_each_line(all, [&](int j, int k) {
      for (int i = all.first[0]; i < all.last[0]; ++i) {
        if (!exists({i, j, k})) continue;
        double d = row_sum({i, j, k});
        for_each_neighbour({i, j, k}, [&](const Place&, double a) { d += a; });
        diagonal_[static_cast<std::size_t>(number({i, j, k}))] = d;
      }
    });
  }

  /// By so many a part is wider here than its values, at each end of an axis that is cut.
  const Place& margin() const { return margin_; }
  /// Among the values of the part and its margin; of a whole grid x + nx (y + ny z).
  std::int64_t number(const Place& p) const {
    return p[0] + margin_[0] + size(0) * (p[1] + margin_[1] + size(1) * (p[2] + margin_[2]));
  }
  bool is_own(const Place& p) const {
    return p[0] >= 0 && p[0] < n_[0] && p[1] >= 0 && p[1] < n_[1] && p[2] >= 0 && p[2] < n_[2];
  }
  std::size_t own_number(const Place& p) const {
    return static_cast<std::size_t>(p[0] + std::int64_t{1} * n_[0] * (p[1] + std::int64_t{1} * n_[1] * p[2]));
  }
  std::int64_t number_in_whole(const Place& p) const {
    const Place q = in_whole(p);
    return q[0] + std::int64_t{1} * space_.all()[0] * (q[1] + std::int64_t{1} * space_.all()[1] * q[2]);
  }
  bool is_unknown(const Place& p) const { return contains(space_.all_unknowns(), in_whole(p)); }
  double row_sum(const Place& p) const { return (**sum_).view<double>()(p[0], p[1], p[2]); }
  double diagonal(const Place& p) const { return diagonal_[static_cast<std::size_t>(number(p))]; }

  /// f(neighbour, coupling) for couplings that are not zero.
  template <class F>
  void for_each_neighbour(const Place& p, const F& f) const {
    for (std::size_t b = 0; b < offsets_.size(); ++b) {
      const Offset& o = offsets_[b];
      Place q{};
      for (std::size_t d = 0; d < 3; ++d) {
        q[d] = p[d] + o[d];
        if (layout().periodic[d]) q[d] = q[d] < 0 ? q[d] + n_[d] : q[d] >= n_[d] ? q[d] - n_[d] : q[d];
      }
      if (!exists(q)) continue;
      const auto& at = b < views_.size() ? p : q;  // backward, the entry stands at the neighbour
      const double a = views_[b % views_.size()](at[0], at[1], at[2]);
      if (a != 0) f(q, a);
    }
  }
  /// f(neighbour) for those above a hundredth of the larger diagonal entry.
  template <class F>
  void for_each_strong(const Place& p, const F& f) const {
    constexpr double strong = 1e-2;
    const double here = diagonal(p);
    for_each_neighbour(p, [&](const Place& q, double a) {
      if (std::abs(a) > strong * std::max(here, diagonal(q))) f(q);
    });
  }

 private:
  const Layout& layout() const { return space_.layout(); }
  std::int64_t size(std::size_t d) const { return n_[d] + 2 * margin_[d]; }
  Place in_whole(const Place& p) const {
    Place q{};
    for (std::size_t d = 0; d < 3; ++d) {
      q[d] = p[d] + space_.origin()[d];
      const int all = space_.all()[d];
      if (space_.closed()[d]) q[d] = q[d] < 0 ? q[d] + all : q[d] >= all ? q[d] - all : q[d];
    }
    return q;
  }
  bool exists(const Place& p) const {
    for (std::size_t d = 0; d < 3; ++d) {
      const int at = p[d] + space_.origin()[d];
      if (!space_.closed()[d] && (at < 0 || at >= space_.all()[d])) return false;
    }
    return true;
  }

  const Space space_;
  std::vector<Offset> offsets_;
  std::array<int, 3> n_{}, margin_{};
  std::unique_ptr<HostRead> sum_;
  std::vector<std::unique_ptr<HostRead>> bands_;
  std::vector<View<const double>> views_;
  std::vector<double> diagonal_;
};

/// What the values of an island add up to.
struct IslandSums {
  std::map<std::int64_t, double> row;  ///< 1ᵀA, by the numbers of values
  double energy = 0, diagonals = 0;    ///< 1ᵀA1 and 1ᵀD1

  /// One more value; inside(r): whether another one is of the island, too.
  template <class Inside>
  void add(const IslandCouplings& A, const IslandCouplings::Place& p, const Inside& inside) {
    const std::int64_t number = A.number(p);
    const double sum = A.row_sum(p);
    if (sum != 0) row[number] += sum;
    energy += sum;
    diagonals += A.diagonal(p);
    A.for_each_neighbour(p, [&](const IslandCouplings::Place& r, double a) {
      if (inside(r)) return;
      row[number] += a;
      if (A.is_unknown(r)) row[A.number(r)] -= a;
      energy += a;
    });
  }
  /// A sweep takes about the ratio of both off the error.
  bool is_slow() const {
    constexpr double slow = 1e-2;
    return energy > 0 && energy < slow * diagonals;
  }
};

}  // namespace poisson
