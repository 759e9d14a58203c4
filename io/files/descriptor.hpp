#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

#include <sys/types.h>

namespace poisson {

/// Owns an open file or directory of the operating system and closes it at the end of its scope; negative if none is
/// open.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();
  operator int() const { return number_; }
  /// Closes it now. Returns -1 and sets errno if that fails.
  int close();

 private:
  int number_;
};

/// Writes all bytes. Returns 0 or the error.
int write_all(const Descriptor& file, std::string_view bytes);

/// Reads `bytes` bytes from an offset. Returns 0, the error, or −1 if the file ends before.
int read_at(int file, void* to, std::size_t bytes, off_t from);

/// Waits until a file or directory is on its disk. Returns 0 or the error; 0 also if the file system cannot flush.
int flush_to_disk(const Descriptor& file);

}  // namespace poisson
