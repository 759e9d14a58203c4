#include "grids/schemes/elements/elements.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "backends/cpu/launch.hpp"
#include "grids/sampling/cell_tensor.hpp"
#include "grids/sampling/consistent_mass.hpp"
#include "grids/sampling/problem_data.hpp"
#include "grids/schemes/discretization.hpp"

namespace poisson {
namespace {

std::shared_ptr<Field> sampled_cells(Backend& host, const Block& block, const Quantity& quantity, const char* key,
                                     Sign sign) {
  auto cells = std::make_shared<Field>(host, block.cell_layout(), Precision::fp64);
  const auto view = cells->view<double>();
  sample(quantity, key, sign, block, Location::cell, cells->layout().box(),
         [&](int j, int k, const double* values) { std::copy_n(values, view.n[0], view.line(j, k)); });
  return cells;
}

// A cell's tensor: xx, yy, zz, xy, xz, yz. In two dimensions zz is 1.
using CellTensor = std::array<double, 6>;

// The first entry to blame where a tensor with a positive diagonal is not positive definite, −1 where it is.
int indefinite_entry(const CellTensor& k) {
  constexpr std::array<std::array<std::size_t, 2>, 3> axes{{{0, 1}, {0, 2}, {1, 2}}};
  for (std::size_t m = 0; m < 3; ++m)
    if (!(k[3 + m] * k[3 + m] < k[axes[m][0]] * k[axes[m][1]])) return static_cast<int>(m);
  return is_definite(k[0], k[1], k[2], k[3], k[4], k[5]) ? -1 : 0;
}

void check_definite(const Block& block, const CellTensors& kappa) {
  const Box box = block.cell_layout().box();
  for (int k = 0; k < box.last[2]; ++k)
    for (int j = 0; j < box.last[1]; ++j)
      for (int i = 0; i < box.last[0]; ++i) {
        CellTensor tensor{1, 1, 1, 0, 0, 0};
        for (std::size_t d = 0; d < 3; ++d) {
          if (kappa.diagonal[d]) tensor[d] = kappa.diagonal[d]->view<double>()(i, j, k);
          if (kappa.mixed[d]) tensor[3 + d] = kappa.mixed[d]->view<double>()(i, j, k);
        }
        const int entry = indefinite_entry(tensor);
        if (entry < 0) continue;
        const auto m = static_cast<std::size_t>(entry);
        std::array<double, 3> point{};
        const std::array at{i, j, k};
        for (std::size_t d = 0; d < 3; ++d) point[d] = block.axes[d].sample_point(at[d]);
        std::array<char, 200> text{};
        if (block.dimension() == 2)
          std::snprintf(text.data(), text.size(),
                        "must be smaller in size than the root of x·y, which is %g there (the tensor must be positive "
                        "definite)",
                        std::sqrt(tensor[0] * tensor[1]));
        else
          std::snprintf(text.data(), text.size(),
                        "must leave the tensor positive definite, beside x %g, y %g, z %g, xy %g, xz %g, yz %g there",
                        tensor[0], tensor[1], tensor[2], tensor[3], tensor[4], tensor[5]);
        throw ValueErrors({ValueError(mixed_key(m), point, tensor[3 + m], text.data())});
      }
}

double largest(const Field& cells) {
  const auto view = cells.view<double>();
  return cpu::max_over_lines(cells.layout().box(), 0, [&](int j, int k) {
    return *std::max_element(view.line(j, k), view.line(j, k) + view.n[0]);
  });
}
double least(const Field& cells) {
  const auto view = cells.view<double>();
  return -cpu::max_over_lines(cells.layout().box(), -1e300, [&](int j, int k) {
    return -*std::min_element(view.line(j, k), view.line(j, k) + view.n[0]);
  });
}

}  // namespace

Box ghost_box(const Block& block, int axis, int end) {
  Box box = block.cell_layout().box();
  const auto d = static_cast<std::size_t>(axis);
  box.first[d] = end == 0 ? -1 : box.last[d];
  box.last[d] = box.first[d] + 1;
  return box;
}

Box alpha_box(const Block& block, int axis, int end) {
  Box ghosts = ghost_box(block, axis, end);
  for (std::size_t e = 0; e < 3; ++e)
    if (block.axes[e].periodic()) {
      --ghosts.first[e];
      ++ghosts.last[e];
    }
  return ghosts;
}

double mean_of_cells(const Field& cells) {
  const auto view = cells.view<double>();
  const double sum = cpu::sum_over_lines(cells.layout().box(), [&](int j, int k) {
    double line = 0;
    for (int i = 0; i < view.n[0]; ++i) line += view(i, j, k);
    return line;
  });
  return sum / static_cast<double>(cells.layout().size());
}

void check_element_values(const Problem& p, const Block& block) {
  if (!p.full_tensor) return;
  const auto host = make_cpu_backend();
  CellTensors kappa;
  ErrorCollector check;
  for (std::size_t d = 0; d < coefficient_count(p); ++d)
    check([&] {
      kappa.diagonal[d] = sampled_cells(*host, block, p.coefficient[d], coefficient_key(p, d), Sign::positive);
    });
  for (std::size_t m = 0; m < mixed_count(p); ++m)
    check([&] { kappa.mixed[m] = sampled_cells(*host, block, p.mixed[m], mixed_key(m), Sign::any); });
  check.finish();
  check_definite(block, kappa);
}

Jumps sample_elements(const Problem& p, Backend& host, RowData& rows, const Mover& moved) {
  const Block& block = rows.block;
  ErrorCollector check;
  Jumps jumps;
  double least_kappa = 1e300;
  CellTensors kappa;
  for (std::size_t d = 0; d < coefficient_count(p); ++d)
    check([&] {
      auto cells = sampled_cells(host, block, p.coefficient[d], coefficient_key(p, d), Sign::positive);
      rows.kappa[d] = mean_of_cells(*cells);
      jumps.join(jumps_between_cells(*cells));
      least_kappa = std::min(least_kappa, least(*cells));
      kappa.diagonal[d] = std::move(cells);
    });
  for (std::size_t m = 0; m < mixed_count(p); ++m)
    check([&] { kappa.mixed[m] = sampled_cells(host, block, p.mixed[m], mixed_key(m), Sign::any); });

  bool dirichlet = false, robin = false;
  for_each_face(p, [&](int, int, const Boundary& b) {
    dirichlet = dirichlet || b.kind == BoundaryKind::dirichlet;
    robin = robin || b.kind == BoundaryKind::robin;
  });
  double sigma = 0, alpha = 0;
  std::shared_ptr<Field> cells;
  check([&] { cells = sampled_cells(host, block, p.reaction, "reaction", Sign::nonnegative); });
  if (cells) sigma = largest(*cells);
  for_each_face(p, [&](int d, int end, const Boundary& b) {
    if (b.kind != BoundaryKind::robin) return;
    const Box ghosts = alpha_box(block, d, end);
    check([&] {
      sample(b.alpha, face_key(d, end, true), Sign::nonnegative, block, Location::cell, ghosts,
             [&](int j, int k, const double* values) {
               if (cells)
                 std::copy_n(values, ghosts.last[0] - ghosts.first[0], &cells->view<double>()(ghosts.first[0], j, k));
             });
    });
    if (!cells) return;
    const auto view = cells->view<double>();
    alpha = cpu::max_over_lines(ghosts, alpha, [&](int j, int k) {
      return *std::max_element(&view(ghosts.first[0], j, k),
                               &view(ghosts.first[0], j, k) + ghosts.last[0] - ghosts.first[0]);
    });
  });
  check.finish();
  if (p.full_tensor) check_definite(block, kappa);

  if (p.isotropic) rows.kappa = {rows.kappa[0], rows.kappa[0], rows.kappa[0]};
  for (std::size_t d = 0; d < 3; ++d) {
    if (kappa.diagonal[d]) rows.cells[d] = moved(std::const_pointer_cast<Field>(kappa.diagonal[d]));
    if (kappa.mixed[d]) rows.mixed[d] = moved(std::const_pointer_cast<Field>(kappa.mixed[d]));
  }
  if (p.reaction.constant() && !robin)
    rows.sigma = *p.reaction.constant();
  else
    rows.sigma_cells = moved(std::move(cells));
  rows.sigma_ratio = sigma / least_kappa;
  rows.alpha_ratio = alpha / least_kappa;
  rows.singular = !dirichlet && sigma == 0 && alpha == 0;
  return jumps;
}

void set_ratios(const Problem& p, RowData& rows) {
  double alpha = 0, kappa = rows.kappa[0];
  for (int d = 0; d < p.dimension; ++d) kappa = std::min(kappa, rows.kappa[static_cast<std::size_t>(d)]);
  for_each_face(p, [&](int, int, const Boundary& b) {
    if (b.kind == BoundaryKind::robin) alpha = std::max(alpha, *b.alpha.constant());
  });
  rows.sigma_ratio = rows.sigma / kappa;
  rows.alpha_ratio = alpha / kappa;
}

bool taken_at_nodes(const Problem& p, const Quantity& quantity) {
  const GridArray* array = quantity.array();
  return p.scheme == Scheme::compact4 || quantity.constant() || (array && array->location == Location::node);
}

bool taken_in_cells(const Problem& p, const Quantity& quantity, const Block& block, int face_axis, int end) {
  if (face_axis < 0) return !taken_at_nodes(p, quantity) && !quantity.function();
  const Boundary& face = boundary(p, face_axis, end);
  if (p.scheme != Scheme::q1 || face.kind != BoundaryKind::robin || face.alpha.constant() || quantity.constant())
    return false;
  constexpr double patch = 10;
  const auto alpha = sample(face.alpha, face_key(face_axis, end, true), Sign::nonnegative, block, Location::cell,
                            ghost_box(block, face_axis, end));
  const auto [least, largest] = std::ranges::minmax(alpha);
  return largest > patch * least;
}

void add_element_integral(const Problem& p, const Quantity& quantity, std::string_view name, const Block& block,
                          const Box& nodes, int face_axis, int end, Backend& host, const View<double>& sums) {
  const auto add = [&](const MassRows& rows, const Field& field) {
    const MassProduct product(rows);
    const auto values = field.view<double>();
    cpu::for_each_line(nodes, [&](int j, int k) {
      for (int i = nodes.first[0]; i < nodes.last[0]; ++i) sums(i, j, k) += product(values, i, j, k);
    });
  };
  const auto sink = [](const View<double>& values, const Box& box) {
    return [values, box](int j, int k, const double* line) {
      std::copy_n(line, box.last[0] - box.first[0], &values(box.first[0], j, k));
    };
  };
  const bool in_cells = taken_in_cells(p, quantity, block, face_axis, end);
  if (!in_cells && (taken_at_nodes(p, quantity) || !quantity.function())) {
    Field data(host, block.layout(), Precision::fp64);
    const Box all = face_axis >= 0 ? face_box(block, face_axis, end) : block.layout().box();
    sample(quantity, name, Sign::any, block, Location::node, all, sink(data.view<double>(), all));
    host.exchange(data);
    return add(consistent_mass(block, p.scheme, face_axis), data);
  }
  Field data(host, block.cell_layout(), Precision::fp64);
  const Box cells = cells_around(block, nodes, face_axis, end);
  if (in_cells) {
    sample(quantity, name, Sign::any, block, Location::cell, cells, sink(data.view<double>(), cells));
    return add(mass_of_cells(block, face_axis, end), data);
  }
  for_each_corner(block, face_axis, [&](const std::array<int, 3>& corner) {
    sample_corners(quantity, name, Sign::any, block, cells, corner, face_axis, sink(data.view<double>(), cells));
    add(mass_of_corner(block, corner, face_axis, end), data);
  });
}

RhsSums fill_element_rhs(const Problem& p, Backend& host, const RowData& rows, Field& b) {
  const Block& block = rows.block;
  const Box all = block.layout().box();
  Field sum(host, block.layout(), Precision::fp64);
  const auto sums = sum.view<double>();
  ErrorCollector check;
  check([&] {
    if (p.source.function())  // where files show it
      sample(p.source, "source", Sign::any, block, Location::node, all, [](int, int, const double*) {});
    add_element_integral(p, p.source, "source", block, all, -1, 0, host, sums);
  });
  const auto sums_of = [&](const Box& box) {
    PieceCollector collect(block, box);
    cpu::for_each_line(box, [&](int j, int k) { collect(j, k, &sums(box.first[0], j, k)); });
    return collect.total();
  };
  const auto clear_dirichlet = [&] {
    for_each_face(p, [&](int d, int end, const Boundary& face) {
      if (face.kind != BoundaryKind::dirichlet) return;
      const Box box = face_box(block, d, end);
      cpu::for_each_line(
          box, [&](int j, int k) { std::fill_n(&sums(box.first[0], j, k), box.last[0] - box.first[0], 0.0); });
    });
  };
  RhsSums found;
  found.source = sums_of(all);
  clear_dirichlet();
  for_each_face(p, [&](int d, int end, const Boundary& face) {
    if (face.kind == BoundaryKind::dirichlet) return;
    const Box box = face_box(block, d, end);
    const PieceSums before = sums_of(box);
    check([&] { add_element_integral(p, face.value, face_key(d, end), block, box, d, end, host, sums); });
    found.set_face(d, end, before, sums_of(box));
  });
  clear_dirichlet();
  check.finish();
  dispatch(b.precision(), [&]<class T>(T) {
    const auto to = b.view<T>();
    cpu::for_each_line(all, [&](int j, int k) {
      for (int i = 0; i < to.n[0]; ++i) to(i, j, k) = static_cast<T>(rows.scale * sums(i, j, k));
    });
  });
  return found;
}

}  // namespace poisson
