#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>

namespace poisson {

/// Is a complete file in memory, read-only and without a copy: pages come from the page cache on first use.
class MappedFile {
 public:
  /// Throws InputError if the file is missing, empty, no regular file, or cannot be read.
  explicit MappedFile(const std::filesystem::path& path);
  MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  MappedFile& operator=(MappedFile&&) = delete;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

/// Throws InputError: "image 'path' cannot be read (why). Remedy."
[[noreturn]] void refuse_image(const std::filesystem::path& path, const std::string& why, const std::string& remedy);

}  // namespace poisson
