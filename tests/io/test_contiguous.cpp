// Datasets that a file stores in one piece are read by all threads; the values must be those of HDF5's own functions.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <hdf5.h>
#include <unistd.h>

#include "backends/memory/error.hpp"
#include "io/files/hdf5.hpp"

namespace poisson::contiguous_tests {
namespace {

namespace fs = std::filesystem;

class ContiguousTest : public testing::Test {
 protected:
  ~ContiguousTest() override { fs::remove(file_); }

  /// Writes the dataset `u` of the shape {planes, lines, 256}; value i is number(i).
  template <class T, class Number>
  void write(hid_t stored, hid_t native, const Number& number, hsize_t user_block = 0) {
    const hsize_t shape[3] = {planes, lines, 256};
    std::vector<T> values(planes * lines * 256);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = number(i);
    const hid_t creation = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_userblock(creation, user_block);
    const hid_t file = H5Fcreate(file_.c_str(), H5F_ACC_TRUNC, creation, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(3, shape, nullptr);
    const hid_t set = H5Dcreate2(file, "u", stored, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    ASSERT_GE(H5Dwrite(set, native, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Fclose(file);
    H5Pclose(creation);
  }

  /// Reads everything, one slab, and a box that is not one piece of the file.
  template <class Number>
  void expect_values(const Number& number) {
    const std::vector<double> all = read_dataset(file_, "u").values;
    ASSERT_EQ(all.size(), planes * lines * 256);
    for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], static_cast<double>(number(i))) << i;
    const auto expect_box = [&](const std::vector<std::int64_t>& first, const std::vector<std::int64_t>& count) {
      const std::vector<double> box = read_box(file_, "u", first, count).values;
      std::size_t at = 0;
      for (std::int64_t k = first[0]; k < first[0] + count[0]; ++k)
        for (std::int64_t j = first[1]; j < first[1] + count[1]; ++j)
          for (std::int64_t i = first[2]; i < first[2] + count[2]; ++i, ++at)
            ASSERT_EQ(box[at], all[static_cast<std::size_t>((k * lines + j) * 256 + i)]);
      ASSERT_EQ(at, box.size());
    };
    expect_box({7, 0, 0}, {71, lines, 256});
    expect_box({3, 1, 0}, {80, lines - 1, 256});
    expect_box({0, 0, 5}, {planes, lines, 250});
  }

  static constexpr std::int64_t planes = 83, lines = 67;
  const fs::path file_ = fs::temp_directory_path() / ("contiguous-" + std::to_string(getpid()) + ".h5");
};

TEST_F(ContiguousTest, StoresEveryTypeOfNumber) {
  const auto of = [&]<class T>(T, hid_t native) {
    const auto number = [](std::size_t i) { return static_cast<T>(i * 2654435761u >> 7); };
    write<T>(native, native, number);
    expect_values(number);
  };
  of(std::uint8_t{}, H5T_NATIVE_UINT8);
  of(std::int8_t{}, H5T_NATIVE_INT8);
  of(std::uint16_t{}, H5T_NATIVE_UINT16);
  of(std::int16_t{}, H5T_NATIVE_INT16);
  of(std::uint32_t{}, H5T_NATIVE_UINT32);
  of(std::int32_t{}, H5T_NATIVE_INT32);
  of(std::int64_t{}, H5T_NATIVE_INT64);
  of(float{}, H5T_NATIVE_FLOAT);
  of(double{}, H5T_NATIVE_DOUBLE);
}

TEST_F(ContiguousTest, MayHaveAnotherByteOrderOrAUserBlock) {
  const auto number = [](std::size_t i) { return 0.25 * static_cast<double>(i); };
  write<double>(H5T_IEEE_F64BE, H5T_NATIVE_DOUBLE, number);
  expect_values(number);
  write<double>(H5T_NATIVE_DOUBLE, H5T_NATIVE_DOUBLE, number, 512);
  expect_values(number);
}

TEST_F(ContiguousTest, IsRefusedIfTheFileIsCut) {
  write<double>(H5T_NATIVE_DOUBLE, H5T_NATIVE_DOUBLE, [](std::size_t i) { return static_cast<double>(i); });
  fs::resize_file(file_, fs::file_size(file_) / 2);
  EXPECT_THROW(read_dataset(file_, "u"), InputError);
}

}  // namespace
}  // namespace poisson::contiguous_tests
