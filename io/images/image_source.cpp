#include "io/images/image_source.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <string_view>

#include <glob.h>

#include "io/images/loaded_file.hpp"

namespace poisson {
namespace {

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

// Compares names so that numbers in them count as numbers.
bool naturally_less(std::string_view a, std::string_view b) {
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (!is_digit(a[i]) || !is_digit(b[j])) {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i, ++j;
      continue;
    }
    const auto number = [](std::string_view text, std::size_t& at) {
      while (at + 1 < text.size() && text[at] == '0' && is_digit(text[at + 1])) ++at;
      const std::size_t begin = at;
      while (at < text.size() && is_digit(text[at])) ++at;
      return text.substr(begin, at - begin);
    };
    const std::string_view one = number(a, i), other = number(b, j);
    if (one.size() != other.size()) return one.size() < other.size();
    if (one != other) return one < other;
  }
  return a.size() - i != b.size() - j ? a.size() - i < b.size() - j : a < b;
}

std::vector<std::filesystem::path> files_of(const std::filesystem::path& pattern) {
  glob_t found{};
  const int status = ::glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found);
  std::vector<std::string> names;
  if (status == 0) names.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  if (names.empty()) refuse_image(pattern, "no file has such a name", "Check the pattern, such as slices/*.tif.");
  std::ranges::sort(names, naturally_less);
  return {names.begin(), names.end()};
}

// Is a stack of images in the plane, one for each slice.
class Stack final : public ImageSource {
 public:
  explicit Stack(const ImageFile& file) {
    const std::vector<std::filesystem::path> paths = files_of(file.path);
    const auto size = [](const ImageSource& image) {
      return std::to_string(image.counts()[0]) + " x " + std::to_string(image.counts()[1]) + " of " +
             image.type().text();
    };
    for (const std::filesystem::path& path : paths) {
      ImageFile one = file;
      one.path = path;
      one.pattern = false;
      std::shared_ptr<const ImageSource> slice = open_image(one);
      if (slice->counts()[2] != 1)
        refuse_image(path, "it has " + std::to_string(slice->counts()[2]) + " slices",
                     "Each file must have one; give a file with all slices by file.");
      if (slices_.empty()) {
        counts_ = slice->counts();
        type_ = slice->type();
      } else if (counts_ != slice->counts() || !(type_ == slice->type())) {
        refuse_image(path,
                     "it has " + size(*slice) + " voxels, but " + paths.front().string() + " has " + size(*slices_[0]),
                     "Give slices of one size and type.");
      }
      slices_.push_back(std::move(slice));
    }
    counts_[2] = static_cast<std::int64_t>(slices_.size());
    check_counts(file.path, counts_, type_);
  }

  const std::byte* slices(std::int64_t z, std::int64_t count, std::vector<std::byte>& spare) const override {
    if (count == 1) return slices_[static_cast<std::size_t>(z)]->slices(0, 1, spare);
    std::vector<std::byte> one;
    spare.resize(static_cast<std::size_t>(count * slice_bytes()));
    for (std::int64_t k = 0; k < count; ++k)
      std::copy_n(slices_[static_cast<std::size_t>(z + k)]->slices(0, 1, one), slice_bytes(),
                  spare.begin() + k * slice_bytes());
    return spare.data();
  }

 private:
  std::vector<std::shared_ptr<const ImageSource>> slices_;
};

}  // namespace

void check_counts(const std::filesystem::path& path, const VoxelCounts& counts, const VoxelType& type) {
  double bytes = type.bytes;
  for (const std::int64_t n : counts) {
    if (n < 1) refuse_image(path, "it has no voxel", "Check its shape.");
    bytes *= static_cast<double>(n);
  }
  if (bytes > 0x1p60) refuse_image(path, "its shape needs more than 2^60 bytes", "Check its shape.");
}

std::shared_ptr<const ImageSource> open_image(const ImageFile& file) {
  if (file.pattern) return std::make_shared<const Stack>(file);
  if (file.type) return open_raw(file);
  const std::string first = first_bytes(file.path, 8);
  using namespace std::string_view_literals;
  if (first.starts_with("\x93NUMPY"sv)) return open_npy(file.path);
  for (const std::string_view magic : {"II*\0"sv, "MM\0*"sv, "II+\0"sv, "MM\0+"sv})
    if (first.starts_with(magic)) return open_tiff(file.path);
  if (first.starts_with("NRRD000"sv)) return open_nrrd(file.path);
  if (first == "\x89HDF\r\n\x1a\n"sv) return open_hdf5_image(file);
  refuse_image(file.path, "it is neither .npy, NRRD, TIFF nor HDF5",
               "If it has only voxels, add type: uint8 and shape: [x, y, z].");
}

}  // namespace poisson
