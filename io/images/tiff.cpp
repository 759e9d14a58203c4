// Reads TIFF and BigTIFF images through libtiff: one slice a page. Plain pages are used where the file is loaded;
// compressed and tiled pages are decoded by as many threads as ask for them.

#include "io/images/image_source.hpp"

#ifdef POISSON_HAVE_TIFF

#include <algorithm>
#include <bit>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <functional>
#include <mutex>
#include <utility>

#include <tiffio.h>

#include "io/images/loaded_file.hpp"

namespace poisson {
namespace {

constexpr std::int64_t largest_axis = 1 << 20;

// Is an open file, whose messages are kept instead of printed.
class TiffFile {
 public:
  explicit TiffFile(const std::filesystem::path& path) {
    TIFFOpenOptions* const options = TIFFOpenOptionsAlloc();
    TIFFOpenOptionsSetErrorHandlerExtR(options, note, this);
    TIFFOpenOptionsSetWarningHandlerExtR(options, ignore, nullptr);
    // "m": not mapped, because a file that is truncated while it is mapped would end the process.
    file_.reset(TIFFOpenExt(path.c_str(), "rm", options));
    TIFFOpenOptionsFree(options);
  }
  TiffFile(const TiffFile&) = delete;
  TiffFile& operator=(const TiffFile&) = delete;

  TIFF* get() const { return file_.get(); }
  const std::string& message() const { return message_; }

  template <class T>
  T field(std::uint32_t tag, T fallback) const {
    T value = fallback;
    return TIFFGetFieldDefaulted(get(), tag, &value) == 1 ? value : fallback;
  }

 private:
  static int note(TIFF*, void* self, const char*, const char* format, va_list arguments) {
    std::array<char, 300> text{};
    std::vsnprintf(text.data(), text.size(), format, arguments);
    auto& message = static_cast<TiffFile*>(self)->message_;
    if (message.empty()) message = text.data();
    return 1;
  }
  static int ignore(TIFF*, void*, const char*, const char*, va_list) { return 1; }

  std::string message_;
  struct Close {
    void operator()(TIFF* file) const { TIFFClose(file); }
  };
  std::unique_ptr<TIFF, Close> file_;
};

struct Page {
  std::uint64_t directory = 0;
  std::int64_t plain = -1;  // where the voxels of a plain page begin in the file; −1: it must be decoded
};

class TiffImage final : public ImageSource {
 public:
  explicit TiffImage(const std::filesystem::path& path) : path_(path), loaded_(path) {
    TiffFile file(path);
    if (!file.get()) refuse(file, "Give a TIFF file.");
    double stored = 0;
    do {
      if ((file.field<std::uint32_t>(TIFFTAG_SUBFILETYPE, 0) & FILETYPE_REDUCEDIMAGE) != 0) continue;
      read_page(file);
      stored += stored_bytes(file);
    } while (TIFFReadDirectory(file.get()) == 1);
    if (!file.message().empty()) refuse(file, "It may be damaged.");
    if (pages_.empty()) refuse_image(path_, "it has no pages", "Give a TIFF file with one slice a page.");
    read_hyperstack(file);
    counts_[2] = static_cast<std::int64_t>(pages_.size());
    dimension_ = pages_.size() == 1 ? 2 : 3;
    check_counts(path_, counts_, type_);
    check_stored(stored);
  }

  const std::byte* slices(std::int64_t z, std::int64_t count, std::vector<std::byte>& spare) const override {
    if (count == 1 && page(z).plain >= 0) return loaded_.bytes().data() + page(z).plain;
    spare.resize(static_cast<std::size_t>(count * slice_bytes()));
    for (std::int64_t k = 0; k < count; ++k) {
      std::byte* const to = spare.data() + k * slice_bytes();
      if (page(z + k).plain >= 0)
        std::memcpy(to, loaded_.bytes().data() + page(z + k).plain, static_cast<std::size_t>(slice_bytes()));
      else
        decode(z + k, to);
    }
    return spare.data();
  }

 private:
  const Page& page(std::int64_t z) const { return pages_[static_cast<std::size_t>(z)]; }

  [[noreturn]] void refuse(const TiffFile& file, const std::string& remedy) const {
    refuse_image(path_, file.message().empty() ? "it is not a TIFF file" : "libtiff: " + file.message(), remedy);
  }

  std::string number() const { return "page " + std::to_string(pages_.size()); }

