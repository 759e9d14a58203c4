#include <algorithm>
#include <cmath>
#include <mutex>

#include "io/files/hdf5.hpp"
#include "io/images/image_source.hpp"
#include "io/images/loaded_file.hpp"

namespace poisson {
namespace {

// Is a dataset of an HDF5 file. Its values pass through double, which holds labels of 53 bits.
class Hdf5Image final : public ImageSource {
 public:
  explicit Hdf5Image(const ImageFile& file) : path_(file.path), dataset_(file.dataset) {
    std::vector<std::int64_t> shape = dataset_shape(path_, dataset_);
    if (shape.size() != 2 && shape.size() != 3)
      refuse_image(path_, "dataset '" + dataset_ + "' has " + std::to_string(shape.size()) + " axes",
                   "Give an array [z, y, x] or [y, x].");
    dimension_ = static_cast<int>(shape.size());
    std::ranges::reverse(shape);
    std::ranges::copy(shape, counts_.begin());
    type_ = {VoxelType::Kind::floating, 8, false};
    check_counts(path_, counts_, type_);
    check_stored(path_, dataset_);
  }

  // Blocks are large, so that a chunk of the file is decompressed few times.
  std::int64_t together() const override {
    constexpr std::int64_t bytes = std::int64_t{1} << 27;
    return std::clamp<std::int64_t>(bytes / slice_bytes(), 1, counts_[2]);
  }

  const std::byte* slices(std::int64_t z, std::int64_t count, std::vector<std::byte>& spare) const override {
    std::vector<std::int64_t> first{z, 0, 0}, box{count, counts_[1], counts_[0]};
    if (dimension_ == 2) first.erase(first.begin()), box.erase(box.begin());
    Dataset read;
    {
      const std::scoped_lock lock(mutex_);  // HDF5 is not safe for threads
      read = read_box(path_, dataset_, first, box);
    }
    const auto bytes = std::as_bytes(std::span<const double>(read.values));
    spare.assign(bytes.begin(), bytes.end());
    return spare.data();
  }

 private:
  std::filesystem::path path_;
  std::string dataset_;
  mutable std::mutex mutex_;
};

}  // namespace

std::shared_ptr<const ImageSource> open_hdf5_image(const ImageFile& file) {
  if (file.dataset.empty())
    refuse_image(file.path, "it is an HDF5 file and no dataset is named", "Add dataset: /path.");
  return std::make_shared<const Hdf5Image>(file);
}

}  // namespace poisson
