#pragma once

#include "backends/memory/view.hpp"

/// κ on a face of the coarser cell-centred block is the area-weighted mean of κ on its fine faces. Each fine face is
/// multiplied by a gain that accounts for bending currents.
///
/// A fine face lies between two fine cells, its pair, in two coarse cells. At an edge of the coarse cells the pair
/// meets a pair of the next coarse cells, at a corner three such pairs. Fix the potential at the centres of all coarse
/// cells at 0 on one side and at 1 on the other. Each pair then conducts its mean of κ if no current flows between
/// pairs; the area-weighted mean represents this case. If κ jumps in both directions, much current flows between pairs:
/// at the corners of a checkerboard it enters a poor conductor through two faces.
///
/// The gain is the current with the couplings between the pairs divided by the current without them. It is 1 if κ
/// depends on one direction, and at most 2 on equal cells. Between two good conductors, the potential of the poor cell
/// is not fixed on the coarse grid: the cell acts as two faces in series. The excess over 1 therefore gets a weight
/// above 1.
namespace poisson {

struct CoarseFace {
  /// Maps coarse value I along an axis to its fine values, which start at begin[I]. Along the axis of the faces this is
  /// one face; across it the cells end before begin[I + 1].
  struct Along {
    const int* begin;     ///< readable from −1
    const double* width;  ///< fine cells
    int fine, coarse;     ///< numbers of cells
    bool periodic;
    bool open[2];  ///< whether the grid ends there

    constexpr int turned(int i) const { return !periodic ? i : i < 0 ? i + fine : i >= fine ? i - fine : i; }
    constexpr bool inside(int i) const { return (i >= 0 || !open[0]) && (i < fine || !open[1]); }
    constexpr bool merged(int I) const { return begin[I + 1] - begin[I] == 2; }
    /// Returns whether the coarse cells on both sides of face I consist of two fine cells.
    constexpr bool between_merged(int I) const {
      return (I > 0 || !open[0]) && (I < coarse || !open[1]) && merged(I - 1) && merged(I);
    }
    /// Returns whether the axis is not coarsened.
    constexpr bool kept() const { return fine == coarse; }
  };

  View<const double> fine[3];  ///< contains κ on the fine faces across each axis
  Along along[3];
  int axis;
  View<const double> gains;  ///< contains what shared_gain() returns; may have no data

  constexpr double operator()(int I, int J, int K) const {
    const int at[3] = {I, J, K};
    int last[3] = {};
    for (int d = 0; d < 3; ++d) last[d] = d == axis ? along[d].begin[at[d]] + 1 : along[d].begin[at[d] + 1];
    const bool bends = along[axis].between_merged(at[axis]);
    double sum = 0, area = 0;
    for (int k = along[2].begin[K]; k < last[2]; ++k)
      for (int j = along[1].begin[J]; j < last[1]; ++j)
        for (int i = along[0].begin[I]; i < last[0]; ++i) {
          const double a = (axis == 0 ? 1 : along[0].width[i]) * (axis == 1 ? 1 : along[1].width[j]) *
                           (axis == 2 ? 1 : along[2].width[k]);
          const int face[3] = {i, j, k};
          sum += a * fine[axis](i, j, k) * (bends ? stored_gain(at, face) : 1);
          area += a;
        }
    return sum / area;
  }

  /// Returns the gain of the four fine faces around the lower corner of coarse face (I, J, K), or of the two at its
  /// lower edge if only one axis across the faces is coarsened. They meet the same pairs. Returns 0 if the faces meet
  /// different pairs: at the ends of the grid, and beside coarse cells that consist of one fine cell.
  constexpr double shared_gain(int I, int J, int K) const {
    const int at[3] = {I, J, K};
    int face[3] = {};
    Corner c;
    for (int d = 0; d < 3; ++d) {
      face[d] = along[d].begin[at[d]];
      if (d == axis || (along[d].kept() && at[d] < along[d].coarse)) continue;
      if (along[d].kept() || !along[d].between_merged(at[d])) return 0;
      --face[d];
      c.add(d, 1);
    }
    return !along[axis].between_merged(at[axis]) || c.bits == 0 ? 0 : gain(c, face);
  }

 private:
  static constexpr double straight = 0.01;    ///< potentials of pairs that differ by less are not worth a solve
  static constexpr double insulating = 1e-9;  ///< a smaller κ, relative to the largest one around, counts as this one

  /// Returns the weight of the excess if pairs meet around an edge or a corner. It lies between 1, all potentials
  /// fixed, and 2, poor cells half way between.
  static constexpr double weight(int pairs) { return pairs == 2 ? 1.7 : 1.5; }

