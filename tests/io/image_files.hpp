#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "io/images/label_image.hpp"

namespace poisson {

/// Writes images into a folder of the test, which it deletes afterwards.
class ImageFiles : public testing::Test {
 protected:
  ImageFiles() { std::filesystem::create_directories(folder); }
  ~ImageFiles() override { std::filesystem::remove_all(folder); }

  std::filesystem::path write(const std::string& name, const std::string& bytes) const {
    std::filesystem::create_directories((folder / name).parent_path());
    std::ofstream(folder / name, std::ios::binary) << bytes;
    return folder / name;
  }

  /// Returns the bytes of an array in numpy's format, version 1.
  static std::string npy(const std::string& type, const std::string& shape, const std::string& values,
                         const std::string& fortran = "False") {
    std::string header = "{'descr': '" + type + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }";
    header.resize((header.size() + 11) / 64 * 64 + 53, ' ');
    header += '\n';
    std::string bytes = "\x93NUMPY";
    bytes += '\1';
    bytes += '\0';
    bytes += static_cast<char>(header.size() % 256);
    bytes += static_cast<char>(header.size() / 256);
    return bytes + header + values;
  }

  template <class T>
  static std::string bytes_of(const std::vector<T>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
  }

  /// Returns all codes of an image for the listed values, x fastest.
  static std::vector<int> codes(const LabelImage& image) {
    std::vector<int> all;
    const Crop& crop = image.crop();
    std::vector<std::int64_t> row;
    for (std::int64_t x = 0; x < crop.count(0); ++x) row.push_back(x);
    std::vector<std::uint16_t> line(row.size());
    for (std::int64_t z = 0; z < crop.count(2); ++z)
      for (std::int64_t y = 0; y < crop.count(1); ++y) {
        image.codes(y, z, row, line);
        all.insert(all.end(), line.begin(), line.end());
      }
    return all;
  }

  static LabelImage labels(const ImageFile& file, const std::vector<std::int64_t>& values) {
    const std::shared_ptr<const ImageSource> source = open_image(file);
    return {source, {{0, 0, 0}, source->counts()}, values, file.path};
  }
  static LabelImage labels(const std::filesystem::path& path, const std::vector<std::int64_t>& values) {
    ImageFile file;
    file.path = path;
    return labels(file, values);
  }

  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("poisson-images-" + std::to_string(::getpid()));
};

}  // namespace poisson
