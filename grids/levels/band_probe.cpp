#include "grids/levels/band_probe.hpp"

#include <algorithm>

#include "grids/kernels/grid_kernels.hpp"
#include "grids/rows/stencil_probe.hpp"

namespace poisson {

Bands probe_bands(const Operator& A, std::vector<Offset> offsets) {
  Backend& backend = A.backend();
  const GridKernels& kernels = grid_kernels(backend);
  Bands bands;
  bands.space = A.space();
  bands.scale = A.scale();
  bands.singular = A.singular();
  bands.offsets = std::move(offsets);
  std::vector<std::shared_ptr<Field>> entries;
  for (std::size_t b = 0; b < bands.offsets.size(); ++b)
    entries.push_back(std::make_shared<Field>(backend, bands.space, Precision::fp64));
  auto sum = std::make_shared<Field>(backend, bands.space, Precision::fp64);
  Field unit(backend, bands.space, Precision::fp64), product(backend, bands.space, Precision::fp64);

  backend.fill(unit, 1);
  A.apply_everywhere(unit, *sum);
  StencilProbe probe(bands.space, std::ranges::all_of(bands.offsets, [](const Offset& o) {
                       return std::abs(o[0]) + std::abs(o[1]) + std::abs(o[2]) == 1;
                     }));
  probe.product = product.view<double>();
  for (std::size_t b = 0; b < bands.offsets.size(); ++b) {
    const Offset& o = bands.offsets[b];
    probe.band[code_of(o[0], o[1], o[2]) - 14] = entries[b]->view<double>();
  }
  for (probe.colour = 0; probe.colour < probe.colours(); ++probe.colour) {
    kernels.paint_colour(backend, probe, unit);
    A.apply_everywhere(unit, product);
    kernels.gather_couplings(backend, probe);
  }
  // The row of a coarse value depends on rows up to two places away.
  std::vector<const Field*> rows{sum.get()};
  for (const auto& band : entries) rows.push_back(band.get());
  backend.exchange_fields(rows, cut_halo);
  bands.entries.assign(entries.begin(), entries.end());
  bands.sum = std::move(sum);
  return bands;
}

}  // namespace poisson
