#include "grids/results/integrals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include "backends/backend.hpp"
#include "backends/cpu/launch.hpp"
#include "grids/sampling/problem_data.hpp"
#include "grids/sampling/sampling.hpp"
#include "grids/schemes/cells/cell_face.hpp"
#include "grids/schemes/elements/elements.hpp"

namespace poisson {
namespace {

// Calls f(value of u at (i, j, k)) whatever its precision.
template <class Body>
auto with_values(const Field& field, const Body& body) {
  const HostRead read(field);
  const Field& u = *read;
  return dispatch(u.precision(), [&]<class T>(T) {
    return body([view = u.view<T>()](int i, int j, int k) { return static_cast<double>(view(i, j, k)); });
  });
}

template <class F>
double sum(const Box& box, const F& f) {
  return cpu::sum_over_lines(box, [&](int j, int k) {
    double line = 0;
    for (int i = box.first[0]; i < box.last[0]; ++i) line += f(i, j, k);
    return line;
  });
}

// The masses of an axis, looked up many times.
struct Masses {
  explicit Masses(const Block& block) {
    for (std::size_t d = 0; d < 3; ++d)
      for (int i = 0; i < block.axes[d].size(); ++i) axis[d].push_back(block.axes[d].mass(i));
  }
  double operator()(int i, int j, int k) const { return at(0, i) * at(1, j) * at(2, k); }
  /// Area of a node on a face across axis d.
  double area(std::size_t d, int i, int j, int k) const {
    return (d == 0 ? 1 : at(0, i)) * (d == 1 ? 1 : at(1, j)) * (d == 2 ? 1 : at(2, k));
  }
  double at(std::size_t d, int i) const { return axis[d][static_cast<std::size_t>(i)]; }

