#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace poisson::cuda {

/// Compiled code in files, each named by a hash (SHA-256) of all that made it and holding that too, so that a hit is
/// certain, with a hash of the code. Folder and files count only where they belong to this user and nobody else may
/// write to them; links are not followed. Written beside its place and renamed: a reader sees a whole file or none. No
/// operation throws.
class CodeCache {
 public:
  /// Nothing: finds nothing, keeps nothing.
  explicit CodeCache(std::optional<std::filesystem::path> folder) : folder_(std::move(folder)) {}

  std::optional<std::string> find(std::string_view key) const;
  void keep(std::string_view key, std::string_view code) const;

  /// One process at a time makes the code of a key, for as long as it holds the lock. Others wait, a minute at most,
  /// and go on without it; without a folder, or where it has no locks, nobody waits. What a process that is gone has
  /// held is free.
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
  Lock lock(std::string_view key) const;

 private:
  std::optional<std::filesystem::path> folder_;
};

}  // namespace poisson::cuda
