#pragma once

#include <algorithm>
#include <utility>

#include "grids/compact/row_steps.hpp"

/// Builds aggregates and prolongations on any device. `Rows` is the device (HostRows, cuda::DeviceRows):
///
///   Matrix              owns compressed rows; view(matrix) refers to them
///   resize(matrix, rows, columns, entries)  sets the shape and allocates entries
///   make<T>(n)          returns memory of n unset values, at(memory) their address
///   each(n, step)       calls step(i) for i < n
///   sum(n, f), most(n, f, least)  add f(i) in a fixed order, or find the largest
///   sum_up(counts, n)   replaces counts[0 … n − 1] by the sums of preceding counts, sets counts[n], and returns it
///   keep(list, n, f)    keeps the first n entries for which f holds, in order; returns their number
namespace poisson {

/// Assigns rows to aggregates: of[i] is the aggregate of row i, or −1 if it has no strong coupling.
template <class Rows>
struct AggregatesOn {
  decltype(std::declval<Rows&>().template make<int>(0)) of;
  std::int64_t count = 0;
};

template <class Rows>
auto largest_couplings(Rows& rows, const CsrView& A) {
  auto largest = rows.template make<double>(A.rows);
  rows.each(A.rows, LargestCoupling{A, rows.at(largest)});
  return largest;
}

/// Performs the rounds of RootSearch.
template <class Rows>
void find_roots(Rows& rows, const RootSearch& search, std::int64_t n) {
  rows.each(n, BeginSearch{search});
  auto open = rows.template make<int>(n), watched = rows.template make<int>(n);
  rows.each(n, ListAll{rows.at(open)});
  rows.each(n, ListAll{rows.at(watched)});
  std::int64_t opened = rows.keep(open, n, IsOpen{search}), watching = rows.keep(watched, n, IsOpen{search});
  for (std::uint64_t round = 0; opened > 0; ++round) {
    rows.each(opened, RankRows{search, rows.at(open), round});
    rows.each(watching, FindLeast{search, rows.at(watched)});
    rows.each(opened, DecideRows{search, rows.at(open)});
    opened = rows.keep(open, opened, IsOpen{search});
    watching = rows.keep(watched, watching, IsWatched{search});
  }
}

/// Makes aggregates around roots that are more than two couplings apart (MIS-2). A root takes its neighbours, and each
/// remaining row joins the neighbouring aggregate to which it is coupled most. Couplings below 1/10 of the largest one
/// of a row do not join rows here. Otherwise a row where κ is small would join places where κ is large that are not
/// coupled with each other, and no coarse value could tell them apart.
template <class Rows>
AggregatesOn<Rows> aggregate(Rows& rows, const CsrView& A, const CouplingTest& test) {
  constexpr int sweeps = 3;
  const std::int64_t n = A.rows;
  AggregatesOn<Rows> all{rows.template make<int>(n), 0};
  {
    auto start = rows.template make<std::int64_t>(n + 1);
    rows.each(n, CountNeighbours{A, test, rows.at(start)});
    const auto near = rows.template make<int>(std::max<std::int64_t>(1, rows.sum_up(start, n)));
    rows.each(n, ListNeighbours{A, test, rows.at(start), rows.at(near)});
    const NeighbourView graph{rows.at(start), rows.at(near)};
    const auto own = rows.template make<RootSearch::Rank>(n);
    {
      const auto least = rows.template make<RootSearch::Rank>(n);
      find_roots(rows, RootSearch{graph, rows.at(own), rows.at(least)}, n);
    }
    auto number = rows.template make<std::int64_t>(n + 1);
    rows.each(n, MarkRoots{rows.at(own), rows.at(number)});
    all.count = rows.sum_up(number, n);
    rows.each(n, TakeNeighbours{graph, rows.at(own), rows.at(number), rows.at(all.of)});
  }
  auto next = rows.template make<int>(n);
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    rows.each(n, JoinNearest{A, test, rows.at(all.of), rows.at(next)});
    std::swap(all.of, next);
  }
  auto number = rows.template make<std::int64_t>(n + 1);
  rows.each(n, MarkRest{A, test, rows.at(all.of), rows.at(number)});
  const std::int64_t rest = rows.sum_up(number, n);
  if (rest > 0) rows.each(n, NumberRest{rows.at(number), all.count, rows.at(all.of)});
  all.count += rest;
  return all;
}

/// Returns what computes rows of P. ω is 4/3 over the largest eigenvalue of D⁻¹F.
template <class Rows>
ProlongationRow prolongation_row(Rows& rows, const CsrView& A, const CouplingTest& test, const int* of) {
  const double bound = std::min(2.0, rows.most(A.rows, FilteredBound{A, test}, 1.0));
  return {A, test, of, 4.0 / 3 / bound};
}

/// Makes P for aggregates.
template <class Rows>
typename Rows::Matrix make_prolongation(Rows& rows, const CsrView& A, const CouplingTest& test,
                                        const AggregatesOn<Rows>& aggregates) {
  const ProlongationRow row = prolongation_row(rows, A, test, rows.at(aggregates.of));
  typename Rows::Matrix P;
  P.start = rows.template make<std::int64_t>(A.rows + 1);
  rows.each(A.rows, CountProlongation{row, rows.at(P.start)});
  rows.resize(P, A.rows, aggregates.count, rows.sum_up(P.start, A.rows));
  rows.each(A.rows, FillProlongation{row, rows.at(P.start), rows.at(P.column), rows.at(P.value), false});
  return P;
}

/// Computes the values of a P with known columns for new values of A.
template <class Rows>
void update_prolongation(Rows& rows, const CsrView& A, const int* of, typename Rows::Matrix& P) {
  const auto largest = largest_couplings(rows, A);
  const CouplingTest test{rows.at(largest)};
  const ProlongationRow row = prolongation_row(rows, A, test, of);
  rows.each(A.rows, FillProlongation{row, rows.at(P.start), rows.at(P.column), rows.at(P.value), true});
}

}  // namespace poisson
