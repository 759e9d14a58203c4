// Tests the study `transpose`: its oracles detect errors, its variants are right, and its conclusions follow from the
// points.

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lab/harness/session.hpp"
#include "lab/harness/with_cuda.hpp"
#include "lab/studies/studies.hpp"
#include "lab/studies/transpose/matrix_contents.hpp"
#include "lab/studies/transpose/study.hpp"
#include "tests/device.hpp"

namespace poisson::lab {
namespace {

std::vector<TransposeVariant> variants_here() {
  if constexpr (with_cuda)
    if (!on_cpu()) {
      std::vector<TransposeVariant> all;
      for (const auto& some :
           {gpu_transpose_variants(), gpu_transpose_tilings(), bulk_transpose_variants(), geam_variants()})
        all.insert(all.end(), some.begin(), some.end());
      return all;
    }
  return cpu_transpose_variants();
}

TEST(TransposeStudy, EveryVariantIsRight) {
  const auto backend = test_backend();
  for (const TransposeVariant& variant : variants_here())
    for (const std::size_t element : {4, 8})
      for (const Transposition& shape : awkward_transpositions(element, variant.transposes))
        EXPECT_EQ(wrong_transposition(*backend, variant, shape), "") << variant.name;
}

TEST(TransposeStudy, TheOracleFindsWhatIsWrong) {
  const auto backend = test_backend();
  const TransposeVariant nothing{.name = "nothing",
                                 .launch = [](Backend&, const Transposition&, const void*, void*) {}};
  TransposeVariant copies = cpu_transpose_variants()[2];
  ASSERT_FALSE(copies.transposes);
  copies.transposes = true;  // a copy that claims to transpose
  for (const std::size_t element : {4, 8}) {
    EXPECT_NE(wrong_transposition(*backend, broken_transpose_variant(), packed(31, 33, element)), "");
    EXPECT_NE(wrong_transposition(*backend, nothing, packed(1, 1, element)), "");
    if (!on_cpu()) continue;
    EXPECT_NE(wrong_transposition(*backend, copies, packed(31, 33, element)), "");
  }
}

TEST(TransposeStudy, CountsMisplacedElements) {
  const auto backend = test_backend();
  for (const std::size_t element : {4, 8}) {
    const Transposition shape = packed(37, 53, element, 3);
    const Buffer from = backend->allocate(shape.from_extent()), to = backend->allocate(shape.to_extent());
    fill_elements(*backend, element, from.data(), 37 * 53 * 3, 5);
    transpose(*backend, shape, from.data(), to.data());
    EXPECT_EQ(misplaced(*backend, shape, true, 5, to.data()), 0);
    EXPECT_EQ(misplaced(*backend, shape, false, 5, from.data()), 0);
    EXPECT_GT(misplaced(*backend, shape, true, 6, to.data()), 37 * 53 * 3 * 9 / 10);
    const std::vector<unsigned char> wrong(2 * element, 0xFF);
    backend->write(wrong.data(), static_cast<unsigned char*>(to.data()) + 100 * element, wrong.size());
    EXPECT_EQ(misplaced(*backend, shape, true, 5, to.data()), 2);
  }
}

TEST(TransposeStudy, FailsWithABrokenVariant) {
  Session session(test_device(), true);
  session.add_broken_variant();
  EXPECT_THROW(transpose_study.measure(session), WrongResult);
}

}  // namespace
}  // namespace poisson::lab
