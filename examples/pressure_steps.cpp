// Makes the velocity of two fluids free of divergence in each step of a flow: −∇·(1/ρ ∇p) = −∇·v/Δt, then
// v −= Δt/ρ ∇p. The density moves, so κ = 1/ρ changes in every step, on kept levels. Arrays are in the memory of the
// device: of the CPU, or of a GPU with the argument cuda.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <poisson/poisson.hpp>

namespace {

using namespace poisson;

constexpr int n = 32;
constexpr double h = 1.0 / n, dt = 0.01;
constexpr std::size_t cells = std::size_t{n} * n * n;

std::size_t at(int i, int j, int k) {
  return (static_cast<std::size_t>(k) * n + static_cast<std::size_t>(j)) * n + static_cast<std::size_t>(i);
}

// Velocities on the faces between cells; walls have none. v[d] belongs to the upper face of a cell across axis d.
using Velocity = std::array<std::vector<double>, 3>;
constexpr std::array<std::array<int, 3>, 3> unit{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

// Calls f(axis, cell, its upper neighbour) for every face inside the box.
template <class F>
void for_each_face(const F& f) {
  for (std::size_t d = 0; d < 3; ++d)
    for (int k = 0; k + unit[d][2] < n; ++k)
      for (int j = 0; j + unit[d][1] < n; ++j)
        for (int i = 0; i + unit[d][0] < n; ++i) f(d, at(i, j, k), at(i + unit[d][0], j + unit[d][1], k + unit[d][2]));
}

std::vector<double> divergence(const Velocity& v) {
  std::vector<double> div(cells);
  for_each_face([&](std::size_t d, std::size_t low, std::size_t high) {
    div[low] += v[d][low] / h;
    div[high] -= v[d][low] / h;
  });
  return div;
}

double largest(const std::vector<double>& values) {
  return std::abs(*std::ranges::max_element(values, {}, [](double x) { return std::abs(x); }));
}

// Water with a bubble of air that rises: κ = 1/ρ.
std::vector<double> mobility(int step) {
  std::vector<double> kappa(cells);
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        const double x = (i + 0.5) * h - 0.5, y = (j + 0.5) * h - 0.5, z = (k + 0.5) * h - 0.3 - 0.05 * step;
        kappa[at(i, j, k)] = x * x + y * y + z * z < 0.04 ? 1 / 1.2 : 1 / 1000.0;  // m³/kg
      }
  return kappa;
}

// Is memory of the device, as a flow code has it.
struct DeviceArray {
  explicit DeviceArray(Backend& backend) : backend(backend), memory(backend.allocate(cells * sizeof(double))) {}
  Array array() const { return {memory.data(), Precision::fp64, {n, n, n}}; }
  void write(const std::vector<double>& values) { backend.write(values.data(), memory.data(), memory.bytes()); }
  std::vector<double> read() const {
    std::vector<double> values(cells);
    backend.read(memory.data(), values.data(), memory.bytes());
    return values;
  }
  // Returns the values of a box of cells.
  std::vector<double> read(const std::array<std::int64_t, 3>& first, const std::array<std::int64_t, 3>& last) const {
    const auto width = static_cast<std::size_t>(last[0] - first[0]);
    std::vector<double> values;
    for (std::int64_t k = first[2]; k < last[2]; ++k)
      for (std::int64_t j = first[1]; j < last[1]; ++j) {
        values.resize(values.size() + width);
        const double* const line = static_cast<const double*>(memory.data()) + (k * n + j) * n + first[0];
        backend.read(line, values.data() + values.size() - width, width * sizeof(double));
      }
    return values;
  }
  Backend& backend;
  Buffer memory;
};

// Returns κ: on a GPU kernels read the array where it is.
Quantity coefficient(const DeviceArray& kappa) {
  GridArray array{Location::cell, {n, n, n}, {}};
  if (kappa.backend.on_gpu())
    array.on_device =
        GridArray::OnDevice{kappa.memory.data(), false, device_number(kappa.backend),
                            [&kappa](const auto& first, const auto& last) { return kappa.read(first, last); }};
  else
    array.values = kappa.read();
  return array;
}

}  // namespace

int main(int count, char** arguments) {
  const auto backend = make_backend(count > 1 ? arguments[1] : "cpu");
  void* const stream = nullptr;  // the cudaStream_t of the flow code, here the default stream
  DeviceArray kappa(*backend), source(*backend), pressure(*backend);
  kappa.write(mobility(0));

  Problem problem;
  problem.centering = Centering::cell;
  for (auto& nodes : problem.nodes) nodes = uniform_nodes(0, 1, n);
  problem.coefficient.fill(coefficient(kappa));
  for (auto& axis : problem.boundary)
    for (Boundary& face : axis) face.kind = BoundaryKind::neumann;  // walls; p is defined up to a constant
  GridModel model(*backend, std::move(problem));
  Options options;
  options.tolerance = 1e-8;
  const auto solver = make_solver(model, options);
  model.fill(solver->rhs(), solver->solution());

  Velocity v;
  for (auto& of_axis : v) of_axis.assign(cells, 0.0);
  bool good = true;
  for (int step = 0; step < 4; ++step) {
    for_each_face([&](std::size_t d, std::size_t low, std::size_t) {  // forces and advection
      v[d][low] += dt * std::sin(0.37 * static_cast<double>(low % 1013) + static_cast<double>(d + 1));
    });
    const double before = largest(divergence(v));

    if (step > 0) {  // a new κ on the same levels, in the same memory
      kappa.write(mobility(step));
      model.update({.coefficient = {coefficient(kappa)}});
      solver->update();
    }
    // The right-hand side is integrated over cells. The flow code writes it; no value passes through the host.
    source.write(divergence(v));
    const double volume = h * h * h;
    const Array div = source.array();
    wait_for_stream(*backend, stream);
    import_values(div, -volume / dt * solver->A().scale(), solver->rhs());
    const Result result = solver->solve(/*given_guess=*/step > 0);
    export_values(solver->solution(), 1, pressure.array());
    make_stream_wait(stream, *backend);

    const std::vector<double> p = pressure.read(), mobile = mobility(step);
    for_each_face([&](std::size_t d, std::size_t low, std::size_t high) {
      const double on_face = 2 / (1 / mobile[low] + 1 / mobile[high]);
      v[d][low] -= dt * on_face * (p[high] - p[low]) / h;
    });
    const double after = largest(divergence(v));
    std::printf("step %d: %d iterations, divergence %.1e, then %.1e\n", step + 1, result.iterations, before, after);
    good = good && result.converged() && after < 1e-5 * before;
  }
  return good ? 0 : 1;
}
