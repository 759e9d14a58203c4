// These tests check index arithmetic beyond 2³¹ on layouts that are never allocated: sizes of fields, positions of
// values, boxes, exchanges between patches, and the counts of transpositions and plans.

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "backends/device/backend.hpp"
#include "backends/device/field.hpp"
#include "backends/utilities/transpose.hpp"
#include "grids/axes/stretching.hpp"
#include "grids/problem/problem.hpp"
#include "solver/plan.hpp"
#include "tests/cases/covering.hpp"

namespace poisson::large_layouts_tests {
namespace {

constexpr std::int64_t limit = std::int64_t{1} << 31;

/// Provides memory that has addresses but no storage.
class Nowhere final : public Backend {
 public:
  static constexpr std::uintptr_t address = 1 << 20;

  Buffer allocate(std::size_t bytes) override {
    return {reinterpret_cast<void*>(address), bytes, [](void*) {}};
  }

  BackendKind kind() const override { return BackendKind::cpu; }
  std::string device() const override { return "nowhere"; }
  const MemoryCount& memory() const override { return count_; }
  std::size_t available() const override { return SIZE_MAX; }
  std::unique_ptr<Timer> make_timer() override { return nullptr; }
  void reserve(std::size_t) override {}
  void run_immediately() override {}
  void write(const void*, void*, std::size_t) override { refuse(); }
  void read(const void*, void*, std::size_t) override { refuse(); }
  void do_fill(Field&, double) override { refuse(); }
  void do_copy(const Field&, Field&) override { refuse(); }
  void do_convert(const Field&, Field&) override { refuse(); }
  void do_scale(const Scalar&, const Field&, Field&) override { refuse(); }
  void do_axpy(const Scalar&, const Field&, Field&) override { refuse(); }
  void do_axmy(const Scalar&, const Field&, Field&) override { refuse(); }
  void do_xpay(const Field&, const Scalar&, Field&) override { refuse(); }
  void do_subtract(const Field&, const Scalar&, const Field&, Field&) override { refuse(); }
  void do_dot(const Field&, const Field&, Scalar&) override { refuse(); }
  void do_gather(const Field&, Field&) override { refuse(); }
  void do_extract_part(const Field&, Field&) override { refuse(); }
  void start(const Field&, int, bool) override { refuse(); }
  void finish(const Field&, int) override { refuse(); }
  void do_dense_product(const Buffer&, const Buffer&, int, int, const Field&, Field&) override { refuse(); }
  void ratio(const Scalar&, const Scalar&, Scalar&) override { refuse(); }
  void negate(Scalar&) override { refuse(); }
  void assign(const Scalar&, Scalar&) override { refuse(); }
  void scale_to_unit(const Scalar&, double, Scalar&, Scalar&) override { refuse(); }
  void run(std::unique_ptr<Recording>&, const std::function<void()>&, Monitor&) override { refuse(); }
  void begin(Monitor&, const Scalar&, const Scalar&, const Scalar&, const Scalar&, const Scalar&) override { refuse(); }
  void observe(Monitor&, const Scalar&) override { refuse(); }
  void when_risen(Monitor&, const std::function<void()>&) override { refuse(); }
  void repeat(int, const std::function<void()>&, Monitor&) override { refuse(); }

