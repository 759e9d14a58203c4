// These tests compare element products computed cell by cell (ElementWalk as the lanes of a warp run it, and
// BilinearWalk) with the rows of BoxPartial, on stretched axes with every kind of end.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "grids/rows/bilinear_walk.hpp"
#include "grids/rows/element_modes.hpp"

namespace poisson::element_modes_tests {
namespace {

enum class Ends { open, robin, periodic };

// Stores the table of an axis of n values, with arrays from index −1 to n.
template <class T>
struct Table {
  std::vector<T> own, off, inverse, mass;

  Table(int n, Ends ends, double stiff, std::mt19937& random) {
    const int cells = ends == Ends::periodic ? n : n - 1;
    std::vector<double> widths(static_cast<std::size_t>(cells));
    for (double& h : widths) h = std::uniform_real_distribution(0.3, 1.7)(random);
    double before = 0;
    for (int i = -1; i <= n; ++i) {
      const bool inside = i >= 0 && i < cells;
      const double h = inside || ends == Ends::periodic ? widths[static_cast<std::size_t>((i + cells) % cells)] : 0;
      const bool ghost = ends == Ends::robin && (i == -1 || i == cells);
      own.push_back(static_cast<T>(ghost ? 1.25 : h / 3));
      off.push_back(static_cast<T>(h / 6));
      inverse.push_back(static_cast<T>(h > 0 ? stiff / h : 0));
      mass.push_back(static_cast<T>((before + h) / 2));
      before = h;
    }
  }
  BoxAxis<T> axis() const {
    return {nullptr, inverse.data() + 1, own.data() + 1, off.data() + 1, mass.data() + 1, nullptr};
  }
};

// Stores values with a halo of one.
template <class T>
struct Values {
  std::array<int, 3> n;
  std::vector<T> data;

  explicit Values(const std::array<int, 3>& size)
      : n(size), data(static_cast<std::size_t>((n[0] + 2) * (n[1] + 2) * (n[2] + 2))) {}
  View<T> view() {
    View<T> v;
    v.sy = n[0] + 2;
    v.sz = v.sy * (n[1] + 2);
    v.data = data.data() + 1 + v.sy + v.sz;
    for (std::size_t d = 0; d < 3; ++d) {
      v.n[d] = n[d];
      v.halo[d] = 1;
    }
    return v;
  }
};

enum class Reaction { none, constant, cells };

template <class T>
struct Grid {
  std::array<int, 3> n;
  std::vector<Table<T>> tables;
  Values<T> u, kappa, sigma;
  BoxPartial<T, 3, Tensor::isotropic> c{};

