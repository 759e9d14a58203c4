// What a discretization by elements has a device evaluate: the same data as elements.cpp samples on the host, without
// the host's arrays.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "grids/sampling/consistent_mass.hpp"
#include "grids/sampling/problem_data.hpp"
#include "grids/schemes/discretization.hpp"
#include "grids/schemes/elements/elements.hpp"

namespace poisson {

std::optional<Jumps> Discretization::sample_elements_on_device() {
  const Problem& p = problem_;
  std::vector<Quantity> data{p.reaction};
  bool dirichlet = false, robin = false;
  for (std::size_t d = 0; d < coefficient_count(p); ++d) data.push_back(p.coefficient[d]);
  for (std::size_t m = 0; m < mixed_count(p); ++m) data.push_back(p.mixed[m]);
  for_each_face(p, [&](int, int, const Boundary& b) {
    dirichlet = dirichlet || b.kind == BoundaryKind::dirichlet;
    if (b.kind != BoundaryKind::robin) return;
    robin = true;
    data.push_back(b.alpha);
  });
  if (!on_device(data)) return std::nullopt;

  const Box cells = block().cell_layout().box();
  const auto filled = [&](const Quantity& quantity, std::string_view key, Sign sign) {
    auto field = std::make_shared<Field>(backend_, block().cell_layout(), Precision::fp64);
    sampler_->fill({quantity, key, sign}, Location::cell, cells, {}, SampleStore::set, *field);
    return field;
  };
  CellTensors kappa;
  std::shared_ptr<Field> sigmas;
  Jumps jumps;
  std::array<double, 3> means = rows_.kappa;
  double least_kappa = 1e300, alpha = 0;
  try {
    for (std::size_t d = 0; d < coefficient_count(p); ++d) {
      kappa.diagonal[d] = filled(p.coefficient[d], coefficient_key(p, d), Sign::positive);
      const CellStatistics found = sampler_->statistics(*kappa.diagonal[d]);
      means[d] = found.sum / static_cast<double>(cells.size());
      jumps.join(found.jumps);
      least_kappa = std::min(least_kappa, sampler_->extremes(*kappa.diagonal[d], cells).least);
    }
    for (std::size_t m = 0; m < mixed_count(p); ++m) kappa.mixed[m] = filled(p.mixed[m], mixed_key(m), Sign::any);
    sigmas = filled(p.reaction, "reaction", Sign::nonnegative);
    for_each_face(p, [&](int d, int end, const Boundary& b) {
      if (b.kind != BoundaryKind::robin) return;
      const Box ghosts = alpha_box(block(), d, end);
      const std::string key = face_key(d, end, true);
      sampler_->fill({b.alpha, key, Sign::nonnegative}, Location::cell, ghosts, {}, SampleStore::set, *sigmas);
      alpha = std::max(alpha, sampler_->extremes(*sigmas, ghosts).largest);
    });
  } catch (const ValueError&) {  // the host words it, beside what else is wrong
    return std::nullopt;
  } catch (const HostDecides&) {
    return std::nullopt;
  }
  if (p.full_tensor && !sampler_->positive_definite(kappa)) return std::nullopt;

  RowData& rows = rows_;
  rows.kappa = p.isotropic ? std::array{means[0], means[0], means[0]} : means;
  const double sigma = sampler_->extremes(*sigmas, cells).largest;
  for (std::size_t d = 0; d < 3; ++d) {
    rows.cells[d] = kappa.diagonal[d];
    rows.mixed[d] = kappa.mixed[d];
  }
  if (p.reaction.constant() && !robin)
    rows.sigma = *p.reaction.constant();
  else
    rows.sigma_cells = std::move(sigmas);
  rows.sigma_ratio = sigma / least_kappa;
  rows.alpha_ratio = alpha / least_kappa;
  rows.singular = !dirichlet && sigma == 0 && alpha == 0;
  return jumps;
}

// As fill_element_rhs.
bool Discretization::element_rhs_on_device(Field& b) const {
  std::vector<Quantity> data{problem_.source};
  for_each_face(problem_, [&](int, int, const Boundary& face) {
    if (face.kind != BoundaryKind::dirichlet) data.push_back(face.value);
  });
  if (&b.backend() != &backend_ || !on_device(data)) return false;
  const Box all_nodes = block().layout().box();
  RhsSums found;
  backend_.fill(b, 0);
  const auto add = [&](const Datum& datum, const Box& nodes, int face_axis, int end) {
    if (taken_at_nodes(problem_, datum.quantity)) {
      Field values(backend_, block().layout(), Precision::fp64);
      const Box all = face_axis >= 0 ? face_box(block(), face_axis, end) : block().layout().box();
      sampler_->fill(datum, Location::node, all, {}, SampleStore::set, values);
      backend_.exchange(values);
      return sampler_->add_product(consistent_mass(block(), problem_.scheme, face_axis), values, nodes, rows_.scale, b);
    }
    Field values(backend_, block().cell_layout(), Precision::fp64);
    const Box cells = cells_around(block(), nodes, face_axis, end);
    if (taken_in_cells(problem_, datum.quantity, block(), face_axis, end)) {
      sampler_->fill(datum, Location::cell, cells, {}, SampleStore::set, values);
      return sampler_->add_product(mass_of_cells(block(), face_axis, end), values, nodes, rows_.scale, b);
    }
    for_each_corner(block(), face_axis, [&](const std::array<int, 3>& corner) {
      sampler_->fill_corners(datum, cells, corner, face_axis, values);
      sampler_->add_product(mass_of_corner(block(), corner, face_axis, end), values, nodes, rows_.scale, b);
    });
  };
  ErrorCollector check;
  try {
    check([&] {
      const Datum datum{problem_.source, "source"};
      if (!datum.quantity.constant()) {  // where files show it
        sampler_->fill(datum, Location::node, all_nodes, {}, SampleStore::set, b);
        backend_.fill(b, 0);
      }
      add(datum, all_nodes, -1, 0);
    });
    found.source = unscaled_sums(b, all_nodes);
    clear_dirichlet_on_device(b);
    for_each_face(problem_, [&](int d, int end, const Boundary& face) {
      if (face.kind == BoundaryKind::dirichlet) return;
      const Box box = face_box(block(), d, end);
      const PieceSums before = unscaled_sums(b, box);
      const std::string key = face_key(d, end);
      check([&] { add({face.value, key}, box, d, end); });
      found.set_face(d, end, before, unscaled_sums(b, box));
    });
    clear_dirichlet_on_device(b);
  } catch (const HostDecides&) {
    return false;
  }
  check.finish();
  rhs_sums_ = found;
  return true;
}

}  // namespace poisson
