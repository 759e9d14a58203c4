#include <array>
#include <atomic>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>

#include <unistd.h>

#include "backends/cuda/code_cache.hpp"

namespace poisson::cuda {
namespace {

constexpr std::string_view magic = "poisson code 1\n";

// FNV-1a.
std::uint64_t hash(std::string_view text, std::uint64_t value = 14695981039346656037u) {
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return value;
}

std::string hexadecimal(std::uint64_t value) {
  std::array<char, 16> digits{};
  digits.fill('0');
  std::array<char, 16> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, 16).ptr;
  const auto length = static_cast<std::size_t>(end - text.data());
  std::memcpy(digits.data() + (digits.size() - length), text.data(), length);
  return {digits.data(), digits.size()};
}

std::string bytes_of_number(std::uint64_t value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

// What a file holds before the code: magic, sizes, the code's hash, the key.
std::string preamble(std::string_view key, std::string_view code) {
  return std::string(magic) + bytes_of_number(key.size()) + bytes_of_number(code.size()) + bytes_of_number(hash(code)) +
         std::string(key);
}

}  // namespace

std::filesystem::path CodeCache::file(std::string_view key) const {
  return *folder_ / (hexadecimal(hash(key)) + hexadecimal(hash(key, 0x9e3779b97f4a7c15u)) + ".cubin");
}

std::optional<std::string> CodeCache::find(std::string_view key) const {
  if (!folder_) return std::nullopt;
  std::ifstream in(file(key), std::ios::binary);
  if (!in) return std::nullopt;
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::size_t before = magic.size() + 3 * sizeof(std::uint64_t) + key.size();
  if (text.size() <= before) return std::nullopt;
  std::string code = text.substr(before);
  if (text.compare(0, before, preamble(key, code)) != 0) return std::nullopt;
  return code;
}

void CodeCache::keep(std::string_view key, std::string_view code) const {
  if (!folder_) return;
  std::error_code ignored;
  std::filesystem::create_directories(*folder_, ignored);
  static std::atomic<int> number{0};
  const std::filesystem::path place = file(key);
  std::filesystem::path pending = place;
  pending += "." + std::to_string(getpid()) + "." + std::to_string(number++);
  {
    std::ofstream out(pending, std::ios::binary);
    out << preamble(key, code) << code;
    out.close();
    if (out) std::filesystem::rename(pending, place, ignored);
    if (out && !ignored) return;
  }
  std::filesystem::remove(pending, ignored);
}

}  // namespace poisson::cuda