  void read_page(const TiffFile& file) {
    const auto width = static_cast<std::int64_t>(file.field<std::uint32_t>(TIFFTAG_IMAGEWIDTH, 0));
    const auto height = static_cast<std::int64_t>(file.field<std::uint32_t>(TIFFTAG_IMAGELENGTH, 0));
    const VoxelType type = type_of(file);
    const auto size = [](std::int64_t x, std::int64_t y, const VoxelType& t) {
      return std::to_string(x) + " x " + std::to_string(y) + " of " + t.text();
    };
    if (width < 1 || height < 1 || width > largest_axis || height > largest_axis)
      refuse_image(path_, number() + " has " + size(width, height, type) + " pixels", "Write it again.");
    if (pages_.empty()) {
      counts_ = {width, height, 1};
      type_ = type;
    } else if (counts_[0] != width || counts_[1] != height || !(type == type_)) {
      refuse_image(path_,
                   number() + " has " + size(width, height, type) + " pixels, but page 0 has " +
                       size(counts_[0], counts_[1], type_),
                   "Give pages of one size and type.");
    }
    pages_.push_back({TIFFCurrentDirOffset(file.get()), plain_start(file)});
  }

  VoxelType type_of(const TiffFile& file) const {
    const auto samples = file.field<std::uint16_t>(TIFFTAG_SAMPLESPERPIXEL, 1);
    const auto bits = file.field<std::uint16_t>(TIFFTAG_BITSPERSAMPLE, 1);
    const auto format = file.field<std::uint16_t>(TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_UINT);
    if (samples != 1)
      refuse_image(path_, number() + " has " + std::to_string(samples) + " channels",
                   "Give one channel of labels instead of colours.");
    using Kind = VoxelType::Kind;
    const bool whole = format == SAMPLEFORMAT_UINT || format == SAMPLEFORMAT_INT || format == SAMPLEFORMAT_VOID;
    if (!((whole && (bits == 8 || bits == 16 || bits == 32)) ||
          (format == SAMPLEFORMAT_IEEEFP && (bits == 32 || bits == 64))))
      refuse_image(path_,
                   number() + " has " + std::to_string(bits) + " bits a pixel" + (whole ? "" : " of this format"),
                   "Save 8, 16 or 32 bits.");
    return {format == SAMPLEFORMAT_IEEEFP
                ? Kind::floating
                : (format == SAMPLEFORMAT_INT ? Kind::signed_integer : Kind::unsigned_integer),
            bits / 8, false};
  }

  // Returns where a page begins that is stored in one piece without compression, in the byte order of this machine.
  std::int64_t plain_start(const TiffFile& file) const {
    TIFF* const tiff = file.get();
    if (TIFFIsTiled(tiff) || file.field<std::uint16_t>(TIFFTAG_COMPRESSION, COMPRESSION_NONE) != COMPRESSION_NONE ||
        (type_.bytes > 1 && TIFFIsByteSwapped(tiff)))
      return -1;
    const std::uint32_t strips = TIFFNumberOfStrips(tiff);
    const std::uint64_t begin = TIFFGetStrileOffset(tiff, 0);
    std::uint64_t end = begin;
    for (std::uint32_t s = 0; s < strips; ++s) {
      if (TIFFGetStrileOffset(tiff, s) != end) return -1;
      end += TIFFGetStrileByteCount(tiff, s);
    }
    const std::size_t length = loaded_.bytes().size();
    if (begin == 0 || end > length || end < begin || end - begin != static_cast<std::uint64_t>(slice_bytes()))
      return -1;
    return static_cast<std::int64_t>(begin);
  }

  // Adds the slices of an image by ImageJ beyond 4 GiB, which has one page and all voxels behind each other.
  void read_hyperstack(const TiffFile& file) {
    char* text = nullptr;
    if (pages_.size() != 1 || pages_[0].plain < 0 || TIFFGetField(file.get(), TIFFTAG_IMAGEDESCRIPTION, &text) != 1 ||
        !text)
      return;
    const std::string_view description(text);
    const std::size_t at = description.find("images=");
    if (!description.starts_with("ImageJ=") || at == std::string_view::npos) return;
    const long slices = std::strtol(text + at + 7, nullptr, 10);
    const auto space = static_cast<std::int64_t>(loaded_.bytes().size()) - pages_[0].plain;
    if (slices <= 1 || slices > space / slice_bytes()) return;
    for (long z = 1; z < slices; ++z) pages_.push_back({0, pages_[0].plain + z * slice_bytes()});
  }

  double stored_bytes(const TiffFile& file) const {
    const std::uint32_t pieces =
        TIFFIsTiled(file.get()) ? TIFFNumberOfTiles(file.get()) : TIFFNumberOfStrips(file.get());
    double bytes = 0;
    for (std::uint32_t p = 0; p < pieces; ++p) bytes += static_cast<double>(TIFFGetStrileByteCount(file.get(), p));
    const bool tiled = TIFFIsTiled(file.get());
    if (const double piece = static_cast<double>(tiled ? TIFFTileSize64(file.get()) : TIFFStripSize64(file.get()));
        piece > 4 * static_cast<double>(slice_bytes()) + 0x1p20)
      refuse_image(path_, "a tile is far larger than the page", "Write it again.");
    return bytes;
  }

