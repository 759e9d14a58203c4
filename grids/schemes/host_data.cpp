// The right-hand side and the first solution of unknowns at nodes, filled in on the host, whatever the backend.

#include <algorithm>

#include "backends/backend.hpp"
#include "backends/cpu/launch.hpp"
#include "grids/sampling/problem_data.hpp"
#include "grids/sampling/sampling.hpp"
#include "grids/schemes/discretization.hpp"
#include "grids/schemes/elements/elements.hpp"

namespace poisson {
namespace {

// Fills a field of the backend from the host: directly, or through a field there.
template <class Fill>
void fill_from_host(Backend& host, Field& field, const Fill& fill) {
  if (on_host(field)) return fill(field);
  Field staging(host, field.layout(), field.precision());
  fill(staging);
  transfer(staging, field);
}

}  // namespace

double Discretization::assemble_rhs(Field& b) const {
  double sum = 0;
  rhs_sums_.reset();
  if (rhs_on_device(b)) return sampler_->sum_of_magnitudes(b, block().unknowns()) / rows_.scale;
  fill_from_host(host(), b, [&](Field& field) {
    fill_rhs(field);
    const Box unknowns = block().unknowns();
    dispatch(field.precision(), [&]<class T>(T) {
      const auto view = field.view<T>();
      sum = cpu::sum_over_lines(unknowns, [&](int j, int k) {
        double line = 0;
        for (int i = unknowns.first[0]; i < unknowns.last[0]; ++i) line += std::abs(static_cast<double>(view(i, j, k)));
        return line;
      });
    });
  });
  return sum / rows_.scale;
}

const RhsSums& Discretization::rhs_sums() const {
  if (!rhs_sums_) {
    Field b(backend_, block().layout(), Precision::fp64);
    assemble_rhs(b);
  }
  return *rhs_sums_;
}

void Discretization::initialize(Field& u) const {
  if (solution_on_device(u)) return;
  fill_from_host(host(), u, [&](Field& field) { fill_solution(field); });
}

void Discretization::fill_rhs(Field& b) const {
  if (problem_.centering == Centering::cell) return fill_cell_rhs(b);
  if (on_elements(problem_.scheme)) {
    rhs_sums_ = fill_element_rhs(problem_, host(), rows_, b);
    return;
  }
  const Block& block = this->block();
  const double scale = rows_.scale;
  const Box unknowns = block.unknowns();
  const auto inside = [&](int i, int j, int k) {
    const std::array at{i, j, k};
    for (std::size_t d = 0; d < 3; ++d)
      if (at[d] < unknowns.first[d] || at[d] >= unknowns.last[d]) return false;
    return true;
  };
  dispatch(b.precision(), [&]<class T>(T) {
    const auto view = b.view<T>();
    RhsSums found;
    PieceCollector source(block, block.layout().box());
    ErrorCollector check;
    check([&] {
      if (problem_.source.function())  // where files show it
        sample(problem_.source, "source", Sign::any, block, Location::node, block.layout().box(),
               [](int, int, const double*) {});
      integrate(problem_.source, "source", Sign::any, block, block.layout().box(), -1,
                [&](int j, int k, const double* f) {
                  for (int i = 0; i < view.n[0]; ++i)
                    view(i, j, k) = inside(i, j, k) ? static_cast<T>(scale * f[i]) : T(0);
                  source(j, k, f);
                });
      found.source = source.total();
    });
    for_each_face(problem_, [&](int d, int end, const Boundary& face) {
      if (face.kind == BoundaryKind::dirichlet) return;
      const Box box = face_box(block, d, end);
      PieceCollector brought(block, box);
      check([&] {
        integrate(face.value, face_key(d, end), Sign::any, block, box, d, [&](int j, int k, const double* q) {
          brought(j, k, q);
          for (int i = box.first[0]; i < box.last[0]; ++i)
            if (inside(i, j, k)) view(i, j, k) += static_cast<T>(scale * q[i - box.first[0]]);
        });
      });
      found.faces[static_cast<std::size_t>(2 * d + end)] = brought.total();
    });
    check.finish();
    rhs_sums_ = found;
  });
}

void Discretization::fill_solution(Field& u) const {
  if (problem_.centering == Centering::cell) return fill_cell_solution(u);
  const Block& block = this->block();
  dispatch(u.precision(), [&]<class T>(T) {
    const auto view = u.view<T>();
    host().fill(u, 0);
    ErrorCollector check;
    if (problem_.initial)
      check([&] {
        sample(*problem_.initial, "initial", Sign::any, block, Location::node, block.layout().box(),
               [&](int j, int k, const double* values) {
                 for (int i = 0; i < view.n[0]; ++i) view(i, j, k) = static_cast<T>(values[i]);
               });
      });
    // Where several Dirichlet faces meet, the mean of their data: each adds its part.
    const auto faces_at = [&](int i, int j, int k) {
      const std::array at{i, j, k};
      int faces = 0;
      for_each_face(problem_, [&](int d, int end, const Boundary& b) {
        const auto axis = static_cast<std::size_t>(d);
        if (b.kind == BoundaryKind::dirichlet && at[axis] == (end == 0 ? 0 : view.n[axis] - 1)) ++faces;
      });
      return faces;
    };
    const auto on_dirichlet_faces = [&](const auto& value_at) {
      for_each_face(problem_, [&](int d, int end, const Boundary& b) {
        if (b.kind != BoundaryKind::dirichlet) return;
        const Box box = face_box(block, d, end);
        check([&] {
          sample(b.value, face_key(d, end), Sign::any, block, Location::node, box, [&](int j, int k, const double* g) {
            for (int i = box.first[0]; i < box.last[0]; ++i)
              view(i, j, k) = static_cast<T>(value_at(view(i, j, k), g[i - box.first[0]], i, j, k));
          });
        });
      });
    };
    on_dirichlet_faces([](T, double, int, int, int) { return 0.0; });
    on_dirichlet_faces([&](T sum, double g, int i, int j, int k) {
      const int faces = faces_at(i, j, k);
      return faces == 1 ? g : static_cast<double>(sum) + g / faces;
    });
    check.finish();
  });
}

}  // namespace poisson
