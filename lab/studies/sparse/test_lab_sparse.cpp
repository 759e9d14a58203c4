// Tests the study `sparse`: its matrix, its ways to multiply, and its sentences.

#include <gtest/gtest.h>

#include "lab/harness/contents.hpp"
#include "lab/harness/session.hpp"
#include "lab/studies/sparse/study.hpp"
#include "lab/studies/studies.hpp"
#include "tests/device.hpp"
#include "tests/lab/panels.hpp"

namespace poisson::lab {
namespace {

TEST(Sparse, CompactRowsAreTheMatrix) {
  for (const int m : {1, 2, 8}) {
    const std::int64_t rows = std::int64_t{m} * m;
    for (const bool scattered : {false, true}) {
      const Numbering numbering{rows, scattered};
      const CompactRows compact = compact_rows(m, numbering);
      ASSERT_EQ(compact.begins.size(), static_cast<std::size_t>(rows) + 1);
      std::size_t entries = 0;
      for (std::int64_t p = 0; p < rows; ++p) {
        const auto row = static_cast<std::size_t>(numbering(p));
        double sum = 0;
        for (auto k = static_cast<std::size_t>(compact.begins[row]);
             k < static_cast<std::size_t>(compact.begins[row + 1]); ++k)
          for (std::int64_t q = 0; q < rows; ++q)
            if (numbering(q) == compact.columns[k]) sum += compact.values[k] * sparse_x(q);
        EXPECT_EQ(sum, product_at(p, m));
        entries += static_cast<std::size_t>(compact.begins[row + 1] - compact.begins[row]);
      }
      EXPECT_EQ(entries, compact.values.size());
    }
  }
}

TEST(Sparse, EveryWayMultiplies) {
  Session session(test_device(), true);
  const SparseOperands a(session.backend(), 16, true);
  for (const std::string_view way : {sparse_names::bands, sparse_names::rows, sparse_names::scattered}) {
    poison(session.backend(), a.y.data(), a.y.bytes());
    multiply_sparse(session.backend(), a, way);
    const std::vector<double> y = a.y.host();
    const Numbering numbering{a.rows(), way == sparse_names::scattered};
    for (std::int64_t p = 0; p < a.rows(); ++p)
      ASSERT_EQ(y[static_cast<std::size_t>(numbering(p))], product_at(p, 16)) << way << ", " << p;
  }
}

TEST(Sparse, FailsWithABrokenVariant) {
  Session session(test_device(), true);
  session.add_broken_variant();
  EXPECT_THROW(sparse_study.measure(session), WrongResult);
}

}  // namespace
}  // namespace poisson::lab
