#include "solver/cell_energy.hpp"

#include <cstddef>
#include <vector>

#include "backends/memory/places.hpp"
#include "solver/norms.hpp"

namespace poisson {
namespace {

// Calls f(inner value, value in the halo) for every cell at a given face. u is in host memory.
template <class F>
void for_each_given(Field& u, const GivenFaces& given, const F& f) {
  dispatch(u.precision(), [&]<class T>(T) {
    const auto x = u.view<T>();
    for (std::size_t d = 0; d < 3; ++d)
      for (std::size_t end = 0; end < 2; ++end) {
        if (!given[d][end] || !u.space().part().ends_here(d, end)) continue;
        Box face = u.layout().box();
        face.first[d] = end == 0 ? 0 : x.n[d] - 1;
        face.last[d] = face.first[d] + 1;
        for_each_place(face, [&](int i, int j, int k) {
          std::array at{i, j, k};
          at[d] += end == 0 ? -1 : 1;
          f(x(i, j, k), x(at[0], at[1], at[2]));
        });
      }
  });
}

}  // namespace

GivenFaces faces_given_in_halo(const Problem& problem) {
  GivenFaces given{};
  for (std::size_t d = 0; d < static_cast<std::size_t>(problem.dimension); ++d)
    for (std::size_t end = 0; end < 2; ++end) given[d][end] = problem.boundary[d][end].kind == BoundaryKind::dirichlet;
  return given;
}

std::optional<double> cell_energy(const Operator& A, const GivenFaces& given, Field& u, Field& Au, Scalar& sum) {
  Backend& backend = A.backend();
  if (!on_host(u) && u.space().size() > largest_read) return {};
  // Copying the inner value into the halo makes the flow through a Dirichlet face zero. The data are restored
  // afterwards.
  const auto host = make_cpu_backend();
  Field copy;
  if (!on_host(u)) {
    copy = Field(*host, u.space(), u.precision());
    transfer(u, copy);
  }
  Field& there = on_host(u) ? u : copy;
  std::vector<double> data;
  const auto on_faces = [&](const auto& f) {
    for_each_given(there, given, f);
    if (!on_host(u)) transfer(copy, u);
  };
  on_faces([&](auto inside, auto& halo) {
    data.push_back(static_cast<double>(halo));
    halo = inside;
  });
  A.apply(u, Au);
  backend.dot(u, Au, sum);
  const double energy = backend.value(sum);
  auto next = data.begin();
  on_faces([&]<class T>(T, T& halo) { halo = static_cast<T>(*next++); });
  return energy;
}

}  // namespace poisson
