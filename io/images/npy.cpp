// Reads images in numpy's format (numpy.lib.format), versions 1 to 3, without copying them.

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <string_view>

#include "io/images/image_source.hpp"
#include "io/images/loaded_file.hpp"

namespace poisson {
namespace {

constexpr std::size_t magic_bytes = 8;  // "\x93NUMPY", major, minor
constexpr std::string_view npy_remedy = "Write it by numpy.save.";

// Is an array in a file in memory. An array in Fortran's order is [z][y][x] with z fastest; blocks of slices are
// gathered.
class NpyImage final : public ImageSource {
 public:
  explicit NpyImage(const std::filesystem::path& path) : path_(path), file_(path) {
    const std::string_view header = find_header();
    read_type(value_of(header, "descr"));
    const std::string_view order = value_of(header, "fortran_order");
    fortran_ = order.starts_with("True");
    if (!fortran_ && !order.starts_with("False"))
      refuse_image(path_, "its fortran_order is neither True nor False", std::string(npy_remedy));
    read_shape(value_of(header, "shape"));
    check_counts(path_, counts_, type_);
    const std::int64_t wanted = slice_bytes() * counts_[2];
    const auto found = static_cast<std::int64_t>(file_.bytes().size() - begin_);
    if (found != wanted)
      refuse_image(path_,
                   "its shape needs " + std::to_string(wanted) + " bytes, but the file has " + std::to_string(found),
                   "Write it again.");
  }

  const std::byte* all() const override { return fortran_ ? nullptr : file_.bytes().data() + begin_; }

  std::int64_t together() const override { return fortran_ ? 64 : 1; }

  const std::byte* slices(std::int64_t z, std::int64_t count, std::vector<std::byte>& spare) const override {
    if (!fortran_) return all() + z * slice_bytes();
    spare.resize(static_cast<std::size_t>(count * slice_bytes()));
    switch (type_.bytes) {
      case 1:
        gather<1>(z, count, spare);
        break;
      case 2:
        gather<2>(z, count, spare);
        break;
      case 4:
        gather<4>(z, count, spare);
        break;
      default:
        gather<8>(z, count, spare);
    }
    return spare.data();
  }

 private:
  template <int bytes>
  void gather(std::int64_t z, std::int64_t count, std::vector<std::byte>& spare) const {
    const auto [nx, ny, nz] = counts_;
    const std::byte* const data = file_.bytes().data() + begin_;
    for (std::int64_t j = 0; j < ny; ++j)
      for (std::int64_t i = 0; i < nx; ++i) {
        const std::byte* from = data + (z + nz * (j + ny * i)) * bytes;
        std::byte* to = spare.data() + (j * nx + i) * bytes;
        for (std::int64_t k = 0; k < count; ++k, from += bytes, to += nx * ny * bytes) std::memcpy(to, from, bytes);
      }
  }

  std::string_view find_header() {
    const std::span<const std::byte> bytes = file_.bytes();
    const auto byte = [&](std::size_t i) { return std::to_integer<std::size_t>(bytes[i]); };
    if (bytes.size() < magic_bytes + 4) refuse_image(path_, "it is too short", std::string(npy_remedy));
    const std::size_t version = byte(6);
    if (version < 1 || version > 3)
      refuse_image(path_, "its format has version " + std::to_string(version), "Versions 1 to 3 are known.");
    const std::size_t width = version == 1 ? 2 : 4, start = magic_bytes + width;
    std::size_t length = 0;
    for (std::size_t i = width; i-- > 0;) length = length << 8 | byte(magic_bytes + i);
    if (length > bytes.size() - start) refuse_image(path_, "its header is incomplete", std::string(npy_remedy));
    begin_ = start + length;
    return {reinterpret_cast<const char*>(bytes.data()) + start, length};
  }

  // Returns the text after the key of the header, a dictionary of Python.
  std::string_view value_of(std::string_view header, std::string_view key) const {
    for (const char quote : {'\'', '"'}) {
      const std::string quoted = quote + std::string(key) + quote;
      std::size_t at = header.find(quoted);
      if (at == std::string_view::npos) continue;
      at = header.find_first_not_of(" :", at + quoted.size());
      if (at != std::string_view::npos) return header.substr(at);
    }
    refuse_image(path_, "its header has no entry '" + std::string(key) + "'", std::string(npy_remedy));
  }

  void read_type(std::string_view text) {
    const bool quoted = text.size() > 4 && (text[0] == '\'' || text[0] == '"');
    const std::size_t end = quoted ? text.find(text[0], 1) : std::string_view::npos;
    if (end == std::string_view::npos)
      refuse_image(path_, "its values are records", "Give one array of whole numbers.");
    const std::string_view name = text.substr(1, end - 1);
    const auto refuse = [&](const std::string& remedy_of_type) {
      refuse_image(path_, "its type is '" + std::string(name) + "'", remedy_of_type);
    };
    if (name.size() != 3) refuse("Convert it by array.astype('uint8').");
    const char order = name[0], kind = name[1];
    const int bytes = name[2] - '0';
    using Kind = VoxelType::Kind;
    if (kind == 'u' || kind == 'b')
      type_.kind = Kind::unsigned_integer;
    else if (kind == 'i')
      type_.kind = Kind::signed_integer;
    else if (kind == 'f' && bytes >= 4)
      type_.kind = Kind::floating;
    else
      refuse("Convert it by array.astype('uint8').");
    const bool known = bytes == 8 || bytes == 4 || bytes == 2 || bytes == 1;
    if (!known || std::string_view("<>|=").find(order) == std::string_view::npos)
      refuse("Convert it by array.astype('uint8').");
    type_.bytes = bytes;
    type_.swapped = bytes > 1 && order == (std::endian::native == std::endian::little ? '>' : '<');
  }

  void read_shape(std::string_view text) {
    std::vector<std::int64_t> shape;
    bool good = text.starts_with('(');
    const char *at = text.data() + 1, *const end = text.data() + text.size();
    while (good && at < end && *at != ')') {
      std::int64_t n = 0;
      const auto [next, error] = std::from_chars(at, end, n);
      good = error == std::errc() && n >= 0 && shape.size() < 32;
      shape.push_back(n);
      at = next;
      while (at < end && (*at == ',' || *at == ' ' || *at == 'L')) ++at;
    }
    if (!good || at >= end) refuse_image(path_, "its shape is not readable", std::string(npy_remedy));
    if (shape.size() != 2 && shape.size() != 3)
      refuse_image(path_, "it has " + std::to_string(shape.size()) + " axes", "Give an array [z, y, x] or [y, x].");
    dimension_ = static_cast<int>(shape.size());
    std::ranges::reverse(shape);
    std::ranges::copy(shape, counts_.begin());
  }

  std::filesystem::path path_;
  LoadedFile file_;
  std::size_t begin_ = 0;
  bool fortran_ = false;
};

}  // namespace

std::shared_ptr<const ImageSource> open_npy(const std::filesystem::path& path) {
  return std::make_shared<const NpyImage>(path);
}

}  // namespace poisson
