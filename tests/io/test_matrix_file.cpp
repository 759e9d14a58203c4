// These tests check the matrices that are read from files, and the messages for refused files.

#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#define H5_USE_110_API
#include <hdf5.h>

#include "backends/device/backend.hpp"
#include "backends/memory/error.hpp"
#include "grids/schemes/bands/matrix.hpp"
#include "io/files/matrix_file.hpp"
#include "tests/config_file.hpp"

namespace poisson::matrix_file_tests {
namespace {

const std::string real_general = "%%MatrixMarket matrix coordinate real general\n",
                  real_symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";
/// The rows are 2 −1 0 0 / −1 2 −1 0 / …
const std::string line4 = real_symmetric + "% by hand\n\n4 4 7\n1 1 2\n2 1 -1\n2 2 2\n3 2 -1\n3 3 2\n4 3 -1\n4 4 2\n";

using Values = std::vector<double>;
using Sizes = std::vector<hsize_t>;

class MatrixFile : public ConfigFile {
 protected:
  void dataset(const std::string& name, const Sizes& shape, const Values& values) {
    const auto path = folder / "m.h5";
    const hid_t file = std::filesystem::exists(path) ? H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT)
                                                     : H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
    const hid_t set = H5Dcreate2(file, name.c_str(), H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    H5Dclose(set);
    H5Sclose(space);
    H5Fclose(file);
  }
  static BandedMatrix read(const std::filesystem::path& file, const std::optional<std::array<int, 3>>& shape) {
    BandedMatrix m = state_matrix(file, shape);
    read_matrix(file, m);
    return m;
  }
  BandedMatrix market(const std::string& text, const std::array<int, 3>& shape) {
    return read(write(text, "m.mtx"), shape);
  }
  static double entry(const BandedMatrix& m, const Offset& o, std::size_t i) {
    for (std::size_t b = 0; b < m.offsets.size(); ++b)
      if (m.offsets[b] == o) return m.entries[b][i];
    return 0;
  }
};

TEST_F(MatrixFile, OfMatrixMarketIsReadAsBands) {
  const BandedMatrix m = market(line4, {4, 1, 1});
  EXPECT_EQ(m.offsets.size(), 3u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(entry(m, {0, 0, 0}, i), 2);
    EXPECT_EQ(entry(m, {1, 0, 0}, i), i < 3 ? -1 : 0);
    EXPECT_EQ(entry(m, {-1, 0, 0}, i), i > 0 ? -1 : 0);
  }
  EXPECT_TRUE(m.symmetric());
  EXPECT_EQ(m.dominance, 0);
}

TEST_F(MatrixFile, SumsDuplicatesAndPlacesEntriesOnTheGrid) {
  // There are 2 x 2 points. Row 2 is (1, 0) and row 3 is (0, 1); the coupling of these two has the offset (-1, 1).
  const BandedMatrix m = market(
      "%%MatrixMarket MATRIX Coordinate integer general\r\n4 4 8\r\n1 1 2\r\n1 1 +1\r\n2 2 4\r\n3 3 4\r\n"
      "4 4 4\r\n2 3 -1\r\n3 2 -2\r\n1 4 -3\r\n",
      {2, 2, 1});
  EXPECT_EQ(entry(m, {0, 0, 0}, 0), 3);
  EXPECT_EQ(entry(m, {-1, 1, 0}, 1), -1);
  EXPECT_EQ(entry(m, {1, -1, 0}, 2), -2);
  EXPECT_EQ(entry(m, {1, 1, 0}, 0), -3);
  EXPECT_FALSE(m.symmetric());
  EXPECT_DOUBLE_EQ(m.asymmetry, 1);
  EXPECT_DOUBLE_EQ(m.dominance, 0);
}

TEST_F(MatrixFile, OfPenaltiesOnRowsIsUnsymmetric) {
  const BandedMatrix m = market(
      "%%MatrixMarket matrix coordinate real general\n3 3 5\n1 1 1e20\n2 1 -1\n2 2 2\n3 3 2\n2 3 -1\n", {3, 1, 1});
  EXPECT_FALSE(m.symmetric());
}

TEST_F(MatrixFile, OfNeumannFacesWrittenWithFewDigitsIsSingular) {
  const auto singular = [&](double sigma) {
    std::string text = "%%MatrixMarket matrix coordinate real symmetric\n20 20 39\n";
    const auto kappa = [](int i) { return i == 0 || i == 20 ? 0 : 1 + 0.3 * std::sin(5.0 * i); };
    for (int i = 1; i <= 20; ++i) {
      std::array<char, 80> line{};
      std::snprintf(line.data(), line.size(), "%d %d %.7g\n", i, i, kappa(i - 1) + kappa(i) + sigma);
      text += line.data();
      if (i == 20) continue;
      std::snprintf(line.data(), line.size(), "%d %d %.7g\n", i + 1, i, -kappa(i));
      text += line.data();
    }
    const auto backend = make_cpu_backend();
    const BandedMatrix m = market(text, {20, 1, 1});
    return make_bands(*backend, m, make_block(m)).singular;
  };
  EXPECT_TRUE(singular(0));
  EXPECT_FALSE(singular(4e-6));  // a reaction with one sign
}

TEST_F(MatrixFile, StoredZerosCoupleNothing) {
  const BandedMatrix m = market("%%MatrixMarket matrix coordinate real symmetric\n20 20 21\n20 1 0\n" +
                                    [] {
                                      std::string all;
                                      for (int i = 1; i <= 20; ++i)
                                        all += std::to_string(i) + " " + std::to_string(i) + " 2\n";
                                      return all;
                                    }(),
                                {20, 1, 1});
  EXPECT_EQ(m.offsets.size(), 1u);
}

TEST_F(MatrixFile, OfHdf5IsReadAsBands) {
  dataset("offsets", {3, 2}, {0, 0, 1, 0, 0, 1});
  dataset("bands", {3, 2, 2}, {4, 4, 4, 4, -1, 0, -1, 0, -2, -2, 0, 0});
  dataset("rhs", {2, 2}, {1, 2, 3, 4});
  BandedMatrix m = read(folder / "m.h5", {});
  EXPECT_TRUE(contains_rhs(folder / "m.h5"));
  read_rhs(folder / "m.h5", m);
  EXPECT_EQ(m.shape, (std::array{2, 2, 1}));
  EXPECT_EQ(entry(m, {1, 0, 0}, 2), -1);
  EXPECT_EQ(entry(m, {0, 1, 0}, 1), -2);
  EXPECT_EQ(m.rhs, (Values{1, 2, 3, 4}));
  EXPECT_DOUBLE_EQ(m.asymmetry, 0.5);
}

TEST_F(MatrixFile, EffectiveConfigurationIsAConfiguration) {
  write(line4, "m.mtx");
  const Config config = load("grid: {type: banded, file: m.mtx, shape: [4]}\nequation: {source: 1 + x}\n");
  ASSERT_TRUE(config.matrix);
  const Config again = load(config.effective);
  EXPECT_EQ(again.effective, config.effective);
  EXPECT_EQ(again.matrix->points(), 4u);
}

// ---- Refused files ----

const std::string grid4 = "grid: {type: banded, file: m.mtx, shape: [4]}\n";

struct Refused {
  std::string name, market;  ///< contents of m.mtx
  std::string message;       ///< follows "bad.yaml:1:28: grid.file: m.mtx"
  std::string configuration = grid4;
  friend std::ostream& operator<<(std::ostream& stream, const Refused& r) { return stream << r.name; }
};

class MalformedMarket : public MatrixFile, public testing::WithParamInterface<Refused> {};

TEST_P(MalformedMarket, GivesAnErrorWithItsReason) {
  write(GetParam().market, "m.mtx");
  EXPECT_EQ(errors(GetParam().configuration), "bad.yaml:1:28: grid.file: m.mtx" + GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    , MalformedMarket,
    testing::Values(
        Refused{"no_banner", "4 4 1\n1 1 2\n",
                ":1: the file does not begin with %%MatrixMarket; give a Matrix Market or an HDF5 file"},
        Refused{"short_banner", "%%MatrixMarket matrix coordinate real\n4 4 1\n",
                ":1: the first line is not `%%MatrixMarket matrix FORMAT FIELD SYMMETRY`; write the matrix again"},
        Refused{"vector_banner", "%%MatrixMarket vector coordinate real general\n4 4 1\n",
                ":1: the first line is not `%%MatrixMarket matrix FORMAT FIELD SYMMETRY`; write the matrix again"},
        Refused{"array", "%%MatrixMarket matrix array real general\n4 4\n",
                ":1: the format is array; matrices must be coordinate"},
        Refused{"complex", "%%MatrixMarket matrix coordinate complex general\n4 4 1\n1 1 2 0\n",
                ":1: the field is complex; entries must be real or integer"},
        Refused{"pattern", "%%MatrixMarket matrix coordinate pattern general\n4 4 1\n1 1\n",
                ":1: the field is pattern; entries must be real or integer"},
        Refused{"skew", "%%MatrixMarket matrix coordinate real skew-symmetric\n4 4 1\n2 1 2\n",
                ":1: the symmetry is skew-symmetric; matrices must be general or symmetric"},
        Refused{"no_sizes", real_general + "% nothing\n",
                ":2: there is no line of sizes; give rows, columns and number of entries"},
        Refused{"two_sizes", real_general + "4 4\n", ":2: the number of entries is missing; give it as an integer"},
        Refused{"fractional_size", real_general + "4.5 4 1\n",
                ":2: the number of rows is not an integer ('4.5'); write the matrix again"},
        Refused{"four_sizes", real_general + "4 4 1 1\n", ":2: '1' follows the last number; remove it"},
        Refused{"long_line", real_general + std::string(3 << 20, '7'),
                ":2: the line has more than 10^6 characters; give a Matrix Market or an HDF5 file"},
        Refused{"not_square", real_general + "4 5 1\n1 1 2\n",
                ":2: the matrix has 4 rows and 5 columns; give a square one"},
        Refused{"wrong_shape", real_general + "5 5 1\n1 1 2\n",
                ":2: the matrix has 5 rows, but grid.shape has 4 points; make them agree"},
        Refused{"negative_count", real_general + "4 4 -1\n",
                ":2: the number of entries is negative; write the matrix again"},
        Refused{"truncated", real_general + "4 4 4\n1 1 2\n2 2 2\n",
                ":4: the file ends after 2 of 4 entries; it is truncated; write it again"},
        Refused{"truncated_line", real_general + "4 4 4\n1 1 2\n2 2\n", ":4: there is no value; give one number"},
        Refused{"too_many", real_general + "4 4 1\n1 1 2\n2 2 2\n",
                ":4: more entries follow than the declared 1; correct the count"},
        Refused{"index_zero", real_general + "4 4 1\n0 1 2\n",
                ":3: row 0 is not in 1 ... 4; Matrix Market counts from 1"},
        Refused{"row_too_large", real_general + "4 4 1\n5 1 2\n", ":3: row 5 is not in 1 ... 4; check the sizes"},
        Refused{"column_too_large", real_general + "4 4 1\n1 9 2\n", ":3: column 9 is not in 1 ... 4; check the sizes"},
        Refused{"index_text", real_general + "4 4 1\n1 x 2\n",
                ":3: the column is not an integer ('x'); write the matrix again"},
        Refused{"value_text", real_general + "4 4 1\n1 1 2,5\n",
                ":3: the value is not a number ('2,5'); write the matrix again"},
        Refused{"nan", real_general + "4 4 1\n1 1 nan\n",
                ":3: the value is not finite or out of range ('nan'); entries are finite numbers"},
        Refused{"infinite", real_general + "4 4 1\n1 1 -inf\n",
                ":3: the value is not finite or out of range ('-inf'); entries are finite numbers"},
        Refused{"overflow", real_general + "4 4 1\n1 1 1e999\n",
                ":3: the value is not finite or out of range ('1e999'); entries are finite numbers"},
        Refused{"complex_entry", real_general + "4 4 1\n1 1 2 3\n", ":3: '3' follows the last number; remove it"},
        Refused{"upper_triangle", real_symmetric + "4 4 1\n1 2 -1\n",
                ":3: a symmetric matrix has an entry above the diagonal; Matrix Market stores the lower triangle of "
                "symmetric matrices; or declare it general"},
        Refused{"beyond_reach", real_general + "40 40 1\n1 20 -1\n",
                ":3: the entry of row 1 and column 20 is at the offset (19, 0, 0) on the grid; offsets reach at most 8 "
                "along an axis; check grid.shape",
                "grid: {type: banded, file: m.mtx, shape: [40]}\n"},
        Refused{"wraps_over_the_end", real_general + "40 40 1\n20 21 -1\n",
                ":3: the entry of row 20 and column 21 is at the offset (-19, 1, 0) on the grid; offsets reach at most "
                "8 along an axis; check grid.shape",
                "grid: {type: banded, file: m.mtx, shape: [20, 2]}\n"}),
    [](const auto& p) { return p.param.name; });

/// Contains the complete messages for files that a function writes.
struct Case {
  std::string name;
  std::function<void(const std::function<void(const std::string&, const Sizes&, const Values&)>& dataset,
                     const std::function<void(const std::string&, const std::string&)>& text)>
      write;
  std::string configuration, message;
  friend std::ostream& operator<<(std::ostream& stream, const Case& c) { return stream << c.name; }
};

class MalformedMatrix : public MatrixFile, public testing::WithParamInterface<Case> {};

TEST_P(MalformedMatrix, GivesAnErrorWithItsReason) {
  GetParam().write([&](const auto& name, const auto& shape, const auto& values) { dataset(name, shape, values); },
                   [&](const std::string& name, const std::string& content) { write(content, name); });
  EXPECT_EQ(errors(GetParam().configuration), GetParam().message);
}

std::vector<Case> cases() {
  const std::string h5 = "grid: {type: banded, file: m.h5}\n", at = "bad.yaml:1:28: grid.file: ";
  const Values ones(4, 4.0);
  const auto market = [](const std::string& content) {
    return [content](const auto&, const auto& text) { text("m.mtx", content); };
  };
  const auto bands = [](const Sizes& offsets_shape, const Values& offsets, const Sizes& shape, const Values& values) {
    return [=](const auto& dataset, const auto&) {
      dataset("offsets", offsets_shape, offsets);
      dataset("bands", shape, values);
    };
  };
  return {
      {"missing_file", [](const auto&, const auto&) {}, grid4,
       at + "file 'm.mtx' cannot be read (there is no such file). Check the path."},
      {"directory", [](const auto&, const auto&) {}, "grid: {type: banded, file: ., shape: [4]}\n",
       at + "file '.' cannot be read (it is a directory). Check the path."},
      {"empty_file", market(""), grid4,
       at + "file 'm.mtx' is neither Matrix Market nor HDF5 (it has fewer than 8 bytes)."},
      {"no_shape", market(line4), "grid: {type: banded, file: m.mtx}\n",
       at + "'m.mtx' is not an HDF5 file, and other formats do not store the grid; add shape: [nx, ny, nz]"},
      {"one_point", market(real_general + "1 1 1\n1 1 1\n"), "grid: {type: banded, file: m.mtx, shape: [1]}\n",
       at + "'m.mtx': the grid has 1 x 1 x 1 points; give at least 2 along x, and a y axis before a z axis"},
      {"zero_diagonal", market(real_general + "4 4 3\n1 1 2\n2 2 2\n4 4 2\n"), grid4,
       at + "'m.mtx': the diagonal entry of row 3, point (2, 0, 0), is zero or missing; every solver here needs a "
            "positive diagonal (add the entry)"},
      {"negative_diagonal", market(real_general + "4 4 4\n1 1 2\n2 2 -2\n3 3 2\n4 4 2\n"), grid4,
       at + "'m.mtx': the diagonal entry of row 2, point (1, 0, 0), is negative; every solver here needs a positive "
            "diagonal (if all are negative, multiply matrix and right-hand side by -1)"},
      {"fraction_among_integers", market("%%MatrixMarket matrix coordinate integer general\n4 4 2\n1 1 2\n2 2 2.5\n"),
       grid4, at + "m.mtx:4: the value is not an integer ('2.5'); declare the field real"},
      {"unsymmetric_multigrid", market(real_general + "4 4 5\n1 1 2\n2 2 2\n3 3 2\n4 4 2\n1 2 -1\n"),
       grid4 + "solver: {method: multigrid}\n",
       "bad.yaml:2:18: solver.method: multigrid needs a symmetric matrix, but entries of this one differ from their "
       "transposes by 0.5 of the diagonal (more than 1e-10); give a symmetric matrix, or method: jacobi"},
      {"unsymmetric_cg", market(real_general + "4 4 5\n1 1 2\n2 2 2\n3 3 2\n4 4 2\n1 2 -1\n"),
       grid4 + "solver: {method: cg}\n",
       "bad.yaml:2:18: solver.method: cg needs a symmetric matrix, but entries of this one differ from their "
       "transposes by 0.5 of the diagonal (more than 1e-10); give a symmetric matrix, or method: jacobi"},
      {"wide_multigrid", market(real_symmetric + "4 4 5\n1 1 2\n2 2 2\n3 3 2\n4 4 2\n3 1 -1\n"),
       grid4 + "solver: {method: multigrid}\n",
       "bad.yaml:2:18: solver.method: multigrid needs a matrix that couples only nearest neighbours on the grid, but "
       "this one has an offset of 2 along an axis; write method: cg"},
      {"rediscretized", market(line4), grid4 + "solver: {coarse_operator: rediscretized}\n",
       "bad.yaml:2:27: solver.coarse_operator: a matrix from a file cannot be rediscretized; write coarse_operator: "
       "galerkin or auto"},
      {"line_smoother", market(line4), grid4 + "solver: {smoother: line}\n",
       "bad.yaml:2:20: solver.smoother: line needs axes, which a matrix from a file does not have; choose another "
       "smoother"},
      {"picture_of_a_line", market(line4), grid4 + "output: {formats: [png]}\n",
       "bad.yaml:2:20: output.formats[0]: png needs a plane, but this grid is a line; remove it"},
      {"domain", market(line4), grid4 + "domain: {lower: [0, 0], upper: [1, 1]}\n",
       "bad.yaml:2:9: domain: does not apply to a matrix from a file; remove it"},
      {"cells", market(line4), "grid: {type: banded, file: m.mtx, shape: [4], cells: [4, 4]}\n",
       "bad.yaml:1:54: grid.cells: does not apply to a matrix from a file; remove it"},
      {"boundary", market(line4), grid4 + "boundary: {default: {neumann: 0}}\n",
       "bad.yaml:2:11: boundary: does not apply to a matrix from a file; remove it"},
      {"coefficient", market(line4), grid4 + "equation: {coefficient: 2}\n",
       "bad.yaml:2:25: equation.coefficient: does not apply to a matrix from a file; remove it"},
      {"gradient", market(line4), grid4 + "output: {fields: [u, gradient]}\n",
       "bad.yaml:2:22: output.fields[1]: gradient is not available for a matrix; choose from u, residual and source"},
      {"rhs_short",
       [](const auto&, const auto& text) {
         text("m.mtx", line4);
         text("b.mtx", "%%MatrixMarket matrix array real general\n4 1\n1\n2\n");
       },
       "grid: {type: banded, file: m.mtx, shape: [4], rhs: b.mtx}\n",
       "bad.yaml:1:52: grid.rhs: b.mtx:4: the file ends after 2 of 4 numbers; it is truncated; write it again"},
      {"rhs_size",
       [](const auto&, const auto& text) {
         text("m.mtx", line4);
         text("b.mtx", "%%MatrixMarket matrix array real general\n3 1\n1\n2\n3\n");
       },
       "grid: {type: banded, file: m.mtx, shape: [4], rhs: b.mtx}\n",
       "bad.yaml:1:52: grid.rhs: b.mtx:2: the right-hand side has 3 rows and 1 columns, but the matrix has 4 rows; "
       "give one column with the same number of rows"},
      {"rhs_is_the_matrix", market(line4), "grid: {type: banded, file: m.mtx, shape: [4], rhs: m.mtx}\n",
       "bad.yaml:1:52: grid.rhs: m.mtx:1: the right-hand side is coordinate real symmetric; give array real general"},
      {"rhs_twice",
       [](const auto&, const auto& text) {
         text("m.mtx", line4);
         text("b.mtx", "%%MatrixMarket matrix array real general\n4 1\n1\n2\n3\n4\n");
       },
       "grid: {type: banded, file: m.mtx, shape: [4], rhs: b.mtx}\nequation: {source: 2}\n",
       "bad.yaml:2:20: equation.source: conflicts with a right-hand side from a file; keep one of the two"},
      {"no_offsets",
       [](const auto& dataset, const auto&) {
         dataset("bands", {1, 4}, {4, 4, 4, 4});
       },
       h5, at + "dataset 'offsets' of 'm.h5' cannot be read (there is no such dataset). Choose from /bands."},
      {"no_bands",
       [](const auto& dataset, const auto&) {
         dataset("offsets", {1, 1}, {0});
       },
       h5, at + "dataset 'bands' of 'm.h5' cannot be read (there is no such dataset). Choose from /offsets."},
      {"flat_bands", bands({1, 1}, {0}, {4}, ones), h5,
       at + "'m.h5': dataset bands has the shape [4]; give [bands][nz][ny][nx], [bands][ny][nx] or [bands][nx]"},
      {"wrong_rank", bands({1, 3}, {0, 0, 0}, {1, 2, 2}, ones), h5,
       at + "'m.h5': dataset offsets has the shape [1][3], but bands has [1][2][2]; give one row of x, y, z per band, "
            "with one number per axis of bands"},
      {"more_offsets", bands({2, 1}, {0, 1}, {1, 4}, ones), h5,
       at + "'m.h5': dataset offsets has the shape [2][1], but bands has [1][4]; give one row of x, y, z per band, "
            "with one number per axis of bands"},
      {"far_offset", bands({2, 1}, {0, 9}, {2, 2}, ones), h5,
       at + "'m.h5': row 1 of dataset offsets is not an offset (give integers of at most 8 along each axis)"},
      {"half_offset", bands({2, 1}, {0, 0.5}, {2, 2}, ones), h5,
       at + "'m.h5': row 1 of dataset offsets is not an offset (give integers of at most 8 along each axis)"},
      {"same_offset", bands({2, 1}, {0, 0}, {2, 2}, ones), h5,
       at + "'m.h5': row 1 of dataset offsets is a duplicate; give every offset once"},
      {"no_diagonal", bands({1, 1}, {1}, {1, 4}, {-1, -1, -1, 0}), h5,
       at + "'m.h5': dataset offsets lacks the diagonal; add the offset of zeros"},
      {"beyond_grid", bands({2, 1}, {0, 1}, {2, 2}, {4, 4, -1, -1}), h5,
       at + "'m.h5': band 1 has an entry at point (1, 0, 0) whose column is outside the grid; write 0 there"},
      {"nan_band", bands({1, 1}, {0}, {1, 4}, {4, 4, NAN, 4}), h5,
       at + "'m.h5': band 0 is not finite at point (2, 0, 0); entries are finite numbers"},
      {"other_shape", bands({1, 1}, {0}, {1, 4}, ones), "grid: {type: banded, file: m.h5, shape: [5]}\n",
       at + "'m.h5': dataset bands has the shape [1][4], slowest axis first, which differs from grid.shape; make them "
            "agree, or omit shape"},
      {"rhs_shape",
       [](const auto& dataset, const auto&) {
         dataset("offsets", {1, 1}, {0});
         dataset("bands", {1, 4}, {4, 4, 4, 4});
         dataset("rhs", {3}, {1, 2, 3});
       },
       h5, at + "dataset rhs of 'm.h5' has the shape [3]; give [4], the shape of the grid"},
      {"rhs_nan",
       [](const auto& dataset, const auto&) {
         dataset("offsets", {1, 1}, {0});
         dataset("bands", {1, 4}, {4, 4, 4, 4});
         dataset("rhs", {4}, {1, 2, 3, NAN});
       },
       h5, at + "dataset rhs of 'm.h5' is not finite at point (3, 0, 0); give finite numbers"},
  };
}

INSTANTIATE_TEST_SUITE_P(, MalformedMatrix, testing::ValuesIn(cases()), [](const auto& p) { return p.param.name; });

}  // namespace
}  // namespace poisson::matrix_file_tests
