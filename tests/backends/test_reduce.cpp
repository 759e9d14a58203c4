// These tests compare reductions with sums in long double, for awkward numbers of values and unaligned starts.

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "backends/memory/error.hpp"
#include "backends/utilities/reduce.hpp"
#include "tests/device.hpp"

namespace poisson::reduce_tests {
namespace {

template <class T>
std::vector<T> random_values(std::int64_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<T> values(static_cast<std::size_t>(count));
  for (T& v : values) v = static_cast<T>(uniform(generator));
  return values;
}

// Contains the reduction and the sum of the magnitudes of its terms, which determines its rounding.
struct Expected {
  long double value = 0, magnitude = 0;
};

template <class T>
Expected expected(Reduction kind, const std::vector<T>& x, const std::vector<T>& y) {
  Expected e;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const long double v = x[i];
    const long double term = kind == Reduction::sum           ? v
                             : kind == Reduction::dot         ? v * y[i]
                             : kind == Reduction::square_norm ? v * v
                                                              : std::abs(v);
    e.value = kind == Reduction::max_norm ? std::max(e.value, term) : e.value + term;
    e.magnitude += std::abs(term);
  }
  return e;
}

// Stores values on the device at an offset from a 16-byte boundary, between values that must not count.
template <class T>
class Stored {
 public:
  Stored(Backend& backend, const std::vector<T>& values, std::size_t shift) : shift_(shift), count_(values.size()) {
    std::vector<T> all(shift + values.size() + 8, std::numeric_limits<T>::quiet_NaN());
    std::copy(values.begin(), values.end(), all.begin() + static_cast<std::ptrdiff_t>(shift));
    memory_ = backend.allocate(all.size() * sizeof(T));
    backend.write(all.data(), memory_.data(), all.size() * sizeof(T));
  }
  operator Values() const {
    return {static_cast<const T*>(memory_.data()) + shift_, static_cast<std::int64_t>(count_)};
  }

 private:
  Buffer memory_;
  std::size_t shift_, count_;
};

template <class T>
class Reduce : public testing::Test {
 protected:
  double reduce(Reduction kind, const Values& x, const Values& y) {
    poisson::reduce(*backend_, kind, x, y, room_, result_);
    return backend_->value(result_);
  }
  double reduce(Reduction kind, const Values& x) { return reduce(kind, x, {}); }

  std::unique_ptr<Backend> backend_ = test_backend();
  ReductionRoom room_{*backend_};
  Scalar result_ = backend_->scalar(std::numeric_limits<double>::quiet_NaN());
};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Reduce, Types);

TYPED_TEST(Reduce, AwkwardNumbersOfValues) {
  for (const std::int64_t count : {0, 1, 2, 3, 5, 31, 33, 256, 1000, 4097, 70001, 1000003})
    for (const std::size_t shift : {0, 1, 2, 3}) {
      const auto x = random_values<TypeParam>(count, 1), y = random_values<TypeParam>(count, 2);
      const Stored<TypeParam> device_x(*this->backend_, x, shift);
      for (const auto& [kind, name] : reductions)
        for (const std::size_t shift_y : {shift, std::size_t{0}}) {
          if (kind != Reduction::dot && shift_y != shift) continue;
          SCOPED_TRACE(std::string(name) + " of " + std::to_string(count) + " values, shifts " + std::to_string(shift) +
                       " and " + std::to_string(shift_y));
          const Stored<TypeParam> device_y(*this->backend_, y, shift_y);
          const double value =
              kind == Reduction::dot ? this->reduce(kind, device_x, device_y) : this->reduce(kind, device_x);
          const Expected e = expected(kind, x, y);
          // Each value passes through at most a few hundred additions, in chains and trees.
          EXPECT_NEAR(value, static_cast<double>(e.value), 300 * 1.2e-16 * static_cast<double>(e.magnitude));
          if (kind == Reduction::max_norm) {
            EXPECT_EQ(value, static_cast<double>(e.value));
          }
        }
    }
}

