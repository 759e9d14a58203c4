#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace poisson {

/// Names what a file should contain, for messages.
struct FileNoun {
  std::string_view noun;       ///< such as "image"
  std::string_view directory;  ///< the remedy if the path is a directory
};
inline constexpr FileNoun image_noun{"image", "Give a file in it, or all its slices by files: folder/*.tif."};

/// Is a complete file in memory, read by all threads. A mapped file would be no copy, but a process that reads beyond
/// the new end of a truncated file is killed.
class LoadedFile {
 public:
  /// Throws InputError if the file is missing, empty, no regular file, cannot be read, or becomes shorter.
  explicit LoadedFile(const std::filesystem::path& path, const FileNoun& noun = image_noun);
  LoadedFile(LoadedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  LoadedFile& operator=(LoadedFile&&) = delete;
  ~LoadedFile();

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

/// Returns the first bytes of a file, followed by zeros if it is shorter. Throws InputError as LoadedFile.
std::string first_bytes(const std::filesystem::path& path, std::size_t count);

/// Throws InputError: "NOUN 'path' cannot be read (why). Remedy."
[[noreturn]] void refuse_file(std::string_view noun, const std::filesystem::path& path, const std::string& why,
                              const std::string& remedy);
/// Throws InputError: "image 'path' cannot be read (why). Remedy."
[[noreturn]] void refuse_image(const std::filesystem::path& path, const std::string& why, const std::string& remedy);

}  // namespace poisson