  /// Counts the axes along which a pair meets another pair, and the shifts from one to the other. Bit t of a pair's
  /// number stands for shift[t].
  struct Corner {
    int bits = 0, shift[2][3] = {};

    constexpr void add(int d, int step) {
      shift[0][d] = bits == 0 ? step : 0;
      shift[1][d] = bits == 1 ? step : 0;
      ++bits;
    }
  };

  /// Returns entry d. Indices known to the compiler keep the array in registers.
  static constexpr int entry(const int (&at)[3], int d) { return d == 0 ? at[0] : d == 1 ? at[1] : at[2]; }

  /// Returns κ·area/distance between a fine cell and the cell below it along d, with at least this κ.
  constexpr double coupling(int d, const int (&cell)[3], double least) const {
    double area = 1, distance = 1;
    int at[3] = {};
    for (int e = 0; e < 3; ++e) {
      at[e] = along[e].turned(cell[e]);
      const double width = along[e].width[at[e]];
      if (e == d)
        distance = 0.5 * (width + along[e].width[along[e].turned(at[e] - 1)]);
      else
        area *= width;
    }
    const double kappa = fine[d](at[0], at[1], at[2]);
    return (kappa > least ? kappa : least) * area / distance;
  }

  constexpr Corner corner(const int (&coarse)[3], const int (&face)[3]) const {
    Corner c;
    for (int d = 0; d < 3; ++d) {
      if (d == axis || !along[d].merged(coarse[d])) continue;
      const int step = face[d] == along[d].begin[coarse[d]] ? -1 : 1;
      if (!along[d].inside(face[d] + step)) continue;
      c.add(d, step);
    }
    return c;
  }

  /// Computes the cell above the face of a pair, moved along the axis of the faces.
  constexpr void locate(const Corner& c, const int (&face)[3], int pair, int moved, int (&cell)[3]) const {
    for (int d = 0; d < 3; ++d)
      cell[d] = face[d] + (pair & 1) * c.shift[0][d] + (pair >> 1) * c.shift[1][d] + (d == axis ? moved : 0);
  }

  /// Returns the largest κ along the pairs, or 0 if κ varies so little that their potentials are close. This test needs
  /// no divisions.
  template <int bits>
  constexpr double largest_of_uneven(const Corner& c, const int (&face)[3]) const {
    double least = fine[axis](face[0], face[1], face[2]), most = least;
    for (int p = 0; p < 1 << bits; ++p)
      for (int way = -1; way <= 1; ++way) {
        int cell[3] = {};
        locate(c, face, p, way, cell);
        for (int d = 0; d < 3; ++d) cell[d] = along[d].turned(cell[d]);
        const double kappa = fine[axis](cell[0], cell[1], cell[2]);
        least = kappa < least ? kappa : least;
        most = kappa > most ? kappa : most;
      }
    return most <= (1 + 2 * straight) * least ? 0 : most;
  }

  /// Returns the gain of a fine face of a coarse one, from the stored gains if they contain it.
  constexpr double stored_gain(const int (&coarse)[3], const int (&face)[3]) const {
    if (gains.data) {
      int at[3] = {};
      for (int d = 0; d < 3; ++d)
        at[d] = coarse[d] + (d != axis && !along[d].kept() && face[d] != along[d].begin[coarse[d]] ? 1 : 0);
      if (const double shared = gains(at[0], at[1], at[2]); shared > 0) return shared;
    }
    return gain(corner(coarse, face), face);
  }

  constexpr double gain(const Corner& c, const int (&face)[3]) const {
    return c.bits == 0 ? 1 : c.bits == 1 ? gain_of<1>(c, face) : gain_of<2>(c, face);
  }