 private:
  static void refuse() { throw std::logic_error("there is nothing to compute with"); }
  MemoryCount count_;
};

using Sizes = std::array<int, 3>;
const std::vector<Named<Sizes>> all_sizes{{"2049x1100x1030", {2049, 1100, 1030}}, {"5x30001x20001", {5, 30001, 20001}},
                                          {"60001x3x20001", {60001, 3, 20001}},   {"30001x20001x5", {30001, 20001, 5}},
                                          {"70001x50001", {70001, 50001, 1}},     {"50001x1x70001", {50001, 1, 70001}},
                                          {"1x50001x70001", {1, 50001, 70001}}};
const std::vector<Named<Precision>> precisions{{"fp32", Precision::fp32}, {"fp64", Precision::fp64}};

class LargeLayout : public testing::TestWithParam<std::tuple<Named<Sizes>, Named<Precision>>> {
 protected:
  Layout layout() const { return {std::get<0>(GetParam()).value, {}}; }
  Precision precision() const { return std::get<1>(GetParam()).value; }
};

TEST_P(LargeLayout, CountsItsValues) {
  const Layout l = layout();
  std::int64_t values = 0;  // plane by plane
  for (int k = 0; k < l.n[2]; ++k) values += std::int64_t{l.n[0]} * l.n[1];
  ASSERT_GT(values, limit);
  EXPECT_EQ(l.size(), values);
  EXPECT_EQ(l.box().size(), values);
  EXPECT_GT(l.allocated(precision()), values);
  // The bound allows two more values per axis and lines padded to 128 bytes.
  const double most = (l.n[0] + 34.0) * (l.n[1] + 2.0) * (l.n[2] + 2.0) + 34;
  EXPECT_LE(static_cast<double>(l.allocated(precision())), most);
}

/// The first and last values of the halo must be in the field's memory, and lines must follow one another through it.
TEST_P(LargeLayout, HasItsValuesInItsMemory) {
  Nowhere backend;
  const Layout l = layout();
  Field field(backend, l, precision());
  ASSERT_EQ(field.bytes(), static_cast<std::size_t>(l.allocated(precision())) * bytes_of(precision()));
  dispatch(precision(), [&]<class T>(T) {
    const View<T> v = field.view<T>();
    // Only addresses are computed; nothing is read.
    const auto at = [&](int i, int j, int k) {
      return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(&v(i, j, k)) - Nowhere::address) /
             static_cast<std::int64_t>(sizeof(T));
    };
    const auto [nx, ny, nz] = l.n;
    const int hy = v.halo[1], hz = v.halo[2];
    EXPECT_GE(at(-1, -hy, -hz), 0);
    EXPECT_LT(at(nx, ny - 1 + hy, nz - 1 + hz), l.allocated(precision()));
    EXPECT_GT(at(nx - 1, ny - 1, nz - 1), limit);

    const std::int64_t pitch = l.pitch(precision());
    EXPECT_GE(pitch, nx + 2);
    EXPECT_EQ(pitch * static_cast<std::int64_t>(sizeof(T)) % 128, 0);
    std::int64_t line = at(0, -hy, -hz);  // the first line; the others follow it
    for (int k = -hz; k < nz + hz; k += std::max(1, nz - 1 + hz))
      for (int j = -hy; j < ny + hy; j += std::max(1, ny / 2)) {
        const std::int64_t lines_before = (k + hz) * (ny + 2 * std::int64_t{hy}) + j + hy;
        ASSERT_EQ(at(0, j, k), line + pitch * lines_before) << j << ", " << k;
        ASSERT_EQ(&v(nx - 1, j, k), v.line(j, k) + (nx - 1));
      }
  });
}

INSTANTIATE_TEST_SUITE_P(, LargeLayout, testing::ValuesIn(every_pair(all_sizes, precisions)), name_of_combination);

/// Patches of a grid of 2³⁶ values must cover it and exchange as many values as their sides have.
TEST(LargeExchange, CopiesWholeSides) {
  Cuts cuts;
  cuts.n = {4096, 4096, 4096};
  cuts.periodic = {true, false, true};
  cuts.first = {{{0}, {0, 2049}, {0, 1000, 2001}}};
  std::int64_t values = 0;
  for (int p = 0; p < cuts.patches(); ++p) {
    const Box own = cuts.patch(p);
    values += own.size();
    const Exchange exchange(cuts, p);
    ASSERT_EQ(exchange.steps().size(), 3U);
    std::array<std::int64_t, 3> side{};
    const std::int64_t ny = own.last[1] - own.first[1], nz = own.last[2] - own.first[2];
    side = {ny * nz, std::int64_t{4098} * (nz + 2), std::int64_t{4098} * (ny + 2)};
    for (std::size_t axis = 0; axis < 3; ++axis)
      for (const Exchange::Piece& piece : exchange.steps()[axis]) {
        EXPECT_EQ(piece.from.size(), side[axis]) << "axis " << axis;
        EXPECT_EQ(piece.to.size(), side[axis]) << "axis " << axis;
      }
  }
  EXPECT_EQ(values, std::int64_t{1} << 36);
  EXPECT_EQ((Box{{0, 0, 0}, {1 << 20, 1 << 20, 1 << 20}}.size()), std::int64_t{1} << 60);
}

TEST(LargeTransposition, CountsItsBytes) {
  const std::int64_t rows = 70000, columns = 50000;
  Transposition shape = packed(rows, columns, 8);
  EXPECT_EQ(shape.from_extent(), static_cast<std::size_t>(rows) * columns * 8);
  EXPECT_EQ(shape.to_extent(), shape.from_extent());
  shape = packed(1000, 1001, 16, 3000);
  EXPECT_EQ(shape.from_extent(), std::size_t{1000} * 1001 * 3000 * 16);
  shape.from_pitch = 2000;
  shape.from_stride = 1000 * shape.from_pitch;
  EXPECT_EQ(shape.from_extent(), (std::size_t{2999} * 1000 * 2000 + 999 * 2000 + 1001) * 16);
}

/// Eight times as many values must need eight times the memory.
TEST(LargePlan, CountsItsBytes) {
  const auto plan = [](int n, Centering centering, Assembly assembly) {
    Problem p;
    p.centering = centering;
    p.nodes.fill(uniform_nodes(0, 1, n));
    Options options{.method = Method::multigrid};
    options.krylov = Krylov::none;
    return make_plan(p, options, assembly, true);
  };
  for (const Centering centering : {Centering::node, Centering::cell})
    for (const Assembly assembly : {Assembly::automatic, Assembly::full}) {
      const Plan large = plan(2048, centering, assembly), small = plan(1024, centering, assembly);
      const std::int64_t n = centering == Centering::cell ? 2048 : 2047;
      EXPECT_EQ(large.levels.front().unknowns, n * n * n);
      EXPECT_GT(large.levels.front().unknowns, limit);
      EXPECT_NEAR(static_cast<double>(large.bytes) / static_cast<double>(small.bytes), 8, 0.15);
      EXPECT_NEAR(large.bytes_per_unknown(), small.bytes_per_unknown(), 0.02 * small.bytes_per_unknown());
    }
}

}  // namespace
}  // namespace poisson::large_layouts_tests
