// These tests cover fields and verbs without equations: layouts, whole-field arithmetic, reductions, halos, scalars and
// monitors. Each verb is compared with plain loops on fields whose padding and periodic halos are NaN.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include <gtest/gtest.h>
#include <omp.h>

#include "backends/device/backend.hpp"
#include "backends/memory/error.hpp"
#include "tests/device.hpp"
#include "tests/fields.hpp"

namespace poisson::backend_tests {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::array precisions{Precision::fp32, Precision::fp64};

std::vector<Layout> layouts() {
  std::vector<Layout> all;
  for (const std::array<int, 3> n : {std::array{5, 4, 3}, {2, 3, 2}, {30, 7, 1}, {6, 2, 5}, {31, 17, 12}, {97, 61, 1}})
    for (int mask = 0; mask < 8; ++mask)
      if (n[2] > 1 || mask < 4) all.push_back({n, {(mask & 1) != 0, (mask & 2) != 0, (mask & 4) != 0}});
  return all;
}

TEST(Layout, PadsLines) {
  for (const Layout& layout : layouts())
    for (const Precision p : precisions) {
      EXPECT_EQ(layout.pitch(p) * static_cast<std::int64_t>(bytes_of(p)) % 32, 0);
      EXPECT_GE(layout.pitch(p), layout.n[0] + 2);
      EXPECT_LT((layout.pitch(p) - layout.n[0] - 2) * static_cast<std::int64_t>(bytes_of(p)), 128);
    }
  const Layout layout{{5, 4, 3}, {}};
  EXPECT_EQ(layout.size(), 60);
  EXPECT_EQ(layout.box().size(), 60);
  EXPECT_TRUE(layout == (Layout{{5, 4, 3}, {}}));
  EXPECT_FALSE(layout == (Layout{{5, 4, 3}, {true, false, false}}));
}

TEST(Box, OfNegativeExtentIsEmpty) {
  EXPECT_EQ((Box{{1, 1, 1}, {4, 3, 2}}).size(), 6);
  EXPECT_EQ((Box{{1, 1, 1}, {1, 3, 2}}).size(), 0);
  EXPECT_EQ((Box{{3, 1, 1}, {1, 3, 0}}).size(), 0);
}

TEST(Field, StartsZeroWithAlignedLines) {
  const auto backend = test_backend();
  for (const Layout& layout : layouts())
    for (const Precision p : precisions) {
      const Field x(*backend, layout, p);
      EXPECT_EQ(x.precision(), p);
      EXPECT_TRUE(x.layout() == layout);
      EXPECT_TRUE(static_cast<bool>(x));
      dispatch(p, [&]<class T>(T) {
        const Image<T> image(*backend, x);
        const View<T> v = image.view;
        const bool flat = layout.n[2] == 1;
        EXPECT_EQ(v.sy, layout.pitch(p));
        EXPECT_EQ(v.sz, flat ? 0 : layout.pitch(p) * (layout.n[1] + 2));
        EXPECT_EQ(v.halo[0], 1);
        EXPECT_EQ(v.halo[1], 1);
        EXPECT_EQ(v.halo[2], flat ? 0 : 1);
        if (flat) {
          EXPECT_EQ(&v(1, 1, 1), &v(1, 1, 0)) << "z neighbours are the value itself";
        }
        for_each_value(v, true, [&](int i, int j, int k) { ASSERT_EQ(v(i, j, k), T(0)); });
        const View<const T> there = x.view<T>();
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(there.line(0, 0)) % 32, 0U);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(there.line(layout.n[1] - 1, layout.n[2] - 1)) % 32, 0U);
      });
    }
  EXPECT_FALSE(static_cast<bool>(Field{}));
}

TEST(Backend, CountsItsMemory) {
  const auto backend = test_backend();
  const std::size_t own = backend->memory().now();  // memory of the backend itself
  if (on_cpu()) {
    EXPECT_EQ(own, 0U);
  }
  {
    const Buffer a = backend->allocate(1000);
    EXPECT_EQ(a.bytes(), 1000U);
    {
      const Buffer b = backend->allocate(500);
      EXPECT_EQ(backend->memory().now(), own + 1500);
    }
    EXPECT_EQ(backend->memory().now(), own + 1000);
    Buffer moved = backend->allocate(200);
    moved = Buffer();
    EXPECT_EQ(backend->memory().now(), own + 1000);
  }
  EXPECT_EQ(backend->memory().now(), own);
  EXPECT_EQ(backend->memory().peak(), own + 1500);
  const Field x(*backend, {{5, 4, 3}, {}}, Precision::fp32);
  EXPECT_EQ(backend->memory().now(), own + x.bytes());
  EXPECT_GE(x.bytes(), 7U * 6 * 5 * 4);
#ifndef __SANITIZE_ADDRESS__  // the sanitizer ends the program if malloc returns null
  EXPECT_THROW(backend->allocate(std::size_t{1} << 60), RunError);
#endif
  EXPECT_EQ(readable_bytes(512), "512 B");
  EXPECT_EQ(readable_bytes(3.0 * (1 << 30)), "3 GiB");
}

