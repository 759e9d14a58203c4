#include "io/files/hdf5_contiguous.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <optional>
#include <type_traits>

#include <fcntl.h>
#include <unistd.h>

#include "io/files/descriptor.hpp"

namespace poisson::hdf5 {
namespace {

// Threads take pieces of this number of values. Smaller datasets gain nothing.
constexpr std::int64_t values_of_piece = std::int64_t{1} << 18;
constexpr std::int64_t least_values = 4 * values_of_piece;

// Returns the position of the box in the file, in values from the start of the dataset; empty if it is not one piece.
std::optional<std::int64_t> start_of(hid_t dataset, const std::vector<std::int64_t>& first,
                                     const std::vector<std::int64_t>& shape) {
  if (first.empty()) return 0;
  const Handle space(H5Dget_space(dataset), H5Sclose);
  Shape all(first.size());
  check(H5Sget_simple_extent_dims(space, all.data(), nullptr));
  std::int64_t start = 0;
  bool cut = false;  // a faster axis is not complete
  for (std::size_t d = first.size(), stride = 1; d-- > 0; stride *= all[d]) {
    if (cut && shape[d] != 1) return std::nullopt;
    cut = cut || shape[d] != static_cast<std::int64_t>(all[d]);
    start += first[d] * static_cast<std::int64_t>(stride);
  }
  return start;
}

// Touches the memory of `count` values with all threads, which is faster than the one thread of resize.
void touch(double* memory, std::int64_t count) {
  constexpr std::int64_t page = 4096 / sizeof(double);
#pragma omp parallel for schedule(static)
  for (std::int64_t at = 0; at < count; at += page) std::memset(static_cast<void*>(memory + at), 0, sizeof(double));
}

template <class Stored>
void read_as(int file, off_t begin, std::int64_t count, std::vector<double>& values) {
  values.reserve(static_cast<std::size_t>(count));
  touch(values.data(), count);
  values.resize(static_cast<std::size_t>(count));
  std::atomic<int> error{0};
#pragma omp parallel
  {
    std::vector<Stored> stored(std::is_same_v<Stored, double> ? 0 : values_of_piece);
#pragma omp for schedule(dynamic)
    for (std::int64_t from = 0; from < count; from += values_of_piece) {
      const std::int64_t size = std::min(values_of_piece, count - from);
      double* const to = values.data() + from;
      char* const raw = reinterpret_cast<char*>(stored.empty() ? static_cast<void*>(to) : stored.data());
      const auto at = begin + static_cast<off_t>(from * static_cast<std::int64_t>(sizeof(Stored)));
      const int failed = error != 0 ? 0 : read_at(file, raw, static_cast<std::size_t>(size) * sizeof(Stored), at);
      if (failed != 0) error = failed;
      for (std::int64_t i = 0; i < size && !stored.empty(); ++i)
        to[i] = static_cast<double>(stored[static_cast<std::size_t>(i)]);
    }
  }
  if (error < 0) throw Failure("the file is too short");
  if (error > 0) throw Failure(std::strerror(error));
}

}  // namespace

bool read_contiguous(hid_t dataset, const std::filesystem::path& path, const std::vector<std::int64_t>& first,
                     const std::vector<std::int64_t>& shape, std::vector<double>& values) {
  std::int64_t count = 1;
  for (const std::int64_t n : shape) count *= n;
  if (count < least_values) return false;
  const Handle properties(H5Dget_create_plist(dataset), H5Pclose), type(H5Dget_type(dataset), H5Tclose),
      file(H5Iget_file_id(dataset), H5Fclose), of_file(H5Fget_create_plist(file), H5Pclose);
  hsize_t user_block = 0;
  check(H5Pget_userblock(of_file, &user_block));
  const haddr_t begin = H5Dget_offset(dataset);
  if (H5Pget_layout(properties) != H5D_CONTIGUOUS || begin == HADDR_UNDEF || user_block != 0) return false;
  const std::optional<std::int64_t> start = start_of(dataset, first, shape);
  if (!start) return false;

  bool done = false;
  const auto attempt = [&]<class Stored>(Stored, hid_t native) {
    if (done || H5Tequal(type, native) <= 0) return;
    const Descriptor opened(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (opened < 0) throw Failure(std::strerror(errno));
    read_as<Stored>(opened, static_cast<off_t>(begin) + *start * static_cast<off_t>(sizeof(Stored)), count, values);
    done = true;
  };
  attempt(double{}, H5T_NATIVE_DOUBLE);
  attempt(float{}, H5T_NATIVE_FLOAT);
  attempt(std::uint8_t{}, H5T_NATIVE_UINT8);
  attempt(std::int8_t{}, H5T_NATIVE_INT8);
  attempt(std::uint16_t{}, H5T_NATIVE_UINT16);
  attempt(std::int16_t{}, H5T_NATIVE_INT16);
  attempt(std::uint32_t{}, H5T_NATIVE_UINT32);
  attempt(std::int32_t{}, H5T_NATIVE_INT32);
  return done;
}

}  // namespace poisson::hdf5
