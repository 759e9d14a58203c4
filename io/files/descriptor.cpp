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

int flush_to_disk(const Descriptor& file) {
  while (fsync(file) != 0) {
    if (errno == EINVAL || errno == ENOTSUP) return 0;
    if (errno != EINTR) return errno;
  }
  return 0;
}

}  // namespace poisson
