#include "io/files/pending_file.hpp"

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "backends/memory/error.hpp"
#include "backends/memory/memory.hpp"
#include "io/files/descriptor.hpp"
#include "io/files/result_folder.hpp"

namespace poisson {

std::filesystem::path PendingFile::temporary(const std::filesystem::path& place) {
  std::string name(1, '.');
  name.append(place.filename().string()).append(".part");
  return place.parent_path() / name;
}

PendingFile::PendingFile(std::filesystem::path place, std::uintmax_t bytes)
    : place_(std::move(place)), temporary_(temporary(place_)) {
  std::error_code error;
  if (const auto directory = place_.parent_path(); !directory.empty()) {
    std::filesystem::create_directories(directory, error);
    if (error) fail(error.message());
  }
  const auto space = std::filesystem::space(temporary_.parent_path().empty() ? "." : temporary_.parent_path(), error);
  if (!error && space.capacity > 0 && space.available < bytes)
    fail("it needs " + readable_bytes(static_cast<double>(bytes)) + ", but only " +
         readable_bytes(static_cast<double>(space.available)) + " are free");
  // Creates a new file, whatever had the name before. The operating system reports a missing permission clearly; the
  // libraries that fill the file do not.
  std::filesystem::remove(temporary_, error);
  Descriptor file(open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (file < 0 || file.close() != 0) fail(std::strerror(errno));
}

PendingFile::~PendingFile() {
  std::error_code ignored;
  std::filesystem::remove(temporary_, ignored);
}

void PendingFile::write(std::string_view bytes) const {
  Descriptor file(open(temporary_.c_str(), O_WRONLY | O_TRUNC | O_NOFOLLOW | O_CLOEXEC));
  if (file < 0) fail(std::strerror(errno));
  if (const int error = write_all(file, bytes)) fail(std::strerror(error));
  if (file.close() != 0) fail(std::strerror(errno));
}

std::filesystem::path PendingFile::commit() {
  // A disk may report an error as late as here.
  Descriptor file(open(temporary_.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (file < 0) fail(std::strerror(errno));
  if (const int error = flush_to_disk(file)) fail(std::strerror(error));
  if (file.close() != 0) fail(std::strerror(errno));
  std::error_code error;
  std::filesystem::rename(temporary_, place_, error);
  if (error) fail(error.message());
  return place_;
}

void PendingFile::fail(const std::filesystem::path& place, const std::string& why) {
  throw RunError(published_place(place).string() + " cannot be written (" + why +
                 "). Check the disk and its free space, or choose another output.directory.");
}

}  // namespace poisson
