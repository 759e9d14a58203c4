#pragma once

#include <cmath>

#include "backends/memory/view.hpp"
#include "grids/rows/coarse_face.hpp"
#include "grids/rows/face_means.hpp"

/// These functors compute κ of one coarse cell or face. CPUs and GPUs run them (grids/kernels/coarsening.hpp).
namespace poisson {

/// Points to rows of four weights along an axis. Row I is stored at I + 1. The first weight of zero ends a row.
struct RowTable {
  const int* at = nullptr;
  const double* weight = nullptr;
};

/// Sums f(value) with the weights of rows I, J, K of the axes.
struct TensorMean {
  View<const double> fine;
  RowTable rows[3];

  template <class F>
  constexpr double operator()(int I, int J, int K, const F& f) const {
    const RowTable &x = rows[0], &y = rows[1], &z = rows[2];
    double sum = 0;
    for (int c = 4 * (K + 1); c < 4 * (K + 2) && z.weight[c] != 0; ++c)
      for (int b = 4 * (J + 1); b < 4 * (J + 2) && y.weight[b] != 0; ++b)
        for (int a = 4 * (I + 1); a < 4 * (I + 2) && x.weight[a] != 0; ++a)
          sum += x.weight[a] * y.weight[b] * z.weight[c] * f(fine(x.at[a], y.at[b], z.at[c]));
    return sum;
  }
};

/// Computes κ of a coarse cell: the mean of its fine cells, or the square of the mean of their roots.
struct CoarseCells {
  struct Root {
    bool taken;
    constexpr double operator()(double kappa) const { return taken ? std::sqrt(kappa) : kappa; }
  };
  TensorMean mean;
  View<double> coarse;
  bool of_roots;

  constexpr void operator()(int I, int J, int K) const {
    const double value = mean(I, J, K, Root{of_roots});
    coarse(I, J, K) = of_roots ? value * value : value;
  }
};

/// Reduces the couplings of cells to fixed bodies, before sums over coarse cells. The centre of a coarse cell is
/// farther from the wall than those of its fine cells, by half a fine cell if the wall bounds the coarse cell, and by
/// less if it crosses the coarse cell. A coupling w therefore counts as w/(1 + w/(4a)), with the largest coupling a of
/// the cell to its neighbours along the axes that are coarsened (docs/design/materials.md).
struct FartherWalls {
  View<const double> face[3];  ///< κ on the faces across each axis
  const double* inverse[3];    ///< 1/distance to the next value; readable from −1
  const double* mass[3];       ///< widths
  bool coarsened[3];
  double scale;  ///< LevelRows::scale
  View<const double> walls;
  View<double> farther;

  constexpr void operator()(int i, int j, int k) const {
    const int at[3] = {i, j, k};
    const double own = walls(i, j, k);
    double most = 0;
    for (int d = 0; d < 3; ++d) {
      if (!coarsened[d]) continue;
      const int next[3] = {i + (d == 0), j + (d == 1), k + (d == 2)};
      const double low = face[d](i, j, k) * inverse[d][at[d] - 1],
                   high = face[d](next[0], next[1], next[2]) * inverse[d][at[d]];
      const double coupling = (low > high ? low : high) / mass[d][at[d]];
      most = coupling > most ? coupling : most;
    }
    most *= scale * mass[0][i] * mass[1][j] * mass[2][k];
    farther(i, j, k) = most > 0 ? own / (1 + own / (4 * most)) : own;
  }
};

/// Computes the gain that fine faces share (CoarseFace::gains).
struct SharedGains {
  CoarseFace face;
  View<double> gains;

  constexpr void operator()(int I, int J, int K) const { gains(I, J, K) = face.shared_gain(I, J, K); }
};

/// Computes κ of a coarse face. `blended` replaces `face` if coarse cells are not unions of fine ones.
struct CoarseFaces {
  struct Same {
    constexpr double operator()(double kappa) const { return kappa; }
  };
  CoarseFace face;
  View<double> coarse;
  View<const double> ends;  ///< κ and α of Robin faces (FaceRows::ends)
  TensorMean blended;
  bool nested;
  bool robin[2];    ///< whether the axis has a Robin face at each end
  double width[2];  ///< cells at the ends

  constexpr void operator()(int I, int J, int K) const {
    int at[3] = {I, J, K};
    const int axis = face.axis;
    const int end = at[axis] == 0 ? 0 : at[axis] == coarse.n[axis] ? 1 : -1;
    if (end >= 0 && robin[end]) {
      at[axis] = 2 * end;
      const double kappa = ends(at[0], at[1], at[2]);
      ++at[axis];
      coarse(I, J, K) = robin_face(kappa, ends(at[0], at[1], at[2]), width[end]);
    } else {
      coarse(I, J, K) = nested ? face(I, J, K) : blended(I, J, K, Same());
    }
  }
};

}  // namespace poisson
