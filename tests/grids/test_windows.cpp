// A grid that is cut into windows: each patch has the rows of the whole, and exchanges give it what it reads.

#include <map>

#include "grids/kernels/grid_kernels.hpp"
#include "grids/schemes/discretization.hpp"
#include "tests/device.hpp"
#include "tests/fields.hpp"
#include "tests/problems.hpp"

namespace poisson {
namespace {

Cuts cuts_of(const Layout& layout, const std::array<int, 3>& parts) {
  Cuts cuts;
  cuts.n = layout.n;
  cuts.periodic = layout.periodic;
  for (std::size_t d = 0; d < 3; ++d)
    for (int p = 1; p < parts[d]; ++p) cuts.first[d].push_back(p * layout.n[d] / parts[d] + p % 2);
  return cuts;
}

// The values of a field, its halo included, that lie in a patch of another space and its halo.
Field part_of(Backend& backend, const Field& whole, const Space& space) {
  const auto host = make_cpu_backend();
  const HostRead read(whole);
  Field part(*host, space, whole.precision());
  dispatch(whole.precision(), [&]<class T>(T) {
    const auto from = (*read).view<T>();
    const auto to = part.view<T>();
    const auto& at = space.origin();
    for_each_value(to, true, [&](int i, int j, int k) { to(i, j, k) = from(i + at[0], j + at[1], k + at[2]); });
  });
  Field there(backend, space, whole.precision());
  transfer(part, there);
  return there;
}

// What a window's rows are made of: the whole's data, cut.
template <class Own>
Own part_of(Backend& backend, const Own& whole, const Cuts& cuts, int patch) {
  Own part = whole;
  part.block = whole.block.window(cuts.patch(patch));
  std::map<const Field*, std::shared_ptr<const Field>> cut;
  const auto take = [&](std::shared_ptr<const Field>& field) {
    if (!field) return;
    auto& own = cut[field.get()];
    if (!own) {
      const bool cells = field->layout() == whole.block.cell_layout() && field->layout() != whole.block.layout();
      Layout layout = cells ? part.block.cell_layout() : part.block.layout();
      Cuts same = cuts;
      same.n = field->layout().n;
      if (part.block.layout().n == whole.block.layout().n) return;  // nothing is cut
      backend.exchange(*field);
      own = std::make_shared<Field>(part_of(backend, *field, Space(same, patch, layout.box())));
    }
    field = own;
  };
  if constexpr (std::is_same_v<Own, FaceRows>)
    for (auto& field : part.faces) take(field);
  else
    for (auto& field : part.cells) take(field);
  if constexpr (std::is_same_v<Own, ElementRows>)
    take(part.sigma_cells);
  else
    take(part.reaction);
  return part;
}

struct WindowCase {
  std::string name;
  Problem problem;
};
void PrintTo(const WindowCase& c, std::ostream* out) {
  *out << c.name;
}

std::vector<WindowCase> cases() {
  std::vector<WindowCase> all;
  const Quantity varying([](double x, double y, double z) { return 2 + std::sin(3 * x + y) * std::cos(2 * z - y); });
  for (const NamedFaces& faces : all_faces())
    for (const bool stretched : {false, true})
      for (const char* kind : {"constant", "varying", "cells", "cells-varying", "q1", "q1-varying"}) {
        const std::string_view of(kind);
        Problem p;
        p.boundary = faces.faces;
        for (std::size_t d = 0; d < 3; ++d) {
          const int n = std::array{11, 9, 13}[d];
          for (int i = 0; i <= n; ++i) {
            const double t = static_cast<double>(i) / n;
            p.nodes[d].push_back(stretched ? t + 0.1 * t * t : t);
          }
        }
        p.reaction = 0.3;
        if (of.starts_with("cells")) p.centering = Centering::cell;
        if (of.starts_with("q1")) p.scheme = Scheme::q1;
        if (of.ends_with("varying")) p.coefficient[0] = varying;
        // What stands behind Robin faces of cells is held apart for each face.
        bool robin = false;
        for (const auto& axis : faces.faces)
          for (const Boundary& face : axis) robin = robin || face.kind == BoundaryKind::robin;
        if (of == "cells-varying" && robin) continue;
        all.push_back({faces.name + (stretched ? "_stretched_" : "_equal_") + kind, p});
      }
  return all;
}

class Windows : public testing::TestWithParam<WindowCase> {};

/// Patches of several sizes, along one axis and along all: products, residuals and diagonals of the whole, bit by bit.
TEST_P(Windows, HaveTheRowsOfTheWhole) {
  const auto backend = test_backend();
  const Discretization whole(*backend, GetParam().problem, Assembly::partial);
  const SchemeRows& rows = whole.scheme_rows();
  const GridKernels& kernels = grid_kernels(*backend);
  for (const Precision precision : {Precision::fp64, Precision::fp32}) {
    const auto A = kernels.make_operator(*backend, rows, {precision}).A;
    Field u(*backend, A->space(), precision), b(*backend, A->space(), precision), out(*backend, A->space(), precision);
    Random random(5);
    const auto n = static_cast<std::size_t>(u.layout().size());
    set_values(*backend, u, random.vector(n));
    set_values(*backend, b, random.vector(n));
    for (const std::array parts :
         {std::array{1, 1, 2}, std::array{1, 1, 4}, std::array{3, 2, 1}, std::array{2, 2, 3}}) {
      const Cuts cuts = cuts_of(u.layout(), parts);
      for (int patch = 0; patch < cuts.patches(); ++patch) {
        const SchemeRows own =
            std::visit([&](const auto& all) { return SchemeRows(part_of(*backend, all, cuts, patch)); }, rows);
        const Space space(cuts, patch, level_rows(own).block.unknowns());
        const auto part = kernels.make_operator(*backend, own, {precision}).A;
        EXPECT_EQ(part->unknowns().last, space.unknowns().last);
        backend->exchange(u);
        const Field u_part = part_of(*backend, u, space), b_part = part_of(*backend, b, space);
        const auto same = [&](const auto& verb) {
          backend->fill(out, 0);
          verb(*A, u, b, out);
          Field found(*backend, space, precision);
          verb(*part, u_part, b_part, found);
          const Vector is = values(*backend, found), wanted = values(*backend, part_of(*backend, out, space));
          Real largest = 0;
          for (const Real value : wanted) largest = std::max(largest, std::abs(value));
          // A line's ends and its inside are compiled apart, so that a value that comes to an end may round otherwise.
          const Real bound = parts[0] == 1 ? 0 : 8 * epsilon(precision) * largest;
          EXPECT_TRUE(within(is, wanted, Vector(is.size(), bound))) << "patch " << patch;
        };
        same([](const Operator& a, const Field& x, const Field&, Field& y) { a.apply(x, y); });
        same([](const Operator& a, const Field& x, const Field& c, Field& y) { a.residual(x, c, y); });
        same([](const Operator& a, const Field&, const Field&, Field& y) { a.diagonal(y); });
      }
    }
  }
}
INSTANTIATE_TEST_SUITE_P(All, Windows, testing::ValuesIn(cases()), [](const auto& test) {
  std::string name = test.param.name;
  std::ranges::replace(name, '-', '_');
  return name;
});

/// Patches that exchange their halos have there what the whole has, edges and corners included.
TEST(Exchange, GivesAPatchTheValuesAroundIt) {
  const auto backend = make_cpu_backend();
  for (int turned = 0; turned < 8; ++turned) {
    const Layout layout{{7, 9, 11}, {(turned & 1) != 0, (turned & 2) != 0, (turned & 4) != 0}};
    Field whole(*backend, layout, Precision::fp64);
    Random random(7);
    set_values(*backend, whole, random.vector(static_cast<std::size_t>(layout.size())));
    const auto everywhere = whole.view<double>();
    for_each_value(everywhere, true, [&](int i, int j, int k) {
      if (i < 0 || i >= 7 || j < 0 || j >= 9 || k < 0 || k >= 11) everywhere(i, j, k) = 0;
    });
    backend->exchange(whole);
    for (const std::array parts : {std::array{1, 1, 3}, std::array{2, 3, 2}, std::array{3, 1, 1}}) {
      const Cuts cuts = cuts_of(layout, parts);
      std::vector<Field> patches;
      for (int p = 0; p < cuts.patches(); ++p) {
        patches.push_back(part_of(*backend, whole, Space(cuts, p, {})));
        const auto v = patches.back().view<double>();
        for_each_value(v, true, [&](int i, int j, int k) {
          if (i < 0 || i >= v.n[0] || j < 0 || j >= v.n[1] || k < 0 || k >= v.n[2]) v(i, j, k) = 0;
        });
      }
      for (std::size_t turn = 0; turn < patches[0].space().halo().turns().size(); ++turn)
        for (Field& patch : patches)
          for (const auto& [owner, from, to] : patch.space().halo().turns()[turn]) {
            const auto source = patches[static_cast<std::size_t>(owner)].view<double>();
            const auto target = patch.view<double>();
            for (int k = 0; k < to.last[2] - to.first[2]; ++k)
              for (int j = 0; j < to.last[1] - to.first[1]; ++j)
                for (int i = 0; i < to.last[0] - to.first[0]; ++i)
                  target(to.first[0] + i, to.first[1] + j, to.first[2] + k) =
                      source(from.first[0] + i, from.first[1] + j, from.first[2] + k);
          }
      for (const Field& patch : patches) {
        const auto v = patch.view<double>();
        const auto& at = patch.space().origin();
        for_each_value(
            v, true, [&](int i, int j, int k) { EXPECT_EQ(v(i, j, k), everywhere(i + at[0], j + at[1], k + at[2])); });
      }
    }
  }
}

}  // namespace
}  // namespace poisson
