#pragma once

#include "backends/memory/view.hpp"
#include "grids/rows/box_stencil.hpp"

/// Bilinear and trilinear elements (Q1) are models of the concept Coefficients (grids/rows/coefficients.hpp). Their
/// rows have 9 or 27 points. Element matrices are products of one-dimensional matrices on a cell of width h:
///
///   stiffness [1, −1; −1, 1]/h,   mass [own, off; off, own] h,   G = ∫φ_p φ_q′ = [−1, 1; −1, 1]/2
///
/// with own = 1/3 and off = 1/6. The compact scheme uses other values (element_mass.hpp).
namespace poisson {

/// Points to the tables of one axis for elements, which may be read from index −1 to n. Entry i of `stiffness`,
/// `inverse`, `own` and `off` belongs to cell i; entry i of `mass` and `robin` belongs to value i. Cells beyond open
/// ends have width 0 and contribute nothing. If σ is a field, only `own` is 1 there: the halo of σ is then multiplied
/// by the mass of the face alone, which makes it the Robin α.
template <class T>
struct BoxAxis {
  const T* stiffness = nullptr;  ///< scaled κ_d/h
  const T* inverse = nullptr;    ///< scaled 1/h
  const T* own = nullptr;        ///< own h
  const T* off = nullptr;        ///< off h
  const T* mass = nullptr;       ///< the length that the value represents: the sum of its mass row
  const T* robin = nullptr;      ///< is the scaled α, zero except at Robin ends
  int equal = 0;                 ///< the number of cells if all are equal, otherwise 0
};

/// Implements Coefficients for constant diagonal κ, σ and α: a row is the product of the rows of the axes.
template <class T, int Dimension>
struct BoxProduct {
  using Row = BoxRow<T, Dimension>;
  BoxAxis<T> x, y, z;
  T sigma;  ///< scaled

  /// Contains the entries of a value's stiffness and mass rows.
  struct AxisRow {
    T stiffness[3], mass[3];
  };
  [[gnu::always_inline]] static constexpr AxisRow axis_row(const BoxAxis<T>& a, int i) {
    const T w = a.stiffness[i - 1], e = a.stiffness[i], before = a.off[i - 1], after = a.off[i];
    return {{-w, w + e + a.robin[i], -e}, {before, a.mass[i] - before - after, after}};
  }

  struct Line {
    static constexpr bool uniform = true;
    static constexpr int lines = box_points<Dimension> / 3;  ///< includes the line itself
    BoxAxis<T> x;
    T area, sum;      ///< mass in y and z, and the factor of x.mass in the row's sum
    T across[lines];  ///< minus mass in y times mass in z: multiplies stiffness along x
    T along[lines];   ///< minus the factors that multiply mass along x

    [[gnu::always_inline]] constexpr Row row(int i) const {
      const AxisRow a = axis_row(x, i);
      Row r{};
      unrolled<0, box_points<Dimension>>([&](auto n) __attribute__((always_inline)) {
        constexpr int m = decltype(n)::value;
        r.at[m] = a.stiffness[m % 3] * across[m / 3] + a.mass[m % 3] * along[m / 3];
      });
      r.at[box_centre<Dimension>] = x.mass[i] * sum + x.robin[i] * area;
      return r;
    }
    constexpr T mass(int i) const { return area * x.mass[i]; }
  };
  constexpr Line line(int j, int k) const {
    Line l{};
    l.x = x;
    const AxisRow b = axis_row(y, j);
    AxisRow c{{0, 0, 0}, {0, 1, 0}};
    if (Dimension == 3) c = axis_row(z, k);
    for (int m = 0; m < Line::lines; ++m) {
      const int dy = m % 3, dz = Dimension == 3 ? m / 3 : 1;
      const T mass = b.mass[dy] * c.mass[dz];
      l.across[m] = -mass;
      l.along[m] = -(b.stiffness[dy] * c.mass[dz] + b.mass[dy] * c.stiffness[dz] + sigma * mass);
    }
    const T my = y.mass[j], mz = Dimension == 3 ? z.mass[k] : T(1), rz = Dimension == 3 ? z.robin[k] : T(0);
    l.area = my * mz;
    l.sum = sigma * l.area + y.robin[j] * mz + rz * my;
    return l;
  }
};

enum class Tensor { isotropic, diagonal, full };

/// Returns the number of cell arrays that a tensor κ needs: xx, yy(, zz)(, xy(, xz, yz)).
constexpr int tensor_components(Tensor tensor, int dimension) {
  return tensor == Tensor::isotropic ? 1 : tensor == Tensor::diagonal ? dimension : dimension * (dimension + 1) / 2;
}

/// Reads κ of the cells from arrays, one for each component of the tensor. ComputedCells (recompute_elements.hpp) has
/// the same functions.
template <class T, int Components>
struct StoredCells {
  View<const T> kappa[Components];

