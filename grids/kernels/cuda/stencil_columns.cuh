#pragma once

#include <type_traits>

#include "grids/kernels/cuda/stencil_march.cuh"
#include "grids/rows/coefficients.hpp"
#include "grids/rows/colours.hpp"
#include "grids/rows/stencil.hpp"

/// These column functors implement the verbs of an operator: the point formulas of grids/rows/stencil.hpp over one
/// model of Coefficients. for_columns, sum_columns and sequences run them.
namespace poisson::cuda {

/// A body that needs a row's diagonal declares `asks_for_diagonal`. A walk that knows only a row's product adds the
/// diagonal up only for such bodies.
template <class Body>
inline constexpr bool asks_for_diagonal = requires {
  Body::asks_for_diagonal;
};

template <class T>
struct Apply {
  View<T> out;
  static constexpr int inputs = 0;
  __device__ const T* input(int, int, int, int) const { return nullptr; }
  template <class Row>
  __device__ double operator()(const Row& a, const typename Row::Neighbours& u, Inputs<T, 0>, int i, int j,
                               int k) const {
    out(i, j, k) = stencil::apply(a, u);
    return 0;
  }
};

template <class T, class R>
struct Residual {
  View<const T> b;
  View<R> out;
  static constexpr int inputs = 1;
  __device__ const T* input(int, int i, int j, int k) const { return &b(i, j, k); }
  template <class Row>
  __device__ double operator()(const Row& a, const typename Row::Neighbours& u, Inputs<T, 1> in, int i, int j,
                               int k) const {
    out(i, j, k) = static_cast<R>(stencil::residual(a, u, in[0]));
    return 0;
  }
};

template <class T, class R>
struct ScaledResidual {
  static constexpr bool asks_for_diagonal = true;
  View<const T> b;
  View<R> out;
  const double* scale;
  static constexpr int inputs = 1;
  __device__ const T* input(int, int i, int j, int k) const { return &b(i, j, k); }
  template <class Row>
  __device__ double operator()(const Row& a, const typename Row::Neighbours& u, Inputs<T, 1> in, int i, int j,
                               int k) const {
    const T r = stencil::residual(a, u, in[0]);
    out(i, j, k) = static_cast<R>(static_cast<T>(*scale) * r);
    return static_cast<double>(stencil::weighted_square(a, r));
  }
};

template <class T>
struct Polynomial {
  static constexpr bool asks_for_diagonal = true;
  View<const T> b;
  View<T> out;  // the previous iterate, which is not read if beta is 0
  T alpha, beta;
  static constexpr int inputs = 2;
  __device__ const T* input(int n, int i, int j, int k) const { return n == 0 ? &b(i, j, k) : &out(i, j, k); }
  __device__ bool reads(int n) const { return n == 0 || beta != T(0); }
  template <class Row>
  __device__ double operator()(const Row& a, const typename Row::Neighbours& u, Inputs<T, 2> in, int i, int j,
                               int k) const {
    out(i, j, k) = stencil::polynomial(a, u, in[0], beta == T(0) ? u.centre : in[1], alpha, beta);
    return 0;
  }
};

template <class T>
struct Diagonal {
  View<T> out;
  static constexpr int inputs = 0;
  __device__ const T* input(int, int, int, int) const { return nullptr; }
  template <class Row>
  __device__ double operator()(const Row& a, Inputs<T, 0>, int i, int j, int k) const {
    out(i, j, k) = a.diagonal();
    return 0;
  }
};

template <class T>
struct PolynomialStart {
  View<const T> b;
  View<T> out;
  T alpha;
  static constexpr int inputs = 1;
  __device__ const T* input(int, int i, int j, int k) const { return &b(i, j, k); }
  template <class Row>
  __device__ double operator()(const Row& a, Inputs<T, 1> in, int i, int j, int k) const {
    out(i, j, k) = alpha * stencil::reciprocal(a.diagonal()) * in[0];
    return 0;
  }
};

template <class T>
struct Norm {
  View<const T> r;
  static constexpr int inputs = 1;
  __device__ const T* input(int, int i, int j, int k) const { return &r(i, j, k); }
  template <class Row>
  __device__ double operator()(const Row& a, Inputs<T, 1> in, int, int, int) const {
    return static_cast<double>(stencil::weighted_square(a, in[0]));
  }
};

template <class T>
struct Rounding {
  View<const T> u;
  static constexpr int inputs = 1;
  __device__ const T* input(int, int i, int j, int k) const { return &u(i, j, k); }
  template <class Row>
  __device__ double operator()(const Row& a, Inputs<T, 1> in, int, int, int) const {
    const double value = static_cast<double>(in[0]);
    return static_cast<double>(a.diagonal()) * value * value;
  }
};

/// States whether colours are relaxed with the rows of columns, so that a pass of both colours (ColourMarch) has the
/// same bits.
template <class Coefficients>
inline constexpr bool relaxed_by_columns = false;

template <class T, class Coefficients>
__device__ Row<T> relaxed_row(const Coefficients& c, int i, int j, int k) {
  if constexpr (relaxed_by_columns<Coefficients>) {
    const auto column = c.column(i, j);
    return column.row(column.layer(column.read(k - 1)), column.layer(column.read(k)), column.beside(k));
  } else {
    return c.line(j, k).row(i);
  }
}

/// `GaussSeidel` is one colour of a Gauss–Seidel sweep with over-relaxation omega, in place. The values of a colour are
/// not adjacent, so `batch` planes are loaded before the first store: fewer if the rows are loaded as well.
template <class T, class Coefficients>
struct GaussSeidel {
  static constexpr bool loads_rows = !std::is_same_v<Coefficients, Equidistant<T>>;
  static constexpr int batch = loads_rows ? 2 : 4;
  Coefficients c;
  View<T> u;
  View<const T> b;
  T omega;

