// Images in every format and type have the voxels that were written.

#include <array>
#include <functional>
#include <numeric>

#include <hdf5.h>
#include <tiffio.h>

#include "backends/memory/error.hpp"
#include "io/images/image_map.hpp"
#include "tests/io/image_files.hpp"

namespace poisson::images_tests {
namespace {

constexpr int nx = 7, ny = 5, nz = 70;  // more slices than a gathered block of Fortran's order

// The label of a voxel: 0 to 3.
int label(int x, int y, int z) {
  return (3 * x + 5 * y * y + z) % 4;
}

std::vector<int> expected() {
  std::vector<int> all;
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x) all.push_back(label(x, y, z));
  return all;
}

class Images : public ImageFiles {
 protected:
  // Returns the voxels as T: value k of `table` for label k. `reversed`: in the other byte order.
  template <class T>
  static std::string voxels(const std::vector<std::int64_t>& table, bool fortran = false, bool reversed = false) {
    std::vector<T> values(std::size_t{nx} * ny * nz);
    for (int z = 0; z < nz; ++z)
      for (int y = 0; y < ny; ++y)
        for (int x = 0; x < nx; ++x)
          values[static_cast<std::size_t>(fortran ? z + nz * (y + ny * x) : x + nx * (y + ny * z))] =
              static_cast<T>(table[static_cast<std::size_t>(label(x, y, z))]);
    std::string bytes = bytes_of(values);
    for (std::size_t at = 0; reversed && at < bytes.size(); at += sizeof(T))
      std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                   bytes.begin() + static_cast<std::ptrdiff_t>(at + sizeof(T)));
    return bytes;
  }

  template <class T>
  void expect_npy(const std::string& type, const std::vector<std::int64_t>& table) {
    for (const bool fortran : {false, true})
      for (const bool reversed : {false, true}) {
        const std::string order = sizeof(T) == 1 ? "|" : reversed ? ">" : "<";
        const auto path = write("image.npy", npy(order + type, "(70, 5, 7)", voxels<T>(table, fortran, reversed),
                                                 fortran ? "True" : "False"));
        const LabelImage image = labels(path, table);
        EXPECT_EQ(codes(image), expected()) << type << fortran << reversed;
        EXPECT_EQ(std::accumulate(image.counts().begin(), image.counts().end(), std::int64_t{0}), nx * ny * nz);
        EXPECT_EQ(image.unlisted_count(), 0);
      }
  }
};

