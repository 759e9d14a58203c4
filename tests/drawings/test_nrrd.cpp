// NRRD images give the voxels that were written, and damaged ones an error.

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include <zlib.h>

#include "backends/memory/error.hpp"
#include "tests/io/image_files.hpp"

namespace poisson::nrrd_tests {
namespace {

// Compresses as gzip does.
std::string gzip(const std::string& bytes) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(bytes.size() + 200, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

template <class T>
std::string stored(const std::vector<T>& values, bool swapped) {
  std::string bytes;
  for (const T value : values) {
    std::string raw(reinterpret_cast<const char*>(&value), sizeof value);
    if (swapped) std::ranges::reverse(raw);
    bytes += raw;
  }
  return bytes;
}

const std::vector<std::int32_t> values_of_voxels{0, 1, 2, 1, 1, 0, 2, 2, 0, 0, 1, 2};

class Nrrd : public ImageFiles {
 protected:
  static std::string header(const std::string& more, const std::string& type = "uint8") {
    return "NRRD0004\n# a comment\ntype: " + type + "\ndimension: 3\nsizes: 3 2 2\n" + more + "name:=value\n\n";
  }
  static std::shared_ptr<const ImageSource> open(const std::filesystem::path& path) {
    ImageFile file;
    file.path = path;
    return open_image(file);
  }
  std::vector<int> read(const std::filesystem::path& path) const {
    const auto source = open(path);
    EXPECT_EQ(source->counts(), (VoxelCounts{3, 2, 2}));
    const LabelImage image(source, {{0, 0, 0}, source->counts()}, {0, 1, 2}, path);
    return codes(image);
  }
  std::string refusal(const std::string& bytes) const {
    try {
      read(write("bad.nrrd", bytes));
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  }
};

TEST_F(Nrrd, ReadsEveryEncodingTypeAndOrder) {
  const std::vector<int> expected(values_of_voxels.begin(), values_of_voxels.end());
  const std::vector<std::uint8_t> bytes(values_of_voxels.begin(), values_of_voxels.end());
  const std::vector<std::int16_t> shorts(values_of_voxels.begin(), values_of_voxels.end());
  const std::vector<double> doubles(values_of_voxels.begin(), values_of_voxels.end());
  EXPECT_EQ(read(write("a.nrrd", header("encoding: raw\n") + stored(bytes, false))), expected);
  EXPECT_EQ(read(write("b.nrrd", header("encoding: gzip\n") + gzip(stored(bytes, false)))), expected);
  for (const bool big : {false, true}) {
    const bool swapped = big == (std::endian::native == std::endian::little);
    const std::string endian = std::string("endian: ") + (big ? "big" : "little") + "\n";
    EXPECT_EQ(read(write("c.nrrd", header(endian + "encoding: raw\n", "short") + stored(shorts, swapped))), expected);
    EXPECT_EQ(read(write("d.nrrd", header(endian + "encoding: gz\n", "double") + gzip(stored(doubles, swapped)))),
              expected);
    EXPECT_EQ(
        read(write("e.nrrd", header(endian + "encoding: raw\n", "unsigned int") + stored(values_of_voxels, swapped))),
        expected);
  }
  std::string text;
  for (const int v : values_of_voxels) text += std::to_string(v) + (v == 2 ? "\n" : " ");
  EXPECT_EQ(read(write("f.nrrd", header("encoding: ascii\n", "int") + text)), expected);
  EXPECT_EQ(read(write("g.nrrd", header("encoding: text\n", "float") + text)), expected);
}

TEST_F(Nrrd, ReadsDetachedData) {
  const std::vector<int> expected(values_of_voxels.begin(), values_of_voxels.end());
  const std::vector<std::uint8_t> bytes(values_of_voxels.begin(), values_of_voxels.end());
  write("voxels.raw", "two lines\nof text\nxyz" + stored(bytes, false));
  EXPECT_EQ(read(write("a.nhdr", header("encoding: raw\nline skip: 2\nbyte skip: 3\ndata file: voxels.raw\n"))),
            expected);
  EXPECT_EQ(read(write("b.nhdr", header("encoding: raw\nbyte skip: -1\ndatafile: voxels.raw\n"))), expected);
  write("voxels.gz", gzip("12345" + stored(bytes, false)));
  EXPECT_EQ(read(write("c.nhdr", header("encoding: gzip\nbyte skip: 5\ndata file: voxels.gz\n"))), expected);
}

TEST_F(Nrrd, StatesTheWidthsOfVoxels) {
  const std::string voxels(12, '\1');
  const auto spacing = [&](const std::string& field) {
    return open(write("a.nrrd", header("encoding: raw\n" + field) + voxels))->spacing();
  };
  EXPECT_EQ(spacing(""), (std::array<double, 3>{0, 0, 0}));
  EXPECT_EQ(spacing("spacings: 2e-6 2e-6 5e-6\n"), (std::array{2e-6, 2e-6, 5e-6}));
  EXPECT_EQ(spacing("spacings: 1 nan -3\n"), (std::array{1.0, 0.0, 3.0}));
  EXPECT_EQ(spacing("space: left-posterior-superior\nspace directions: (-0.5,0,0) (0,0,2) (0,3,4)\n"),
            (std::array{0.5, 2.0, 5.0}));
}

TEST_F(Nrrd, RefusesDamage) {
  const std::string voxels(12, '\1'), raw = "encoding: raw\n";
  const std::vector<std::pair<std::string, std::string>> bad{
      {"NRRD0004\n", "no field 'dimension'"},
      {"NRRD0004\ntype uint8\n\n", "line 2 of its header is no field"},
      {"NRRD0004\ntype: uint8\ntype: int8\n\n", "two fields 'type'"},
      {"NRRD0004\ntype: uint8\ndimension: 4\nsizes: 3 2 2 1\n\n", "its dimension is '4'"},
      {"NRRD0004\ntype: uint8\ndimension: 3\nsizes: 3 2\n\n", "its sizes is '3 2'"},
      {"NRRD0004\ntype: uint8\ndimension: 3\nsizes: 3 -2 2\n\n", "its sizes"},
      {"NRRD0004\ntype: uint8\ndimension: 3\nsizes: 9999999999 9999999999 9\nencoding: raw\n\n", "2^60"},
      {header(raw, "block") + voxels, "its type is 'block'"},
      {header(raw, "short") + voxels + voxels, "no field 'endian'"},
      {header(raw + "endian: middle\n", "short") + voxels, "its endian is 'middle'"},
      {header("") + voxels, "no field 'encoding'"},
      {header("encoding: bzip2\n") + voxels, "its encoding is 'bzip2'"},
      {header(raw) + voxels.substr(1), "need 12 bytes, but the file has 11"},
      {header(raw) + voxels + "x", "need 12 bytes, but the file has 13"},
      {header(raw + "byte skip: 20\n") + voxels, "its byteskip is '20'"},
      {header(raw + "byte skip: -2\n") + voxels, "its byteskip is '-2'"},
      {header(raw + "line skip: 1\n") + voxels, "its lineskip is '1'"},
      {header(raw + "spacings: 1 1\n") + voxels, "its spacings is '1 1'"},
      {header(raw + "spacings: 1 0 1\n") + voxels, "its spacings"},
      {header(raw + "space directions: (1,0,0) (0,1,0)\n") + voxels, "its spacedirections"},
      {header(raw + "data file: missing.raw\n"), "no such file"},
      {header(raw + "data file: LIST\n"), "several files"},
      {header("encoding: gzip\n") + "no gzip data", "damaged or truncated"},
      {header("encoding: gzip\n") + gzip(voxels).substr(0, 20), "damaged or truncated"},
      {header("encoding: gzip\n") + gzip(voxels.substr(2)), "need 12 bytes, but it has 10"},
      {header("encoding: gzip\n") + gzip(voxels + "1"), "more than sizes and type say"},
      {"NRRD0004\ntype: uint8\ndimension: 3\nsizes: 100000 100000 100\nencoding: gzip\n\n" + gzip(voxels),
       "compressed bytes cannot contain them"},
      {header("encoding: ascii\n") + "1 2 0 1", "numbers, but the file has only"},
      {header("encoding: ascii\n") + "1 2 0 1 1 1 1 1 1 1 1         ", "it has 11 numbers instead of 12"},
      {header("encoding: ascii\n") + "1 2 0 1 1 1 1 1 1 1 1 1 1", "more numbers"},
      {header("encoding: ascii\n") + "1 2 0 1 one 1 1 1 1 1 1 1", "its number 5 is 'one'"}};
  for (const auto& [bytes, why] : bad) {
    const std::string text = refusal(bytes);
    EXPECT_NE(text.find(why), std::string::npos) << why << ": " << text;
    const bool named = text.find("bad.nrrd") != std::string::npos || text.find("missing.raw") != std::string::npos;
    EXPECT_TRUE(named) << text;
  }
}

}  // namespace
}  // namespace poisson::nrrd_tests
