#include "io/files/descriptor.hpp"

#include <cerrno>

#include <unistd.h>

namespace poisson {

Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

int Descriptor::close() {
  return ::close(std::exchange(number_, -1));
}

int write_all(const Descriptor& file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return written < 0 ? errno : EIO;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

int read_at(int file, void* to, std::size_t bytes, off_t from) {
  for (char* at = static_cast<char*>(to); bytes > 0;) {
    const ssize_t got = ::pread(file, at, bytes, from);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got < 0 ? errno : -1;
    at += got;
    from += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return 0;
}

int flush_to_disk(const Descriptor& file) {
  while (fsync(file) != 0) {
    if (errno == EINVAL || errno == ENOTSUP) return 0;
    if (errno != EINTR) return errno;
  }
  return 0;
}

}  // namespace poisson