// Large values cancel. The remainder is exact if double represents every partial sum.
TYPED_TEST(Reduce, Cancellation) {
  std::vector<TypeParam> x(100001);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<TypeParam>(i % 2 == 0 ? 1 << 24 : -(1 << 24));
  x[777] += 1;  // −(2²⁴ − 1), a float
  EXPECT_EQ(this->reduce(Reduction::sum, Stored<TypeParam>(*this->backend_, x, 1)), (1 << 24) + 1.0);
}

TYPED_TEST(Reduce, NotANumberWins) {
  for (const std::size_t at : {0u, 1u, 7u, 500u, 99998u, 99999u})
    for (const auto& [kind, name] : reductions) {
      std::vector<TypeParam> x(100000, 2);
      x[at] = std::numeric_limits<TypeParam>::quiet_NaN();
      const Stored<TypeParam> device_x(*this->backend_, x, 1);
      const double value =
          kind == Reduction::dot ? this->reduce(kind, device_x, device_x) : this->reduce(kind, device_x);
      EXPECT_TRUE(std::isnan(value)) << name << " with a NaN at " << at << " is " << value;
    }
}

TYPED_TEST(Reduce, InfinityIsTheLargest) {
  std::vector<TypeParam> x(1000, 2);
  x[3] = -std::numeric_limits<TypeParam>::infinity();
  EXPECT_EQ(this->reduce(Reduction::max_norm, Stored<TypeParam>(*this->backend_, x, 0)),
            std::numeric_limits<double>::infinity());
}

TYPED_TEST(Reduce, TheSameBitsEveryTime) {
  for (const std::int64_t count : {1000, 100003, 3000001}) {
    const auto x = random_values<TypeParam>(count, 3);
    const Stored<TypeParam> device_x(*this->backend_, x, 0);
    for (const auto& [kind, name] : reductions) {
      const auto again = [&, kind = kind] {
        return kind == Reduction::dot ? this->reduce(kind, device_x, device_x) : this->reduce(kind, device_x);
      };
      const auto bits = std::bit_cast<std::uint64_t>(again());
      for (int turn = 0; turn < 20; ++turn) ASSERT_EQ(std::bit_cast<std::uint64_t>(again()), bits) << name;
    }
  }
}

// One buffer serves reductions of every size, one after another, without reading the results in between.
TYPED_TEST(Reduce, OneAfterAnother) {
  const auto x = random_values<TypeParam>(500000, 4);
  const Stored<TypeParam> device_x(*this->backend_, x, 0);
  const Values all = device_x;
  std::vector<Scalar> results;
  const std::vector<std::int64_t> counts{500000, 1, 300000, 0, 77, 499999};
  for (const std::int64_t count : counts) {
    results.push_back(this->backend_->scalar(-1));
    Values some = all;
    some.count = count;
    reduce(*this->backend_, Reduction::square_norm, some, this->room_, results.back());
  }
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const std::vector<TypeParam> some(x.begin(), x.begin() + counts[i]);
    const auto e = static_cast<double>(expected(Reduction::square_norm, some, some).value);
    EXPECT_NEAR(this->backend_->value(results[i]), e, 1e-13 * e) << counts[i] << " values";
  }
}

TYPED_TEST(Reduce, RefusesOperandsThatDoNotMatch) {
  const std::vector<TypeParam> x(10, 1);
  const Stored<TypeParam> a(*this->backend_, x, 0);
  Values shorter = a, none = a;
  shorter.count = 9;
  none.count = -1;
  EXPECT_THROW(this->reduce(Reduction::dot, a), InputError);
  EXPECT_THROW(this->reduce(Reduction::dot, a, shorter), InputError);
  EXPECT_THROW(this->reduce(Reduction::sum, a, a), InputError);
  EXPECT_THROW(this->reduce(Reduction::sum, none), InputError);
  Values other = a;
  other.precision = other.precision == Precision::fp32 ? Precision::fp64 : Precision::fp32;
  EXPECT_THROW(this->reduce(Reduction::dot, a, other), InputError);
}

}  // namespace
}  // namespace poisson::reduce_tests
