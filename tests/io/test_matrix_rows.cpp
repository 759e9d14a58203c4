// Each process reads its rows of a matrix from a file. It must get the same values as a single process and use no more
// memory than its share.

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <malloc.h>

#define H5_USE_110_API
#include <gtest/gtest.h>
#include <hdf5.h>

#include "backends/memory/places.hpp"
#include "io/files/matrix_file.hpp"
#include "tests/config_file.hpp"
#include "tests/processes.hpp"

namespace {

// These are the bytes in use by this thread and their maximum. Each thread frees its own allocations.
thread_local std::ptrdiff_t allocated = 0, most_allocated = 0;

void* counted(void* memory) {
  if (!memory) throw std::bad_alloc();
  allocated += static_cast<std::ptrdiff_t>(malloc_usable_size(memory));
  most_allocated = std::max(most_allocated, allocated);
  return memory;
}
void give_back(void* memory) {
  if (memory) allocated -= static_cast<std::ptrdiff_t>(malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t bytes) {
  return counted(std::malloc(bytes));
}
void operator delete(void* memory) noexcept {
  give_back(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  give_back(memory);
}

namespace poisson::matrix_rows_tests {
namespace {

constexpr std::array shape{9, 7, 480};
constexpr std::size_t points = std::size_t{9} * 7 * 480;

std::size_t number(int x, int y, int z) {
  return static_cast<std::size_t>(x + shape[0] * (y + shape[1] * z));
}

// Couples points to their neighbours with values that differ from point to point.
class MatrixRows : public ConfigFile {
 protected:
  MatrixRows() {
    for (std::size_t d = 0; d < 3; ++d)
      for (const int step : {-1, 1}) {
        Offset o{};
        o[d] = step;
        offsets.push_back(o);
      }
    bands.assign(offsets.size(), std::vector<double>(points, 0.0));
    for_each_place({{0, 0, 0}, shape}, [&](int x, int y, int z) {
      rhs.push_back(x - 0.5 * y + 0.25 * z);
      bands[0][number(x, y, z)] = 7 + 0.125 * (z % 5);
      for (std::size_t b = 1; b < offsets.size(); ++b) {
        const std::array there{x + offsets[b][0], y + offsets[b][1], z + offsets[b][2]};
        if (std::ranges::min(there) < 0 || there[0] >= shape[0] || there[1] >= shape[1] || there[2] >= shape[2])
          continue;
        // The value is symmetric.
        bands[b][number(x, y, z)] = -1 - 1.0 / (1 + x + there[0] + y + there[1] + z + there[2]);
      }
    });
  }

  std::filesystem::path market() const {
    std::string text;
    std::size_t entries = 0;
    for (std::size_t b = 0; b < offsets.size(); ++b)
      for_each_place({{0, 0, 0}, shape}, [&](int x, int y, int z) {
        const std::size_t row = number(x, y, z);
        if (bands[b][row] == 0) return;
        const std::size_t column = number(x + offsets[b][0], y + offsets[b][1], z + offsets[b][2]);
        std::array<char, 80> line{};
        std::snprintf(line.data(), line.size(), "%zu %zu %.17g\n", row + 1, column + 1, bands[b][row]);
        text += line.data();
        ++entries;
      });
    const std::string size = std::to_string(points);
    return write("%%MatrixMarket matrix coordinate real general\n" + size + " " + size + " " + std::to_string(entries) +
                     "\n" + text,
                 "m.mtx");
  }
  std::filesystem::path market_rhs() const {
    std::string text = "%%MatrixMarket matrix array real general\n" + std::to_string(points) + " 1\n";
    for (const double value : rhs) text += std::to_string(value) + "\n";
    return write(text, "rhs.mtx");
  }
  std::filesystem::path hdf5() const {
    const std::filesystem::path path = folder / "m.h5";
    const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const auto dataset = [&](const char* name, const std::vector<hsize_t>& size, const std::vector<double>& values) {
      const hid_t space = H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr);
      const hid_t set = H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
      H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
      H5Dclose(set);
      H5Sclose(space);
    };
    std::vector<double> of_offsets, of_bands;
    for (std::size_t b = 0; b < offsets.size(); ++b) {
      of_offsets.insert(of_offsets.end(), offsets[b].begin(), offsets[b].end());
      of_bands.insert(of_bands.end(), bands[b].begin(), bands[b].end());
    }
    dataset("offsets", {offsets.size(), 3}, of_offsets);
    dataset("bands", {offsets.size(), shape[2], shape[1], shape[0]}, of_bands);
    dataset("rhs", {1, shape[2], shape[1], shape[0]}, rhs);
    H5Fclose(file);
    return path;
  }

  // Returns the box of a process, in slabs across z.
  static Box slab(int process, int processes) {
    return {{0, 0, shape[2] * process / processes}, {shape[0], shape[1], shape[2] * (process + 1) / processes}};
  }
  void expect_rows(const BandedMatrix& m, const Box& own) const {
    ASSERT_EQ(m.offsets.size(), offsets.size());
    for (std::size_t b = 0; b < offsets.size(); ++b) {
      const auto of = static_cast<std::size_t>(std::ranges::find(offsets, m.offsets[b]) - offsets.begin());
      for_each_place(own, [&](int x, int y, int z) {
        ASSERT_EQ(m.entries[b][m.place(x, y, z)], bands[of][number(x, y, z)]);
        ASSERT_EQ(m.rhs[m.place(x, y, z)], rhs[number(x, y, z)]);
      });
    }
  }

  std::vector<Offset> offsets{{0, 0, 0}};
  std::vector<std::vector<double>> bands;
  std::vector<double> rhs;
};

// Returns the peak memory of f.
template <class F>
std::ptrdiff_t bytes_of(const F& f) {
  const std::ptrdiff_t before = allocated;
  most_allocated = allocated;
  f();
  return most_allocated - before;
}

// Allows for buffers of a file and for data that are not stored by rows.
constexpr std::ptrdiff_t room = std::ptrdiff_t{1} << 18;

TEST_F(MatrixRows, OfMatrixMarketAreReadByTheProcessesThatHaveThem) {
  const auto file = market(), rhs_file = market_rhs();
  BandedMatrix whole = state_matrix(file, shape);
  const std::ptrdiff_t of_one = bytes_of([&] {
    read_matrix(file, whole);
    read_rhs(rhs_file, whole);
  });
  expect_rows(whole, whole.stored_rows());
  EXPECT_TRUE(whole.symmetric());
  ASSERT_GT(of_one, 8 * room);
  for (const int count : {2, 3, 4})
    as_processes(count, [&](const std::shared_ptr<const Processes>& processes) {
      const Box own = slab(processes->rank(), count);
      BandedMatrix m = state_matrix(file, shape);
      const std::ptrdiff_t taken = bytes_of([&] {
        read_matrix(file, m, own, *processes);
        read_rhs(rhs_file, m);
      });
      expect_rows(m, own);
      EXPECT_LE(m.stored_rows().size(), own.size() + 2 * cut_halo * shape[0] * shape[1]);
      EXPECT_LE(static_cast<double>(taken - room), 1.15 * static_cast<double>(of_one - room) / count);
      EXPECT_EQ(m.offsets, whole.offsets);
      EXPECT_EQ(m.asymmetry, whole.asymmetry);
      EXPECT_EQ(m.dominance, whole.dominance);
      for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(m.strengths[d], whole.strengths[d], 1e-12 * whole.strengths[d]);
    });
}

// Processes read one after another, because this HDF5 is not thread-safe.
TEST_F(MatrixRows, OfHdf5AreReadByTheProcessesThatHaveThem) {
  const auto file = hdf5();
  BandedMatrix whole = state_matrix(file, {});
  const auto read = [&](BandedMatrix& m, const std::optional<Box>& own) {
    return bytes_of([&] {
      read_matrix(file, m, own);
      read_rhs(file, m);
    });
  };
  const std::ptrdiff_t of_one = read(whole, {});
  expect_rows(whole, whole.stored_rows());
  for (const int count : {2, 3, 4})
    for (int process = 0; process < count; ++process) {
      const Box own = slab(process, count);
      BandedMatrix m = state_matrix(file, {});
      EXPECT_LE(static_cast<double>(read(m, own) - room), 1.15 * static_cast<double>(of_one - room) / count);
      expect_rows(m, own);
    }
  const Box block{{3, 0, 50}, {9, 4, 70}};
  BandedMatrix m = state_matrix(file, {});
  read(m, block);
  expect_rows(m, block);
}

// All processes learn the findings of one, and a coupling across a cut is compared with its transpose.
TEST_F(MatrixRows, AreCheckedTogether) {
  bands[6][number(0, 0, 239)] *= 1.5;
  const auto file = market();
  as_processes(2, [&](const std::shared_ptr<const Processes>& processes) {
    BandedMatrix m = state_matrix(file, shape);
    read_matrix(file, m, slab(processes->rank(), 2), *processes);
    EXPECT_FALSE(m.symmetric());
  });
  bands[0][number(4, 4, 400)] = -1;
  market();
  as_processes(2, [&](const std::shared_ptr<const Processes>& processes) {
    BandedMatrix m = state_matrix(file, shape);
    try {
      read_matrix(file, m, slab(processes->rank(), 2), *processes);
      ADD_FAILURE();
    } catch (const StoppedElsewhere&) {
      EXPECT_EQ(processes->rank(), 0);
    } catch (const InputError& error) {
      EXPECT_EQ(processes->rank(), 1);
      EXPECT_NE(std::string(error.what()).find("point (4, 4, 400), is negative"), std::string::npos) << error.what();
    }
  });
}

}  // namespace
}  // namespace poisson::matrix_rows_tests
