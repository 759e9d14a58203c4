#include "lab/studies/sparse/study.hpp"

#include <array>
#include <bit>

#include "lab/harness/contents.hpp"
#include "lab/harness/session.hpp"
#include "lab/page/curve.hpp"
#include "lab/page/verdict.hpp"
#include "lab/studies/studies.hpp"

namespace poisson::lab {
namespace {

constexpr std::string_view name = "sparse";

std::vector<double> x_of(int m, const Numbering& numbering) {
  std::vector<double> x(static_cast<std::size_t>(m) * static_cast<std::size_t>(m));
  for (std::int64_t p = 0; p < numbering.points; ++p) x[static_cast<std::size_t>(numbering(p))] = sparse_x(p);
  return x;
}

// Checks every row of small products and many rows of large ones.
void check(Session& session, const SparseOperands& a, std::string_view way) {
  const std::vector<double> y = a.y.host();
  const Numbering numbering{a.rows(), way == sparse_names::scattered || way == sparse_names::scattered_threads};
  const std::int64_t stride = a.rows() < 100000 ? 1 : 89;
  bool right = true;
  for (std::int64_t back = 0; back < a.rows(); back += stride) {
    const std::int64_t p = a.rows() - 1 - back;  // begins with the last row
    right = right && y[static_cast<std::size_t>(numbering(p))] == product_at(p, a.m);
  }
  session.check(right, name, way, "a row of the product for m = " + std::to_string(a.m) + " is wrong");
}

std::vector<std::string_view> ways_of(const Session& session, const Backend& backend, int m) {
  std::vector<std::string_view> ways{sparse_names::bands, sparse_names::rows};
  if (backend.on_gpu()) ways.push_back(sparse_names::lanes);
  if (std::has_single_bit(static_cast<unsigned>(m))) ways.push_back(sparse_names::scattered);
  if (backend.on_gpu() && std::has_single_bit(static_cast<unsigned>(m)))
    ways.push_back(sparse_names::scattered_threads);
  if (session.with_broken_variant()) ways.push_back(sparse_names::broken);
  return ways;
}

void verified(Session& session, const SparseOperands& a, std::string_view way) {
  poison(session.backend(), a.y.data(), a.y.bytes());
  multiply_sparse(session.backend(), a, way);
  check(session, a, way);
}

Panels measure(Session& session) {
  Backend& backend = session.backend();
  for (const int m : {1, 2, 7, 64, 83}) {
    const SparseOperands a(backend, m, std::has_single_bit(static_cast<unsigned>(m)));
    for (const std::string_view way : ways_of(session, backend, m)) verified(session, a, way);
  }
  Panel panel{"product", "A matrix of nine bands times a vector, fp64", "rows", "million rows per second", true, true};
  std::vector<int> sides{256, 1024};
  if (session.on_gpu() && !session.quick()) sides = {128, 256, 512, 1024, 2048};
  if (!session.on_gpu()) sides = session.quick() ? std::vector{512} : std::vector{256, 512, 1024};
  for (const int m : sides) {
    const SparseOperands a(backend, m, true);
    const auto rows = static_cast<double>(a.rows());
    for (const std::string_view way : ways_of(session, backend, m)) {
      verified(session, a, way);
      const Timing seconds = session.time([&] { multiply_sparse(backend, a, way); });
      panel.points.push_back({std::string(way), rows, seconds, 1e-6 * rows / seconds});
    }
  }
  for (const std::string_view way : {sparse_names::bands, sparse_names::rows})
    panel.guides.push_back({"bytes at the speed of a copy, " + std::string(way),
                            {{panel.points.front().x, 1e3 * session.machine().copy / sparse_bytes(way)}}});
  return {panel};
}

constexpr std::array lectures{Lecture::goeddeke};
constexpr std::array additions{
    Addition{"product", sparse_names::scattered_threads, "scattered numberings with a thread for each row"}};

}  // namespace

SparseOperands::SparseOperands(Backend& backend, int side, bool with_scattered)
    : m(side),
      bands(backend, bands_of(side)),
      padded_x(backend, x_between_zeros(side)),
      values(backend, 1),
      scattered_values(backend, 1),
      x(backend, x_of(side, {rows(), false})),
      scattered_x(backend, with_scattered ? x_of(side, {rows(), true}) : std::vector<double>(1)),
      y(backend, rows()),
      columns(backend, 1),
      begins(backend, 1),
      scattered_columns(backend, 1),
      scattered_begins(backend, 1) {
  const auto set = [&](bool scattered, Array<double>& to, Array<std::int32_t>& to_columns,
                       Array<std::int32_t>& to_begins) {
    const CompactRows compact = compact_rows(m, {rows(), scattered});
    to = Array<double>(backend, compact.values);
    to_columns = Array<std::int32_t>(backend, compact.columns);
    to_begins = Array<std::int32_t>(backend, compact.begins);
  };
  set(false, values, columns, begins);
  if (with_scattered) set(true, scattered_values, scattered_columns, scattered_begins);
}

const Study sparse_study{
    .name = name,
    .question = "How do compact rows compare with bands, and how much does the numbering cost?",
    .lectures = lectures,
    .needs_gpu = false,
    .measure = measure,
    .conclude = conclude_sparse,
    .additions = additions,
};

}  // namespace poisson::lab
