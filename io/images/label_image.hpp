#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "io/images/image_source.hpp"

namespace poisson {

/// Is a box of voxels of an image: first and past the last along x, y and z.
struct Crop {
  VoxelCounts first{0, 0, 0}, last{1, 1, 1};
  std::int64_t count(std::size_t axis) const { return last[axis] - first[axis]; }
};

/// Contains the labels of an image as codes of one or two bytes. Voxels of one byte in the order of the array stay in
/// the loaded file. A code is the index of a value in the list of values; other values share the code after the last.
class LabelImage {
 public:
  struct Unlisted {
    std::int64_t value, count;
  };

  /// Reads all voxels of the crop with all threads. `values` are distinct, at most 65534. Throws InputError if the
  /// image is damaged, has numbers that are not whole, or needs more memory than is free; `path` names the image.
  LabelImage(std::shared_ptr<const ImageSource> source, const Crop& crop, std::vector<std::int64_t> values,
             const std::filesystem::path& path);

  const Crop& crop() const { return crop_; }
  /// Returns the number of voxels with each value, in the order of the list.
  const std::vector<std::int64_t>& counts() const { return counts_; }
  /// Returns values that are not in the list, most frequent first, at most 1000; `unlisted_count` counts all voxels.
  const std::vector<Unlisted>& unlisted() const { return unlisted_; }
  std::int64_t unlisted_count() const { return unlisted_count_; }

  /// Writes the codes of `voxels` of the row (y, z); all count from the first voxel of the crop.
  void codes(std::int64_t y, std::int64_t z, std::span<const std::int64_t> voxels,
             std::span<std::uint16_t> codes) const;
  /// Describes stored bytes: the voxel (x, y, z) of the crop has first[x + row y + slice z], and the code of a byte is
  /// in the table.
  struct Bytes {
    const std::uint8_t* first;  ///< null if codes have two bytes
    std::int64_t row, slice;
    std::span<const std::uint16_t, 256> table;
  };
  Bytes bytes_of_voxels() const { return {start_, row_, slice_, table_}; }
  /// Returns the bytes that the codes need in addition to a loaded file.
  std::size_t bytes() const { return bytes_; }

 private:
  struct Tally;
  class Coder;
  void reserve(const std::filesystem::path& path);
  void read(const std::filesystem::path& path);
  void read_slices(std::int64_t first, std::int64_t last, const Coder& coder, Tally& tally) const;
  void note(const Tally& tally);

  std::shared_ptr<const ImageSource> source_;
  Crop crop_;
  std::vector<std::int64_t> values_, counts_;
  std::vector<Unlisted> unlisted_;
  std::int64_t unlisted_count_ = 0;
  // Voxels of one byte: their codes follow from the table. Other voxels are stored as codes.
  std::array<std::uint16_t, 256> table_{};
  const std::uint8_t* start_ = nullptr;  // of the crop, in a loaded file or in narrow_
  std::int64_t row_ = 0, slice_ = 0;     // strides
  std::unique_ptr<std::uint8_t[]> narrow_;
  std::unique_ptr<std::uint16_t[]> wide_;
  std::size_t bytes_ = 0;
};

}  // namespace poisson
