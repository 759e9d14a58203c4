#pragma once

#include <algorithm>

#include "backends/device/field.hpp"
#include "backends/memory/view.hpp"
#include "grids/rows/galerkin_formulas.hpp"

namespace poisson {

/// Reads the couplings of an operator of reach 1 off its products with coloured unit vectors. No two values of a colour
/// are neighbours of one row. Colours depend on global indices; the views are local to the process.
///
/// Boxes of neighbours have a residue for each axis: any three consecutive values differ. Residues repeat after three
/// values, and on a periodic axis whose size is no multiple of three after four values at its beginning.
///
/// Stars have fewer colours, the sums of a place along each axis, modulo `modulus`. The place grows by `step` from
/// value to value, and by step + 1 for the first `longer` values of a periodic axis, so that it closes. If no sum or
/// difference of two steps of one or two axes is a multiple of the modulus, a row and its neighbours have different
/// colours. Steps 1, 2 to 5, 6 on three periodic axes need the modulus 13; each axis that is not periodic saves 2.
struct StencilProbe {
  View<const double> product;
  View<double> band[13];  ///< by code − 14; bands without data are skipped
  int colour = 0;

  /// `along_axes`: all neighbours lie along axes.
  StencilProbe(const Space& space, bool along_axes) {
    int next = 1;
    for (std::size_t d = 0; d < 3; ++d) {
      n[d] = space.part().all()[d];
      origin[d] = space.part().origin()[d];
      periodic[d] = space.part().closed()[d];
      fours[d] = periodic[d] && n[d] % 3 != 0 ? 4 * (n[d] % 3) : 0;
      each[d] = n[d] < 3 || fours[d] > n[d];
      residues[d] = each[d] ? n[d] : fours[d] > 0 ? 4 : 3;
      step[d] = n[d] > 1 ? next : 0;
      next += n[d] == 1 ? 0 : periodic[d] ? 2 : 1;
    }
    modulus = 2 * next - 1;
    star = along_axes;
    for (std::size_t d = 0; d < 3; ++d) {
      if (!periodic[d] || n[d] == 1) continue;
      longer[d] = (modulus - step[d] * n[d] % modulus) % modulus;
      star = star && n[d] > 2 && longer[d] <= n[d];
    }
  }

  constexpr bool is_star() const { return star; }
  constexpr int colours() const { return star ? modulus : residues[0] * residues[1] * residues[2]; }
  constexpr int colour_of(int i, int j, int k) const {
    if (star) return (place(0, i) + place(1, j) + place(2, k)) % modulus;
    return (residue(2, k) * residues[1] + residue(1, j)) * residues[0] + residue(0, i);
  }
  /// Returns the unit vector of the colour at a local index.
  constexpr double unit(int i, int j, int k) const {
    return colour_of(i + origin[0], j + origin[1], k + origin[2]) == colour ? 1 : 0;
  }
  /// Stores the couplings that row (i, j, k) of the product contains.
  constexpr void gather(int i, int j, int k) const {
    if (star) return gather_star(i, j, k);
    const int at[3] = {i + origin[0], j + origin[1], k + origin[2]};
    for (int c = 14; c < 27; ++c) {
      if (!band[c - 14].data) continue;
      int there[3] = {};
      double share = 1;
      bool exists = true;
      for (int d = 0; d < 3; ++d) {
        const int o = offset_of(c, d);
        there[d] = at[d] + o;
        if (o == 0) continue;
        if (periodic[d]) {
          if (n[d] == 2) share *= 0.5;  // both neighbours are one
          there[d] = there[d] < 0 ? there[d] + n[d] : there[d] >= n[d] ? there[d] - n[d] : there[d];
        }
        exists = exists && there[d] >= 0 && there[d] < n[d];
      }
      if (exists && colour_of(there[0], there[1], there[2]) == colour)
        band[c - 14](i, j, k) = -share * product(i, j, k);
    }
  }
  /// Do the same for line (j, k) of a star, and visit only the values of the colour or the rows next to them.
  void paint_line(int j, int k, const View<double>& unit) const {
    std::fill_n(&unit(0, j, k), unit.n[0], 0.0);
    for_each_of_colour(origin[0], origin[0] + unit.n[0], place(1, j + origin[1]) + place(2, k + origin[2]),
                       [&](int at) { unit(at - origin[0], j, k) = 1; });
  }
  void gather_line(int j, int k) const {
    const int y = j + origin[1], z = k + origin[2], last = product.n[0];
    const auto store = [&](int d, int other) {
      const View<double>& along = band[code_of(d == 0, d == 1, d == 2) - 14];
      if (!along.data) return;
      const int shift = origin[0] + (d == 0 ? 1 : 0);  // the neighbour of value i along x is the value i + 1
      for_each_of_colour(shift, last + shift, other,
                         [&](int at) { along(at - shift, j, k) = -product(at - shift, j, k); });
    };
    store(0, place(1, y) + place(2, z));
    if (const int next = neighbour(1, y); next >= 0) store(1, place(1, next) + place(2, z));
    if (const int next = neighbour(2, z); next >= 0) store(2, place(1, y) + place(2, next));
  }

 private:
  // Calls f(i) for the global indices from `first` to `last` − 1 along x at which a star has the colour; `other` is the
  // sum of the places along y and z. The index n stands for 0 on a periodic axis, else it has no value.
  template <class F>
  void for_each_of_colour(int first, int last, int other, const F& f) const {
    if (last > n[0]) {
      if (periodic[0] && other % modulus == colour) f(n[0]);
      last = n[0];
    }
    const int target = (colour - other % modulus + modulus) % modulus;
    const auto visit = [&](int from, int to, int residue) {
      for (int i = from + ((residue - from) % modulus + modulus) % modulus; i < to; i += modulus) f(i);
    };
    visit(first, std::min(last, longer[0]), target * ((modulus + 1) / 2) % modulus);  // 2 i = target
    visit(std::max(first, longer[0]), last, (target - longer[0] % modulus + modulus) % modulus);
  }
  constexpr int place(int d, int i) const { return step[d] * i + (i < longer[d] ? i : longer[d]); }
  constexpr int residue(int d, int i) const { return each[d] ? i : i < fours[d] ? i % 4 : (i - fours[d]) % 3; }
  // Returns the next value of an axis, or −1 past its end.
  constexpr int neighbour(int d, int i) const { return i + 1 < n[d] ? i + 1 : periodic[d] ? 0 : -1; }
  constexpr void gather_star(int i, int j, int k) const {
    const int at[3] = {i + origin[0], j + origin[1], k + origin[2]};
    for (int d = 0; d < 3; ++d) {
      const View<double>& along = band[code_of(d == 0, d == 1, d == 2) - 14];
      const int next = neighbour(d, at[d]);
      if (!along.data || next < 0) continue;
      if (colour_of(d == 0 ? next : at[0], d == 1 ? next : at[1], d == 2 ? next : at[2]) == colour)
        along(i, j, k) = -product(i, j, k);
    }
  }

  int n[3] = {}, origin[3] = {};
  bool periodic[3] = {};
  int fours[3] = {}, residues[3] = {};
  bool each[3] = {};  // every value has a residue of its own
  bool star = false;
  int step[3] = {}, longer[3] = {}, modulus = 1;
};

}  // namespace poisson
