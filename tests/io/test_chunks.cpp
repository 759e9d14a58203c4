// Chunks of HDF5 files that decompress to more than they declare must be refused with little memory. Valid chunks must
// be read.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zlib.h>

#include "backends/memory/error.hpp"
#include "io/files/hdf5.hpp"

namespace poisson::chunks_tests {
namespace {

namespace fs = std::filesystem;

using Filters = std::function<void(hid_t properties)>;

const Filters gzip = [](hid_t p) { H5Pset_deflate(p, 6); };

/// Compresses `mebibytes` MiB of zeros with little memory.
std::vector<unsigned char> packed(int mebibytes) {
  std::vector<unsigned char> zeros(1 << 20), out(static_cast<std::size_t>(mebibytes + 1) << 11);
  z_stream stream{};
  deflateInit(&stream, 6);
  stream.next_out = out.data();
  stream.avail_out = static_cast<unsigned>(out.size());
  for (int i = 0; i < mebibytes; ++i) {
    stream.next_in = zeros.data();
    stream.avail_in = static_cast<unsigned>(zeros.size());
    deflate(&stream, i + 1 < mebibytes ? Z_NO_FLUSH : Z_FINISH);
  }
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string refusal_of(const std::function<void()>& read) {
  try {
    read();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no refusal";
}

void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

class ChunksTest : public testing::Test {
 protected:
  ChunksTest() : file(fs::temp_directory_path() / ("poisson-chunks-" + std::to_string(getpid()) + ".h5")) {}
  ~ChunksTest() override { fs::remove(file); }

  /// Writes a square dataset with square chunks; `fill` writes its values.
  void write(hsize_t side, hsize_t chunk, const Filters& filters, const std::function<void(hid_t dataset)>& fill) {
    const hid_t out = H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hsize_t shape[2] = {side, side}, chunks[2] = {chunk, chunk};
    const hid_t space = H5Screate_simple(2, shape, nullptr), properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(properties, 2, chunks);
    filters(properties);
    const hid_t set = H5Dcreate2(out, "u", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    fill(set);
    H5Dclose(set);
    H5Pclose(properties);
    H5Sclose(space);
    H5Fclose(out);
  }

  /// Stores the given bytes as the chunk at this place.
  void store(hsize_t side, hsize_t chunk, const Filters& filters, const std::vector<unsigned char>& bytes,
             hsize_t at = 0) {
    write(side, chunk, filters, [&](hid_t set) {
      const hsize_t offset[2] = {at, at};
      ASSERT_GE(H5Dwrite_chunk(set, H5P_DEFAULT, 0, offset, bytes.size(), bytes.data()), 0);
    });
  }

  std::string refusal() {
    return refusal_of([&] { read_dataset(file, "u"); });
  }

  fs::path file;
};

double peak_memory() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_maxrss) * 1024;
}

TEST_F(ChunksTest, StoredFarAboveTheirSizeAreRefusedBeforeReading) {
  store(8, 8, gzip, packed(167));
  const std::string message = "(it stores 166 KiB, but its chunks need only 512 B). Write it again.";
  expect_contains(refusal_of([&] { dataset_shape(file, "u"); }), message);
  expect_contains(refusal(), message);
}

TEST_F(ChunksTest, ThatDecompressToFarMoreAreRefusedInLittleMemory) {
  const auto bomb = packed(200);  // about 200 KiB
  const Filters checked = [](hid_t p) {
    H5Pset_shuffle(p);
    H5Pset_deflate(p, 1);
    H5Pset_fletcher32(p);
  };
  for (const Filters& filters : {gzip, checked}) {
    store(512, 256, filters, bomb, 256);  // each chunk needs 512 KiB
    const double before = peak_memory();
    expect_contains(refusal(), "(a chunk needs 512 KiB, but its stored data decompress to far more)");
    expect_contains(refusal_of([&] { read_box(file, "u", {300, 300}, {2, 3}); }), "far more");
    EXPECT_EQ(read_box(file, "u", {0, 0}, {2, 2}).values, std::vector<double>(4));  // reads no other chunk
    EXPECT_LT(peak_memory() - before, 64 << 20);
  }
}

TEST_F(ChunksTest, UnderSeveralCompressionsAreRefused) {
  store(
      64, 64,
      [](hid_t p) {
        H5Pset_deflate(p, 1);
        H5Pset_deflate(p, 1);
      },
      packed(1));
  expect_contains(refusal(), "other filters follow its gzip compression");
}

TEST_F(ChunksTest, AreReadIfTheirSizeIsTrue) {
  constexpr hsize_t side = 500;
  std::vector<double> noise(side * side);
  for (std::size_t i = 0; i < noise.size(); ++i) noise[i] = std::sin(1e5 * static_cast<double>(i + 1));
  const auto fill = [&](hid_t set) { H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, noise.data()); };
  const std::vector<Filters> all{gzip, [](hid_t) {},
                                 [](hid_t p) {
                                   H5Pset_shuffle(p);
                                   H5Pset_deflate(p, 9);
                                   H5Pset_fletcher32(p);
                                 },
                                 [](hid_t p) { H5Pset_fletcher32(p); }};
  for (const Filters& filters : all)
    for (const hsize_t chunk : {hsize_t{7}, hsize_t{200}, side}) {
      write(side, chunk, filters, fill);
      EXPECT_EQ(read_dataset(file, "u").values, noise) << chunk;
      EXPECT_EQ(read_box(file, "u", {499, 198}, {1, 4}).values,
                std::vector<double>(noise.begin() + 499 * side + 198, noise.begin() + 499 * side + 202));
    }
  write(side, side, gzip, [](hid_t) {});  // never written
  EXPECT_EQ(read_dataset(file, "u").values, std::vector<double>(side * side));
  std::ranges::fill(noise, 3);
  write(side, side, gzip, fill);  // 2 MB in 2 KB
  EXPECT_EQ(read_dataset(file, "u").values, noise);
}

}  // namespace
}  // namespace poisson::chunks_tests
