#include "io/images/voxel_type.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <type_traits>

namespace poisson {
namespace {

struct Named {
  std::string_view name;
  VoxelType type;
};

using Kind = VoxelType::Kind;

constexpr std::array named_types{
    Named{"uint8", {Kind::unsigned_integer, 1}},  Named{"int8", {Kind::signed_integer, 1}},
    Named{"uint16", {Kind::unsigned_integer, 2}}, Named{"int16", {Kind::signed_integer, 2}},
    Named{"uint32", {Kind::unsigned_integer, 4}}, Named{"int32", {Kind::signed_integer, 4}},
    Named{"uint64", {Kind::unsigned_integer, 8}}, Named{"int64", {Kind::signed_integer, 8}},
    Named{"float32", {Kind::floating, 4}},        Named{"float64", {Kind::floating, 8}}};

template <class T>
std::int64_t label_of(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    constexpr T most = T(0x1p53);
    return std::abs(value) <= most && std::trunc(value) == value ? static_cast<std::int64_t>(value) : no_label;
  } else if constexpr (std::is_same_v<T, std::uint64_t>) {
    return value > std::uint64_t{INT64_MAX} ? no_label : static_cast<std::int64_t>(value);
  } else {
    return static_cast<std::int64_t>(value);
  }
}

template <class T>
void read_as(bool swapped, const std::byte* from, std::span<std::int64_t> labels) {
  for (std::size_t i = 0; i < labels.size(); ++i) {
    std::array<std::byte, sizeof(T)> bytes;
    std::memcpy(bytes.data(), from + i * sizeof(T), sizeof(T));
    if (swapped) std::ranges::reverse(bytes);
    labels[i] = label_of(std::bit_cast<T>(bytes));
  }
}

}  // namespace

std::string VoxelType::text() const {
  for (const Named& one : named_types)
    if (one.type.kind == kind && one.type.bytes == bytes) return std::string(one.name);
  return std::to_string(8 * bytes) + " bits";
}

std::optional<VoxelType> voxel_type_named(std::string_view name) {
  for (const Named& one : named_types)
    if (one.name == name) return one.type;
  return {};
}

void read_labels(const VoxelType& type, const std::byte* from, std::span<std::int64_t> labels) {
  const bool swapped = type.swapped;
  switch (type.kind) {
    case Kind::unsigned_integer:
      if (type.bytes == 1) return read_as<std::uint8_t>(swapped, from, labels);
      if (type.bytes == 2) return read_as<std::uint16_t>(swapped, from, labels);
      if (type.bytes == 4) return read_as<std::uint32_t>(swapped, from, labels);
      return read_as<std::uint64_t>(swapped, from, labels);
    case Kind::signed_integer:
      if (type.bytes == 1) return read_as<std::int8_t>(swapped, from, labels);
      if (type.bytes == 2) return read_as<std::int16_t>(swapped, from, labels);
      if (type.bytes == 4) return read_as<std::int32_t>(swapped, from, labels);
      return read_as<std::int64_t>(swapped, from, labels);
    case Kind::floating:
      if (type.bytes == 4) return read_as<float>(swapped, from, labels);
      return read_as<double>(swapped, from, labels);
  }
}

}  // namespace poisson
