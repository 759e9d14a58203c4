#include "io/files/matrix_file.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

#include "backends/memory/error.hpp"
#include "backends/memory/places.hpp"
#include "backends/spaces/exchange.hpp"
#include "io/files/hdf5.hpp"
#include "io/files/matrix_market.hpp"

namespace poisson {
namespace {

std::string text(const std::vector<std::int64_t>& shape) {
  std::string all;
  for (const std::int64_t n : shape) all += "[" + std::to_string(n) + "]";
  return all;
}

std::string point(int x, int y, int z) {
  return "(" + std::to_string(x) + ", " + std::to_string(y) + ", " + std::to_string(z) + ")";
}

// Contains the start and the extent of a box in a dataset whose last axes are z, y and x.
struct Hyperslab {
  std::vector<std::int64_t> first, count;
};
Hyperslab hyperslab(const std::vector<std::int64_t>& shape, const Box& box) {
  Hyperslab slab{std::vector<std::int64_t>(shape.size(), 0), std::vector<std::int64_t>(shape.size(), 1)};
  for (std::size_t d = 0; d < std::min<std::size_t>(3, shape.size()); ++d) {
    slab.first[shape.size() - 1 - d] = box.first[d];
    slab.count[shape.size() - 1 - d] = box.last[d] - box.first[d];
  }
  return slab;
}

BandedMatrix state_hdf5_bands(const std::filesystem::path& file, const std::optional<std::array<int, 3>>& shape) {
  const auto refuse = [&](const std::string& what) { throw InputError("'" + file.string() + "': " + what); };
  const auto offsets_shape = dataset_shape(file, "offsets");
  const auto bands_shape = dataset_shape(file, "bands");
  const std::size_t rank = bands_shape.size();
  if (rank < 2 || rank > 4)
    refuse("dataset bands has the shape " + text(bands_shape) +
           "; give [bands][nz][ny][nx], [bands][ny][nx] or [bands][nx]");
  if (offsets_shape.size() != 2 || offsets_shape[0] != bands_shape[0] ||
      offsets_shape[1] != static_cast<std::int64_t>(rank) - 1)
    refuse("dataset offsets has the shape " + text(offsets_shape) + ", but bands has " + text(bands_shape) +
           "; give one row of x, y, z per band, with one number per axis of bands");
  if (bands_shape[0] == 0 || bands_shape[0] > most_bands)
    refuse("there are " + std::to_string(bands_shape[0]) + " bands; give 1 to " + std::to_string(most_bands));
  BandedMatrix m;
  for (std::size_t d = 0; d + 1 < rank; ++d) {
    const std::int64_t n = bands_shape[rank - 1 - d];
    if (n < 1 || n > 100'000'000)
      refuse("dataset bands has the shape " + text(bands_shape) + "; axes have 1 to 10^8 points");
    m.shape[d] = static_cast<int>(n);
  }
  if (!count_points(m.shape)) refuse("dataset bands has the shape " + text(bands_shape) + "; " + too_many_points);
  check_stored(file, "bands");
  const Dataset offsets = read_dataset(file, "offsets");
  if (shape && *shape != m.shape)
    refuse("dataset bands has the shape " + text(bands_shape) +
           ", slowest axis first, which differs from grid.shape; make them agree, or omit shape");
  for (std::int64_t b = 0; b < bands_shape[0]; ++b) {
    Offset o{};
    for (std::size_t d = 0; d + 1 < rank; ++d) {
      const double value = offsets.values[static_cast<std::size_t>(b) * (rank - 1) + d];
      if (value != std::round(value) || std::abs(value) > most_reach)
        refuse("row " + std::to_string(b) + " of dataset offsets is not an offset (give integers of at most " +
               std::to_string(most_reach) + " along each axis)");
      o[d] = static_cast<int>(value);
    }
    if (std::ranges::find(m.offsets, o) != m.offsets.end())
      refuse("row " + std::to_string(b) + " of dataset offsets is a duplicate; give every offset once");
    m.offsets.push_back(o);
  }
  if (std::ranges::find(m.offsets, Offset{}) == m.offsets.end())
    refuse("dataset offsets lacks the diagonal; add the offset of zeros");
  return m;
}

void read_hdf5_bands(const std::filesystem::path& file, BandedMatrix& m) {
  const auto refuse = [&](const std::string& what) { throw InputError("'" + file.string() + "': " + what); };
  const std::vector<std::int64_t> shape = dataset_shape(file, "bands");
  Hyperslab slab = hyperslab({shape.begin() + 1, shape.end()}, m.stored_rows());
  slab.first.insert(slab.first.begin(), 0);
  slab.count.insert(slab.count.begin(), 1);
  for (std::size_t b = 0; b < m.offsets.size(); ++b) {
    slab.first[0] = static_cast<std::int64_t>(b);
    m.entries.push_back(read_box(file, "bands", slab.first, slab.count).values);
    const Offset& o = m.offsets[b];
    auto value = m.entries[b].begin();
    for_each_place(m.stored_rows(), [&](int x, int y, int z) {
      const double a = *value++;
      if (!std::isfinite(a))
        refuse("band " + std::to_string(b) + " is not finite at point " + point(x, y, z) +
               "; entries are finite numbers");
      const std::array to{x + o[0], y + o[1], z + o[2]};
      bool inside = true;
      for (std::size_t d = 0; d < 3; ++d) inside = inside && to[d] >= 0 && to[d] < m.shape[d];
      if (!inside && a != 0)
        refuse("band " + std::to_string(b) + " has an entry at point " + point(x, y, z) +
               " whose column is outside the grid; write 0 there");
    });
  }
}

// Checks that the diagonal is positive, as every solver requires.
void check_diagonal(const std::filesystem::path& file, const BandedMatrix& m, const Box& rows) {
  const auto diagonal = static_cast<std::size_t>(std::ranges::find(m.offsets, Offset{}) - m.offsets.begin());
  for_each_place(rows, [&](int x, int y, int z) {
    const double a = m.entries[diagonal][m.place(x, y, z)];
    if (a > 0) return;
    const std::int64_t row = x + m.shape[0] * (y + std::int64_t{m.shape[1]} * z);
    throw InputError("'" + file.string() + "': the diagonal entry of row " + std::to_string(row + 1) + ", point " +
                     point(x, y, z) +
                     (a == 0 ? ", is zero or missing; every solver here needs a positive diagonal (add the entry)"
                             : ", is negative; every solver here needs a positive diagonal (if all are negative, "
                               "multiply matrix and right-hand side by -1)"));
  });
}

}  // namespace

bool is_hdf5_matrix(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error))
    throw InputError("file '" + file.string() + "' cannot be read (" +
                     (std::filesystem::is_directory(file, error) ? "it is a directory" : "there is no such file") +
                     "). Check the path.");
  std::ifstream stream(file, std::ios::binary);
  std::string signature(8, ' ');
  if (!stream || !stream.read(signature.data(), 8)) {
    if (!stream.is_open()) throw InputError("file '" + file.string() + "' cannot be read (no permission).");
    throw InputError("file '" + file.string() + "' is neither Matrix Market nor HDF5 (it has fewer than 8 bytes).");
  }
  return signature == std::string_view("\x89HDF\r\n\x1a\n", 8);
}

