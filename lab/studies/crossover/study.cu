#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backends/utilities/pipeline.hpp"
#include "grids/schemes/discretization.hpp"
#include "lab/harness/session.hpp"
#include "lab/harness/verify.cuh"
#include "lab/studies/crossover/study.hpp"
#include "lab/studies/studies.hpp"
#include "solver/grid_model.hpp"

namespace poisson::lab {
namespace {

constexpr std::string_view study = "crossover";

// Copies a field to and from pinned host memory at the full rate of the bus. Host and device use the same layout.
class Travelling {
 public:
  explicit Travelling(Field& device, const Field* host = nullptr) : device_(&device), memory_(device.bytes()) {
    if (host)
      std::memcpy(memory_.data(), host->data(), memory_.bytes());
    else
      std::memset(memory_.data(), 0, memory_.bytes());
  }
  void up() { device_->backend().write(memory_.data(), device_->data(), memory_.bytes()); }
  void down() { device_->backend().read(device_->data(), memory_.data(), memory_.bytes()); }

 private:
  Field* device_;
  PinnedBuffer memory_;
};

struct Sides {
  Session& gpu;
  Session& cpu;
};

// Work on the device is timed by the device's clock. Work with transfers is timed by the host's clock.
void measure(const Sides& sides, Panel& panel, double unknowns, const std::function<void()>& on_cpu,
             const std::function<void()>& on_gpu, const std::function<void()>& transferring) {
  const auto add = [&](std::string_view curve, Timing seconds) {
    panel.points.push_back({std::string(curve), unknowns, seconds, 1e-6 * unknowns / seconds});
  };
  add(cpu_curve, time_on_cpu(sides.cpu, on_cpu));
  add(gpu_curve, sides.gpu.time(on_gpu));
  add(transfer_curve, sides.cpu.time(transferring));
}

Panel panel_of(std::string name, std::string title) {
  return {.name = std::move(name),
          .title = std::move(title),
          .x_label = "unknowns",
          .y_label = "10⁶ unknowns/s (CPU: all threads or half)",
          .log_x = true,
          .log_y = true,
          .noise = Panel::host_noise};  // the CPU is one side
}

void draw_ceiling(const Sides& sides, double bytes, Panel& panel) {
  panel.guides.push_back(
      {"GPU memory bandwidth", {{panel.points.front().x, 1e-6 * sides.gpu.copy_bandwidth() / bytes}}});
}

// Calls f(value, index) for all values of a field on the host.
template <class F>
void each_value(Field& host, const F& f) {
  const View<double> v = host.view<double>();
  std::uint64_t number = 0;
  for (int k = 0; k < v.n[2]; ++k)
    for (int j = 0; j < v.n[1]; ++j)
      for (int i = 0; i < v.n[0]; ++i) f(v(i, j, k), number++);
}

double datum(int seed, std::uint64_t number) {
  return static_cast<double>(noise_float(number + (static_cast<std::uint64_t>(seed) << 40)));
}

// Owns one vector on both sides.
struct Vector {
  Field host, device;

