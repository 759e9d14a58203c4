#include "io/images/loaded_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backends/memory/error.hpp"
#include "io/files/descriptor.hpp"

namespace poisson {

void refuse_file(std::string_view noun, const std::filesystem::path& path, const std::string& why,
                 const std::string& remedy) {
  throw InputError(std::string(noun) + " '" + path.string() + "' cannot be read (" + why + "). " + remedy);
}

void refuse_image(const std::filesystem::path& path, const std::string& why, const std::string& remedy) {
  refuse_file(image_noun.noun, path, why, remedy);
}

namespace {

// Opens a file and returns its size.
std::pair<Descriptor, std::size_t> open_whole(const std::filesystem::path& path, const FileNoun& noun) {
  const auto refuse = [&](const std::string& why, const std::string& remedy) {
    refuse_file(noun.noun, path, why, remedy);
  };
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) refuse("there is no such file", "Check the path.");
  if (std::filesystem::is_directory(status)) refuse("it is a directory", std::string(noun.directory));
  if (!std::filesystem::is_regular_file(status)) refuse("it is a pipe or a device", "Give a file on a disk.");
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat facts {};
  if (file < 0 || ::fstat(file, &facts) != 0) refuse(std::strerror(errno), "Check its permissions.");
  if (facts.st_size == 0) refuse("it is empty", "Write it again.");
  return {std::move(file), static_cast<std::size_t>(facts.st_size)};
}

}  // namespace

LoadedFile::LoadedFile(const std::filesystem::path& path, const FileNoun& noun) {
  const auto refuse = [&](const std::string& why, const std::string& remedy) {
    refuse_file(noun.noun, path, why, remedy);
  };
  const auto [file, size] = open_whole(path, noun);
  void* const memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) refuse(std::strerror(errno), "Check the limits of address space (ulimit -v).");
  ::madvise(memory, size, MADV_HUGEPAGE);
  bytes_ = {static_cast<const std::byte*>(memory), size};
  constexpr std::size_t slab = std::size_t{1} << 22;
  int failure = 0;
  const int from = file;
  const std::size_t all = size;
#pragma omp parallel for schedule(dynamic) reduction(max : failure)
  for (std::size_t first = 0; first < all; first += slab) {
    const int one =
        read_at(from, static_cast<std::byte*>(memory) + first, std::min(slab, all - first), static_cast<off_t>(first));
    failure = std::max(failure, one < 0 ? ENODATA : one);
  }
  if (failure == 0) return;
  ::munmap(memory, size);
  bytes_ = {};
  if (failure == ENODATA) refuse("it became shorter while it was read", "Write it again, then start the run.");
  refuse(std::strerror(failure), "Check the disk.");
}

LoadedFile::~LoadedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

std::string first_bytes(const std::filesystem::path& path, std::size_t count) {
  const auto [file, size] = open_whole(path, image_noun);
  std::string bytes(count, '\0');
  read_at(file, bytes.data(), std::min(count, size), 0);
  return bytes;
}

}  // namespace poisson