/// Runs verb(x, y), which should compute y = formula(x, y) in fp64 arithmetic, in all precisions and layouts.
template <class Verb, class Formula>
void expect_pointwise(const char* name, const Verb& verb, const Formula& formula) {
  const auto backend = test_backend();
  for (const Layout& layout : layouts())
    for (const Precision px : precisions)
      for (const Precision py : precisions) {
        Field x(*backend, layout, px), y(*backend, layout, py);
        Random random(5);
        const Vector xv = set_values(*backend, x, random.vector(static_cast<std::size_t>(layout.size())));
        const Vector yv = set_values(*backend, y, random.vector(static_cast<std::size_t>(layout.size())));
        verb(*backend, x, y);
        Vector expected, bound;
        for (std::size_t i = 0; i < xv.size(); ++i) {
          expected.push_back(formula(xv[i], yv[i]));
          bound.push_back(epsilon(py) / 2 * std::abs(expected[i]) +
                          4 * epsilon(Precision::fp64) * (std::abs(xv[i]) + std::abs(yv[i])));
        }
        EXPECT_TRUE(within(values(*backend, y), expected, bound)) << name;
        EXPECT_EQ(values(*backend, x), xv) << name << " writes its argument";
        EXPECT_TRUE(open_halo_is_zero(*backend, y)) << name;
      }
}

TEST(Backend, DoesArithmeticPointByPoint) {
  const double a = -1.7;
  expect_pointwise(
      "fill", [](Backend& b, const Field&, Field& y) { b.fill(y, 2.5); }, [](Real, Real) { return Real{2.5}; });
  expect_pointwise(
      "copy", [](Backend& b, const Field& x, Field& y) { b.copy(x, y); }, [](Real x, Real) { return x; });
  expect_pointwise(
      "scale", [&](Backend& b, const Field& x, Field& y) { b.scale(b.scalar(a), x, y); },
      [&](Real x, Real) { return a * x; });
  expect_pointwise(
      "axpy", [&](Backend& b, const Field& x, Field& y) { b.axpy(b.scalar(a), x, y); },
      [&](Real x, Real y) { return y + a * x; });
  expect_pointwise(
      "axmy", [&](Backend& b, const Field& x, Field& y) { b.axmy(b.scalar(a), x, y); },
      [&](Real x, Real y) { return y - a * x; });
  expect_pointwise(
      "xpay", [&](Backend& b, const Field& x, Field& y) { b.xpay(x, b.scalar(a), y); },
      [&](Real x, Real y) { return x + a * y; });
}

TEST(Backend, SubtractsAMultiple) {
  const auto backend = test_backend();
  for (const Layout& layout : layouts())
    for (const Precision px : precisions)
      for (const Precision py : precisions) {
        Field x(*backend, layout, px), y(*backend, layout, py), result(*backend, layout, px);
        Random random(6);
        const auto n = static_cast<std::size_t>(layout.size());
        const Vector xv = set_values(*backend, x, random.vector(n)), yv = set_values(*backend, y, random.vector(n));
        set_values(*backend, result, Vector(n, nan));
        backend->subtract(x, backend->scalar(0.3), y, result);
        Vector expected, bound;
        for (std::size_t i = 0; i < n; ++i) {
          expected.push_back(xv[i] - Real{0.3} * yv[i]);
          bound.push_back(2 * epsilon(px) * (std::abs(xv[i]) + std::abs(yv[i])));
        }
        EXPECT_TRUE(within(values(*backend, result), expected, bound));
      }
}

