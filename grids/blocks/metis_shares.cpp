#include "grids/blocks/metis_shares.hpp"

#ifdef POISSON_HAVE_METIS
#include <algorithm>
#include <array>
#include <cmath>

#include <dlfcn.h>
#include <metis.h>
#endif

namespace poisson {

#ifdef POISSON_HAVE_METIS
namespace {

// Contains the functions of METIS; null without the library.
struct Metis {
  decltype(&METIS_SetDefaultOptions) defaults = nullptr;
  decltype(&METIS_PartGraphRecursive) recursive = nullptr;
  decltype(&METIS_PartGraphKway) k_way = nullptr;

  Metis() {
    void* library = dlopen("libmetis.so.5", RTLD_NOW | RTLD_LOCAL);
    if (!library) library = dlopen("libmetis.so", RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    find(library, "METIS_SetDefaultOptions", defaults);
    find(library, "METIS_PartGraphRecursive", recursive);
    find(library, "METIS_PartGraphKway", k_way);
  }
  bool complete() const { return defaults && recursive && k_way; }

 private:
  template <class F>
  static void find(void* library, const char* name, F& function) {
    function = reinterpret_cast<F>(dlsym(library, name));
  }
};

// Returns positive integers in the ratios of some numbers.
std::vector<idx_t> weights_of(const std::vector<double>& numbers) {
  constexpr double most = 1e5;  // sums of weights must fit into an index
  double largest = 1;
  for (const double number : numbers) largest = std::max(largest, number);
  const double scale = std::min(1.0, most / largest);
  std::vector<idx_t> weights;
  for (const double number : numbers)
    weights.push_back(std::max<idx_t>(1, static_cast<idx_t>(std::lround(scale * number))));
  return weights;
}

}  // namespace

std::vector<std::vector<int>> metis_shares(const MacroGraph& graph, int parts) {
  static const Metis metis;
  constexpr int most_blocks = 10000;
  if (!metis.complete() || parts < 2 || graph.blocks() < parts || graph.blocks() > most_blocks) return {};
  std::vector<idx_t> start(graph.start.begin(), graph.start.end()), near(graph.near.begin(), graph.near.end()),
      cells = weights_of(graph.cells), shared = weights_of(graph.shared);
  std::vector<std::vector<int>> found;
  for (const auto& divide : {metis.recursive, metis.k_way}) {
    idx_t blocks = graph.blocks(), constraints = 1, count = parts, cut = 0;
    std::vector<idx_t> part(static_cast<std::size_t>(blocks));
    std::array<idx_t, METIS_NOPTIONS> options{};
    metis.defaults(options.data());
    options[METIS_OPTION_SEED] = 1;
    if (divide(&blocks, &constraints, start.data(), near.data(), cells.data(), nullptr, shared.data(), &count, nullptr,
               nullptr, options.data(), &cut, part.data()) == METIS_OK)
      found.emplace_back(part.begin(), part.end());
  }
  return found;
}
#else
std::vector<std::vector<int>> metis_shares(const MacroGraph&, int) {
  return {};
}
#endif

}  // namespace poisson
