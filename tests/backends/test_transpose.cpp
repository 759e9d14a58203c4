// These tests transpose random data in awkward shapes: every element must arrive at its place, and nothing else may
// change.

#include <cstdint>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "backends/memory/error.hpp"
#include "backends/utilities/transpose.hpp"
#include "tests/device.hpp"

namespace poisson::transpose_tests {

// GoogleTest names parameters by this.
void PrintTo(const Transposition& s, std::ostream* out) {
  *out << s.batch << " of " << s.rows << " x " << s.columns << ", " << s.element << " bytes, pitches " << s.from_pitch
       << " and " << s.to_pitch << ", strides " << s.from_stride << " and " << s.to_stride;
}

namespace {

using Bytes = std::vector<unsigned char>;

Bytes random_bytes(std::size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  Bytes bytes(count);
  for (unsigned char& b : bytes) b = static_cast<unsigned char>(generator());
  return bytes;
}

// Returns the byte offset of element (row, column) of a matrix of the batch.
std::size_t place(const Transposition& s, std::int64_t matrix, std::int64_t stride, std::int64_t row,
                  std::int64_t pitch, std::int64_t column) {
  return static_cast<std::size_t>(matrix * stride + row * pitch + column) * s.element;
}

// Returns the expected contents of the destination, given its previous contents `before`.
Bytes transposed(const Transposition& s, const unsigned char* from, Bytes before, std::size_t offset) {
  for (std::int64_t b = 0; b < s.batch; ++b)
    for (std::int64_t r = 0; r < s.rows; ++r)
      for (std::int64_t c = 0; c < s.columns; ++c)
        std::memcpy(before.data() + offset + place(s, b, s.to_stride, c, s.to_pitch, r),
                    from + place(s, b, s.from_stride, r, s.from_pitch, c), s.element);
  return before;
}

// Transposes between memory at these offsets from a 16-byte boundary, in elements. Compares the destination and the
// bytes around it.
void expect_transposed(const Transposition& s, std::size_t from_shift, std::size_t to_shift) {
  SCOPED_TRACE(testing::PrintToString(s) + ", shifts " + std::to_string(from_shift) + " and " +
               std::to_string(to_shift));
  constexpr std::size_t margin = 256;  // bytes
  const std::size_t from_offset = margin + from_shift * s.element, to_offset = margin + to_shift * s.element;
  const Bytes from = random_bytes(from_offset + s.from_extent() + margin, 1);
  const Bytes poison = random_bytes(to_offset + s.to_extent() + margin, 2);
  const auto backend = test_backend();
  const Buffer source = backend->allocate(from.size()), target = backend->allocate(poison.size());
  backend->write(from.data(), source.data(), from.size());
  backend->write(poison.data(), target.data(), poison.size());
  transpose(*backend, s, static_cast<unsigned char*>(source.data()) + from_offset,
            static_cast<unsigned char*>(target.data()) + to_offset);
  Bytes result(poison.size());
  backend->read(target.data(), result.data(), result.size());
  EXPECT_TRUE(result == transposed(s, from.data() + from_offset, poison, to_offset));
}

std::vector<std::pair<std::int64_t, std::int64_t>> awkward_shapes() {
  return {{1, 1},    {1, 2},      {1, 1000},  {1000, 1},  {3, 5},    {31, 33},  {32, 32},
          {64, 64},  {63, 65},    {65, 64},   {597, 43},  {43, 597}, {128, 96}, {5, 5000},
          {5000, 5}, {16, 20000}, {17, 3001}, {3000, 16}, {8, 8},    {9, 400},  {200, 260}};
}

class Transpose : public testing::TestWithParam<std::size_t> {};

TEST_P(Transpose, PackedMatrices) {
  for (const auto& [rows, columns] : awkward_shapes()) expect_transposed(packed(rows, columns, GetParam()), 0, 0);
}

TEST_P(Transpose, MisalignedMemory) {
  for (const auto& [rows, columns] : {std::pair{64, 64}, {128, 132}, {33, 70}, {7, 1000}, {1000, 12}})
    for (const std::size_t from : {0u, 1u, 2u, 3u})
      for (const std::size_t to : {0u, 1u, 2u}) expect_transposed(packed(rows, columns, GetParam()), from, to);
}

// Pitches leave padding of complete words, of partial words, or none.
TEST_P(Transpose, PitchesLongerThanRows) {
  for (const auto& [rows, columns] : {std::pair{64, 64}, {31, 33}, {597, 43}, {10, 700}, {130, 4}, {66, 130}})
    for (const std::int64_t from : {0, 1, 4, 22})
      for (const std::int64_t to : {0, 2, 3, 20}) {
        Transposition s = packed(rows, columns, GetParam());
        s.from_pitch += from;
        s.to_pitch += to;
        expect_transposed(s, 0, 0);
      }
}

TEST_P(Transpose, Batches) {
  for (const auto& [rows, columns] : {std::pair{1, 1}, {31, 33}, {64, 128}, {4, 4}, {300, 3}})
    for (const std::int64_t batch : {2, 7}) {
      Transposition s = packed(rows, columns, GetParam(), batch);
      expect_transposed(s, 0, 0);
      s.from_stride += 5;
      s.to_stride += 3;
      expect_transposed(s, 0, 0);
    }
  expect_transposed(packed(2, 2, GetParam(), 70000), 0, 0);
}

// A batch of planes lies along rows of the destination: the axes (x, y, z) become (y, z, x).
TEST_P(Transpose, BatchesInterleavedInLongerRows) {
  Transposition s = packed(36, 68, GetParam(), 5);
  s.to_pitch = 5 * 36 + 2;
  s.to_stride = 36;
  expect_transposed(s, 0, 0);
  s.from_stride = 0;  // same source for all
  expect_transposed(s, 0, 0);
}

INSTANTIATE_TEST_SUITE_P(Bytes, Transpose, testing::Values(4, 8, 16),
                         [](const auto& test) { return std::to_string(test.param); });

std::string error_of(const Transposition& s) {
  try {
    s.validate();
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST(Transposition, RefusesInvalidArguments) {
  const Transposition good = packed(3, 5, 8, 4);
  EXPECT_EQ(error_of(good), "");
  const auto with = [&](auto change) {
    Transposition s = good;
    change(s);
    return error_of(s);
  };
  EXPECT_NE(with([](auto& s) { s.element = 2; }).find("elements of 2 bytes"), std::string::npos);
  EXPECT_NE(with([](auto& s) { s.rows = 0; }).find("nothing to transpose"), std::string::npos);
  EXPECT_NE(with([](auto& s) { s.columns = -1; }).find("nothing to transpose"), std::string::npos);
  EXPECT_NE(with([](auto& s) { s.batch = 0; }).find("nothing to transpose"), std::string::npos);
  EXPECT_NE(with([](auto& s) { s.from_pitch = 4; }).find("source pitch"), std::string::npos);
  EXPECT_NE(with([](auto& s) { s.to_pitch = 2; }).find("destination pitch"), std::string::npos);
  EXPECT_NE(with([](auto& s) { s.to_stride = 14; }).find("destination stride"), std::string::npos);
  EXPECT_NE(with([](auto& s) { s.from_stride = -1; }).find("source stride"), std::string::npos);
}

TEST(Transposition, RefusesMemoryThatOverlapsOrIsMisaligned) {
  const auto backend = test_backend();
  const Transposition s = packed(8, 8, 8);
  const Buffer memory = backend->allocate(2 * s.from_extent() + 16);
  auto* const first = static_cast<unsigned char*>(memory.data());
  EXPECT_THROW(transpose(*backend, s, first, first), InputError);
  EXPECT_THROW(transpose(*backend, s, first, first + s.from_extent() - 8), InputError);
  EXPECT_THROW(transpose(*backend, s, first + s.from_extent() - 8, first), InputError);
  EXPECT_THROW(transpose(*backend, s, first, first + s.from_extent() + 4), InputError);
  EXPECT_NO_THROW(transpose(*backend, s, first, first + s.from_extent()));
}

TEST(Transposition, CountsItsBytes) {
  EXPECT_EQ(packed(3, 5, 8, 4).bytes(), 2.0 * 3 * 5 * 8 * 4);
  EXPECT_EQ(packed(3, 5, 8, 4).from_extent(), 3u * 5 * 8 * 4);
}

}  // namespace
}  // namespace poisson::transpose_tests
