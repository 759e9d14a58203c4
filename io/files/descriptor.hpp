#pragma once

#include <string_view>
#include <utility>

namespace poisson {

/// An open file or directory of the operating system, closed at the end of its scope; negative where there is none.
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
  /// Closes now; -1 and errno where that fails.
  int close();

 private:
  int number_;
};

/// Writes all bytes; 0, or the error.
int write_all(const Descriptor& file, std::string_view bytes);

/// Waits until a file or directory is on its disk; 0, or the error. Where a file system has no such thing, 0.
int flush_to_disk(const Descriptor& file);

}  // namespace poisson