std::optional<std::size_t> count_points(const std::array<int, 3>& shape) {
  constexpr std::size_t most = std::size_t{1} << 40;
  std::size_t points = 1;
  for (const int n : shape) {
    if (points > most / static_cast<std::size_t>(n)) return {};
    points *= static_cast<std::size_t>(n);
  }
  return points;
}

BandedMatrix state_matrix(const std::filesystem::path& file, const std::optional<std::array<int, 3>>& shape) {
  const bool hdf5 = is_hdf5_matrix(file);
  if (!hdf5 && !shape)
    throw InputError("'" + file.string() +
                     "' is not an HDF5 file, and other formats do not store the grid; add shape: [nx, ny, nz]");
  BandedMatrix m;
  if (hdf5)
    m = state_hdf5_bands(file, shape);
  else
    m.shape = *shape;
  if (m.shape[0] < 2 || (m.shape[1] == 1 && m.shape[2] > 1))
    throw InputError("'" + file.string() + "': the grid has " + std::to_string(m.shape[0]) + " x " +
                     std::to_string(m.shape[1]) + " x " + std::to_string(m.shape[2]) +
                     " points; give at least 2 along x, and a y axis before a z axis");
  if (!hdf5) check_matrix_market(file, m.shape);
  return m;
}

bool contains_rhs(const std::filesystem::path& file) {
  return is_hdf5_matrix(file) && has_dataset(file, "rhs");
}

void read_matrix(const std::filesystem::path& file, BandedMatrix& m, const std::optional<Box>& own,
                 const Processes& processes) {
  if (own) {
    Box beside = *own;
    for (std::size_t d = 0; d < 3; ++d) {
      beside.first[d] = std::max(0, beside.first[d] - cut_halo);
      beside.last[d] = std::min(m.shape[d], beside.last[d] + cut_halo);
    }
    m.some = beside;
  }
  together(processes, [&] {
    if (is_hdf5_matrix(file))
      read_hdf5_bands(file, m);
    else
      read_matrix_market(file, m);
    check_diagonal(file, m, own.value_or(m.stored_rows()));
  });
  for (std::size_t b = m.offsets.size(); b-- > 0;) {
    const bool entries = std::ranges::any_of(m.entries[b], [](double a) { return a != 0; });
    if (m.offsets[b] == Offset{} || processes.any(entries)) continue;
    m.offsets.erase(m.offsets.begin() + static_cast<std::ptrdiff_t>(b));
    m.entries.erase(m.entries.begin() + static_cast<std::ptrdiff_t>(b));
  }
  measure(m, own, processes);
  balance(m, own, processes);
}

void read_rhs(const std::filesystem::path& file, BandedMatrix& matrix) {
  if (!is_hdf5_matrix(file)) {
    matrix.rhs = read_market_array(file, matrix);
    return;
  }
  const std::vector<std::int64_t> shape = dataset_shape(file, "rhs");
  std::vector<std::int64_t> wanted;
  for (int d = 2; d >= 0; --d)
    if (!wanted.empty() || matrix.shape[static_cast<std::size_t>(d)] > 1)
      wanted.push_back(matrix.shape[static_cast<std::size_t>(d)]);
  std::vector<std::int64_t> found;
  for (const std::int64_t n : shape)
    if (!found.empty() || n > 1) found.push_back(n);
  if (found != wanted)
    throw InputError("dataset rhs of '" + file.string() + "' has the shape " + text(shape) + "; give " + text(wanted) +
                     ", the shape of the grid");
  const Hyperslab slab = hyperslab(shape, matrix.stored_rows());
  Dataset rhs = read_box(file, "rhs", slab.first, slab.count);
  auto value = rhs.values.begin();
  for_each_place(matrix.stored_rows(), [&](int x, int y, int z) {
    if (!std::isfinite(*value++))
      throw InputError("dataset rhs of '" + file.string() + "' is not finite at point " + point(x, y, z) +
                       "; give finite numbers");
  });
  matrix.rhs = std::move(rhs.values);
}

}  // namespace poisson