  Grid(const std::array<int, 3>& size, const std::array<Ends, 3>& ends, Reaction reaction, unsigned seed)
      : n(size), u(size), kappa(size), sigma(size) {
    std::mt19937 random(seed);
    constexpr std::array<double, 3> stiff{1, 30, 0.02};
    for (std::size_t d = 0; d < 3; ++d) tables.emplace_back(n[d], ends[d], stiff[d], random);
    for (T& value : u.data) value = static_cast<T>(std::uniform_real_distribution(-1.0, 1.0)(random));
    // Beyond open ends κ is zero. σ is zero only if the table has a ghost cell.
    const auto place = [&](std::size_t d, int i) { return ends[d] == Ends::periodic || (i >= 0 && i < n[d] - 1); };
    for (int k = -1; k <= n[2]; ++k)
      for (int j = -1; j <= n[1]; ++j)
        for (int i = -1; i <= n[0]; ++i) {
          const bool cell = place(0, i) && place(1, j) && place(2, k);
          if (cell) kappa.view()(i, j, k) = static_cast<T>(std::uniform_real_distribution(0.1, 10.0)(random));
          sigma.view()(i, j, k) = static_cast<T>(std::uniform_real_distribution(0.1, 3.0)(random));
        }
    c.x = tables[0].axis();
    c.y = tables[1].axis();
    c.z = tables[2].axis();
    c.kappa[0] = kappa.view();
    if (reaction == Reaction::cells) c.sigma_cells = sigma.view();
    c.sigma = reaction == Reaction::none ? T(0) : T(0.7);
  }
};

template <class T>
struct Result {
  T product, diagonal;
};

// Returns the product at node (i, j, k) of rows that begin at j − row, from the columns of cells on both sides.
template <int rows, bool reacts, class T>
Result<T> by_walks(Grid<T>& grid, int i, int j, int k, int row, int planes) {
  using Walk = ElementWalk<T, rows, true>;
  const auto& c = grid.c;
  const auto u = grid.u.view();
  Result<T> result{};
  for (int side = 0; side < 2; ++side) {
    const int cell = i - 1 + side, first = j - row - 1;
    const auto line = [&](int r) { return std::clamp(first + r, -1, grid.n[1]); };
    CellModes<T> y[Walk::cells];
    for (int r = 0; r < Walk::cells; ++r) y[r] = CellModes<T>(c.y, line(r));
    Walk walk(CellModes<T>(c.x, cell), y);
    const auto plane = [&](int at) {
      typename Walk::Plane p{};
      for (int r = 0; r < Walk::lines; ++r) {
        p.left[r] = u(cell, line(r), at);
        p.right[r] = u(cell + 1, line(r), at);
      }
      return p;
    };
    const int start = std::max(-1, k - planes);
    walk.start(plane(start));
    for (int at = start; at <= k; ++at) {
      typename Walk::Layer layer{c.z.own[at], c.z.off[at], c.z.inverse[at], {}, {}};
      for (int r = 0; r < Walk::cells; ++r) {
        layer.kappa[r] = c.kappa[0](cell, line(r), at);
        layer.sigma[r] = c.sigma_cells.data ? c.sigma * c.sigma_cells(cell, line(r), at) : c.sigma;
      }
      const auto shares = walk.template next<reacts>(layer, plane(at + 1));
      if (at < k) continue;
      result.product += side == 0 ? shares.right[row] : shares.left[row];
      result.diagonal += shares.diagonal[row];
      if (side == 1) {
        EXPECT_EQ(shares.centre[row], u(i, j, k));
      }
    }
  }
  return result;
}

template <int rows, bool reacts, class T>
void expect_rows(Grid<T>& grid, double tolerance) {
  const auto u = grid.u.view();
  for (int k = 0; k < grid.n[2]; ++k)
    for (int j = 0; j < grid.n[1]; ++j)
      for (int i = 0; i < grid.n[0]; ++i) {
        const auto row = grid.c.line(j, k).row(i);
        const T product = row.times(Patch<T, 3>::at(&u(i, j, k), u.sy, u.sz)), diagonal = row.diagonal();
        for (int r = 0; r < rows; ++r) {
          const auto found = by_walks<rows, reacts>(grid, i, j, k, r, 1 + r % 3);
          EXPECT_NEAR(found.product / diagonal, product / diagonal, tolerance) << i << ' ' << j << ' ' << k;
          EXPECT_NEAR(found.diagonal / diagonal, T(1), tolerance) << i << ' ' << j << ' ' << k;
        }
      }
}

constexpr std::array<std::array<Ends, 3>, 4> kinds{{{Ends::open, Ends::open, Ends::open},
                                                    {Ends::periodic, Ends::open, Ends::periodic},
                                                    {Ends::open, Ends::periodic, Ends::open},
                                                    {Ends::periodic, Ends::periodic, Ends::periodic}}};

TEST(ElementModes, WalksGiveTheRowsProducts) {
  unsigned seed = 1;
  for (const auto& ends : kinds) {
    Grid<double> plain({5, 4, 6}, ends, Reaction::none, seed++), constant({5, 4, 6}, ends, Reaction::constant, seed++);
    expect_rows<2, false>(plain, 1e-14);
    expect_rows<2, true>(plain, 1e-14);
    expect_rows<3, true>(constant, 1e-14);
    Grid<float> single({4, 5, 4}, ends, Reaction::none, seed++);
    expect_rows<4, false>(single, 5e-6);
  }
}

TEST(ElementModes, WalksGiveTheRowsProductsWithReactionAndRobinFaces) {
  unsigned seed = 101;
  for (const auto& open : kinds) {
    auto ends = open;
    for (Ends& e : ends) e = e == Ends::open ? Ends::robin : e;
    Grid<double> cells({5, 4, 6}, ends, Reaction::cells, seed++);
    expect_rows<2, true>(cells, 1e-14);
    expect_rows<4, true>(cells, 1e-14);
    Grid<float> single({4, 5, 4}, ends, Reaction::cells, seed++);
    expect_rows<4, true>(single, 5e-6);
  }
}

// Compares every node of a plane for walks that begin at each line below it.
template <bool reacts, class T>
void expect_rows_of_a_plane(Grid<T>& grid, double tolerance) {
  using Walk = BilinearWalk<T, true>;
  const auto u = grid.u.view();
  BoxPartial<T, 2, Tensor::isotropic> c{};
  c.x = grid.c.x;
  c.y = grid.c.y;
  c.kappa[0] = grid.c.kappa[0];
  c.sigma_cells = grid.c.sigma_cells;
  c.sigma = grid.c.sigma;
  for (int i = 0; i < grid.n[0]; ++i)
    for (int first = 0; first < grid.n[1]; ++first) {
      const auto cell = [&](int at) { return typename Walk::Cell{c.x.own[at], c.x.off[at], c.x.inverse[at]}; };
      const auto line = [&](int j) { return typename Walk::Line{u(i - 1, j, 0), u(i, j, 0), u(i + 1, j, 0)}; };
      Walk walk(cell(i - 1), cell(i), T(0), line(first - 1));
      for (int j = first - 1; j < grid.n[1]; ++j) {
        typename Walk::Layer layer{c.y.own[j], c.y.off[j], c.y.inverse[j], {}, {}};
        for (int side = 0; side < 2; ++side) {
          layer.kappa[side] = c.kappa[0](i - 1 + side, j, 0);
          layer.sigma[side] = c.sigma_cells.data ? c.sigma * c.sigma_cells(i - 1 + side, j, 0) : c.sigma;
        }
        const T centre = walk.centre();
        const auto found = walk.template next<reacts>(layer, line(j + 1));
        if (j < first) continue;
        const auto row = c.line(j, 0).row(i);
        const T product = row.times(Patch<T, 2>::at(&u(i, j, 0), u.sy, u.sz)), diagonal = row.diagonal();
        EXPECT_EQ(centre, u(i, j, 0));
        EXPECT_NEAR(found.product / diagonal, product / diagonal, tolerance) << i << ' ' << j;
        EXPECT_NEAR(found.diagonal / diagonal, T(1), tolerance) << i << ' ' << j;
      }
    }
}

TEST(BilinearWalk, GivesTheRowsProducts) {
  unsigned seed = 201;
  for (const auto& open : kinds) {
    auto robin = open;
    for (Ends& e : robin) e = e == Ends::open ? Ends::robin : e;
    Grid<double> plain({5, 6, 2}, open, Reaction::none, seed++), constant({5, 6, 2}, open, Reaction::constant, seed++),
        cells({5, 6, 2}, robin, Reaction::cells, seed++);
    expect_rows_of_a_plane<false>(plain, 1e-14);
    expect_rows_of_a_plane<true>(constant, 1e-14);
    expect_rows_of_a_plane<true>(cells, 1e-14);
    Grid<float> single({5, 6, 2}, robin, Reaction::cells, seed++);
    expect_rows_of_a_plane<true>(single, 5e-6);
  }
}

// Constant κ, σ and α must give the rows of BoxProduct, whose faces include the mass along them.
TEST(BilinearWalk, GivesTheRowsProductsOnRobinFaces) {
  using Walk = BilinearWalk<double, true>;
  Grid<double> grid({5, 6, 2}, kinds[0], Reaction::none, 301);
  const auto u = grid.u.view();
  const std::vector<double> alpha_x{0, 1.5, 0, 0, 0, 0.5, 0}, alpha_y{0, 0.75, 0, 0, 0, 0, 2.5, 0};
  BoxProduct<double, 2> c{};
  c.x = grid.c.x;
  c.y = grid.c.y;
  c.x.stiffness = c.x.inverse;
  c.y.stiffness = c.y.inverse;
  c.x.robin = alpha_x.data() + 1;
  c.y.robin = alpha_y.data() + 1;
  for (const double sigma : {0.0, 0.7}) {
    c.sigma = sigma;
    for (int i = 0; i < grid.n[0]; ++i) {
      const auto cell = [&](int at) { return Walk::Cell{c.x.own[at], c.x.off[at], c.x.stiffness[at]}; };
      const auto line = [&](int j) { return Walk::Line{u(i - 1, j, 0), u(i, j, 0), u(i + 1, j, 0)}; };
      Walk walk(cell(i - 1), cell(i), c.x.robin[i], line(-1));
      for (int j = -1; j < grid.n[1]; ++j) {
        Walk::Row face{};
        if (j >= 0) walk.add_face(c.y.robin[j], face);
        const auto found =
            walk.next<true>({c.y.own[j], c.y.off[j], c.y.stiffness[j], {1, 1}, {sigma, sigma}}, line(j + 1));
        if (j < 0) continue;
        const auto row = c.line(j, 0).row(i);
        const double product = row.times(Patch<double, 2>::at(&u(i, j, 0), u.sy, u.sz)), diagonal = row.diagonal();
        EXPECT_NEAR((found.product + face.product) / diagonal, product / diagonal, 1e-14) << i << ' ' << j;
        EXPECT_NEAR((found.diagonal + face.diagonal) / diagonal, 1, 1e-14) << i << ' ' << j;
      }
    }
  }
}

TEST(ElementModes, AConstantIsMappedToZero) {
  Grid<double> grid({5, 4, 6}, kinds[3], Reaction::none, 7);
  std::fill(grid.u.data.begin(), grid.u.data.end(), 1.0 / 3);
  for (int k = 0; k < grid.n[2]; ++k)
    for (int j = 0; j < grid.n[1]; ++j)
      for (int i = 0; i < grid.n[0]; ++i) EXPECT_EQ((by_walks<2, false>(grid, i, j, k, j % 2, 1).product), 0.0);
}

// For a large smooth u, the rounding of its product must be that of its differences, at most that of the rows
// themselves.
TEST(ElementModes, ProductsOfSmoothValuesRoundAsTheirDifferencesDo) {
  const std::array<int, 3> n{5, 4, 6};
  Grid<float> grid(n, kinds[0], Reaction::none, 11);
  Grid<double> exact(n, kinds[0], Reaction::none, 11);
  // The test uses the same tables and κ, equal to the last bit.
  const auto widen = [](const auto& from, auto& to) { std::copy(from.begin(), from.end(), to.begin()); };
  for (std::size_t d = 0; d < 3; ++d) {
    widen(grid.tables[d].own, exact.tables[d].own);
    widen(grid.tables[d].off, exact.tables[d].off);
    widen(grid.tables[d].inverse, exact.tables[d].inverse);
  }
  widen(grid.kappa.data, exact.kappa.data);
  for (std::size_t m = 0; m < grid.u.data.size(); ++m) {
    grid.u.data[m] = static_cast<float>(1000 + std::sin(0.001 * static_cast<double>(m)));
    exact.u.data[m] = static_cast<double>(grid.u.data[m]);
  }
  double error = 0, of_rows = 0;
  const auto u = grid.u.view();
  const auto v = exact.u.view();
  for (int k = 0; k < n[2]; ++k)
    for (int j = 0; j < n[1]; ++j)
      for (int i = 0; i < n[0]; ++i) {
        const auto row = exact.c.line(j, k).row(i);
        const double true_product = row.times(Patch<double, 3>::at(&v(i, j, k), v.sy, v.sz)), d = row.diagonal();
        const float by_row = grid.c.line(j, k).row(i).times(Patch<float, 3>::at(&u(i, j, k), u.sy, u.sz));
        const float found = by_walks<4, false>(grid, i, j, k, j % 4, 1).product;
        error = std::max(error, std::abs(static_cast<double>(found) - true_product) / d);
        of_rows = std::max(of_rows, std::abs(static_cast<double>(by_row) - true_product) / d);
      }
  EXPECT_LT(error, 1e-6) << "a rounding of u itself would be 6e-5";
  EXPECT_LT(error, 4 * of_rows);
}

}  // namespace
}  // namespace poisson::element_modes_tests