TEST_F(Images, NumpyArraysOfEveryTypeAndOrder) {
  expect_npy<std::uint8_t>("u1", {0, 1, 128, 255});
  expect_npy<std::int8_t>("i1", {0, -1, -128, 127});
  expect_npy<std::uint16_t>("u2", {0, 256, 65535, 7});
  expect_npy<std::int16_t>("i2", {-32768, 256, 32767, -1});
  expect_npy<std::uint32_t>("u4", {0, 4294967295, 70000, 1});
  expect_npy<std::int32_t>("i4", {-2147483647, 70000, 1, -70000});
  expect_npy<std::int64_t>("i8", {-5'000'000'000, 70000, 5'000'000'000, 0});
  expect_npy<float>("f4", {0, 255, -3, 70000});
  expect_npy<double>("f8", {0, 255, -3, 5'000'000'000});
}

TEST_F(Images, BytesOfNumpyStayInTheFile) {
  const auto path = write("image.npy", npy("|u1", "(70, 5, 7)", voxels<std::uint8_t>({0, 1, 2, 3})));
  EXPECT_EQ(labels(path, {0, 1, 2, 3}).bytes(), 0U);
}

TEST_F(Images, VersionsTwoAndThreeOfNumpy) {
  std::string bytes = npy("|u1", "(70, 5, 7)", voxels<std::uint8_t>({0, 1, 2, 3}));
  for (const char version : {'\2', '\3'}) {
    std::string other = bytes;
    other[6] = version;
    other.insert(10, 2, '\0');
    EXPECT_EQ(codes(labels(write("image.npy", other), {0, 1, 2, 3})), expected());
  }
}

TEST_F(Images, RawVoxelsAfterAHeader) {
  ImageFile file;
  file.path = write("image.raw", "head" + voxels<std::uint16_t>({0, 300, 2, 3}));
  file.type = voxel_type_named("uint16");
  file.shape = {nx, ny, nz};
  file.offset = 4;
  EXPECT_EQ(codes(labels(file, {0, 300, 2, 3})), expected());
}

TEST_F(Images, CropsAndCountsOtherValues) {
  const auto path = write("image.npy", npy("<u2", "(70, 5, 7)", voxels<std::uint16_t>({0, 1, 2, 3})));
  ImageFile file;
  file.path = path;
  const Crop crop{{2, 1, 10}, {6, 4, 69}};
  const LabelImage image(open_image(file), crop, {1, 3}, path);
  std::vector<int> all;
  std::array<std::int64_t, 4> counts{};
  for (int z = 10; z < 69; ++z)
    for (int y = 1; y < 4; ++y)
      for (int x = 2; x < 6; ++x) {
        const int l = label(x, y, z);
        all.push_back(l == 1 ? 0 : l == 3 ? 1 : 2);
        ++counts[static_cast<std::size_t>(l)];
      }
  EXPECT_EQ(codes(image), all);
  EXPECT_EQ(image.counts(), (std::vector<std::int64_t>{counts[1], counts[3]}));
  EXPECT_EQ(image.unlisted_count(), counts[0] + counts[2]);
  ASSERT_EQ(image.unlisted().size(), 2U);
  EXPECT_EQ(image.unlisted()[0].count + image.unlisted()[1].count, counts[0] + counts[2]);
}

TEST_F(Images, SixtyThousandValuesKeepTheirCodes) {
  std::vector<std::uint16_t> values(60000);
  std::iota(values.begin(), values.end(), std::uint16_t{0});
  const auto path = write("image.npy", npy("<u2", "(200, 300)", bytes_of(values)));
  std::vector<std::int64_t> table(values.rbegin(), values.rend());
  const std::vector<int> found = codes(labels(path, table));
  for (std::size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i], static_cast<int>(59999 - i));
}

struct TiffForm {
  std::string mode;  // "w" or "w8"
  int bits, compression;
  bool tiled;
  int rows;
};

class TiffImages : public Images, public testing::WithParamInterface<TiffForm> {
 protected:
  template <class T>
  void write_pages(TIFF* tiff, const std::vector<std::int64_t>& table) const {
    const TiffForm& form = GetParam();
    for (int z = 0; z < nz; ++z) {
      TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, nx);
      TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, ny);
      TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 8 * sizeof(T));
      TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 1);
      TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
      TIFFSetField(tiff, TIFFTAG_COMPRESSION, form.compression);
      if (form.compression == COMPRESSION_LZW) TIFFSetField(tiff, TIFFTAG_PREDICTOR, PREDICTOR_HORIZONTAL);
      const auto value = [&](int x, int y) { return static_cast<T>(table[static_cast<std::size_t>(label(x, y, z))]); };
      if (form.tiled) {
        TIFFSetField(tiff, TIFFTAG_TILEWIDTH, 16);
        TIFFSetField(tiff, TIFFTAG_TILELENGTH, 16);
        std::vector<T> tile(256);
        for (int y = 0; y < ny; ++y)
          for (int x = 0; x < nx; ++x) tile[static_cast<std::size_t>(16 * y + x)] = value(x, y);
        ASSERT_GE(TIFFWriteTile(tiff, tile.data(), 0, 0, 0, 0), 0);
      } else {
        TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, form.rows);
        std::vector<T> row(nx);
        for (int y = 0; y < ny; ++y) {
          for (int x = 0; x < nx; ++x) row[static_cast<std::size_t>(x)] = value(x, y);
          ASSERT_EQ(TIFFWriteScanline(tiff, row.data(), static_cast<std::uint32_t>(y), 0), 1);
        }
      }
      ASSERT_EQ(TIFFWriteDirectory(tiff), 1);
    }
  }
};

TEST_P(TiffImages, AreRead) {
  const std::filesystem::path path = folder / "image.tif";
  const std::vector<std::int64_t> table =
      GetParam().bits == 8 ? std::vector<std::int64_t>{0, 255, 2, 3}
                           : std::vector<std::int64_t>{0, 65535, 258, GetParam().bits == 32 ? 4294967295 : 3};
  TIFF* const tiff = TIFFOpen(path.c_str(), GetParam().mode.c_str());
  if (GetParam().bits == 8) write_pages<std::uint8_t>(tiff, table);
  if (GetParam().bits == 16) write_pages<std::uint16_t>(tiff, table);
  if (GetParam().bits == 32) write_pages<std::uint32_t>(tiff, table);
  TIFFClose(tiff);
  EXPECT_EQ(codes(labels(path, table)), expected());
}

std::vector<TiffForm> tiff_forms() {
  std::vector<TiffForm> all;
  for (const char* mode : {"w", "w8", "wb"})
    for (const int bits : {8, 16, 32})
      for (const int compression :
           {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE, COMPRESSION_PACKBITS}) {
        all.push_back({mode, bits, compression, false, 5});
        all.push_back({mode, bits, compression, false, 2});
        all.push_back({mode, bits, compression, true, 0});
      }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Images, TiffImages, testing::ValuesIn(tiff_forms()));