  /// Points to a line of cells along x.
  struct Line {
    const T* kappa[Components];
    template <int component>
    [[gnu::always_inline]] constexpr T at(int i) const {
      return kappa[component][i];
    }
  };
  constexpr Line cells(int j, int k) const {
    Line l{};
    for (int c = 0; c < Components; ++c) l.kappa[c] = kappa[c].line(j, k);
    return l;
  }
  /// Calls f(address) for each value that is read at (i, j, k).
  template <class F>
  constexpr void reads_cells(int i, int j, int k, const F& f) const {
    for (const View<const T>& component : kappa) f(&component(i, j, k));
  }
};

/// Implements Coefficients for κ on cells. σ is constant, or is given on cells and has the Robin α in its halo. A row
/// sums the element matrices of the 4 or 8 cells around a node. A cell contributes κ (K⊗M⊗M + …) + σ M⊗M⊗M over its
/// corners. Off-diagonal entries contribute κ_xy (Gᵀ⊗G + G⊗Gᵀ)⊗M. This reduces to ±κ_xy/2 ⊗ M for the node itself and
/// for the corner that is opposite in x and y.
template <class T, int Dimension, Tensor Kind, class Cells = StoredCells<T, tensor_components(Kind, Dimension)>>
struct BoxPartial : Cells {
  using Row = BoxRow<T, Dimension>;
  static constexpr int columns = Dimension == 3 ? 4 : 2;  ///< lines of cells

  BoxAxis<T> x, y, z;
  View<const T> sigma_cells;  ///< optional: data may be null
  T sigma;                    ///< scaled; multiplies sigma_cells if present
  T offdiagonal[3];           ///< multiplies κ_xy, κ_xz, κ_yz; includes the factor 1/2

  struct Line {
    static constexpr bool uniform = true;
    static constexpr int corners = columns;  ///< corners per cell
    BoxAxis<T> x;
    typename Cells::Line kappa[columns];
    const T* sigma_cells[columns];
    T mass_yz[columns][corners];  ///< mass_y · mass_z
    T stiff_y[columns][corners];  ///< stiffness_y · mass_z
    T stiff_z[columns][corners];  ///< mass_y · stiffness_z
    T mass_y[columns][2], mass_z[columns][2];
    T face[columns];  ///< sums of mass_yz
    T sigma, area, offdiagonal[3];
    bool varies;

    [[gnu::always_inline]] constexpr Row row(int i) const {
      Row r{};
      T sum = 0;
      unrolled<0, columns>([&](auto column) __attribute__((always_inline)) {
        constexpr int q = decltype(column)::value;
        add<q, 0>(i, r, sum);
        add<q, 1>(i, r, sum);
      });
      r.at[box_centre<Dimension>] = varies ? sum : sigma * area * x.mass[i];
      return r;
    }
    constexpr T mass(int i) const { return area * x.mass[i]; }

