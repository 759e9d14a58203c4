#include "grids/device_sampling.hpp"

#include <vector>

#include "grids/elements.hpp"
#include "grids/problem_data.hpp"
#ifdef POISSON_HAVE_CUDA
#include "grids/cuda/factories.hpp"
#endif

namespace poisson {

#ifdef POISSON_HAVE_CUDA
namespace {

// A host of 16 threads takes 10 ms to evaluate so many values of three sines and to move them to a GPU.
constexpr std::int64_t worth_compiling = std::int64_t{1} << 22;

// All that a device may be asked to evaluate.
std::vector<Quantity> quantities(const Problem& p) {
  std::vector<Quantity> all{p.source, p.reaction};
  for (std::size_t d = 0; d < coefficient_count(p); ++d) all.push_back(p.coefficient[d]);
  for (std::size_t m = 0; m < mixed_count(p); ++m) all.push_back(p.mixed[m]);
  if (p.initial) all.push_back(*p.initial);
  if (p.exact) all.push_back(*p.exact);
  for_each_face(p, [&](int, int, const Boundary& b) {
    all.push_back(b.value);
    all.push_back(b.alpha);
  });
  return all;
}

}  // namespace
#endif

std::unique_ptr<DeviceSampler> make_sampler([[maybe_unused]] Backend& backend, [[maybe_unused]] const Block& block,
                                            [[maybe_unused]] const Problem& problem,
                                            [[maybe_unused]] Sampling sampling) {
#ifdef POISSON_HAVE_CUDA
  if (backend.name() == "cuda" && sampling != Sampling::host) {
    const bool compile = sampling == Sampling::device || block.layout().box().size() >= worth_compiling;
    return cuda::make_sampler(backend, block, compile ? quantities(problem) : std::vector<Quantity>{});
  }
#endif
  return nullptr;
}

}  // namespace poisson
