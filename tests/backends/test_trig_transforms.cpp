// These tests compare fast trigonometric transforms with sums over their modes.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "backends/transforms/line_tile.hpp"
#include "backends/transforms/trig_tables.hpp"

namespace poisson::trig_transforms_tests {
namespace {

// Returns value i of the mode at a position of the coefficients, by its definition (trig_kind.hpp).
double mode(const TrigAxis& w, int position, int i) {
  const int from_upper = w.values() - 1 - i;
  bool sine = false;
  std::int64_t distance = 2 * i;  // twice the distance from the start of the wave, in cells
  switch (w.kind) {
    case TrigKind::none:
      break;
    case TrigKind::periodic:
      sine = 2 * position > w.cells;
      break;
    case TrigKind::sines:
      sine = true;
      distance = 2 * (i + 1);
      break;
    case TrigKind::cosines:
      break;
    case TrigKind::cells:
      sine = w.lower_dirichlet;
      distance = 2 * i + 1;
      break;
    case TrigKind::mixed_nodes:
      distance = 2 * (w.lower_dirichlet ? from_upper : i);
      break;
    case TrigKind::mixed_cells:
      distance = 2 * (w.lower_dirichlet ? from_upper : i) + 1;
      break;
  }
  const std::int64_t turn = 8 * std::int64_t{w.cells}, phase = wave_at(w, position) * distance % turn;
  const double angle = 2 * std::numbers::pi * static_cast<double>(phase) / static_cast<double>(turn);
  return sine ? std::sin(angle) : std::cos(angle);
}

template <class T>
using Values = std::vector<Complex<T>>;

template <class T>
struct VectorLine {
  Values<T>* rows;
  TileShape shape;
  int pair = 0;
  Complex<T> get(int row) const { return rows->at(static_cast<std::size_t>(shape.at(row, pair))); }
  void set(int row, Complex<T> value) const { rows->at(static_cast<std::size_t>(shape.at(row, pair))) = value; }
};

// Emulates a block of `threads` threads: one thread after another runs between two barriers. `lines` contains the lines
// of all pairs.
template <class T>
std::vector<Values<T>> transformed_by_block(const TrigAxis& trig, bool forward, const std::vector<Values<T>>& lines,
                                            TileShape shape, int threads, bool contiguous) {
  const auto host = make_cpu_backend();
  const TrigTables tables(*host, precision_of<T>, trig, {});
  const auto w = tables.view<T>();
  Values<T> rows(static_cast<std::size_t>(shape.numbers(w.rows())));
  std::vector<Values<T>> result(lines.size(), Values<T>(lines[0].size()));
  std::vector<TrigSum<T>> sums(lines.size());
  with_kind(w.kind, [&]<TrigKind kind>() {
    const auto all = [&](const auto& f) {
      for (int thread = 0; thread < threads; ++thread) {
        const TileThread own = moving_thread(shape, thread, threads, contiguous);
        each_piece(w.n, own.team, [&](auto k) {
          f(VectorLine<T>{&rows, shape, own.pair}, k, static_cast<std::size_t>(own.pair));
        });
      }
    };
    all([&](const VectorLine<T>& z, auto k, std::size_t pair) {
      const auto in = [&](int i) { return lines[pair].at(static_cast<std::size_t>(i)); };
      if (forward)
        begin_forward<kind>(w, z, k, in);
      else
        begin_backward<kind>(w, z, k, in, sums[pair]);
    });
    if (!forward && kind == TrigKind::cosines)
      for (int pair = 0; pair < shape.pairs(); ++pair)
        VectorLine<T>{&rows, shape, pair}.set(w.n, sums[static_cast<std::size_t>(pair)].value);
    for (int pass = 0; pass < w.passes; ++pass)
      for (int thread = 0; thread < threads; ++thread) {
        const TileThread own = passing_thread(shape, thread, threads);
        fourier_pass(w.pass[pass], VectorLine<T>{&rows, shape, own.pair}, w.roots, own.team);
      }
    all([&](const VectorLine<T>& z, auto k, std::size_t pair) {
      const auto out = [&](int i, Complex<T> value) { result[pair].at(static_cast<std::size_t>(i)) = value; };
      if (forward)
        end_forward<kind>(w, z, k, out);
      else
        end_backward<kind>(w, z, k, out);
    });
  });
  return result;
}

template <class T>
std::vector<Values<T>> random_lines(int values, int pairs, std::mt19937& random) {
  std::normal_distribution<double> normal;
  std::vector<Values<T>> lines(static_cast<std::size_t>(pairs), Values<T>(static_cast<std::size_t>(values)));
  for (auto& line : lines)
    for (auto& value : line) value = {static_cast<T>(normal(random)), static_cast<T>(normal(random))};
  return lines;
}

// Returns the relative root-mean-square difference from sums over the modes. `every`: stride of the checked positions.
template <class T>
double distance_from_sums(const TrigAxis& w, bool forward, const Values<T>& from, const Values<T>& to, int every = 1) {
  double square = 0, off = 0;
  const int n = w.values();
  for (int a = 0; a < n; a += every) {
    double re = 0, im = 0;
    for (int b = 0; b < n; ++b) {
      const double m = forward ? mode(w, a, b) : mode(w, b, a);
      re += m * static_cast<double>(from[static_cast<std::size_t>(b)].re);
      im += m * static_cast<double>(from[static_cast<std::size_t>(b)].im);
    }
    square += re * re + im * im;
    const auto& is = to[static_cast<std::size_t>(a)];
    off += std::pow(static_cast<double>(is.re) - re, 2) + std::pow(static_cast<double>(is.im) - im, 2);
  }
  return std::sqrt(off / square);
}

class TrigTransformKinds : public testing::TestWithParam<std::tuple<TrigKind, bool>> {
 protected:
  TrigAxis trig(int cells) const { return {std::get<0>(GetParam()), std::get<1>(GetParam()), cells}; }
};

// Ends are divided by a sine or cosine that may be small, so errors grow with the root of the length.
TEST_P(TrigTransformKinds, IsASumOverModes) {
  std::mt19937 random(7);
  int transformable = 0;
  for (int cells = 1; cells <= 200; ++cells) {
    const TrigAxis w = trig(cells);
    if (!is_transformable(cells) || w.values() < 1) continue;
    ++transformable;
    for (const bool forward : {true, false}) {
      const auto lines = random_lines<double>(w.values(), 1, random);
      const auto found = transformed_by_block(w, forward, lines, {0}, 32, false);
      EXPECT_LT(distance_from_sums(w, forward, lines[0], found[0]), 1.2e-15 * std::sqrt(cells)) << cells;
      const auto narrow = random_lines<float>(w.values(), 1, random);
      const auto single = transformed_by_block(w, forward, narrow, {0}, 32, false);
      EXPECT_LT(distance_from_sums(w, forward, narrow[0], single[0]), 3e-7 * std::sqrt(cells)) << cells;
    }
  }
  EXPECT_GE(transformable, 66);
}

TEST_P(TrigTransformKinds, IsOneOfLongLines) {
  std::mt19937 random(8);
  for (const int cells : {1000, 2401, 3969, 4096, longest_trig}) {
    const TrigAxis w = trig(cells);
    ASSERT_TRUE(is_transformable(cells)) << cells;
    for (const bool forward : {true, false}) {
      const auto lines = random_lines<double>(w.values(), 1, random);
      const auto found = transformed_by_block(w, forward, lines, {0}, 512, true);
      EXPECT_LT(distance_from_sums(w, forward, lines[0], found[0], cells / 50), 4e-15 * std::sqrt(cells)) << cells;
    }
  }
}

// Tiles of several pairs, which the threads of a block share, must give the result of each pair alone.
TEST_P(TrigTransformKinds, IsTheSameInTiles) {
  std::mt19937 random(9);
  for (const int log_pairs : {0, 1, 2, 3})
    for (const bool contiguous : {false, true})
      for (const int threads : {threads_of_shared, threads_of_whole})
        for (const int cells : {7, 60, 512}) {
          const TrigAxis w = trig(cells);
          const TileShape shape{log_pairs};
          for (const bool forward : {true, false}) {
            const auto lines = random_lines<double>(w.values(), shape.pairs(), random);
            const auto found = transformed_by_block(w, forward, lines, shape, threads, contiguous);
            for (std::size_t pair = 0; pair < lines.size(); ++pair) {
              const auto alone = transformed_by_block<double>(w, forward, {lines[pair]}, {0}, 32, false)[0];
              for (std::size_t i = 0; i < alone.size(); ++i) {
                ASSERT_NEAR(found[pair][i].re, alone[i].re, 1e-11);
                ASSERT_NEAR(found[pair][i].im, alone[i].im, 1e-11);
              }
            }
          }
        }
}

INSTANTIATE_TEST_SUITE_P(Kinds, TrigTransformKinds,
                         testing::Combine(testing::Values(TrigKind::periodic, TrigKind::sines, TrigKind::cosines,
                                                          TrigKind::cells, TrigKind::mixed_nodes,
                                                          TrigKind::mixed_cells),
                                          testing::Bool()));

TEST(TrigTransforms, TakeLengthsOfSmallFactors) {
  for (int n = 1; n <= 3000; ++n) {
    int rest = n, product = 1;
    for (const int prime : {2, 3, 5, 7})
      while (rest % prime == 0) rest /= prime;
    for (const int radix : radices_of(n)) product *= radix;
    EXPECT_EQ(is_transformable(n), rest == 1) << n;
    EXPECT_EQ(product, rest == 1 ? n : 1) << n;
    EXPECT_LE(radices_of(n).size(), static_cast<std::size_t>(TrigView<double>::most_passes));
  }
  EXPECT_FALSE(is_transformable(2 * longest_trig));
}

// Returns the maximum number of eight values in the same bank.
int in_a_bank(const std::vector<int>& numbers) {
  std::array<int, 8> of_bank{};
  for (const int at : numbers) ++of_bank[static_cast<std::size_t>(at % 8)];
  return *std::ranges::max_element(of_bank);
}

// Eight threads process the pairs of a row. Along x they process successive values of a pair; for lengths with many
// factors of two, they also process successive coefficients in digit-reversed order.
TEST(TrigTransforms, TilesHaveNoTwoValuesInABank) {
  for (const int rows : {1, 33, 512, 513, 1024, 4096, longest_trig + 1})
    for (const bool contiguous : {false, true}) {
      const TileShape shape = tile_shape(rows, 16, contiguous, 1000);
      std::vector<bool> taken(static_cast<std::size_t>(shape.numbers(rows)));
      EXPECT_LE(taken.size() * 16, whole_tile);
      for (int row = 0; row < rows; ++row)
        for (int pair = 0; pair < shape.pairs(); ++pair) {
          const auto at = static_cast<std::size_t>(shape.at(row, pair));
          EXPECT_FALSE(taken.at(at));
          taken.at(at) = true;
        }
    }
  const auto host = make_cpu_backend();
  for (const int n : {64, 256, 512, 1024, 2048, 4096}) {
    const TrigTables tables(*host, Precision::fp64, {TrigKind::periodic, false, n}, {});
    const TrigView<double> w = tables.view<double>();
    for (const bool contiguous : {false, true}) {
      const TileShape shape = tile_shape(n, 16, contiguous, 1000);
      const int step = 8 >> shape.log_pairs;  // rows per eight threads
      for (int first = 0; first < n; first += 8) {
        std::vector<int> row, line, reversed;
        for (int t = 0; t < 8; ++t) {
          row.push_back(shape.at(first + t / shape.pairs() % step, t % shape.pairs()));
          line.push_back(shape.at(first + t, 0));
          reversed.push_back(shape.at(w.places[first + t], 0));
        }
        EXPECT_EQ(in_a_bank(row), 1) << n;
        if (!contiguous) continue;
        EXPECT_EQ(in_a_bank(line), 1) << n;
        EXPECT_LE(in_a_bank(reversed), 2) << n;
      }
    }
  }
}

TEST(TrigTransforms, QuotientsAreExact) {
  for (int n = 2; n <= longest_trig; n += n < 600 ? 1 : 97) {
    int blocks = 1;
    for (const int radix : radices_of(n)) {
      const FourierPass pass = FourierPass::of(n, radix, blocks);
      EXPECT_EQ(pass.apart * radix * blocks, n);
      for (int piece = 0; piece < n / radix; ++piece) ASSERT_EQ(pass.block_of(piece), piece / pass.apart);
      blocks *= radix;
    }
  }
}

}  // namespace
}  // namespace poisson::trig_transforms_tests
