#include "io/pending_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "backends/error.hpp"

namespace poisson {

PendingFile::PendingFile(std::filesystem::path place, std::uintmax_t bytes) : place_(std::move(place)) {
  std::string name(1, '.');
  name.append(place_.filename().string()).append(".part");
  temporary_ = place_.parent_path() / name;
  std::error_code error;
  if (const auto directory = place_.parent_path(); !directory.empty()) {
    std::filesystem::create_directories(directory, error);
    if (error) fail(error.message());
  }
  // The libraries that fill the file report a missing permission badly; the operating system says why at once.
  write("");
  const auto space = std::filesystem::space(temporary_.parent_path().empty() ? "." : temporary_.parent_path(), error);
  if (!error && space.capacity > 0 && space.available < bytes) {
    std::filesystem::remove(temporary_, error);
    fail(fmt::format("it needs {:.3g} GiB and {:.3g} GiB are free", static_cast<double>(bytes) / (1 << 30),
                     static_cast<double>(space.available) / (1 << 30)));
  }
}

PendingFile::~PendingFile() {
  std::error_code ignored;
  std::filesystem::remove(temporary_, ignored);
}

void PendingFile::write(std::string_view bytes) const {
  std::FILE* file = std::fopen(temporary_.c_str(), "wb");
  if (!file) fail(std::strerror(errno));
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  const int error = errno;
  // Closing flushes, which may be what fails.
  if (std::fclose(file) != 0 || !written) fail(std::strerror(written ? errno : error));
}

std::filesystem::path PendingFile::commit() {
  std::error_code error;
  std::filesystem::rename(temporary_, place_, error);
  if (error) fail(error.message());
  return place_;
}

void PendingFile::fail(const std::string& why) const {
  throw RunError(place_.string() + " cannot be written (" + why +
                 "). Free some space there, or choose another output.directory.");
}

}  // namespace poisson
