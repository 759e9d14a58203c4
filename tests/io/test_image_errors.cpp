// Damaged and hostile images end with an error that names the file; nothing crashes and no memory is claimed.

#include <algorithm>
#include <random>
#include <set>

#include <tiffio.h>

#include "backends/memory/error.hpp"
#include "tests/io/image_files.hpp"

namespace poisson::image_errors_tests {
namespace {

class HostileImages : public ImageFiles {
 protected:
  // Returns the message of an image that must be refused.
  std::string refusal(const ImageFile& file) const {
    try {
      labels(file, {0, 1});
    } catch (const InputError& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find(file.path.filename().string()), std::string::npos) << text;
      ++refused_;
      return text;
    }
    ADD_FAILURE() << file.path << " was accepted";
    return {};
  }
  std::string refusal(const std::filesystem::path& path) const {
    ImageFile file;
    file.path = path;
    return refusal(file);
  }
  std::string npy_refusal(const std::string& type, const std::string& shape, std::size_t bytes) const {
    return refusal(write("bad.npy", npy(type, shape, std::string(bytes, '\0'))));
  }
  static bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

  // Writes pages of zeros; `pages` with widths.
  std::filesystem::path tiff(const std::string& name, const std::vector<int>& widths,
                             int compression = COMPRESSION_NONE, int samples = 1, int bits = 8) const {
    TIFF* const file = TIFFOpen((folder / name).c_str(), "w");
    for (const int width : widths) {
      TIFFSetField(file, TIFFTAG_IMAGEWIDTH, width);
      TIFFSetField(file, TIFFTAG_IMAGELENGTH, 8);
      TIFFSetField(file, TIFFTAG_BITSPERSAMPLE, bits);
      TIFFSetField(file, TIFFTAG_SAMPLESPERPIXEL, samples);
      TIFFSetField(file, TIFFTAG_PHOTOMETRIC, samples == 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK);
      TIFFSetField(file, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
      TIFFSetField(file, TIFFTAG_COMPRESSION, compression);
      TIFFSetField(file, TIFFTAG_ROWSPERSTRIP, 4);
      std::vector<char> row(static_cast<std::size_t>(width * samples * bits / 8 + 1));
      for (std::uint32_t y = 0; y < 8; ++y) TIFFWriteScanline(file, row.data(), y, 0);
      TIFFWriteDirectory(file);
    }
    TIFFClose(file);
    return folder / name;
  }

  static std::string contents(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  mutable int refused_ = 0;
};

TEST_F(HostileImages, FilesThatAreNoImages) {
  EXPECT_TRUE(has(refusal(folder / "absent.npy"), "there is no such file"));
  EXPECT_TRUE(has(refusal(folder), "it is a directory"));
  EXPECT_TRUE(has(refusal(write("empty.npy", "")), "it is empty"));
  EXPECT_TRUE(has(refusal(write("text.txt", "hello")), "neither .npy, NRRD, TIFF nor HDF5"));
  EXPECT_TRUE(has(refusal("/dev/null"), "pipe or a device"));
  ImageFile none;
  none.path = folder / "slices/*.tif";
  none.pattern = true;
  EXPECT_TRUE(has(refusal(none), "no file has such a name"));
  EXPECT_TRUE(has(refusal(write("short.h5", "\x89HDF\r\n\x1a\n")), "no dataset is named"));
  ImageFile hdf5;
  hdf5.path = folder / "short.h5";
  hdf5.dataset = "/a";
  refusal(hdf5);
}

TEST_F(HostileImages, NumpyHeaders) {
  EXPECT_TRUE(has(npy_refusal("|u1", "(4, 4, 4)", 63), "needs 64 bytes, but the file has 63"));
  EXPECT_TRUE(has(npy_refusal("|u1", "(4, 4, 4)", 65), "needs 64 bytes, but the file has 65"));
  EXPECT_TRUE(has(npy_refusal("|u1", "(0, 4, 4)", 0), "no voxel"));
  EXPECT_TRUE(has(npy_refusal("|u1", "(4,)", 4), "1 axes"));
  EXPECT_TRUE(has(npy_refusal("|u1", "(2, 2, 2, 2)", 16), "4 axes"));
  EXPECT_TRUE(has(npy_refusal("|u1", "(1099511627776, 1099511627776, 1099511627776)", 8), "2^60"));
  EXPECT_TRUE(has(npy_refusal("|u1", "(4294967296, 4294967296, 1)", 8), "2^60"));
  EXPECT_TRUE(has(npy_refusal("<f8", "(100000, 100000, 100000)", 8), "needs 8000000000000000 bytes"));
  EXPECT_TRUE(has(npy_refusal("|u1", "(-1, 4, 4)", 4), "not readable"));
  EXPECT_TRUE(has(npy_refusal("|u1", "(99999999999999999999, 4)", 4), "not readable"));
  EXPECT_TRUE(has(npy_refusal("|u1", "(2, x)", 4), "not readable"));
  EXPECT_TRUE(has(npy_refusal("|u1", "3", 4), "not readable"));
  for (const char* type : {"<c8", "|O", "<U4", "|S1", "<f2", "<f16", "<M8[s]", "<u3", "<u9", "u1", "", "~u1", "|u-"})
    EXPECT_TRUE(has(npy_refusal(type, "(2, 2)", 4), "type") || has(npy_refusal(type, "(2, 2)", 4), "records")) << type;
  EXPECT_TRUE(has(refusal(write("a.npy", npy("|u1", "(2, 2)", "abcd").replace(6, 1, "\x09"))), "version 9"));
  EXPECT_TRUE(has(refusal(write("a.npy", npy("|u1", "(2, 2)", "abcd").replace(8, 2, "\xff\xff"))), "incomplete"));
  std::string wide = npy("|u1", "(2, 2)", "abcd");
  wide[6] = '\2';
  EXPECT_TRUE(has(refusal(write("a.npy", wide)), "incomplete"));
  std::string unnamed = npy("|u1", "(2, 2)", "abcd");
  unnamed.replace(unnamed.find("shape"), 5, "shade");
  EXPECT_TRUE(has(refusal(write("a.npy", unnamed)), "'shape'"));
  EXPECT_TRUE(has(refusal(write("a.npy", npy("<f4", "(1, 2)", bytes_of<float>({1, 0.5F})))), "no whole number"));
  const std::string whole = npy("|u1", "(4, 4, 4)", std::string(64, '\0'));
  for (std::size_t length = 1; length < whole.size(); length += 2) refusal(write("cut.npy", whole.substr(0, length)));
  EXPECT_GE(refused_, 100);
}

TEST_F(HostileImages, RawFiles) {
  ImageFile file;
  file.path = write("a.raw", std::string(64, '\0'));
  file.type = voxel_type_named("uint8");
  for (const std::vector<std::int64_t>& shape :
       std::vector<std::vector<std::int64_t>>{{4, 4, 5}, {4, 4, 3}, {10'000'000, 10'000'000, 10'000'000}, {64, 64}}) {
    file.shape = shape;
    refusal(file);
  }
  file.shape = {4, 4, 4};
  for (const std::int64_t offset : {1LL, 64LL, 65LL, 1LL << 50}) {
    file.offset = offset;
    refusal(file);
  }
}

/// A mapped file would end the process here.
TEST_F(HostileImages, TruncatedWhileInUse) {
  ImageFile file;
  file.path = write("cut.npy", npy("|u1", "(4, 64, 64)", std::string(std::size_t{4} * 64 * 64, '\7')));
  const auto source = open_image(file);
  std::filesystem::resize_file(file.path, 0);
  std::vector<std::byte> spare;
  const std::byte* const voxels = source->slices(0, 4, spare);
  for (int i = 0; i < 4 * 64 * 64; ++i) ASSERT_EQ(voxels[i], std::byte{7});
}

TEST_F(HostileImages, TiffPages) {
  EXPECT_TRUE(has(refusal(tiff("a.tif", {8, 9})), "page 1 has 9 x 8 of uint8 pixels, but page 0 has 8 x 8"));
  EXPECT_TRUE(has(refusal(tiff("a.tif", {8}, COMPRESSION_NONE, 3)), "3 channels"));
  EXPECT_TRUE(has(refusal(tiff("a.tif", {8}, COMPRESSION_NONE, 1, 1)), "1 bits"));
  EXPECT_TRUE(has(refusal(write("a.tif", std::string("II*\0\x08\0\0\0", 8))), "libtiff"));
  for (const int compression : {COMPRESSION_NONE, COMPRESSION_ADOBE_DEFLATE, COMPRESSION_LZW}) {
    const std::string whole = contents(tiff("whole.tif", {64, 64, 64}, compression));
    for (std::size_t length = 1; length < whole.size(); length += whole.size() / 15 + 1)
      refusal(write("cut.tif", whole.substr(0, length)));
  }
}

// A page of 2^20 x 2^20 pixels in a file of few bytes.
TEST_F(HostileImages, TiffThatClaimsTerabytes) {
  const auto path = tiff("bomb.tif", {64}, COMPRESSION_ADOBE_DEFLATE);
  std::string bytes = contents(path);
  // Width and length are the first two entries of the directory, 12 bytes each: tag 256 and tag 257.
  for (const char tag : {'\0', '\1'}) {
    const std::size_t at = bytes.find(std::string{tag, '\1', '\3', '\0', '\1', '\0', '\0', '\0'});
    ASSERT_NE(at, std::string::npos);
    bytes[at + 2] = '\4';  // LONG
    bytes.replace(at + 8, 4, std::string{'\0', '\0', '\x10', '\0'});
  }
  refusal(write("bomb.tif", bytes));
}

// Any change of bytes is an error or gives voxels; it never reads beyond the file.
TEST_F(HostileImages, ChangedBytesOfTiffNeverCrash) {
  std::mt19937 random(7);
  for (const int compression : {COMPRESSION_NONE, COMPRESSION_ADOBE_DEFLATE, COMPRESSION_LZW, COMPRESSION_PACKBITS}) {
    const std::string whole = contents(tiff("whole.tif", {20, 20}, compression));
    for (int trial = 0; trial < 100; ++trial) {
      std::string bytes = whole;
      for (int change = 0; change < 3; ++change) bytes[random() % bytes.size()] = static_cast<char>(random() % 256);
      try {
        labels(write("changed.tif", bytes), {0, 1});
      } catch (const InputError& error) {
        EXPECT_TRUE(has(error.what(), "changed.tif")) << error.what();
      }
    }
  }
}

TEST_F(HostileImages, SlicesOfDifferentSizes) {
  write("slices/1.npy", npy("|u1", "(2, 2)", "abcd"));
  write("slices/2.npy", npy("|u1", "(2, 3)", "abcdef"));
  ImageFile file;
  file.path = folder / "slices/*.npy";
  file.pattern = true;
  try {
    labels(file, {0});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_TRUE(has(error.what(), "2.npy") && has(error.what(), "3 x 2")) << error.what();
  }
}

}  // namespace
}  // namespace poisson::image_errors_tests