  // A file that is far smaller than its pages would fill the memory without being an image.
  void check_stored(double stored) const {
    constexpr double small = 1 << 24, densest = 5000;
    const double stated = static_cast<double>(slice_bytes()) * static_cast<double>(counts_[2]);
    stored = std::min(stored, static_cast<double>(loaded_.bytes().size()));
    if (stated > small && stored * densest < stated)
      refuse_image(path_,
                   "its pages need " + std::to_string(static_cast<std::int64_t>(stated)) +
                       " bytes, but the file stores only " + std::to_string(static_cast<std::int64_t>(stored)),
                   "Write it again.");
  }

  void decode(std::int64_t z, std::byte* to) const {
    std::unique_ptr<TiffFile> file = borrow();
    const auto failed = [&] {
      const std::string& why = file->message();
      refuse_image(path_, "page " + std::to_string(z) + " is damaged" + (why.empty() ? "" : "; libtiff: " + why),
                   "Write it again.");
    };
    if (!file->get() || TIFFSetSubDirectory(file->get(), page(z).directory) != 1) failed();
    const bool good = TIFFIsTiled(file->get()) ? decode_tiles(file->get(), to) : decode_strips(file->get(), to);
    if (!good || !file->message().empty()) failed();
    const std::scoped_lock lock(mutex_);
    idle_.push_back(std::move(file));
  }

  std::unique_ptr<TiffFile> borrow() const {
    const std::scoped_lock lock(mutex_);
    if (idle_.empty()) return std::make_unique<TiffFile>(path_);
    std::unique_ptr<TiffFile> file = std::move(idle_.back());
    idle_.pop_back();
    return file;
  }

  bool decode_strips(TIFF* file, std::byte* to) const {
    const std::uint32_t strips = TIFFNumberOfStrips(file);
    std::int64_t at = 0;
    for (std::uint32_t s = 0; s < strips; ++s) {
      const tmsize_t size = std::min<tmsize_t>(TIFFVStripSize(file, rows_of(file, s)), slice_bytes() - at);
      if (size <= 0 || TIFFReadEncodedStrip(file, s, to + at, size) != size) return false;
      at += size;
    }
    return at == slice_bytes();
  }

  std::uint32_t rows_of(TIFF* file, std::uint32_t strip) const {
    const auto rows = static_cast<std::uint32_t>(counts_[1]);
    std::uint32_t each = rows;
    TIFFGetFieldDefaulted(file, TIFFTAG_ROWSPERSTRIP, &each);
    each = std::clamp<std::uint32_t>(each, 1, rows);
    const std::uint64_t first = std::uint64_t{each} * strip;
    return first >= rows ? 0 : std::min<std::uint32_t>(each, rows - static_cast<std::uint32_t>(first));
  }

  bool decode_tiles(TIFF* file, std::byte* to) const {
    std::uint32_t width = 0, height = 0;
    TIFFGetField(file, TIFFTAG_TILEWIDTH, &width);
    TIFFGetField(file, TIFFTAG_TILELENGTH, &height);
    const tmsize_t size = TIFFTileSize(file);
    const auto row = static_cast<std::int64_t>(width) * type_.bytes;
    if (width == 0 || height == 0 || size < row * static_cast<std::int64_t>(height)) return false;
    std::vector<std::byte> tile(static_cast<std::size_t>(size));
    for (std::int64_t y = 0; y < counts_[1]; y += height)
      for (std::int64_t x = 0; x < counts_[0]; x += width) {
        if (TIFFReadTile(file, tile.data(), static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y), 0, 0) < 0)
          return false;
        const std::int64_t bytes = std::min<std::int64_t>(width, counts_[0] - x) * type_.bytes;
        for (std::int64_t j = 0; j < std::min<std::int64_t>(height, counts_[1] - y); ++j)
          std::memcpy(to + ((y + j) * counts_[0] + x) * type_.bytes, tile.data() + j * row,
                      static_cast<std::size_t>(bytes));
      }
    return true;
  }

  std::filesystem::path path_;
  LoadedFile loaded_;
  std::vector<Page> pages_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<TiffFile>> idle_;
};

}  // namespace

std::shared_ptr<const ImageSource> open_tiff(const std::filesystem::path& path) {
  return std::make_shared<const TiffImage>(path);
}

}  // namespace poisson

#else

#include "io/images/loaded_file.hpp"

namespace poisson {

std::shared_ptr<const ImageSource> open_tiff(const std::filesystem::path& path) {
  refuse_image(path, "this build has no libtiff", "Build with libtiff (Debian: libtiff-dev), or save it as .npy.");
}

}  // namespace poisson

#endif