TEST(Backend, SumsProductsInDouble) {
  const auto backend = test_backend();
  for (const Layout& layout : layouts())
    for (const Precision px : precisions)
      for (const Precision py : precisions) {
        Field x(*backend, layout, px), y(*backend, layout, py);
        Random random(8);
        const auto n = static_cast<std::size_t>(layout.size());
        const Vector xv = set_values(*backend, x, random.vector(n)), yv = set_values(*backend, y, random.vector(n));
        Real sum = 0, size = 0;
        for (std::size_t i = 0; i < n; ++i) {
          sum += xv[i] * yv[i];
          size += std::abs(xv[i] * yv[i]);
        }
        Scalar result = backend->scalar(nan);
        backend->dot(x, y, result);
        EXPECT_TRUE(within(backend->value(result), sum, 16 * epsilon(Precision::fp64) * size));
      }
}

/// Sums add lines to planes and planes to the total in a fixed order; in two dimensions there are only lines. A grid
/// cut between planes therefore has sums with the same bits. Sums of a line are exact in any order here. (On a GPU
/// slices of planes replace planes.)
TEST(Backend, AddsPlanesInTheirOrder) {
  const auto backend = test_backend();
  if (backend->on_gpu()) GTEST_SKIP() << "tests the CPU's order";
  for (const Layout& layout : {Layout{{37, 50, 9}, {}}, Layout{{37, 50, 1}, {}}}) {
    Field x(*backend, layout, Precision::fp64), y(*backend, layout, Precision::fp64);
    Random random(9);
    double expected = 0;
    for (int k = 0; k < layout.n[2]; ++k) {
      double plane = 0, together = 0;
      for (int j = 0; j < layout.n[1]; ++j) {
        const double value = std::ldexp(static_cast<float>(random()), 5 * ((3 * j + k) % 7));
        for (int i = 0; i < layout.n[0]; ++i) {
          x.view<double>()(i, j, k) = value;
          y.view<double>()(i, j, k) = i + 1;
        }
        together += value * (layout.n[0] * (layout.n[0] + 1) / 2);
        if (layout.n[2] > 1 && j % 16 != 15 && j + 1 < layout.n[1]) continue;
        (layout.n[2] > 1 ? plane : expected) += std::exchange(together, 0);
      }
      expected += plane;
    }
    Scalar result = backend->scalar(nan);
    backend->dot(x, y, result);
    EXPECT_EQ(backend->value(result), expected);
  }
}

/// Halos, edges and corners of periodic axes receive the value from the opposite side. Zeros beyond open ends remain.
TEST(Backend, ExchangesHalosWithTheirCorners) {
  const auto backend = test_backend();
  for (const Layout& layout : layouts())
    for (const Precision p : precisions) {
      SCOPED_TRACE(testing::Message() << layout.n[0] << " x " << layout.n[1] << " x " << layout.n[2] << ", periodic "
                                      << layout.periodic[0] << layout.periodic[1] << layout.periodic[2]);
      Field x(*backend, layout, p);
      const Vector before = set_values(*backend, x, Random(2).vector(static_cast<std::size_t>(layout.size())));
      backend->exchange(x);
      dispatch(p, [&]<class T>(T) {
        const Image<T> image(*backend, x);
        for_each_value(image.view, true, [&](int i, int j, int k) {
          std::array at{i, j, k};
          bool open = false;
          for (std::size_t d = 0; d < 3; ++d) {
            const bool outside = at[d] < 0 || at[d] >= layout.n[d];
            open = open || (outside && !layout.periodic[d]);
            at[d] = (at[d] + layout.n[d]) % layout.n[d];
          }
          const auto number =
              static_cast<std::size_t>((std::int64_t{at[2]} * layout.n[1] + at[1]) * layout.n[0] + at[0]);
          ASSERT_EQ(Real{image.view(i, j, k)}, open ? 0 : before[number]) << i << " " << j << " " << k;
        });
      });
      if (HasFailure()) return;
    }
}