  Vector(const Sides& sides, int m, int seed)
      : host(sides.cpu.backend(), {{m, m, m}, {}}, Precision::fp64),
        device(sides.gpu.backend(), {{m, m, m}, {}}, Precision::fp64) {
    each_value(host, [seed](double& value, std::uint64_t number) { value = datum(seed, number); });
    transfer(host, device);
  }
};

constexpr double factor = 0x1p-10;

void check_axpy(const Session& session, Field& y, std::string_view side) {
  bool right = true;
  each_value(y, [&right](double value, std::uint64_t number) {
    right = right && std::abs(value - (datum(2, number) + factor * datum(1, number))) < 1e-15;
  });
  session.check(right, study, side, "y + a x is wrong");
}

void measure_axpy(const Sides& sides, int m, Panel& panel) {
  Backend &cpu = sides.cpu.backend(), &gpu = sides.gpu.backend();
  Vector x(sides, m, 1), y(sides, m, 2);
  const Scalar a = cpu.scalar(factor), device_a = gpu.scalar(factor);
  gpu.axpy(device_a, x.device, y.device);
  Field result(cpu, y.host.layout(), Precision::fp64);
  transfer(y.device, result);
  check_axpy(sides.gpu, result, "axpy on the GPU");
  cpu.axpy(a, x.host, y.host);
  check_axpy(sides.gpu, y.host, "axpy on the CPU");
  Travelling x_bytes(x.device, &x.host), y_bytes(y.device, &y.host);
  measure(
      sides, panel, static_cast<double>(y.host.layout().size()), [&] { cpu.axpy(a, x.host, y.host); },
      [&] { gpu.axpy(device_a, x.device, y.device); },
      [&] {
        x_bytes.up();
        y_bytes.up();
        gpu.axpy(device_a, x.device, y.device);
        y_bytes.down();
      });
}

void measure_dot(const Sides& sides, int m, Panel& panel) {
  Backend &cpu = sides.cpu.backend(), &gpu = sides.gpu.backend();
  Vector x(sides, m, 1), y(sides, m, 2);
  Scalar on_cpu = cpu.scalar(), on_gpu = gpu.scalar();
  long double expected = 0;
  each_value(x.host, [&expected](double value, std::uint64_t number) { expected += value * datum(2, number); });
  cpu.dot(x.host, y.host, on_cpu);
  gpu.dot(x.device, y.device, on_gpu);
  for (const double sum : {cpu.value(on_cpu), gpu.value(on_gpu)})
    sides.gpu.check(std::abs(sum - static_cast<double>(expected)) <= 1e-12 * static_cast<double>(expected), study,
                    "dot", "a dot product is wrong");
  Travelling x_bytes(x.device, &x.host), y_bytes(y.device, &y.host);
  measure(
      sides, panel, static_cast<double>(x.host.layout().size()), [&] { cpu.dot(x.host, y.host, on_cpu); },
      [&] { gpu.dot(x.device, y.device, on_gpu); },
      [&] {
        x_bytes.up();
        y_bytes.up();
        gpu.dot(x.device, y.device, on_gpu);
        gpu.value(on_gpu);
      });
}

void check_product(const Session& session, int bands, int m, const std::vector<double>& y, std::string_view side) {
  const auto rows = static_cast<std::int64_t>(y.size());
  const std::int64_t stride = rows < 100000 ? 1 : 97;
  bool right = true;
  for (std::int64_t row = 0; row < rows; row += stride)
    right = right && std::abs(y[static_cast<std::size_t>(row)] - banded_row(bands, m, row)) < 1e-14;
  session.check(right, study, side, "a row of the banded product for m = " + std::to_string(m) + " is wrong");
}

void measure_product(const Sides& sides, int bands, int m, Panel& panel, bool timed = true) {
  Backend& gpu = sides.gpu.backend();
  const std::int64_t rows = std::int64_t{m} * m;
  const Bands values = band_values(bands, m);
  const std::vector<double> x = padded_vector(m);
  std::vector<double> y(static_cast<std::size_t>(rows), std::nan(""));
  const Array<double> device_values(gpu, static_cast<std::int64_t>(values.size)), device_x(gpu, x), device_y(gpu, rows);
  gpu.write(values.values.get(), device_values.data(), device_values.bytes());
  spoil(gpu, device_y);
  const BandedProduct on_host{bands, m, values.values.get(), x.data() + m + 1, y.data()};
  const BandedProduct on_device{bands, m, device_values.data(), device_x.data() + m + 1, device_y.data()};
  multiply_on_cpu(on_host);
  check_product(sides.gpu, bands, m, y, "banded product on the CPU");
  multiply_on_gpu(gpu, on_device);
  check_product(sides.gpu, bands, m, device_y.host(), "banded product on the GPU");
  if (!timed) return;
  const PinnedBuffer x_bytes(device_x.bytes()), y_bytes(device_y.bytes());
  std::memcpy(x_bytes.data(), x.data(), x_bytes.bytes());
  measure(
      sides, panel, static_cast<double>(rows), [&] { multiply_on_cpu(on_host); },
      [&] { multiply_on_gpu(gpu, on_device); },
      [&] {
        gpu.write(x_bytes.data(), device_x.data(), device_x.bytes());
        multiply_on_gpu(gpu, on_device);
        gpu.read(device_y.data(), y_bytes.data(), device_y.bytes());
      });
  check_product(sides.gpu, bands, m, {y_bytes.as<double>(), y_bytes.as<double>() + rows}, "banded product, sent");
}

// Runs recurrences on data that the device owns, there and on the host. Few lines leave the device nearly idle.
void measure_lines(const Sides& sides, int lines, int values, Panel& panel) {
  Backend& gpu = sides.gpu.backend();
  const int length = values / lines;
  const Array<double> device(gpu, values);
  const PinnedBuffer bytes(device.bytes());
  double* const host = bytes.as<double>();
  const auto start = [&] {
    for (int i = 0; i < values; ++i) host[i] = vector_value(i);
    gpu.write(host, device.data(), device.bytes());
  };
  std::vector<double> expected(static_cast<std::size_t>(values));
  for (int i = 0; i < values; ++i)
    expected[static_cast<std::size_t>(i)] =
        recurrence(vector_value(i), i < lines ? 0 : expected[static_cast<std::size_t>(i - lines)]);
  const Recurrences there{lines, length, device.data()}, here{lines, length, host};
  const auto check = [&](std::string_view side) {
    gpu.read(device.data(), host, device.bytes());
    bool right = true;
    for (int i = 0; i < values; ++i) right = right && std::abs(host[i] - expected[static_cast<std::size_t>(i)]) < 1e-14;
    sides.gpu.check(right, study, side, "recurrences along " + std::to_string(lines) + " lines are wrong");
  };
  const auto fetching = [&] {
    gpu.read(device.data(), host, device.bytes());
    recur_on_cpu(here);
    gpu.write(host, device.data(), device.bytes());
  };
  start();
  recur_on_gpu(gpu, there);
  check("recurrences on the GPU");
  start();
  fetching();
  check("recurrences on the CPU");
  const auto add = [&](std::string_view curve, Timing seconds) {
    panel.points.push_back({std::string(curve), 1.0 * lines, seconds, 1e-6 * values / seconds});
  };
  add(cpu_curve, time_on_cpu(sides.cpu, [&] { recur_on_cpu(here); }));
  add(gpu_curve, sides.gpu.time([&] { recur_on_gpu(gpu, there); }));
  add(fetching_curve, sides.cpu.time(fetching));
}

// Solves −Δu = f on the unit cube with u = 0 on its faces: one cycle of the default solver from u = 0.
class CycleProblem {
 public:
  CycleProblem(Backend& backend, int cells) : backend_(&backend), discretization_(backend, cube(cells)) {
    Options options{.method = Method::multigrid};
    options.tolerance = 0;  // exactly one cycle
    options.max_iterations = 1;
    options.full_multigrid = false;
    solver_ = make_solver(discretization_, options);
    discretization_.assemble_rhs(solver_->rhs());
  }
  Result cycle() {
    backend_->fill(solver_->solution(), 0);
    return solver_->solve(false);
  }
  Solver& solver() { return *solver_; }
  std::int64_t unknowns() const { return discretization_.unknowns(); }

