#pragma once

#include "backends/device/field.hpp"
#include "backends/memory/view.hpp"

// Point formulas of Galerkin coarse operators and of their prolongation, for every backend. A neighbour at a distance
// of at most 1 along each axis has the code (x + 1) + 3 (y + 1) + 9 (z + 1); 13 is the point itself, codes above are
// forward.
namespace poisson {

constexpr int code_of(int x, int y, int z) {
  return x + 1 + 3 * (y + 1) + 9 * (z + 1);
}
constexpr int offset_of(int code, int d) {
  return (d == 0 ? code % 3 : d == 1 ? code / 3 % 3 : code / 9) - 1;
}

/// Describes a fine and a coarse level for the formulas. Prolongation is stored by columns: weight[code of o] at the
/// coarse value I is the weight of I in the fine value at I + o. The weight 1 at o = 0 is not stored. On a distributed
/// grid, indices are local. Values past a cut are in the halos, which have two fine values and one coarse value.
struct GalerkinProduct {
  static constexpr int none = -(1 << 30);  ///< no fine value

  int fine_n[3], coarse_n[3];
  bool periodic[3];  ///< the axis is periodic and not cut
  bool coarsened[3];
  bool single[3];                    ///< one coarse value
  const int* centre[3];              ///< maps coarse values −1 … n of an axis to fine values; none past open ends
  View<const double> band[13], sum;  ///< the fine level stores band[code − 14]; an absent band has no data
  int links, link[26];               ///< lists the codes of existing couplings
  View<double> weight[27];           ///< has no data if absent
  View<double> coarse_band[13], coarse_sum;

  /// Returns the coupling of fine value f to the value at the offset of a code.
  constexpr double coupling(const int (&f)[3], int code) const {
    if (code > 13) return band[code - 14](f[0], f[1], f[2]);
    return band[12 - code](f[0] + offset_of(code, 0), f[1] + offset_of(code, 1), f[2] + offset_of(code, 2));
  }

  /// Returns the fine value at distance o from coarse value I along an axis, or none if I does not contribute to one.
  constexpr int fine_at(int d, int I, int o) const {
    const int at = centre[d][I];
    if (o == 0) return at;
    if (!coarsened[d] || centre[d][I + o] == none || (centre[d][I + o] - at) * o != 2) return none;
    const int f = at + o;
    if (!periodic[d]) return f;
    return f < 0 ? f + fine_n[d] : f >= fine_n[d] ? f - fine_n[d] : f;
  }

  /// Computes the weights of the fine values that lie between coarse values along `stage` axes. The couplings of a fine
  /// value are summed along the axes on which it coincides with coarse values. The fine value becomes the mean of its
  /// neighbours, weighted by these sums (Dendy, J. Comput. Phys. 48, 1982; on three axes edges, faces and centres). If
  /// the couplings along the `stage` axes are weak, the neighbours along the other axes are eliminated, and their
  /// couplings are used. Row sums are left out, so P preserves constants. The weights of the same coarse value for
  /// fewer axes must be known.
  constexpr void weigh(int stage, int I, int J, int K) const {
    for (int code = 0; code < 27; ++code) {
      const int o[3] = {offset_of(code, 0), offset_of(code, 1), offset_of(code, 2)};
      const int between = (o[0] != 0) + (o[1] != 0) + (o[2] != 0);
      if (between != stage || !weight[code].data) continue;
      const int f[3] = {fine_at(0, I, o[0]), fine_at(1, J, o[1]), fine_at(2, K, o[2])};
      double value = 0;
      if (f[0] != none && f[1] != none && f[2] != none) value = share(o, stage, f, I, J, K);
      weight[code](I, J, K) = value;
    }
  }

  /// Computes the couplings and the row sum of coarse value (I, J, K): the forward half of Pᵀ A P, and Pᵀ times the
  /// fine row sums, because P preserves constants.
  constexpr void multiply(int I, int J, int K) const {
    const int at[3] = {I, J, K};
    double product[125] = {};  // row I of Pᵀ A, at distances of up to 2 from its centre
    double rows = 0;
    for (int code = 0; code < 27; ++code) {
      if (code != 13 && !weight[code].data) continue;
      const double w = code == 13 ? 1 : weight[code](I, J, K);
      if (w == 0) continue;
      const int o[3] = {offset_of(code, 0), offset_of(code, 1), offset_of(code, 2)};
      const int f[3] = {fine_at(0, I, o[0]), fine_at(1, J, o[1]), fine_at(2, K, o[2])};
      const int here = o[0] + 2 + 5 * (o[1] + 2) + 25 * (o[2] + 2);
      const double s = sum(f[0], f[1], f[2]);
      double diagonal = s;
      rows += w * s;
      for (int l = 0; l < links; ++l) {
        const int q = link[l];
        const double a = coupling(f, q);
        diagonal += a;
        product[here + offset_of(q, 0) + 5 * offset_of(q, 1) + 25 * offset_of(q, 2)] -= w * a;
      }
      product[here] += w * diagonal;
    }
    coarse_sum(I, J, K) = rows;

    // Along each axis, a fine value at distance t has at most two parents: coarse values I + next, from which it has
    // the distance `from`.
    struct Parents {
      int count, next[2], from[2];
    };
    Parents parents[3][5] = {};
    for (int d = 0; d < 3; ++d)
      for (int t = -2; t <= 2; ++t) {
        Parents& p = parents[d][t + 2];
        const int side = t < 0 ? -1 : 1, near = fine_at(d, at[d], side);
        if (t == 0) {
          p = {1, {0, 0}, {0, 0}};
        } else if (near == none) {  // the next value is coarse, or the axis ends
          if (t == side && has_neighbour(d, at[d], side)) p = {1, {side, 0}, {0, 0}};
        } else if (t == side) {
          p = {2, {0, side}, {side, -side}};
        } else {
          p = {1, {side, 0}, {0, 0}};
        }
      }
    double coupled[27] = {};
    for (int t = 0; t < 125; ++t) {
      if (product[t] == 0) continue;
      const Parents &x = parents[0][t % 5], &y = parents[1][t / 5 % 5], &z = parents[2][t / 25];
      for (int c = 0; c < z.count; ++c)
        for (int b = 0; b < y.count; ++b)
          for (int a = 0; a < x.count; ++a) {
            const int to = code_of(x.next[a], y.next[b], z.next[c]);
            if (to <= 13) continue;
            const int from = code_of(x.from[a], y.from[b], z.from[c]);
            const double w = from == 13 ? 1 : weight[from](I + x.next[a], J + y.next[b], K + z.next[c]);
            coupled[to] -= product[t] * w;
          }
    }
    for (int code = 14; code < 27; ++code)
      if (coarse_band[code - 14].data) coarse_band[code - 14](I, J, K) = coupled[code];
  }