   private:
    // Adds the cell of column q before (side 0) or behind (side 1) the node.
    template <int q, int side>
    [[gnu::always_inline]] constexpr void add(int i, Row& r, T& sum) const {
      constexpr int dx = side == 0 ? -1 : 1, dy = q % 2 == 0 ? -1 : 1, dz = Dimension == 3 ? (q / 2 == 0 ? -1 : 1) : 0;
      const int cell = i - 1 + side;
      const T s = varies ? sigma * sigma_cells[q][cell] : sigma;
      const T inverse = x.inverse[cell], own = x.own[cell], off = x.off[cell];
      const T kx = kappa[q].template at<0>(cell);
      [[maybe_unused]] T ky = kx, kz = kx;
      if constexpr (Kind != Tensor::isotropic) {
        ky = kappa[q].template at<1>(cell);
        if constexpr (Dimension == 3) kz = kappa[q].template at<2>(cell);
      }
      const T here = kx * inverse + s * own, there = s * off - kx * inverse;
      sum += s * (own + off) * face[q];
      unrolled<0, corners>([&](auto corner) __attribute__((always_inline)) {
        constexpr int c = decltype(corner)::value, ey = c % 2, ez = c / 2;
        T stiff = 0;
        if constexpr (Kind == Tensor::isotropic) {
          stiff = kx * (stiff_y[q][c] + stiff_z[q][c]);
        } else {
          stiff = ky * stiff_y[q][c];
          if constexpr (Dimension == 3) stiff += kz * stiff_z[q][c];
        }
        if constexpr (c != 0) r.at[number(0, ey * dy, ez * dz)] -= here * mass_yz[q][c] + own * stiff;
        r.at[number(dx, ey * dy, ez * dz)] -= there * mass_yz[q][c] + off * stiff;
      });
      if constexpr (Kind == Tensor::full) {
        const T xy = T(dx * dy) * offdiagonal[0] * kappa[q].template at<Dimension>(cell);
        r.at[number(dx, dy, 0)] += xy * mass_z[q][0];
        if constexpr (Dimension == 3) {
          r.at[number(0, 0, dz)] -= xy * mass_z[q][1];
          r.at[number(dx, dy, dz)] += xy * mass_z[q][1];
          const T xz = T(dx * dz) * offdiagonal[1] * kappa[q].template at<4>(cell),
                  yz = T(dy * dz) * offdiagonal[2] * kappa[q].template at<5>(cell);
          r.at[number(0, dy, 0)] -= xz * mass_y[q][1];
          r.at[number(dx, 0, dz)] += xz * mass_y[q][0];
          r.at[number(dx, dy, dz)] += xz * mass_y[q][1] + yz * off;
          r.at[number(dx, 0, 0)] -= yz * off;
          r.at[number(0, dy, dz)] += yz * own;
        }
      }
    }
    static constexpr int number(int dx, int dy, int dz) {
      return box_centre<Dimension> + dx + 3 * dy + (Dimension == 3 ? 9 * dz : 0);
    }
  };

  constexpr Line line(int j, int k) const {
    Line l{};
    l.x = x;
    for (int q = 0; q < columns; ++q) {
      const int cj = j - 1 + q % 2, ck = Dimension == 3 ? k - 1 + q / 2 : 0;
      l.kappa[q] = this->cells(cj, ck);
      l.sigma_cells[q] = sigma_cells.data ? sigma_cells.line(cj, ck) : nullptr;
      const T my[2] = {y.own[cj], y.off[cj]}, ky[2] = {y.inverse[cj], -y.inverse[cj]};
      T mz[2] = {1, 0}, kz[2] = {0, 0};
      if (Dimension == 3) {
        mz[0] = z.own[ck];
        mz[1] = z.off[ck];
        kz[0] = z.inverse[ck];
        kz[1] = -z.inverse[ck];
      }
      for (int c = 0; c < Line::corners; ++c) {
        l.mass_yz[q][c] = my[c % 2] * mz[c / 2];
        l.stiff_y[q][c] = ky[c % 2] * mz[c / 2];
        l.stiff_z[q][c] = my[c % 2] * kz[c / 2];
      }
      for (int e = 0; e < 2; ++e) {
        l.mass_y[q][e] = my[e];
        l.mass_z[q][e] = mz[e];
      }
      l.face[q] = (my[0] + my[1]) * (mz[0] + mz[1]);
    }
    l.varies = sigma_cells.data != nullptr;
    l.sigma = sigma;
    l.area = y.mass[j] * (Dimension == 3 ? z.mass[k] : T(1));
    for (int d = 0; d < 3; ++d) l.offdiagonal[d] = offdiagonal[d];
    return l;
  }
  /// See Partial::reads.
  template <class F>
  constexpr void reads(int i, int j, int k, const F& f) const {
    this->reads_cells(i, j, k, f);
    if (sigma_cells.data) f(&sigma_cells(i, j, k));
  }
};

}  // namespace poisson
