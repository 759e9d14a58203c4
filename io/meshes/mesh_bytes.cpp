#include "io/meshes/mesh_bytes.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/config/spelling.hpp"
#include "io/files/descriptor.hpp"

namespace poisson {

UnsetVector<char> read_bytes(const std::filesystem::path& file) {
  const auto refuse = [&](const std::string& why, const char* remedy = "") {
    throw InputError("cannot read the mesh " + printable(file.string()) + " (" + why + ")" + remedy);
  };
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) refuse(std::generic_category().message(errno), "; check grid.file");
  struct Closing {
    int descriptor;
    ~Closing() { close(descriptor); }
  } closing{descriptor};
  struct stat status {};
  if (fstat(descriptor, &status) != 0) refuse(std::generic_category().message(errno));
  if (!S_ISREG(status.st_mode)) refuse("it is not a regular file; give a .msh or .vtu file");
  UnsetVector<char> bytes;
  bytes.resize(static_cast<std::size_t>(status.st_size));
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = read(descriptor, bytes.data() + done, std::min<std::size_t>(bytes.size() - done, 1U << 30));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse(std::generic_category().message(errno));
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  bytes.resize(done);
  return bytes;
}

void MeshBytes::fail(const std::string& what) const {
  const std::size_t end = std::min(at_, bytes_.size());
  const auto line = 1 + std::count(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(end), '\n');
  throw InputError(name_ + (binary ? ", byte " + std::to_string(at_) : ":" + std::to_string(line)) + ": " + what);
}

void MeshBytes::ends_within(const char* what) const {
  fail(std::string("the file ends where ") + what + " should follow: it is incomplete; save it again");
}

void MeshBytes::wrong_number(std::string_view found, const char* what) const {
  fail(std::string("expected a number (") + what + "), found \"" + printable(found.substr(0, 40)) +
       "\": the file is damaged, or its header does not describe it; save it again");
}

std::string_view MeshBytes::line() {
  const std::size_t end = std::min(bytes_.find('\n', at_), bytes_.size());
  std::string_view text = bytes_.substr(at_, end - at_);
  at_ = std::min(end + 1, bytes_.size());
  if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
  return text;
}

void MeshBytes::skip_spaces() {
  while (at_ < bytes_.size() &&
         (bytes_[at_] == ' ' || bytes_[at_] == '\n' || bytes_[at_] == '\t' || bytes_[at_] == '\r'))
    ++at_;
}

std::string_view MeshBytes::word() {
  skip_spaces();
  const std::size_t first = at_;
  while (at_ < bytes_.size() && bytes_[at_] != ' ' && bytes_[at_] != '\n' && bytes_[at_] != '\t' && bytes_[at_] != '\r')
    ++at_;
  return bytes_.substr(first, at_ - first);
}

}  // namespace poisson