  /// Returns the gain of a fine face: at least 1. The excess follows from the current through its pair and the pairs
  /// that it meets, divided by the current of separate pairs.
  template <int bits>
  constexpr double gain_of(const Corner& c, const int (&face)[3]) const {
    const double least = insulating * largest_of_uneven<bits>(c, face);
    if (least == 0) return 1;
    constexpr int pairs = 1 << bits;
    const Along& x = along[axis];
    const int f = entry(face, axis);
    // These are the distances between the centres of the coarse cells, and between the centres of the pair.
    const double beside = 0.5 * (x.width[x.turned(f - 2)] + x.width[x.turned(f + 1)]);
    const double distance = 0.5 * (x.width[x.turned(f - 1)] + x.width[f]);

    // These resistances lie between each pair's cells, on both sides of the face, and the centres of their coarse
    // cells.
    double resistance[2][pairs] = {}, middle[pairs] = {};
    double low[2] = {1, 1}, high[2] = {0, 0}, apart = 0, most = 0;
    for (int p = 0; p < pairs; ++p) {
      int cell[3] = {};
      locate(c, face, p, 0, cell);
      middle[p] = coupling(axis, cell, least);
      locate(c, face, p, -1, cell);
      resistance[0][p] = 1 / coupling(axis, cell, least);
      locate(c, face, p, 1, cell);
      resistance[1][p] = 1 / coupling(axis, cell, least);
      // The flow through a separate pair is its κ over the distance of the coarse centres.
      const double both = beside / distance / middle[p], flow = 1 / (both + 1 / middle[p]);
      const double scale = both / (resistance[0][p] + resistance[1][p]);
      apart += flow;
      most += middle[p];
      for (int side = 0; side < 2; ++side) {
        resistance[side][p] *= scale;
        const double drop = resistance[side][p] * flow;
        low[side] = drop < low[side] ? drop : low[side];
        high[side] = drop > high[side] ? drop : high[side];
      }
    }
    if (high[0] - low[0] < straight && high[1] - low[1] < straight) return 1;

    double together = through<bits>(c, face, resistance, middle);
    together = together < most ? together : most;  // limits rounding errors
    return together > apart ? 1 + weight(pairs) * (together / apart - 1) : 1;
  }

  /// Returns the current between the coarse centres. Those below the face have potential 0, those above it 1.
  ///
  /// The fine cells are the corners of a square or a cube: bit 0 of a corner's number is the side of the face, the
  /// others are its pair. A corner couples only to those whose number differs in one bit, so corners with an even
  /// number of set bits couple only to the others. They are eliminated first.
  template <int bits>
  constexpr double through(const Corner& c, const int (&face)[3], const double (&resistance)[2][1 << bits],
                           const double (&middle)[1 << bits]) const {
    constexpr int corners = 2 << bits, half = 1 << bits;
    double link[bits + 1][corners] = {}, diagonal[corners] = {}, right[corners] = {};
    for (int a = 0; a < corners; ++a) {
      const int p = a >> 1, side = a & 1;
      link[0][a] = middle[p];
      diagonal[a] = 1 / resistance[side][p] + middle[p];
      right[a] = side == 1 ? 1 / resistance[1][p] : 0;
      for (int t = 0; t < bits; ++t) {
        if (p >> t & 1) {
          link[t + 1][a] = link[t + 1][a ^ (2 << t)];
        } else {
          // The face towards the next pair is below the upper one of the two cells.
          int cell[3] = {}, next = 0;
          locate(c, face, p, side - 1, cell);
          for (int d = 0; d < 3; ++d) {
            const int step = c.shift[t][d];
            next = step != 0 ? d : next;
            cell[d] += step > 0 ? 1 : 0;
          }
          link[t + 1][a] = coupling(next, cell, 0);
        }
        diagonal[a] += link[t + 1][a];
      }
    }

    // An odd corner is entry a >> 1 of the reduced matrix.
    double m[half][half] = {}, potential[half] = {};
    for (int a = 0; a < corners; ++a)
      if (odd(a)) {
        m[a >> 1][a >> 1] += diagonal[a];
        potential[a >> 1] += right[a];
      } else {
        const double inverse = 1 / diagonal[a];
        for (int s = 0; s <= bits; ++s) {
          const int r = (a ^ (1 << s)) >> 1;
          const double q = link[s][a] * inverse;
          potential[r] += q * right[a];
          for (int t = 0; t <= bits; ++t) {
            const int j = (a ^ (1 << t)) >> 1;
            if (j >= r) m[r][j] -= q * link[t][a];
          }
        }
      }
    double inverse[half] = {};
    for (int i = 0; i < half; ++i) {
      inverse[i] = 1 / m[i][i];
      for (int r = i + 1; r < half; ++r) {
        const double q = m[i][r] * inverse[i];
        for (int j = r; j < half; ++j) m[r][j] -= q * m[i][j];
        potential[r] -= q * potential[i];
      }
    }
    for (int r = half - 1; r >= 0; --r) {
      for (int j = r + 1; j < half; ++j) potential[r] -= m[r][j] * potential[j];
      potential[r] *= inverse[r];
    }

    double sum = 0;
    for (int p = 0; p < half; ++p) {
      const int a = p << 1;  // below the face
      double value = potential[p];
      if (!odd(a)) {
        value = 0;
        for (int s = 0; s <= bits; ++s) value += link[s][a] * potential[(a ^ (1 << s)) >> 1];
        value /= diagonal[a];
      }
      sum += value / resistance[0][p];
    }
    return sum;
  }

  static constexpr bool odd(int corner) { return ((corner ^ corner >> 1 ^ corner >> 2) & 1) != 0; }
};

}  // namespace poisson
