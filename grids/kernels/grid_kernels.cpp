#include "grids/kernels/grid_kernels.hpp"

#include <vector>

#include "backends/memory/error.hpp"
#include "grids/kernels/cpu/factories.hpp"
#include "grids/kernels/rehearsal/rehearsal.hpp"
#include "grids/sampling/problem_data.hpp"
#ifdef POISSON_HAVE_CUDA
#include "grids/kernels/cuda/factories.hpp"
#endif

namespace poisson {
namespace {

// A host of 16 threads needs 10 ms to evaluate this many values of three sines and to copy them to a GPU.
constexpr std::int64_t worth_compiling = std::int64_t{1} << 22;

// Returns all quantities that a device may have to evaluate.
std::vector<Quantity> quantities(const Problem& p) {
  std::vector<Quantity> all{p.source, p.reaction};
  for (std::size_t d = 0; d < coefficient_count(p); ++d) all.push_back(p.coefficient[d]);
  for (std::size_t m = 0; m < offdiagonal_count(p); ++m) all.push_back(p.offdiagonal[m]);
  if (p.initial) all.push_back(*p.initial);
  if (p.exact) all.push_back(*p.exact);
  for_each_face(p, [&](int, int, const Boundary& b) {
    all.push_back(b.value);
    all.push_back(b.alpha);
  });
  return all;
}

}  // namespace

const GridKernels& grid_kernels(const Backend& backend) {
  if (rehearses(backend)) return rehearsal::grid_kernels();
  if (backend.kind() == BackendKind::cpu) return cpu::grid_kernels();
#ifdef POISSON_HAVE_CUDA
  if (backend.kind() == BackendKind::cuda) return cuda::grid_kernels();
#endif
  throw RunError("there are no grid kernels for CUDA (this build lacks them)", Remedy::host);
}

MadeOperator GridKernels::make_operator(Backend& backend, const SchemeRows& rows, Precision precision,
                                        Assembly assembly) const {
  const LevelRows& level = level_rows(rows);
  if (assembly == Assembly::full || (std::holds_alternative<ElementRows>(rows) && level.decoupled >= 0))
    return {make_assembled_operator(backend, rows, precision), {}};
  if (!level.kappa_source) return {make_stencil_operator(backend, rows, precision), {}};
  std::string note;
  if (assembly == Assembly::recompute) {
    if (auto made = make_recompute_operator(backend, rows, precision, note)) return {std::move(made), {}};
  }
  SchemeRows stored = rows;
  level_rows(stored).kappa_source = nullptr;
  return {make_stencil_operator(backend, stored, precision), std::move(note)};
}

std::unique_ptr<Operator> GridKernels::make_recompute_operator(Backend&, const SchemeRows&, Precision,
                                                               std::string& why_not) const {
  why_not = "the backend compiles no expressions";
  return nullptr;
}

std::unique_ptr<Operator> GridKernels::make_box_operator(Backend& backend, const Block& block, const Bands& bands,
                                                         Precision precision) const {
  LevelRows rows;
  rows.block = block;
  rows.scale = bands.scale;
  rows.singular = bands.singular;
  return make_assembled_operator(backend, rows, bands, precision);
}

std::unique_ptr<Sampler> make_sampler(Backend& backend, const SampleGrid& grid, const Problem& problem,
                                      Sampling sampling) {
  const bool compile = sampling == Sampling::device || grid.block.layout().box().size() >= worth_compiling;
  return grid_kernels(backend).make_sampler(
      backend, grid, compile && sampling != Sampling::host ? quantities(problem) : std::vector<Quantity>{},
      sampling != Sampling::host);
}

}  // namespace poisson
