#include "io/images/array_image.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "backends/memory/error.hpp"

namespace poisson {
namespace {

// Is an array of the calling program.
class ArrayImage final : public ImageSource {
 public:
  ArrayImage(const VoxelType& type, std::span<const std::int64_t> counts, std::shared_ptr<const void> voxels)
      : voxels_(std::move(voxels)) {
    type_ = type;
    dimension_ = static_cast<int>(counts.size());
    std::ranges::copy(counts, counts_.begin());
    check_counts("array", counts_, type_);
  }

  const std::byte* all() const override { return static_cast<const std::byte*>(voxels_.get()); }
  const std::byte* slices(std::int64_t z, std::int64_t, std::vector<std::byte>&) const override {
    return all() + z * slice_bytes();
  }

 private:
  std::shared_ptr<const void> voxels_;
};

}  // namespace

std::shared_ptr<const ImageSource> image_of_array(const VoxelType& type, std::span<const std::int64_t> counts,
                                                  std::shared_ptr<const void> voxels) {
  if (counts.size() != 2 && counts.size() != 3)
    throw InputError("an image has two or three axes, and the array has " + std::to_string(counts.size()) +
                     "; give an array [z, y, x] or [y, x]");
  return std::make_shared<const ArrayImage>(type, counts, std::move(voxels));
}

}  // namespace poisson
