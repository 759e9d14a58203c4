// Tests the study `copy`: every variant against the host's own copy, and the conclusions on given numbers.

#include <functional>

#include <gtest/gtest.h>

#include "lab/harness/contents.hpp"
#include "lab/harness/session.hpp"
#include "lab/harness/with_cuda.hpp"
#include "lab/studies/copy/study.hpp"
#include "lab/studies/studies.hpp"
#include "tests/device.hpp"

namespace poisson::lab {
namespace {

std::span<const CopyVariant> device_variants() {
  if constexpr (with_cuda)
    if (!on_cpu()) return gpu_copy_variants();
  return cpu_copy_variants();
}

TEST(LabContents, AreTheWordsOfTheSeedOnEveryDevice) {
  const auto backend = test_backend();
  for (const std::size_t bytes : {1, 7, 8, 1000, 3 << 20}) {
    const Buffer data = backend->allocate(bytes);
    fill_random(*backend, data.data(), bytes, 5);
    std::vector<unsigned char> found(bytes);
    backend->read(data.data(), found.data(), bytes);
    for (std::size_t i = 0; i < bytes; ++i)
      ASSERT_EQ(found[i], static_cast<unsigned char>(random_word(5, i / 8) >> (8 * (i % 8)))) << i << " of " << bytes;
  }
}

TEST(LabContents, ComparisonCountsDifferingBytes) {
  const auto backend = test_backend();
  const std::size_t bytes = (3 << 20) + 5;
  const Buffer a = backend->allocate(bytes), b = backend->allocate(bytes);
  fill_random(*backend, a.data(), bytes, 1);
  copy_bytes(*backend, a.data(), b.data(), bytes);
  EXPECT_EQ(differing_bytes(*backend, a.data(), b.data(), bytes), 0U);
  for (const std::size_t i : {std::size_t{0}, std::size_t{1} << 20, bytes - 1}) {
    unsigned char byte = 0;
    backend->read(static_cast<const char*>(b.data()) + i, &byte, 1);
    byte ^= 4U;
    backend->write(&byte, static_cast<char*>(b.data()) + i, 1);
  }
  EXPECT_EQ(differing_bytes(*backend, a.data(), b.data(), bytes), 3U);
  poison(*backend, b.data(), bytes);
  unsigned char last = 0;
  backend->read(static_cast<const char*>(b.data()) + bytes - 1, &last, 1);
  EXPECT_EQ(last, 0xFF);
}

TEST(LabCopy, EveryVariantCopiesAwkwardSizesAndNothingElse) {
  const auto backend = test_backend();
  for (const CopyVariant& variant : device_variants())
    for (const std::size_t bytes : awkward_sizes(variant))
      EXPECT_EQ(wrong_copy(*backend, variant, bytes), "")
          << variant.name << ", " << variant.per_thread << ", " << bytes;
}

TEST(LabCopy, ABrokenCopyIsFoundAtEverySize) {
  const auto backend = test_backend();
  for (const std::size_t bytes : awkward_sizes(broken_copy_variant()))
    EXPECT_NE(wrong_copy(*backend, broken_copy_variant(), bytes), "") << bytes;
}

TEST(LabCopy, ABrokenVariantEndsTheStudy) {
  Session session(test_device(), true);
  session.add_broken_variant();
  EXPECT_THROW(copy_study.measure(session), WrongResult);
}

}  // namespace
}  // namespace poisson::lab
