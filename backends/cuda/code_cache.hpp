#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace poisson::cuda {

/// Compiled code in files, each named by a hash of all that made it and holding that too, so that a hit is certain.
/// Written beside its place and renamed: a reader sees a whole file or none. No operation throws.
class CodeCache {
 public:
  /// Nothing: finds nothing, keeps nothing.
  explicit CodeCache(std::optional<std::filesystem::path> folder) : folder_(std::move(folder)) {}

  std::optional<std::string> find(std::string_view key) const;
  void keep(std::string_view key, std::string_view code) const;

 private:
  std::filesystem::path file(std::string_view key) const;
  std::optional<std::filesystem::path> folder_;
};

}  // namespace poisson::cuda
