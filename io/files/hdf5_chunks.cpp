// This file checks that the chunks of a foreign dataset are consistent with its shape.

#include "io/files/hdf5_chunks.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include <zlib.h>

#include "backends/memory/error.hpp"
#include "backends/memory/memory.hpp"

namespace poisson::hdf5 {

namespace {

/// Contains the shapes of a chunk and of the dataset. Both are empty without chunks.
struct Chunks {
  Shape chunk, all;

  explicit Chunks(hid_t dataset) {
    const Handle properties(H5Dget_create_plist(dataset), H5Pclose), space(H5Dget_space(dataset), H5Sclose);
    if (H5Pget_layout(properties) != H5D_CHUNKED) return;
    chunk.resize(H5S_MAX_RANK);
    chunk.resize(static_cast<std::size_t>(check(H5Pget_chunk(properties, H5S_MAX_RANK, chunk.data()))));
    all.resize(chunk.size());
    check(H5Sget_simple_extent_dims(space, all.data(), nullptr));
  }

  double count() const {
    double number = 1;
    for (std::size_t d = 0; d < all.size(); ++d) number *= static_cast<double>((all[d] + chunk[d] - 1) / chunk[d]);
    return number;
  }
};

double bytes_of_value(hid_t dataset) {
  const Handle type(H5Dget_type(dataset), H5Tclose);
  return static_cast<double>(H5Tget_size(type));
}

double bytes_of(const Chunks& chunks, hid_t dataset) {
  if (chunks.chunk.empty()) return 0;
  double bytes = bytes_of_value(dataset);
  for (const auto n : chunks.chunk) bytes *= static_cast<double>(n);
  return bytes;
}

/// Returns the bytes that incompressible data of a chunk may need.
double most_stored(double chunk) {
  return 2 * chunk + (1 << 16);
}

/// Returns the position of the deflate filter among the dataset's filters; -1 if there is none. Throws InputError if it
/// occurs twice, or if any filter except a checksum follows it.
int deflate_of(hid_t dataset, const std::string& problem) {
  const Handle properties(H5Dget_create_plist(dataset), H5Pclose);
  const int filters = check(H5Pget_nfilters(properties));
  int found = -1;
  for (int i = 0; i < filters; ++i) {
    std::size_t values = 0;
    unsigned flags = 0, about = 0;
    const H5Z_filter_t filter =
        check(H5Pget_filter2(properties, static_cast<unsigned>(i), &flags, &values, nullptr, 0, nullptr, &about));
    if (found >= 0 && filter != H5Z_FILTER_FLETCHER32)
      throw InputError(problem + "(other filters follow its gzip compression). Write it with gzip last.");
    if (filter == H5Z_FILTER_DEFLATE) found = i;
  }
  return found;
}

/// Returns true if a deflate stream decompresses to at most `most` bytes.
bool inflates_to(const std::vector<unsigned char>& stored, double most) {
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) throw Failure("zlib cannot start");
  stream.next_in = const_cast<unsigned char*>(stored.data());
  stream.avail_in = static_cast<unsigned>(std::min<std::size_t>(stored.size(), std::numeric_limits<unsigned>::max()));
  std::array<unsigned char, 1 << 16> out;
  double bytes = 0;
  for (int status = Z_OK; status == Z_OK && bytes <= most;) {
    stream.next_out = out.data();
    stream.avail_out = static_cast<unsigned>(out.size());
    status = inflate(&stream, Z_NO_FLUSH);
    bytes += static_cast<double>(out.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  return bytes <= most;
}

}  // namespace

double bytes_of_chunk(hid_t dataset) {
  return bytes_of(Chunks(dataset), dataset);
}

void check_chunks(hid_t dataset, const std::string& problem) {
  const Chunks chunks(dataset);
  if (chunks.chunk.empty()) return;
  const double bytes = bytes_of(chunks, dataset);
  const Handle space(H5Dget_space(dataset), H5Sclose);
  const auto values = static_cast<double>(std::max<hssize_t>(0, H5Sget_simple_extent_npoints(space)));
  constexpr double small = 1 << 24, most = 4;  // datasets that grow start with chunks larger than themselves
  if (const double stated = values * bytes_of_value(dataset); bytes > std::max(small, most * stated))
    throw InputError(problem + "(each chunk needs " + readable_bytes(bytes) + ", the dataset only " +
                     readable_bytes(stated) + "). Write it with chunks no larger than the dataset.");
  const auto stored = static_cast<double>(H5Dget_storage_size(dataset));
  if (stored > most_stored(chunks.count() * bytes))
    throw InputError(problem + "(it stores " + readable_bytes(stored) + ", but its chunks need only " +
                     readable_bytes(chunks.count() * bytes) + "). Write it again.");
}

void check_decompressed(hid_t dataset, const std::vector<std::int64_t>& first, const std::vector<std::int64_t>& count,
                        const std::string& problem) {
  const Chunks chunks(dataset);
  if (chunks.chunk.empty() || chunks.count() == 0) return;
  const int deflate = deflate_of(dataset, problem);
  if (deflate < 0) return;
  const double bytes = bytes_of(chunks, dataset);
  constexpr hsize_t harmless = 1 << 16;  // deflate expands by at most 1032: 64 MiB
  Shape begin(chunks.all.size()), end = begin;
  for (std::size_t d = 0; d < begin.size(); ++d) {
    const hsize_t from = first.empty() ? 0 : static_cast<hsize_t>(first[d]),
                  to = first.empty() ? chunks.all[d] : from + static_cast<hsize_t>(count[d]);
    if (from >= to) return;
    begin[d] = from / chunks.chunk[d] * chunks.chunk[d];
    end[d] = std::min(to, chunks.all[d]);
  }
  std::vector<unsigned char> stored;
  for (Shape at = begin; at[0] < end[0];) {
    hsize_t size = 0;
    if (H5Dget_chunk_storage_size(dataset, at.data(), &size) < 0) size = 0;  // it has the fill value
    const auto refuse = [&](const std::string& more) {
      throw InputError(problem + "(a chunk needs " + readable_bytes(bytes) + ", but " + more + "). Write it again.");
    };
    if (static_cast<double>(size) > most_stored(bytes))
      refuse("the file stores " + readable_bytes(static_cast<double>(size)) + " for it");
    if (size > harmless) {
      stored.resize(size);
      std::uint32_t mask = 0;
      check(H5Dread_chunk(dataset, H5P_DEFAULT, at.data(), &mask, stored.data()));
      const bool applied = (mask >> static_cast<unsigned>(deflate) & 1U) == 0;
      if (applied && !inflates_to(stored, most_stored(bytes))) refuse("its stored data decompress to far more");
    }
    for (std::size_t d = at.size(); d-- > 0;) {
      at[d] += chunks.chunk[d];
      if (at[d] < end[d] || d == 0) break;
      at[d] = begin[d];
    }
  }
}

}  // namespace poisson::hdf5