 private:
  static Problem cube(int cells) {
    Problem problem;
    for (auto& nodes : problem.nodes)
      for (int i = 0; i <= cells; ++i) nodes.push_back(static_cast<double>(i) / cells);
    problem.source = [](double x, double y, double z) { return x < 0.5 ? 1 + y : z - 3 * x; };
    return problem;
  }

  Backend* backend_;
  Discretization discretization_;
  std::unique_ptr<Solver> solver_;
};

// The oracle of a cycle is its purpose. The residual must shrink equally on both sides, and both solutions must agree
// up to the rounding of corrections to 32 bits.
void check_cycle(const Session& session, CycleProblem& cpu, CycleProblem& gpu, Field& downloaded) {
  const double there = gpu.cycle().relative(), here = cpu.cycle().relative();
  session.check(
      here < 0.2 && std::abs(there - here) < 1e-3, study, "multigrid cycle",
      "the residual shrinks to " + std::to_string(here) + " on the CPU, " + std::to_string(there) + " on the GPU");
  transfer(gpu.solver().solution(), downloaded);
  const View<double> u = cpu.solver().solution().view<double>(), v = downloaded.view<double>();
  double largest = 0, difference = 0;
  for (int k = 0; k < u.n[2]; ++k)
    for (int j = 0; j < u.n[1]; ++j)
      for (int i = 0; i < u.n[0]; ++i) {
        largest = std::max(largest, std::abs(u(i, j, k)));
        const double here_and_there = std::abs(u(i, j, k) - v(i, j, k));
        if (!(here_and_there <= difference)) difference = here_and_there;
      }
  session.check(largest > 0 && difference <= 1e-4 * largest, study, "multigrid cycle",
                "CPU and GPU end at different solutions");
}

void measure_cycle(const Sides& sides, int cells, Panel& panel) {
  CycleProblem cpu(sides.cpu.backend(), cells), gpu(sides.gpu.backend(), cells);
  Field downloaded(sides.cpu.backend(), cpu.solver().solution().layout(), Precision::fp64);
  check_cycle(sides.gpu, cpu, gpu, downloaded);
  Travelling rhs(gpu.solver().rhs(), &cpu.solver().rhs()), solution(gpu.solver().solution());
  measure(
      sides, panel, static_cast<double>(cpu.unknowns()), [&] { cpu.cycle(); }, [&] { gpu.cycle(); },
      [&] {
        rhs.up();
        gpu.cycle();
        solution.down();
      });
}

Panels measure_all(Session& session) {
  Session host("cpu", session.quick());
  const Sides sides{session, host};
  const std::vector<int> cubes =
      session.quick() ? std::vector{8, 16, 32, 64, 128} : std::vector{8, 16, 24, 32, 48, 64, 96, 128, 192, 256};
  const std::vector<int> squares =
      session.quick() ? std::vector{16, 64, 256, 1024} : std::vector{16, 32, 64, 128, 256, 512, 1024, 2048, 4096};
  Panels panels;
  const auto finish = [&](Panel panel, double bytes) {
    if (bytes > 0) draw_ceiling(sides, bytes, panel);
    panels.push_back(std::move(panel));
  };

  Panel axpy = panel_of("axpy", "axpy, y = y + a x, fp64 (x and y travel, y returns)");
  for (const int m : cubes) measure_axpy(sides, m, axpy);
  finish(std::move(axpy), 24);

  Panel dot = panel_of("dot", "Dot product, fp64 (both vectors travel)");
  for (const int m : cubes) measure_dot(sides, m, dot);
  finish(std::move(dot), 16);

  for (const int bands : {5, 9}) {
    const std::string count = std::to_string(bands);
    Panel product = panel_of("bands-" + count, "Matrix of " + count + " bands times vector, fp64 (the vectors travel)");
    for (const int m : {1, 2, 7, 83}) measure_product(sides, bands, m, product, false);
    for (const int m : squares) measure_product(sides, bands, m, product);
    finish(std::move(product), bytes_per_row(bands));
  }

  constexpr int values = 1 << 22;
  Panel serial = panel_of("lines", "Recurrences along lines of 4 million values on the GPU, fp64");
  serial.x_label = "independent lines";
  const std::vector<int> counts =
      session.quick() ? std::vector{64, 1024, 16384} : std::vector{64, 256, 1024, 4096, 16384, 65536};
  for (const int lines : counts) measure_lines(sides, lines, values, serial);
  panels.push_back(std::move(serial));

  Panel cycle = panel_of("cycle", "One multigrid cycle in 3-D (the right-hand side travels, the solution returns)");
  for (const int cells : cubes) measure_cycle(sides, cells, cycle);
  finish(std::move(cycle), 0);

  return panels;
}

}  // namespace

// The question is old: an Opteron 252 was once compared with a GeForce 7800 GTX in this way.
constexpr std::array lectures{Lecture::goeddeke, Lecture::filipovic};
constexpr std::array additions{Addition{"lines", "", "recurrences along lines"}};

const Study crossover_study{
    .name = "crossover",
    .question = "From how many unknowns on does a GPU beat its CPU, with and without transfers?",
    .lectures = lectures,
    .measure = measure_all,
    .conclude = conclude_crossover,
    .additions = additions,
};

}  // namespace poisson::lab