TEST(Backend, MultipliesByADenseMatrix) {
  const auto backend = test_backend();
  for (const Precision px : precisions)
    for (const Precision py : precisions) {
      const Layout layout{{4, 3, 2}, {}};
      Field x(*backend, layout, px), y(*backend, layout, py);
      const Vector xv = set_values(*backend, x, Random(1).vector(24));
      Vector expected = set_values(*backend, y, Random(2).vector(24));
      const std::array<std::array<int, 3>, 3> at{{{0, 0, 0}, {3, 1, 0}, {2, 2, 1}}};
      std::array<std::int64_t, 3> index{};
      for (std::size_t i = 0; i < 3; ++i)
        index[i] = at[i][0] + layout.pitch(px) * (at[i][1] + std::int64_t{layout.n[1] + 2} * at[i][2]);
      const std::array q{2.0, -1.0, 0.5, 3.0, 0.25, -4.0, 1.0, 1.5, 8.0};
      if (layout.pitch(px) != layout.pitch(py)) continue;  // the fields share offsets
      const Buffer matrix = backend->allocate(sizeof q), offsets = backend->allocate(sizeof index);
      backend->write(q.data(), matrix.data(), sizeof q);
      backend->write(index.data(), offsets.data(), sizeof index);
      backend->dense_product(matrix, offsets, 3, 1, x, y);
      const auto number = [&](std::size_t i) {
        return static_cast<std::size_t>((std::int64_t{at[i][2]} * 3 + at[i][1]) * 4 + at[i][0]);
      };
      Vector bound(24, 0);
      for (std::size_t row = 0; row < 3; ++row) {
        expected[number(row)] = 0;
        for (std::size_t column = 0; column < 3; ++column)
          expected[number(row)] += q[3 * row + column] * xv[number(column)];
        bound[number(row)] = 8 * epsilon(py);
      }
      EXPECT_TRUE(within(values(*backend, y), expected, bound));
    }
}

TEST(Backend, ComputesWithScalars) {
  const auto backend = test_backend();
  Scalar a = backend->scalar(3), b = backend->scalar(-8), c = backend->scalar();
  EXPECT_EQ(backend->value(c), 0);
  backend->ratio(a, b, c);
  EXPECT_EQ(backend->value(c), -0.375);
  backend->ratio(a, backend->scalar(0), c);
  EXPECT_EQ(backend->value(c), 0);
  backend->negate(a);
  EXPECT_EQ(backend->value(a), -3);
  backend->assign(b, c);
  EXPECT_EQ(backend->value(c), -8);
}

TEST(Backend, ScalesToUnitByPowersOfTwo) {
  const auto backend = test_backend();
  Scalar scale = backend->scalar(nan), inverse = backend->scalar(nan);
  const auto scaled = [&](double norm, double count) {
    backend->scale_to_unit(backend->scalar(norm), count, scale, inverse);
    return backend->value(scale);
  };
  for (const double norm : {1.0, 4.0, 3.999999, 1e-300, 1e300, 2e-30, 7.5, 1e-310})
    for (const double count : {1.0, 1000.0, 1e9}) {
      const double s = scaled(norm, count), rms = std::sqrt(norm / count) * s;
      int exponent = 0;
      EXPECT_EQ(std::frexp(s, &exponent), 0.5);
      EXPECT_EQ(backend->value(inverse) * s, 1);
      EXPECT_GE(rms, 1) << norm << " of " << count;
      EXPECT_LT(rms, 2) << norm << " of " << count;
    }
  for (const double norm : {0.0, nan, std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(scaled(norm, 10), 1);
    EXPECT_EQ(backend->value(inverse), 1);
  }
}

/// Reductions and verbs must reproduce the same bits with one thread and with several.
TEST(Backend, GivesTheSameBitsAgainAndOnAnyNumberOfThreads) {
  const auto backend = test_backend();
  const int threads = omp_get_max_threads();
  for (const Layout& layout : {Layout{{97, 61, 1}, {}}, Layout{{33, 29, 27}, {true, false, true}}})
    for (const Precision p : precisions) {
      std::array<double, 3> dots{};
      std::array<Vector, 3> results;
      for (const int count : {1, 2, 3}) {
        omp_set_num_threads(count);
        Field x(*backend, layout, p), y(*backend, layout, p);
        Random random(12);
        set_values(*backend, x, random.vector(static_cast<std::size_t>(layout.size())));
        set_values(*backend, y, random.vector(static_cast<std::size_t>(layout.size())));
        Scalar sum = backend->scalar();
        backend->dot(x, y, sum);
        backend->axpy(sum, x, y);
        backend->exchange(y);
        const auto at = static_cast<std::size_t>(count) - 1;
        dots[at] = backend->value(sum);
        results[at] = values(*backend, y);
      }
      omp_set_num_threads(threads);
      for (const std::size_t other : {1U, 2U}) {
        EXPECT_EQ(dots[0], dots[other]);
        EXPECT_EQ(results[0], results[other]);
      }
    }
}

}  // namespace
}  // namespace poisson::backend_tests
