#include "io/images/mapped_file.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "backends/memory/error.hpp"
#include "io/files/descriptor.hpp"

namespace poisson {

void refuse_image(const std::filesystem::path& path, const std::string& why, const std::string& remedy) {
  throw InputError("image '" + path.string() + "' cannot be read (" + why + "). " + remedy);
}

MappedFile::MappedFile(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) refuse_image(path, "there is no such file", "Check the path.");
  if (std::filesystem::is_directory(status))
    refuse_image(path, "it is a directory", "Give a file in it, or all its slices by files: folder/*.tif.");
  if (!std::filesystem::is_regular_file(status))
    refuse_image(path, "it is a pipe or a device", "Give a file on a disk.");
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat facts {};
  if (file < 0 || ::fstat(file, &facts) != 0) refuse_image(path, std::strerror(errno), "Check its permissions.");
  if (facts.st_size == 0) refuse_image(path, "it is empty", "Write it again.");
  const auto size = static_cast<std::size_t>(facts.st_size);
  void* const memory = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) refuse_image(path, std::strerror(errno), "Check the limits of address space (ulimit -v).");
  ::madvise(memory, size, MADV_WILLNEED);
  bytes_ = {static_cast<const std::byte*>(memory), size};
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace poisson