TEST_F(Images, SlicesInNaturalOrder) {
  for (int z = 0; z < nz; ++z) {
    std::vector<std::uint8_t> slice;
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x) slice.push_back(static_cast<std::uint8_t>(label(x, y, z)));
    write("slices/s" + std::to_string(z) + ".npy", npy("|u1", "(5, 7)", bytes_of(slice)));
  }
  ImageFile file;
  file.path = folder / "slices/*.npy";
  file.pattern = true;
  EXPECT_EQ(codes(labels(file, {0, 1, 2, 3})), expected());
}

TEST_F(Images, DatasetsOfHdf5) {
  const std::filesystem::path path = folder / "image.h5";
  const std::string values = voxels<std::uint8_t>({0, 1, 200, 3});
  const std::array<hsize_t, 3> shape{nz, ny, nx}, chunk{16, 4, 4};
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t space = H5Screate_simple(3, shape.data(), nullptr), properties = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(properties, 3, chunk.data());
  H5Pset_deflate(properties, 4);
  for (const auto& [name, how] : {std::pair("plain", hid_t{H5P_DEFAULT}), std::pair("chunked", properties)}) {
    const hid_t set = H5Dcreate2(file, name, H5T_STD_U8LE, space, H5P_DEFAULT, how, H5P_DEFAULT);
    H5Dwrite(set, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    H5Dclose(set);
  }
  H5Pclose(properties);
  H5Sclose(space);
  H5Fclose(file);
  for (const char* name : {"plain", "chunked"}) {
    ImageFile image;
    image.path = path;
    image.dataset = name;
    EXPECT_EQ(codes(labels(image, {0, 1, 200, 3})), expected()) << name;
  }
}

TEST_F(Images, AMapFindsTheVoxelOfEachCell) {
  const auto path = write("image.npy", npy("|u1", "(2, 3)", std::string{0, 1, 2, 1, 2, 0}));
  const auto image = std::make_shared<const LabelImage>(labels(path, {0, 1}));
  const ImageMap map(image, {1, 0, 0}, {2, 1, 1}, {5, 6, 7}, 9);
  // Cells of half a voxel along x, and one cell beyond the image at each end; unequal cells along y.
  const std::array<std::vector<double>, 3> nodes{{{0, 1, 2, 3, 4, 5, 6, 7, 8}, {-1, 0, 0.5, 1, 2}, {}}};
  std::vector<RegionNumber> numbers(8 * 4);
  map.fill(nodes, {{0, 0, 0}, {8, 4, 1}}, numbers);
  EXPECT_EQ(numbers, (std::vector<RegionNumber>{9, 9, 9, 9, 9, 9, 9, 9,  //
                                                9, 5, 5, 6, 6, 7, 7, 9,  //
                                                9, 5, 5, 6, 6, 7, 7, 9,  //
                                                9, 6, 6, 7, 7, 5, 5, 9}));
  std::vector<RegionNumber> part(2 * 1);
  map.fill(nodes, {{4, 3, 0}, {6, 4, 1}}, part);
  EXPECT_EQ(part, (std::vector<RegionNumber>{7, 5}));
}

TEST_F(Images, BytesOfAMapGiveItsRegions) {
  const std::string voxels{0, 1, 2, 1, 2, 0, 1, 1, 0, 2, 2, 7};  // 7 is not listed
  const std::array<std::vector<double>, 3> fine{{{0.5, 1, 2, 3}, {0, 0.5, 1, 2}, {0, 0.5, 2}}};
  const auto expect_regions = [&](const ImageMap& map) {
    const std::optional<LabelBytes> bytes = map.bytes(fine);
    ASSERT_TRUE(bytes);
    std::vector<RegionNumber> numbers(3 * 3 * 2);
    map.fill(fine, {{0, 0, 0}, {3, 3, 2}}, numbers);
    std::size_t at = 0;
    for (const std::int64_t z : bytes->offset[2])
      for (const std::int64_t y : bytes->offset[1])
        for (const std::int64_t x : bytes->offset[0]) EXPECT_EQ(bytes->region[bytes->first[x + y + z]], numbers[at++]);
  };
  const auto narrow = write("narrow.npy", npy("|u1", "(2, 2, 3)", voxels));
  expect_regions(
      {std::make_shared<const LabelImage>(labels(narrow, {2, 0, 1})), {0, 0, 0}, {1, 1, 1}, {5, 6, 7, 8}, 9});
  // Numbers of two bytes become codes of one byte.
  std::string pairs;
  for (const char voxel : voxels) pairs += std::string{voxel, 1};
  const auto wide = write("wide.npy", npy("<u2", "(2, 2, 3)", pairs));
  const auto codes = std::make_shared<const LabelImage>(labels(wide, {258, 256, 257}));
  expect_regions({codes, {0, 0, 0}, {1, 1, 1}, {5, 6, 7, 8}, 9});
  // Cells beyond the image have no byte.
  EXPECT_FALSE(ImageMap(codes, {0, 0, 0}, {0.5, 1, 1}, {5, 6, 7, 8}, 9).bytes(fine));
}

}  // namespace
}  // namespace poisson::images_tests