  template <int n>
  __device__ void planes(const int (&i)[n], int j, int k) const {
    Star<T> star[n];
    T rhs[n];
    Row<T> row[loads_rows ? n : 1];
#pragma unroll
    for (int m = 0; m < n; ++m) {
      star[m] = Star<T>::at(&u(i[m], j, k + m), u.sy, u.sz);
      rhs[m] = b(i[m], j, k + m);
      if constexpr (loads_rows) row[m] = relaxed_row<T>(c, i[m], j, k + m);
    }
#pragma unroll
    for (int m = 0; m < n; ++m) {
      if constexpr (!loads_rows) row[0] = c.line(j, k + m).row(i[m]);
      u(i[m], j, k + m) = stencil::gauss_seidel(row[loads_rows ? m : 0], star[m], rhs[m], omega);
    }
  }
};

/// With two colours every second value of a line has one colour: column t contains value first + 2t or the next one.
template <class T, class Coefficients>
struct TwoColours {
  GaussSeidel<T, Coefficients> relax;
  int colour, first, last;  ///< `first` and `last` bound the unknowns along x

  __device__ void operator()(int t, int j, int k0, int k1) const {
    constexpr int n = GaussSeidel<T, Coefficients>::batch;
    int k = k0;
    if (first + 2 * t + 1 < last)
      for (; k + n <= k1; k += n) {
        int i[n];
#pragma unroll
        for (int m = 0; m < n; ++m) i[m] = place(t, j, k + m);
        relax.template planes<n>(i, j, k);
      }
    for (; k < k1; ++k) {
      const int i[1] = {place(t, j, k)};
      if (i[0] < last) relax.template planes<1>(i, j, k);
    }
  }

 private:
  __device__ int place(int t, int j, int k) const {
    return first + 2 * t + ((first + j + k + colour) & 1);
  }
};

/// With any number of colours, each column finds its values.
template <class T, class Coefficients>
struct AnyColours {
  GaussSeidel<T, Coefficients> relax;
  Colours colours;
  int colour;

  __device__ void operator()(int i, int j, int k0, int k1) const {
    for (int k = k0; k < k1; ++k) {
      const int at[1] = {i};
      if (colours.of(i, j, k) == colour) relax.template planes<1>(at, j, k);
    }
  }
};

/// Computes Σ value·mass, with the value 1 if there is no field.
template <class T, class Coefficients>
struct Integral {
  Coefficients c;
  View<const T> u;
  __device__ double operator()(int i, int j, int k0, int k1) const {
    double sum = 0;
    for (int k = k0; k < k1; ++k)
      sum += static_cast<double>(line_of(c, j, k).mass(i)) * (u.data ? static_cast<double>(u(i, j, k)) : 1.0);
    return sum;
  }
};

template <class T>
struct Sum {
  View<const T> b;
  __device__ double operator()(int i, int j, int k0, int k1) const {
    double sum = 0;
    for (int k = k0; k < k1; ++k) sum += static_cast<double>(b(i, j, k));
    return sum;
  }
};

/// Computes x −= (amount/volume)·(mass or 1).
template <class T, class Coefficients, bool weighted>
struct SubtractMean {
  Coefficients c;
  View<T> x;
  const double* amount;
  double volume;
  __device__ void operator()(int i, int j, int k0, int k1) const {
    const double share = *amount / volume;
    for (int k = k0; k < k1; ++k)
      x(i, j, k) -= static_cast<T>(weighted ? product(share, static_cast<double>(line_of(c, j, k).mass(i))) : share);
  }
};

/// Computes (M1)²/D.
template <class T, class Coefficients>
struct SquareOfMass {
  static constexpr int inputs = 0;
  Coefficients c;
  __device__ const T* input(int, int, int, int) const { return nullptr; }
  template <class Row>
  __device__ double operator()(const Row& a, Inputs<T, 0>, int i, int j, int k) const {
    const auto mass = static_cast<double>(line_of(c, j, k).mass(i));
    return mass * mass / static_cast<double>(a.diagonal());
  }
};

/// Computes b −= share M1 and b²/D of the result.
template <class T, class Coefficients>
struct ProjectedSquare {
  static constexpr int inputs = 1;
  Coefficients c;
  View<T> b;
  double share;
  __device__ const T* input(int, int i, int j, int k) const { return &b(i, j, k); }
  template <class Row>
  __device__ double operator()(const Row& a, Inputs<T, 1> in, int i, int j, int k) const {
    const double mass = static_cast<double>(line_of(c, j, k).mass(i));
    const T projected = in[0] - static_cast<T>(product(share, mass));
    b(i, j, k) = projected;
    return static_cast<double>(stencil::weighted_square(a, projected));
  }
};

/// A column waits for its values only once in eight planes.
template <class T, class Coefficients>
inline constexpr int batch<T, Coefficients, ProjectedSquare<T, Coefficients>> = 8;

/// Does so with share = amount/volume, which is divided once a column.
template <class T, class Coefficients>
struct ProjectRhs {
  Coefficients c;
  View<T> b;
  const double* amount;
  double volume;
  template <class Sink>
  __device__ void each_plane(int i, int j, int k0, int k1, const Sink& of_plane) const {
    using Square = ProjectedSquare<T, Coefficients>;
    EachRow<T, Coefficients, Square>{c, Square{c, b, *amount / volume}}.each_plane(i, j, k0, k1, of_plane);
  }
};

/// Computes the norm of b before its projection from the norm after it. `removed` is Σ (M1)²/D over (1ᵀM1)².
struct AddRemoved {
  const double *amount, *after;
  double* before;
  double removed;
  __device__ void operator()() const { *before = *after + *amount * *amount * removed; }
};

}  // namespace poisson::cuda
