// What a discretization has a device evaluate: the same data as discretization.cpp and cell_discretization.cpp fill in
// on the host, without the host's arrays. What lies on faces of cells alone the host computes and hands over.

#include <algorithm>
#include <array>
#include <cstdio>

#include "grids/operators/faces.hpp"
#include "grids/sampling/problem_data.hpp"
#include "grids/schemes/cells/cell_face.hpp"
#include "grids/schemes/discretization.hpp"
#include "grids/schemes/elements/elements.hpp"

namespace poisson {

namespace {

std::string literal(double value) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.17e", value);
  return text.data();
}

}  // namespace

bool recomputable(const Problem& p) {
  return std::ranges::all_of(kappa_components(p), [](const Quantity& q) { return q.constant() || q.source(); });
}

// κ's source text for the finest level, where every direction has one.
void Discretization::request_recompute() {
  if (is_separable(problem_)) return;  // nothing is held anyhow
  rows_.note = std::make_shared<std::string>();
  if (!recomputable(problem_)) {
    *rows_.note = "the coefficient is held in memory, assembly partial: it is no expression that can be compiled";
    return;
  }
  std::vector<std::string> sources;
  for (const Quantity& kappa : kappa_components(problem_))
    sources.push_back(kappa.constant() ? literal(*kappa.constant()) : *kappa.source());
  if (sources.size() == 2 && !on_elements(problem_.scheme))
    sources.push_back(sources.front());  // never weighted: z is degenerate
  rows_.kappa_source = std::make_shared<const std::vector<std::string>>(std::move(sources));
}

std::string Discretization::note() const {
  std::string all = rows_.note ? *rows_.note : "";
  if (sampler_ && !sampler_->note().empty()) all = sampler_->note() + (all.empty() ? "" : "; ") + all;
  return all;
}

bool Discretization::on_device(std::span<const Quantity> data) const {
  return sampler_ && std::ranges::all_of(data, [&](const Quantity& q) { return sampler_->evaluates(q); });
}

bool Discretization::sample_kappa_on_device(std::size_t d) {
  const Quantity& kappa = problem_.coefficient[d];
  if (!on_device({&kappa, 1})) return false;
  auto cells = std::make_shared<Field>(backend_, block().cell_layout(), Precision::fp64);
  try {
    sampler_->fill({kappa, coefficient_key(problem_, d), Sign::positive}, Location::cell,
                   with_halo(block(), cells->layout().box()), {}, SampleStore::set, *cells);
  } catch (const HostDecides&) {
    return false;
  }
  const CellStatistics found = sampler_->statistics(*cells);
  rows_.kappa[d] = found.sum / static_cast<double>(cells->layout().size());
  jumps_.join(found.jumps);
  sampler_->subtract_inside(*cells);
  rows_.cells[d] = std::move(cells);
  return true;
}

std::shared_ptr<Field> Discretization::sample_cell_kappa_on_device(std::size_t d) {
  const Quantity& kappa = problem_.coefficient[d];
  if (!on_device({&kappa, 1})) return nullptr;
  auto cells = std::make_shared<Field>(backend_, block().layout(), Precision::fp64);
  try {
    sampler_->fill({kappa, coefficient_key(problem_, d), Sign::positive}, Location::cell, cells->layout().box(), {},
                   SampleStore::set, *cells);
  } catch (const ValueError&) {  // the host words it, beside what else is wrong
    return nullptr;
  } catch (const HostDecides&) {
    return nullptr;
  }
  const CellStatistics found = sampler_->statistics(*cells);
  rows_.kappa[d] = found.sum / static_cast<double>(cells->layout().size());
  jumps_.join(found.jumps);
  return cells;
}

// σ·volume + α·area on nodes, σ·volume in cells.
bool Discretization::sample_reaction_on_device(double& sum) {
  const bool nodes = problem_.centering == Centering::node;
  std::vector<Quantity> data{problem_.reaction};
  for_each_face(problem_, [&](int, int, const Boundary& b) {
    if (nodes && b.kind == BoundaryKind::robin) data.push_back(b.alpha);
  });
  if (!on_device(data)) return false;
  auto reaction = std::make_shared<Field>(backend_, block().layout(), Precision::fp64);
  ErrorCollector check;
  try {
    check([&] {
      const Datum datum{problem_.reaction, "reaction", Sign::nonnegative};
      const Box all = block().layout().box();
      if (nodes)
        sampler_->fill_integrals(datum, all, {}, SampleStore::set, *reaction);
      else
        sampler_->fill(datum, Location::cell, all, {.volume = true}, SampleStore::set, *reaction);
    });
    for_each_face(problem_, [&](int d, int end, const Boundary& b) {
      if (!nodes || b.kind != BoundaryKind::robin) return;
      const std::string key = face_key(d, end, true);
      check([&] {
        sampler_->fill_integrals({b.alpha, key, Sign::nonnegative}, face_box(block(), d, end), {.face_axis = d},
                                 SampleStore::add, *reaction);
      });
    });
  } catch (const HostDecides&) {
    return false;
  }
  if (!check.empty()) return false;  // the host words the errors
  sum = sampler_->sum_of_magnitudes(*reaction, block().layout().box());
  rows_.reaction = std::move(reaction);
  return true;
}

