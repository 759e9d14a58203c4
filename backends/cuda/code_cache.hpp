#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace poisson::cuda {

/// Stores compiled code in files. The name of a file is a hash (SHA-256) of its key, which contains everything that
/// determines the code. The file also contains the key, so that a hit is certain, and a hash of the code.
///
/// The folder and its files are used only if they belong to this user and nobody else may write to them. Links are not
/// followed. A file is written under another name and then renamed, so that a reader sees a complete file or none. No
/// operation throws.
class CodeCache {
 public:
  /// Uses `folder`. Without a folder the cache finds nothing and stores nothing.
  explicit CodeCache(std::optional<std::filesystem::path> folder) : folder_(std::move(folder)) {}

  /// Returns the code of a key, or nothing if there is none that can be trusted.
  std::optional<std::string> find(std::string_view key) const;
  /// Stores the code of a key.
  void keep(std::string_view key, std::string_view code) const;

  /// Lets one process at a time compile the code of a key, until the lock is destroyed. Others wait for at most a
  /// minute and continue without the lock. Without a folder, or in a folder without locks, nobody waits. When a process
  /// ends, its lock is released.
  class Lock {
   public:
    Lock(Lock&& other) noexcept : file_(std::exchange(other.file_, -1)), place_(std::move(other.place_)) {}
    Lock& operator=(Lock&&) = delete;
    ~Lock();

   private:
    friend CodeCache;
    Lock(int file, std::filesystem::path place) : file_(file), place_(std::move(place)) {}

    int file_;
    std::filesystem::path place_;
  };
  /// Waits for the lock of a key.
  Lock lock(std::string_view key) const;

 private:
  std::optional<std::filesystem::path> folder_;
};

}  // namespace poisson::cuda
