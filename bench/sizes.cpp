#include "bench/sizes.hpp"

#include <algorithm>
#include <bit>
#include <charconv>

#include "backends/memory/error.hpp"

namespace poisson::bench {
namespace {

constexpr int most_cells = 10'000'000;  // limit of configurations

}  // namespace

bool Size::cube() const {
  return dimension == 3 && cells[0] == cells[1] && cells[0] == cells[2];
}

bool Size::power_of_two() const {
  return std::has_single_bit(static_cast<unsigned>(cells[0])) &&
         std::all_of(cells.begin(), cells.begin() + dimension, [this](int n) { return n == cells[0]; });
}

Size parse_size(std::string_view text) {
  const auto refuse = [&] {
    throw InputError(
        "'" + std::string(text) +
        "' is no size (it is cells along the axes, from 4 to 10000000): write 128 for a cube, 300x300 in two "
        "dimensions, 600x431x277 for a box");
  };
  std::vector<int> cells;
  for (std::string_view rest = text;;) {
    const std::size_t end = std::min(rest.find('x'), rest.size());
    int n = 0;
    const auto [stop, error] = std::from_chars(rest.data(), rest.data() + end, n);
    if (error != std::errc() || stop != rest.data() + end || n < 4 || n > most_cells || cells.size() == 3) refuse();
    cells.push_back(n);
    if (end == rest.size()) break;
    rest.remove_prefix(end + 1);
  }
  Size size;
  size.dimension = cells.size() == 2 ? 2 : 3;
  for (std::size_t d = 0; d < static_cast<std::size_t>(size.dimension); ++d)
    size.cells[d] = cells.size() == 1 ? cells[0] : cells[d];
  return size;
}

std::string name_of(const Size& size) {
  std::string name = std::to_string(size.cells[0]);
  if (size.cube()) return name;
  for (std::size_t d = 1; d < static_cast<std::size_t>(size.dimension); ++d)
    name += "x" + std::to_string(size.cells[d]);
  return name;
}

std::vector<Size> usual_sizes(bool gpu) {
  std::vector<Size> sizes;
  const auto cubes = [&](std::initializer_list<int> all) {
    for (const int n : all) sizes.push_back({3, {n, n, n}});
  };
  const auto squares = [&](std::initializer_list<int> all) {
    for (const int n : all) sizes.push_back({2, {n, n, 1}});
  };
  cubes({32, 48, 49, 53, 63, 64, 65, 96, 97, 100, 101, 128, 129, 200, 201, 211, 256, 257});
  sizes.push_back({3, {120, 86, 55}});
  sizes.push_back({3, {300, 215, 139}});
  squares({256, 300, 333, 512, 513, 1000, 1001, 1024, 2003, 2048});
  sizes.push_back({2, {777, 1001, 1}});
  if (gpu) {
    cubes({431, 450, 509, 512, 513});
    sizes.push_back({3, {600, 431, 277}});
    squares({4096, 4097, 5003, 8192, 16384});
    sizes.push_back({2, {6007, 4099, 1}});
    // These are thin and long boxes.
    for (const std::array<int, 3>& cells :
         {std::array{16, 1024, 1024}, {1024, 1024, 16}, {33, 701, 709}, {7, 1201, 1999}})
      sizes.push_back({3, cells});
    for (const std::array<int, 3>& cells : {std::array{60, 300001, 1}, {300001, 60, 1}}) sizes.push_back({2, cells});
  }
  return sizes;
}

}  // namespace poisson::bench
