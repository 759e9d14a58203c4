#include <algorithm>

#include "io/images/image_source.hpp"
#include "io/images/loaded_file.hpp"

namespace poisson {
namespace {

// Is a file that has only voxels, x fastest, after an offset.
class RawImage final : public ImageSource {
 public:
  explicit RawImage(const ImageFile& file) : file_(file.path) {
    type_ = *file.type;
    dimension_ = static_cast<int>(file.shape.size());
    std::ranges::copy(file.shape, counts_.begin());
    check_counts(file.path, counts_, type_);
    const std::int64_t wanted = slice_bytes() * counts_[2];
    const auto found = static_cast<std::int64_t>(file_.bytes().size()) - file.offset;
    if (file.offset < 0 || found != wanted)
      refuse_image(file.path,
                   "shape, type and offset need " + std::to_string(wanted) + " + " + std::to_string(file.offset) +
                       " bytes, but it has " + std::to_string(file_.bytes().size()),
                   "Check shape, type and offset.");
    data_ = file_.bytes().data() + file.offset;
  }

  const std::byte* all() const override { return data_; }
  const std::byte* slices(std::int64_t z, std::int64_t, std::vector<std::byte>&) const override {
    return data_ + z * slice_bytes();
  }

 private:
  LoadedFile file_;
  const std::byte* data_ = nullptr;
};

}  // namespace

std::shared_ptr<const ImageSource> open_raw(const ImageFile& file) {
  return std::make_shared<const RawImage>(file);
}

}  // namespace poisson
