#include "io/pending_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>
#include <utility>

#include "backends/error.hpp"

namespace poisson {

PendingFile::PendingFile(std::filesystem::path place) : place_(std::move(place)) {
  std::string name(1, '.');
  name.append(place_.filename().string()).append(".part");
  temporary_ = place_.parent_path() / name;
  std::error_code error;
  if (const auto directory = place_.parent_path(); !directory.empty()) {
    std::filesystem::create_directories(directory, error);
    if (error) fail(error.message());
  }
  // The libraries that fill the file report a missing permission badly; the operating system says why at once.
  std::FILE* probe = std::fopen(temporary_.c_str(), "wb");
  if (!probe) fail(std::strerror(errno));
  std::fclose(probe);
}

PendingFile::~PendingFile() {
  std::error_code ignored;
  std::filesystem::remove(temporary_, ignored);
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