  /// Neighbours of a fine value are eliminated if its couplings along the axes between coarse values are below this
  /// share of its other couplings.
  static constexpr double weak = 1e-2;
  /// Returns the weight of each coarse value if the couplings give none.
  static constexpr double even_share(int between) { return between == 1 ? 0.5 : between == 2 ? 0.25 : 0.125; }
  /// Returns the weight of coarse value (I, J, K), which is fine value f, in the fine value at the offset of a code
  /// from f.
  constexpr double share_beside(int code, const int (&f)[3], int I, int J, int K) const {
    const int o[3] = {offset_of(code, 0), offset_of(code, 1), offset_of(code, 2)};
    const int at[3] = {f[0] + o[0], f[1] + o[1], f[2] + o[2]};
    return share(o, (o[0] != 0) + (o[1] != 0) + (o[2] != 0), at, I, J, K);
  }

 private:
  constexpr bool has_neighbour(int d, int I, int side) const { return !single[d] && centre[d][I + side] != none; }

  // Returns the weight of coarse value I in fine value f, which has the offset o from I.
  constexpr double share(const int (&o)[3], int stage, const int (&f)[3], int I, int J, int K) const {
    double taken = 0, all = 0, size = 0;
    const auto add = [&](int q, double a) {
      const int to[3] = {o[0] == 0 ? 0 : offset_of(q, 0), o[1] == 0 ? 0 : offset_of(q, 1),
                         o[2] == 0 ? 0 : offset_of(q, 2)};
      all += a;
      size += a < 0 ? -a : a;
      bool inward = true;  // along each axis, the step leads towards I or is zero
      for (int d = 0; d < 3; ++d) inward = inward && (to[d] == 0 || to[d] == -o[d]);
      if (!inward) return;
      const int rest = code_of(o[0] + to[0], o[1] + to[1], o[2] + to[2]);
      taken += a * (rest == 13 ? 1 : weight[rest](I, J, K));
    };
    double beside = 0;
    for (int l = 0; l < links; ++l) {
      const double a = coupling(f, link[l]);
      if (leads_away(o, link[l]))
        add(link[l], a);
      else
        beside += a;
    }
    if (all < weak * beside)
      for (int l = 0; l < links; ++l)
        if (!leads_away(o, link[l])) add_eliminated(o, f, link[l], add);
    if (all <= 1e-3 * size) return even_share(stage);
    return taken / all;
  }

  // Returns whether a coupling has a step along an axis on which the fine value lies between coarse values.
  constexpr bool leads_away(const int (&o)[3], int q) const {
    for (int d = 0; d < 3; ++d)
      if (o[d] != 0 && offset_of(q, d) != 0) return true;
    return false;
  }

  // Adds the couplings that fine value f gets if its neighbour at q is eliminated.
  template <class Add>
  constexpr void add_eliminated(const int (&o)[3], const int (&f)[3], int q, const Add& add) const {
    const double a = coupling(f, q);
    if (a == 0) return;  // the neighbour may not exist
    int c[3] = {f[0] + offset_of(q, 0), f[1] + offset_of(q, 1), f[2] + offset_of(q, 2)};
    for (int d = 0; d < 3; ++d)
      if (periodic[d]) c[d] = c[d] < 0 ? c[d] + fine_n[d] : c[d] >= fine_n[d] ? c[d] - fine_n[d] : c[d];
    double diagonal = 0;
    for (int l = 0; l < links; ++l) diagonal += coupling(c, link[l]);
    if (!(diagonal > 0)) return;
    for (int l = 0; l < links; ++l)
      if (leads_away(o, link[l])) add(link[l], a * coupling(c, link[l]) / diagonal);
  }
};

}  // namespace poisson
