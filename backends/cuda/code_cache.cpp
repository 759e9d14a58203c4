#include "backends/cuda/code_cache.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace poisson::cuda {
namespace {

constexpr std::string_view magic = "poisson code 2\n";
constexpr std::size_t largest_file = std::size_t{1} << 28;

// Returns the SHA-256 hash in hexadecimal digits, or nothing if the library does not provide it.
std::optional<std::string> hash(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned length = 0;
  if (EVP_Digest(text.data(), text.size(), bytes.data(), &length, EVP_sha256(), nullptr) != 1) return std::nullopt;
  std::string digits;
  for (unsigned i = 0; i < length; ++i)
    for (const int nibble : {bytes[i] >> 4, bytes[i] & 15}) digits += "0123456789abcdef"[nibble];
  return digits;
}

std::string bytes_of_number(std::uint64_t value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

// Returns the beginning of a file, before the code: magic, sizes, the hash of the code, the key.
std::optional<std::string> preamble(std::string_view key, std::string_view code) {
  const auto sum = hash(code);
  if (!sum) return std::nullopt;
  return std::string(magic) + bytes_of_number(key.size()) + bytes_of_number(code.size()) + *sum + std::string(key);
}

class File {
 public:
  explicit File(int number) : number_(number) {}
  File(File&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  File& operator=(File&&) = delete;
  ~File() {
    if (number_ >= 0) ::close(number_);
  }
  operator int() const { return number_; }
  int release() { return std::exchange(number_, -1); }
  bool close() { return ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

// Returns whether only this user and root can have written the file.
bool is_own(int file, mode_t kind) {
  struct stat status {};
  return fstat(file, &status) == 0 && (status.st_mode & S_IFMT) == kind && status.st_uid == geteuid() &&
         (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

File open_folder(const std::filesystem::path& folder) {
  File opened(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  return opened >= 0 && is_own(opened, S_IFDIR) ? std::move(opened) : File(-1);
}

File make_folder(const std::filesystem::path& folder) {
  std::error_code ignored;
  if (folder.has_parent_path()) std::filesystem::create_directories(folder.parent_path(), ignored);
  mkdir(folder.c_str(), 0700);
  return open_folder(folder);
}

std::optional<std::string> read_all(int file, std::size_t size) {
  std::string text(size, '\0');
  for (std::size_t done = 0; done < size;) {
    const ssize_t got = read(file, text.data() + done, size - done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return std::nullopt;
    done += static_cast<std::size_t>(got);
  }
  return text;
}

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

std::optional<std::string> CodeCache::find(std::string_view key) const {
  const auto name = hash(key);
  if (!folder_ || !name) return std::nullopt;
  const File folder = open_folder(*folder_);
  if (folder < 0) return std::nullopt;
  const File file(openat(folder, (*name + ".cubin").c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (file < 0 || !is_own(file, S_IFREG) || fstat(file, &status) != 0) return std::nullopt;
  const auto size = static_cast<std::size_t>(status.st_size);
  const std::size_t before = magic.size() + 2 * sizeof(std::uint64_t) + name->size() + key.size();
  if (size <= before || size > largest_file) return std::nullopt;
  const auto text = read_all(file, size);
  if (!text) return std::nullopt;
  std::string code = text->substr(before);
  const auto wanted = preamble(key, code);
  if (!wanted || text->compare(0, before, *wanted) != 0) return std::nullopt;
  return code;
}

void CodeCache::keep(std::string_view key, std::string_view code) const {
  const auto name = hash(key), begin = preamble(key, code);
  if (!folder_ || !name || !begin) return;
  const File folder = make_folder(*folder_);
  if (folder < 0) return;
  static std::atomic<int> number{0};
  const std::string place = *name + ".cubin";
  const std::string pending = place + "." + std::to_string(getpid()) + "." + std::to_string(number++);
  // Removes a file that a killed process with the same number left behind. A folder of that name stays.
  unlinkat(folder, pending.c_str(), 0);
  File file(openat(folder, pending.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (file < 0) return;
  const bool written = write_all(file, *begin) && write_all(file, code);
  const bool closed = file.close();
  if (!written || !closed || renameat(folder, pending.c_str(), folder, place.c_str()) != 0)
    unlinkat(folder, pending.c_str(), 0);
}

CodeCache::Lock CodeCache::lock(std::string_view key) const {
  constexpr std::chrono::seconds patience{60};
  constexpr std::chrono::milliseconds pause{5};
  const auto name = hash(key);
  if (!folder_ || !name) return {-1, {}};
  const File folder = make_folder(*folder_);
  if (folder < 0) return {-1, {}};
  const std::string place = *name + ".lock";
  File file(openat(folder, place.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
  if (file < 0 || !is_own(file, S_IFREG)) return {-1, {}};
  const auto end = std::chrono::steady_clock::now() + patience;
  while (flock(file, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) {
      unlinkat(folder, place.c_str(), 0);
      return {-1, {}};
    }
    if (std::chrono::steady_clock::now() > end) return {-1, {}};
    std::this_thread::sleep_for(pause);
  }
  return {file.release(), *folder_ / place};
}

// A process that waits for the removed file finds the code afterwards, or compiles it at the same time as another
// process.
CodeCache::Lock::~Lock() {
  if (file_ < 0) return;
  unlink(place_.c_str());
  ::close(file_);
}

}  // namespace poisson::cuda
