#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "lab/harness/session.hpp"
#include "lab/harness/verify.cuh"
#include "lab/studies/interpolate/neighbours.hpp"
#include "lab/studies/interpolate/study.hpp"
#include "lab/studies/studies.hpp"

namespace poisson::lab {
namespace {

constexpr std::string_view study = "interpolate";

// Identifies a line of the fine grid along x.
struct Line {
  int j, k;
};

// Returns the largest error on some lines, in every `stride`-th value; NaN if a value is NaN.
double error_on(Backend& backend, const Refinement& r, const float* fine, const std::vector<Line>& lines, int stride) {
  std::vector<float> line(static_cast<std::size_t>(r.n[0]));
  double worst = 0;
  for (const auto& [j, k] : lines) {
    backend.read(fine + (std::int64_t{k} * r.n[1] + j) * r.n[0], line.data(), line.size() * sizeof(float));
    for (int i = 0; i < r.n[0]; i += stride) {
      const double error = std::abs(static_cast<double>(line[static_cast<std::size_t>(i)]) - interpolated(r, i, j, k));
      if (!(error <= worst)) worst = error;
      if (std::isnan(worst)) return worst;
    }
  }
  return worst;
}

// A filtered value may deviate by twice the error of weights rounded to the nearest multiple of 2⁻⁸, because
// coordinates are rounded too. Arithmetic rounds a few times.
double checked_error(const Session& session, Backend& backend, const Refinement& r, const ProlongationVariant& variant,
                     const float* fine, const std::vector<Line>& lines, int stride) {
  const double error = error_on(backend, r, fine, lines, stride);
  const double bound = variant.filtered ? 2 * filter_error(r.dimension) : 1e-6;
  session.check(error <= bound, study, variant.name,
                "an error of " + std::to_string(error) + " for factor " + std::to_string(r.factor) + " in " +
                    std::to_string(r.dimension) + " dimensions");
  return error;
}

void verify_small(Session& session, const Refinement& r) {
  Backend& backend = session.backend();
  const Array<float> coarse(backend, r.coarse_size()), fine(backend, r.fine_size());
  fill(backend, coarse, NoiseFloat{});
  std::vector<Line> lines;
  for (int k = 0; k < r.n[2]; ++k)
    for (int j = 0; j < r.n[1]; ++j) lines.push_back({j, k});
  for (const ProlongationVariant& variant : prolongation_variants()) {
    spoil(backend, fine);
    variant.prepare(backend, r, coarse.data())->apply(coarse.data(), fine.data());
    checked_error(session, backend, r, variant, fine.data(), lines, 1);
  }
}

void measure(Session& session, const Refinement& r, Panel& speed, Panel& errors) {
  Backend& backend = session.backend();
  const Array<float> coarse(backend, r.coarse_size()), fine(backend, r.fine_size());
  fill(backend, coarse, NoiseFloat{});
  std::vector<Line> lines;
  for (const int j : {0, 1, r.n[1] / 2 + 1, r.n[1] - 1})
    for (const int k : {0, r.n[2] / 3, r.n[2] - 1})
      if (r.dimension == 3 || k == 0) lines.push_back({j, k});
  for (const ProlongationVariant& variant : prolongation_variants()) {
    const auto prolongation = variant.prepare(backend, r, coarse.data());
    spoil(backend, fine);
    const Timing seconds = session.time([&] { prolongation->apply(coarse.data(), fine.data()); });
    const double error = checked_error(session, backend, r, variant, fine.data(), lines, 1);
    const std::string name(variant.name);
    const double factor = r.factor;
    speed.points.push_back({name, factor, seconds, 1e-9 * r.bytes() / seconds});
    errors.points.push_back({name, factor, seconds, error});
  }
}

void run_dimension(Session& session, int dimension, std::vector<Panel>& panels) {
  using Shape = std::array<int, 3>;
  const std::vector<Shape> awkward = dimension == 2 ? std::vector<Shape>{{1, 1, 1}, {37, 53, 1}, {300, 17, 1}}
                                                    : std::vector<Shape>{{1, 1, 1}, {19, 23, 17}, {70, 5, 34}};
  for (const Shape& n : awkward)
    for (const int factor : {2, 3, 5, 16}) verify_small(session, {dimension, n, factor});

  const std::string d = std::to_string(dimension), name = dimension == 2 ? "Bilinear" : "Trilinear";
  Panel speed{"speed-" + d + "d", name + " prolongation, fp32", "refinement factor", "GB/s", false, false, {}, {}};
  Panel errors{"error-" + d + "d",
               name + " prolongation of values in [0, 1)",
               "refinement factor",
               "largest error",
               false,
               true,
               {},
               {}};
  const int cube = session.quick() ? 384 : 512;
  const Shape n = dimension == 2 ? Shape{8192, 8192, 1} : Shape{cube, cube, cube};
  for (const int factor : session.quick() ? std::vector{2, 3, 4, 5} : std::vector{2, 3, 4, 5, 6, 7, 8})
    measure(session, {dimension, n, factor}, speed, errors);
  speed.guides.push_back({"device copy", {{2, 1e-9 * session.copy_bandwidth()}}});
  errors.guides.push_back({"each direction's weight rounded to 1/256", {{2, filter_error(dimension)}}});
  panels.push_back(std::move(speed));
  panels.push_back(std::move(errors));
}

Panels measure_all(Session& session) {
  Panels panels;
  for (const int dimension : {2, 3}) run_dimension(session, dimension, panels);
  panels.push_back(measure_neighbours(session));
  return panels;
}

}  // namespace

constexpr std::array lectures{Lecture::goeddeke, Lecture::filipovic};

const Study interpolate_study{
    .name = "interpolate",
    .question =
        "Does texture hardware interpolate faster than arithmetic, how exactly, and what do indices cost in a "
        "prolongation and in a Jacobi sweep?",
    .lectures = lectures,
    .measure = measure_all,
    .conclude = [](const Panels& panels, const Machine&) { return conclude_interpolate(panels); },
};

}  // namespace poisson::lab