  std::array<std::vector<double>, 3> axis;
};

// The mean of a field's values in the corners of a cell, or where the cell is a ghost beyond a face, of that face.
template <class Value>
double corner_mean(const Block& block, const Value& value, int i, int j, int k) {
  const std::array<int, 3> cell{i, j, k};
  std::array<std::array<int, 2>, 3> at{};
  for (std::size_t d = 0; d < 3; ++d) {
    const int n = block.axes[d].size();
    at[d] = {cell[d], cell[d] + 1};
    for (int& node : at[d]) node = block.axes[d].periodic() ? node % n : std::clamp(node, 0, n - 1);
  }
  double sum = 0;
  for (const int c : at[2])
    for (const int b : at[1])
      for (const int a : at[0]) sum += value(a, b, c);
  return sum / 8;
}

// Whether node (i, j, k) lies on the face across axis d at an end.
bool on_face(const Block& block, std::size_t d, std::size_t end, int i, int j, int k) {
  const std::array at{i, j, k};
  return at[d] == (end == 0 ? 0 : block.axes[d].size() - 1);
}

// As error_norms, where the backend evaluates the exact solution.
std::optional<ErrorNorms> error_norms_on_device(const Discretization& d, const Field& u) {
  const Quantity& exact = *d.problem().exact;
  if (!d.sampler() || &u.backend() != &d.backend() || !d.sampler()->evaluates(exact)) return std::nullopt;
  try {
    const DifferenceMoments m = d.sampler()->measure({exact, "exact"}, &u);
    double volume = 1;
    for (const Axis& axis : d.block().axes) {
      double length = 0;
      for (int i = 0; i < axis.size(); ++i) length += axis.mass(i);
      volume *= length;
    }
    const double mean = d.rows().singular ? m.first / volume : 0;
    return ErrorNorms{std::max(m.high - mean, mean - m.low), std::sqrt(std::max(0.0, m.second - mean * m.first))};
  } catch (const HostDecides&) {
    return std::nullopt;
  }
}

// ∫f: as the right-hand side has it, or where the backend evaluates the source.
std::optional<double> known_source(const Discretization& d) {
  if (const auto found = d.source_integral()) return found;
  const Quantity& source = d.problem().source;
  if (!d.sampler() || !d.sampler()->evaluates(source)) return std::nullopt;
  try {
    if (d.block().centering() == Centering::cell || taken_at_nodes(d.problem(), source))
      return -d.sampler()->measure({source, "source"}, nullptr).first;
    return d.sampler()->integral({source, "source"}, on_elements(d.problem().scheme));
  } catch (const HostDecides&) {
    return std::nullopt;
  }
}

// What cells bring to the balance: ∫f, ∫σu and the fluxes through all faces.
void add_cells(const Discretization& discretization, const Field& u, Balance& result) {
  const Problem& problem = discretization.problem();
  const Block& block = discretization.block();
  const Masses mass(block);
  const Box all = block.layout().box();
  const auto integral = [&](const Quantity& quantity, std::string_view name, const auto& factor) {
    LineSums lines(all);
    sample(quantity, name, Sign::any, block, Location::cell, all, [&](int j, int k, const double* values) {
      double line = 0;
      for (int i = 0; i < all.last[0]; ++i) line += mass(i, j, k) * values[i] * factor(i, j, k);
      lines(j, k) = line;
    });
    return lines.total();
  };
  const auto source = known_source(discretization);
  result.source = source ? *source : integral(problem.source, "source", [](int, int, int) { return 1.0; });
  with_values(u, [&](const auto& value) {
    const double* sigma = problem.reaction.constant();
    result.reaction = sigma ? (*sigma == 0 ? 0 : *sigma * solution_norms(block, u).integral)
                            : integral(problem.reaction, "reaction", value);
    for_each_face(problem, [&](int d, int end, const Boundary&) {
      double& flux = result.flux[2 * static_cast<std::size_t>(d) + static_cast<std::size_t>(end)];
      CellFace(problem, block, d, end).visit([&](int i, int j, int k, const CellFace::Values& face) {
        flux += mass.area(static_cast<std::size_t>(d), i, j, k) * (face.given - face.conductance * value(i, j, k));
      });
    });
    return 0;
  });
}

// Where the values of an axis sit, increasing and at least two: from value `first` on. A periodic axis gets a value
// more at its ends as needed to span it, a cell-centred one its Dirichlet faces, whose data are in the halo.
std::vector<double> places(const Axis& axis, int& first) {
  if (axis.centering() == Centering::node) return axis.nodes();
  std::vector<double> x;
  for (int i = 0; i < axis.size(); ++i) x.push_back(axis.point(i));
  const double length = axis.nodes().back() - axis.nodes().front();
  const double below = x.back() - length, above = x.front() + length;
  if (axis.periodic() || axis.kind(0) == BoundaryKind::dirichlet) {
    first = -1;
    x.insert(x.begin(), axis.periodic() ? below : axis.nodes().front());
  }
  if (axis.periodic() || axis.kind(1) == BoundaryKind::dirichlet)
    x.push_back(axis.periodic() ? above : axis.nodes().back());
  return x;
}

}  // namespace

SolutionNorms solution_norms(const Block& block, const Field& u) {
  const Masses mass(block);
  const Box box = block.layout().box();
  return with_values(u, [&](const auto& at) {
    SolutionNorms n;
    n.integral = sum(box, [&](int i, int j, int k) { return mass(i, j, k) * at(i, j, k); });
    n.l2 = std::sqrt(sum(box, [&](int i, int j, int k) { return mass(i, j, k) * at(i, j, k) * at(i, j, k); }));
    // Each plane leaves its extrema; they are compared in order, so that their places do not depend on threads.
    struct Extremum {
      double value;
      std::array<int, 3> at{};
    };
    constexpr double infinity = std::numeric_limits<double>::infinity();
    std::vector<std::array<Extremum, 2>> planes(static_cast<std::size_t>(box.last[2]), {{{infinity}, {-infinity}}});
    const bool many = box.size() > cpu::parallel_threshold;
#pragma omp parallel for schedule(static) if (many)
    for (int k = 0; k < box.last[2]; ++k) {
      auto [low, high] = planes[static_cast<std::size_t>(k)];
      for (int j = 0; j < box.last[1]; ++j)
        for (int i = 0; i < box.last[0]; ++i) {
          const double value = at(i, j, k);
          if (value < low.value) low = {value, {i, j, k}};
          if (value > high.value) high = {value, {i, j, k}};
        }
      planes[static_cast<std::size_t>(k)] = {low, high};
    }
    auto [low, high] = planes.front();
    for (const auto& [lower, higher] : planes) {
      if (lower.value < low.value) low = lower;
      if (higher.value > high.value) high = higher;
    }
    n.min = low.value;
    n.max = high.value;
    for (std::size_t d = 0; d < 3; ++d) {
      if (block.axes[d].degenerate()) continue;
      n.min_at[d] = block.axes[d].point(low.at[d]);
      n.max_at[d] = block.axes[d].point(high.at[d]);
    }
    return n;
  });
}

double throughput(const Balance& balance) {
  double in = 0, out = 0;
  const auto add = [&](double flow) { (flow > 0 ? in : out) += std::abs(flow); };
  for (const double flux : balance.flux) add(flux);
  add(balance.source);
  add(-balance.reaction);
  return std::max(in, out);
}

ErrorNorms error_norms(const Discretization& discretization, const Field& u) {
  const Block& block = discretization.block();
  const Masses mass(block);
  const Box box = block.layout().box();
  if (const auto norms = error_norms_on_device(discretization, u)) return *norms;
  const Quantity& exact = *discretization.problem().exact;
  // Each line leaves its sums and extrema; they are combined in order, so that the result does not depend on threads.
  struct Line {
    double mass = 0, first = 0, second = 0, low = 0, high = 0;
  };
  std::vector<Line> lines(static_cast<std::size_t>(box.last[1]) * static_cast<std::size_t>(box.last[2]));
  with_values(u, [&](const auto& at) {
    sample(exact, "exact", Sign::any, block, block.location(), box, [&](int j, int k, const double* values) {
      Line line{0, 0, 0, std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
      for (int i = 0; i < box.last[0]; ++i) {
        const double m = mass(i, j, k), e = at(i, j, k) - values[i];
        line.mass += m;
        line.first += m * e;
        line.second += m * e * e;
        line.low = std::min(line.low, e);
        line.high = std::max(line.high, e);
      }
      lines[static_cast<std::size_t>(k) * static_cast<std::size_t>(box.last[1]) + static_cast<std::size_t>(j)] = line;
    });
    return 0;
  });
  Line all{0, 0, 0, lines.front().low, lines.front().high};
  for (const Line& line : lines) {
    all.mass += line.mass;
    all.first += line.first;
    all.second += line.second;
    all.low = std::min(all.low, line.low);
    all.high = std::max(all.high, line.high);
  }
  const double mean = discretization.rows().singular ? all.first / all.mass : 0;
  return {std::max(all.high - mean, mean - all.low), std::sqrt(std::max(0.0, all.second - mean * all.first))};
}

Balance balance(const Discretization& discretization, const Operator& A, const Field& u, const Field& b, Field& work) {
  const Problem& problem = discretization.problem();
  const Block& block = discretization.block();
  const Masses mass(block);
  const Box all = block.layout().box();
  const bool elements = on_elements(problem.scheme);
  Balance result;

  A.residual(u, b, work);
  with_values(work, [&](const auto& r) {
    result.residual = -sum(A.unknowns(), r) / A.scale();
    return 0;
  });
  if (block.centering() == Centering::cell) {
    add_cells(discretization, u, result);
    return result;
  }
  if (const double* sigma = problem.reaction.constant()) {
    result.reaction = *sigma == 0 ? 0 : *sigma * solution_norms(block, u).integral;
  }

  const auto host = make_cpu_backend();
  const Layout layout = block.layout();
  const auto source = known_source(discretization);
  // Of elements: ∫ f φ, where their sum is known on the nodes of Dirichlet faces alone.
  Field element_source(*host, elements ? layout : Layout{}, Precision::fp64);
  const auto add_element_source = [&](const Box& nodes) {
    add_element_integral(problem, problem.source, "source", block, nodes, -1, 0, *host, element_source.view<double>());
  };
  if (source) {
    result.source = *source;
  } else if (elements) {
    add_element_source(all);
    result.source = sum(all, element_source.view<double>());
  } else {
    LineSums lines(all);
    integrate(problem.source, "source", Sign::any, block, all, -1,
              [&](int j, int k, const double* f) { lines(j, k) = std::accumulate(f, f + all.last[0], 0.0); });
    result.source = lines.total();
  }

  A.apply_everywhere(u, work);
  with_values(u, [&](const auto& value) {
    if (!problem.reaction.constant() && elements) {
      const Box cells = block.cell_layout().box();
      LineSums lines(cells);
      sample(problem.reaction, "reaction", Sign::any, block, Location::cell, cells,
             [&](int j, int k, const double* sigma) {
               double line = 0;
               for (int i = 0; i < cells.last[0]; ++i)
                 line += block.cell_volume(i, j, k) * sigma[i] * corner_mean(block, value, i, j, k);
               lines(j, k) = line;
             });
      result.reaction = lines.total();
    } else if (!problem.reaction.constant()) {
      LineSums lines(all);
      integrate(problem.reaction, "reaction", Sign::any, block, all, -1, [&](int j, int k, const double* sigma) {
        double line = 0;
        for (int i = 0; i < all.last[0]; ++i) line += sigma[i] * value(i, j, k);
        lines(j, k) = line;
      });
      result.reaction = lines.total();
    }
    with_values(work, [&](const auto& Au) {
      // First what Neumann and Robin faces bring, their parts in Dirichlet nodes set aside.
      Field data(*host, layout, Precision::fp64);
      const auto brought = data.view<double>();
      const auto each_face = [&](const auto& body) {
        for (std::size_t d = 0; d < static_cast<std::size_t>(problem.dimension); ++d)
          for (std::size_t end = 0; end < 2; ++end) {
            const Boundary& face = problem.boundary[d][end];
            const Box box = face_box(block, static_cast<int>(d), static_cast<int>(end));
            if (face.kind != BoundaryKind::periodic) body(d, end, face, box, result.flux[2 * d + end]);
          }
      };
      each_face([&](std::size_t d, std::size_t end, const Boundary& face, const Box& box, double& flux) {
        if (face.kind == BoundaryKind::dirichlet) return;
        const std::string key = face_key(static_cast<int>(d), static_cast<int>(end));
        if (elements) {
          Field part(*host, layout, Precision::fp64);
          const auto q = part.view<double>();
          add_element_integral(problem, face.value, key, block, box, static_cast<int>(d), static_cast<int>(end), *host,
                               q);
          flux += sum(box, q);
          cpu::for_each_line(box, [&](int j, int k) {
            for (int i = box.first[0]; i < box.last[0]; ++i) brought(i, j, k) += q(i, j, k);
          });
          if (face.kind == BoundaryKind::neumann) return;
          const Box ghosts = ghost_box(block, static_cast<int>(d), static_cast<int>(end));
          LineSums lines(ghosts);
          sample(face.alpha, key + ".alpha", Sign::any, block, Location::cell, ghosts,
                 [&](int j, int k, const double* a) {
                   double line = 0;
                   for (int i = ghosts.first[0]; i < ghosts.last[0]; ++i) {
                     double area = 1;
                     const std::array at{i, j, k};
                     for (std::size_t e = 0; e < 3; ++e)
                       if (e != d) area *= block.axes[e].width(at[e]);
                     line += a[i - ghosts.first[0]] * area * corner_mean(block, value, i, j, k);
                   }
                   lines(j, k) = line;
                 });
          flux -= lines.total();
          return;
        }
        LineSums lines(box);
        integrate(face.value, key, Sign::any, block, box, static_cast<int>(d), [&](int j, int k, const double* q) {
          double line = 0;
          for (int i = box.first[0]; i < box.last[0]; ++i) {
            brought(i, j, k) += q[i - box.first[0]];
            line += q[i - box.first[0]];
          }
          lines(j, k) = line;
        });
        if (face.kind == BoundaryKind::robin)
          integrate(face.alpha, key + ".alpha", Sign::any, block, box, static_cast<int>(d),
                    [&](int j, int k, const double* alpha) {
                      double line = 0;
                      for (int i = box.first[0]; i < box.last[0]; ++i) line += alpha[i - box.first[0]] * value(i, j, k);
                      lines(j, k) -= line;
                    });
        flux += lines.total();
      });
      each_face([&](std::size_t d, std::size_t, const Boundary& face, const Box& box, double& flux) {
        if (face.kind != BoundaryKind::dirichlet) return;
        LineSums lines(box);
        const auto element_sources = element_source.view<double>();
        if (elements && source) {
          cpu::for_each_line(box, [&](int j, int k) {
            for (int i = box.first[0]; i < box.last[0]; ++i) element_sources(i, j, k) = 0;
          });
          add_element_source(box);
        }
        const auto add_line = [&](int j, int k, const double* f) {
          double line = 0;
          for (int i = box.first[0]; i < box.last[0]; ++i) {
            double areas = 0;
            for (std::size_t e = 0; e < static_cast<std::size_t>(problem.dimension); ++e)
              for (std::size_t side = 0; side < 2; ++side)
                if (problem.boundary[e][side].kind == BoundaryKind::dirichlet && on_face(block, e, side, i, j, k))
                  areas += mass.area(e, i, j, k);
            const double rest = Au(i, j, k) / A.scale() - f[i - box.first[0]] - brought(i, j, k);
            line += rest * mass.area(d, i, j, k) / areas;
          }
          lines(j, k) = line;
        };
        if (elements)
          cpu::for_each_line(box, [&](int j, int k) { add_line(j, k, &element_sources(box.first[0], j, k)); });
        else
          integrate(problem.source, "source", Sign::any, block, box, -1, add_line);
        flux += lines.total();
      });
      return 0;
    });
    return 0;
  });
  return result;
}

double interpolate_at(const Block& block, const Field& u, std::span<const double> point) {
  std::array<int, 3> low{};
  std::array<double, 3> t{};
  for (std::size_t d = 0; d < point.size(); ++d) {
    int first = 0;
    const std::vector<double> x = places(block.axes[d], first);
    const auto next = std::upper_bound(x.begin() + 1, x.end() - 1, point[d]);
    low[d] = static_cast<int>(next - x.begin()) - 1 + first;
    t[d] = (point[d] - *(next - 1)) / (*next - *(next - 1));
  }
  return with_values(u, [&](const auto& at) {
    double value = 0;
    for (int corner = 0; corner < 8; ++corner) {
      std::array<int, 3> i{};
      double weight = 1;
      for (std::size_t d = 0; d < 3; ++d) {
        const int up = corner >> d & 1;
        weight *= up ? t[d] : 1 - t[d];
        i[d] = low[d] + up;
        if (block.axes[d].periodic()) i[d] = (i[d] + block.axes[d].size()) % block.axes[d].size();
      }
      if (weight != 0) value += weight * at(i[0], i[1], i[2]);
    }
    return value;
  });
}

}  // namespace poisson
