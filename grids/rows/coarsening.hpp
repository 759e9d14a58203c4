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