bool Discretization::rhs_on_device(Field& b) const {
  if (on_elements(problem_.scheme)) return element_rhs_on_device(b);
  const bool nodes = problem_.centering == Centering::node;
  std::vector<Quantity> data{problem_.source};
  for_each_face(problem_, [&](int, int, const Boundary& face) {
    if (nodes && face.kind != BoundaryKind::dirichlet) data.push_back(face.value);
  });
  if (&b.backend() != &backend_ || !on_device(data)) return false;
  const double scale = rows_.scale;
  const Box all = block().layout().box();
  RhsSums found;
  ErrorCollector check;
  try {
    check([&] {
      const Datum datum{problem_.source, "source"};
      if (nodes) {
        if (!datum.quantity.constant())  // where files show it
          sampler_->fill(datum, Location::node, all, {}, SampleStore::set, b);
        sampler_->fill_integrals(datum, all, {.factor = scale}, SampleStore::set, b);
      } else {
        sampler_->fill(datum, Location::cell, all, {.factor = scale, .volume = true}, SampleStore::set, b);
      }
    });
    found.source = unscaled_sums(b, all);
    if (!nodes) add_faces_on_device(b, check);
    clear_dirichlet_on_device(b);
    for_each_face(problem_, [&](int d, int end, const Boundary& face) {
      if (!nodes || face.kind == BoundaryKind::dirichlet) return;
      const std::string key = face_key(d, end);
      const Box box = face_box(block(), d, end);
      const PieceSums before = unscaled_sums(b, box);
      check([&] {
        sampler_->fill_integrals({face.value, key}, box, {.factor = scale, .face_axis = d}, SampleStore::add, b);
      });
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

PieceSums Discretization::unscaled_sums(const Field& b, const Box& box) const {
  PieceSums sums = sums_by_pieces(*functionals_, block(), b, box);
  for (double& sum : sums) sum /= rows_.scale;
  return sums;
}

void Discretization::clear_dirichlet_on_device(Field& b) const {
  if (problem_.centering == Centering::cell) return;
  for_each_face(problem_, [&](int d, int end, const Boundary& face) {
    if (face.kind == BoundaryKind::dirichlet)
      sampler_->fill({Quantity(0.0), "0"}, Location::node, face_box(block(), d, end), {}, SampleStore::set, b);
  });
}

void Discretization::add_faces_on_device(Field& b, ErrorCollector& check) const {
  for_each_face(problem_, [&](int d, int end, const Boundary& face) {
    if (face.kind == BoundaryKind::dirichlet) return;
    check([&] {
      std::vector<double> added;
      const CellFace cells(problem_, block(), d, end);
      cells.visit([&](int i, int j, int k, const CellFace::Values& v) {
        added.push_back(v.in_halo ? 0 : rows_.scale * block().face_area(d, i, j, k) * v.given);
      });
      sampler_->put(cells.behind(), added, SampleStore::add, b);
    });
  });
}

bool Discretization::solution_on_device(Field& u) const {
  const bool nodes = problem_.centering == Centering::node;
  std::vector<Quantity> data;
  if (problem_.initial) data.push_back(*problem_.initial);
  for_each_face(problem_, [&](int, int, const Boundary& face) {
    if (nodes && face.kind == BoundaryKind::dirichlet) data.push_back(face.value);
  });
  if (&u.backend() != &backend_ || !on_device(data)) return false;
  backend_.fill(u, 0);
  ErrorCollector check;
  const Quantity zero = 0.0;
  const auto on_dirichlet_faces = [&](bool clear) {
    for_each_face(problem_, [&](int d, int end, const Boundary& face) {
      if (face.kind != BoundaryKind::dirichlet) return;
      const std::string key = face_key(d, end);
      check([&] {
        sampler_->fill({clear ? zero : face.value, key}, Location::node, face_box(block(), d, end), {},
                       clear ? SampleStore::set : SampleStore::share, u);
      });
    });
  };
  try {
    if (problem_.initial)
      check([&] {
        sampler_->fill({*problem_.initial, "initial"}, block().location(), block().layout().box(), {}, SampleStore::set,
                       u);
      });
    if (!nodes) set_halo_on_device(u, check);
    if (nodes) on_dirichlet_faces(true);
    if (nodes) on_dirichlet_faces(false);
  } catch (const HostDecides&) {
    return false;
  }
  check.finish();
  return true;
}

// As fill_cell_solution.
void Discretization::set_halo_on_device(Field& u, ErrorCollector& check) const {
  for_each_face(problem_, [&](int d, int end, const Boundary& face) {
    if (face.kind != BoundaryKind::robin) return;
    check([&] {
      std::vector<double> halo;
      CellFace(problem_, block(), d, end).visit([&](int, int, int, const CellFace::Values& v) {
        halo.push_back(v.halo());
      });
      sampler_->put(face_box(block(), d, end), halo, SampleStore::set, u);
    });
  });
  const Box inside = block().layout().box();
  for (const bool first : {true, false})
    for_each_face(problem_, [&](int d, int end, const Boundary& face) {
      if (face.kind != BoundaryKind::dirichlet) return;
      const Box box = dirichlet_cells(problem_, block(), d, end);
      check([&] {
        std::vector<double> g = sample(face.value, face_key(d, end), Sign::any, block(), Location::cell, box);
        std::size_t at = 0;
        for (int k = box.first[2]; k < box.last[2]; ++k)
          for (int j = box.first[1]; j < box.last[1]; ++j)
            for (int i = box.first[0]; i < box.last[0]; ++i) {
              const std::array place{i, j, k};
              int faces = 0;
              for (std::size_t e = 0; e < 3; ++e) faces += place[e] < 0 || place[e] >= inside.last[e] ? 1 : 0;
              double& value = g[at++];
              value = first ? 0 : value / faces;
            }
        sampler_->put(box, g, first ? SampleStore::set : SampleStore::add, u);
      });
    });
}

}  // namespace poisson
