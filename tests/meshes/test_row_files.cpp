// Sparse matrices of any pattern from files: formats, messages, and damaged files.

#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#define H5_USE_110_API
#include <hdf5.h>

#include "backends/memory/error.hpp"
#include "grids/compact/general_rows.hpp"
#include "io/files/row_file.hpp"
#include "io/files/vector_output.hpp"
#include "tests/config_file.hpp"
#include "tests/damage.hpp"

namespace poisson::row_files_tests {
namespace {

const std::string general = "%%MatrixMarket matrix coordinate real general\n";

class RowFiles : public ConfigFile {
 protected:
  CsrMatrix read(const std::string& text, const std::string& name = "m.mtx") const {
    return read_rows(write(text, name));
  }
  std::string refusal(const std::string& text) const {
    try {
      read(text);
    } catch (const InputError& error) {
      return without_folder(error.what());
    }
    return "accepted";
  }
  std::string refusal_of_hdf5() const {
    try {
      read_rows(folder / "m.h5");
    } catch (const InputError& error) {
      return without_folder(error.what());
    }
    return "accepted";
  }
  void dataset(const std::string& name, const std::vector<double>& values) const {
    const auto path = folder / "m.h5";
    const hid_t file = std::filesystem::exists(path) ? H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT)
                                                     : H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hsize_t size = values.size();
    const hid_t space = H5Screate_simple(1, &size, nullptr);
    const hid_t set = H5Dcreate2(file, name.c_str(), H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    H5Dclose(set);
    H5Sclose(space);
    H5Fclose(file);
  }
  void matrix(const std::vector<double>& indptr, const std::vector<double>& indices,
              const std::vector<double>& data) const {
    std::filesystem::remove(folder / "m.h5");
    dataset("indptr", indptr);
    dataset("indices", indices);
    dataset("data", data);
  }
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(RowFiles, ReadFormatsOfMatrixMarket) {
  const CsrMatrix A = read(general + "% any pattern\n3 3 5\n1 1 2\n3 1 -0.5\n2 2 1e0\n3 3 4\n3 1 -1\n");
  EXPECT_EQ(A.rows(), 3);
  EXPECT_EQ(A.entries(), 4);
  EXPECT_EQ(A.at(2, 0), -1.5);
  EXPECT_EQ(A.at(0, 2), 0);
  const CsrMatrix S = read("%%MatrixMarket matrix coordinate integer symmetric\n2 2 3\n1 1 2\n2 1 -1\n2 2 2\n");
  EXPECT_EQ(S.at(0, 1), -1);
  const CsrMatrix P = read("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 3\n1 1\n2 1\n2 2\n");
  EXPECT_EQ(P.at(0, 1), 1);
  EXPECT_EQ(P.at(1, 1), 1);
}

TEST_F(RowFiles, ReadCompressedRows) {
  matrix({0, 2, 3}, {1, 0, 1}, {-1, 2, 3});
  dataset("shape", {2, 2});
  dataset("rhs", {5, 6});
  const CsrMatrix A = read_rows(folder / "m.h5");
  EXPECT_EQ(A.at(0, 0), 2);
  EXPECT_EQ(A.at(0, 1), -1);
  EXPECT_EQ(A.at(1, 1), 3);
  EXPECT_TRUE(contains_row_rhs(folder / "m.h5"));
  EXPECT_EQ(read_row_rhs(folder / "m.h5", 2), (std::vector<double>{5, 6}));
  EXPECT_THROW(read_row_rhs(folder / "m.h5", 3), InputError);
}

TEST_F(RowFiles, ExplainWhatIsWrong) {
  EXPECT_TRUE(has(refusal(general + "2 3 1\n1 1 1\n"), "m.mtx:2: the matrix has 2 rows and 3 columns"));
  EXPECT_TRUE(has(refusal(general + "2 2 2\n1 1 1\n"), "the file ends after 1 of 2 entries"));
  EXPECT_TRUE(
      has(refusal(general + "2 2 1\n0 1 1\n"), "m.mtx:3: row 0 is not in 1 ... 2; Matrix Market counts from 1"));
  EXPECT_TRUE(has(refusal(general + "2 2 1\n1 1 x\n"), "not a number"));
  EXPECT_TRUE(has(refusal(general + "2 2 1\n1 1 nan\n"), "finite"));
  EXPECT_TRUE(has(refusal(general + "2 2 1\n1 1 1 1\n"), "follows the last number"));
  EXPECT_TRUE(has(refusal(general + "2 2 0\n1 1 1\n"), "more entries follow"));
  EXPECT_TRUE(has(refusal("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 0\n"), "diagonal is zero"));
  EXPECT_TRUE(has(refusal("%%MatrixMarket matrix coordinate complex general\n2 2 0\n"), "the field is complex"));
  EXPECT_TRUE(has(refusal("%%MatrixMarket matrix array real general\n2 2\n"), "the format is array"));
  EXPECT_TRUE(has(refusal("%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 1\n"), "above the diagonal"));
  EXPECT_TRUE(has(refusal(general + "999999999 999999999 999999999\n1 1 1\n"), "too short"));
  EXPECT_TRUE(has(refusal("solid cube\n"), "does not begin with %%MatrixMarket"));
  matrix({0, 1, 3}, {0, 0, 2}, {1, 1, 1});
  EXPECT_TRUE(has(refusal_of_hdf5(), "row 1 has the column 2, but the matrix has 2 columns"));
  matrix({0, 3, 2}, {0, 1}, {1, 1});
  EXPECT_TRUE(has(refusal_of_hdf5(), "indptr"));
  matrix({0, 1, 2}, {0, 1.5}, {1, 1});
  EXPECT_TRUE(has(refusal_of_hdf5(), "value 1 of dataset indices"));
  matrix({0, 1, 2}, {0, 1}, {1, 1, 1});
  EXPECT_TRUE(has(refusal_of_hdf5(), "indices has 2 values, but data has 3"));
  matrix({1, 2}, {0, 1}, {1, 1});
  EXPECT_TRUE(has(refusal_of_hdf5(), "indptr must begin with 0"));
  matrix({0, 1, 2}, {0, 1}, {1, 1});
  dataset("shape", {2, 3});
  EXPECT_TRUE(has(refusal_of_hdf5(), "square"));
}

// Damaged files either are read or explain themselves.
TEST_F(RowFiles, SurviveDamage) {
  std::string valid = general + "40 40 118\n";
  for (int i = 1; i <= 40; ++i)
    for (int j = std::max(1, i - 1); j <= std::min(40, i + 1); ++j)
      valid += std::to_string(i) + " " + std::to_string(j) + " " + (i == j ? "2.5" : "-1.25e0") + "\n";
  matrix({0, 2, 5, 7}, {0, 1, 0, 1, 2, 1, 2}, {2, -1, -1, 2, -1, -1, 2});
  std::ifstream stream(folder / "m.h5", std::ios::binary);
  const std::string binary((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  std::mt19937 random(3);
  DamageCount count;
  for (const std::string& whole : {valid, binary})
    read_damaged(whole, 120, random, count,
                 [&](const std::string& content) { examine_rows(read(content, "damaged"), {}); });
  EXPECT_EQ(count.refused + count.accepted, 240);
  EXPECT_GT(count.refused, 100);
}

TEST_F(RowFiles, DescribeProblemsInConfigurations) {
  write(general + "3 3 7\n1 1 2\n1 2 -1\n2 1 -1\n2 2 2\n2 3 -1\n3 2 -1\n3 3 2\n", "a.mtx");
  write("%%MatrixMarket matrix array real general\n3 1\n1\n2\n3\n", "b.mtx");
  const Config config = load("grid: {type: matrix, file: a.mtx, rhs: b.mtx}\n");
  ASSERT_TRUE(config.rows);
  EXPECT_TRUE(config.rows->is_symmetric());
  EXPECT_EQ(config.rows->system.b, (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(load("grid: {type: matrix, file: a.mtx}\nequation: {source: 4}\n").rows->system.b[2], 4);
  EXPECT_TRUE(has(errors("grid: {type: matrix, file: a.mtx}\n"), "no right-hand side"));
  EXPECT_TRUE(has(errors("grid: {type: matrix, file: a.mtx, rhs: b.mtx}\nequation: {source: 4}\n"), "keep one"));
  EXPECT_TRUE(has(errors("grid: {type: matrix, file: c.mtx, rhs: b.mtx}\n"), "bad.yaml:1:"));
  EXPECT_TRUE(
      has(errors("grid: {type: matrix, file: a.mtx, rhs: b.mtx}\nboundary: {default: {neumann: 0}}\n"), "boundary"));
  EXPECT_TRUE(has(errors("grid: {type: matrix, file: a.mtx, rhs: b.mtx}\nsolver: {method: direct}\n"), "direct"));
  EXPECT_EQ(config.device, "auto");
}

TEST_F(RowFiles, TakeTheCpuForHypre) {
  write(general + "2 2 4\n1 1 2\n1 2 -1\n2 1 -1\n2 2 2\n", "a.mtx");
  write(general + "2 2 4\n1 1 2\n1 2 -1\n2 1 -0.5\n2 2 2\n", "c.mtx");
  const std::string more = "equation: {source: 1}\nsolver: {amg: hypre}\n";
  EXPECT_EQ(load("grid: {type: matrix, file: a.mtx}\n" + more).device, "cpu");
  EXPECT_TRUE(has(errors("grid: {type: matrix, file: a.mtx}\n" + more + "backend: {device: cuda}\n"),
                  "bad.yaml:4:19: backend.device: hypre solves on the CPU here"));
  EXPECT_TRUE(has(errors("grid: {type: matrix, file: c.mtx}\n" + more), "bad.yaml:3:15: solver.amg: hypre"));
}

TEST_F(RowFiles, WriteVectors) {
  const std::vector<double> values{1, -0.1, 1e300};
  const auto text = write_vector(folder, "u", "mtx", values), binary = write_vector(folder, "u", "npy", values);
  EXPECT_EQ(read_row_rhs(text, 3), values);
  EXPECT_EQ(std::filesystem::file_size(binary) % 64, 24U);  // a header of a multiple of 64 bytes, and three numbers
}

}  // namespace
}  // namespace poisson::row_files_tests
