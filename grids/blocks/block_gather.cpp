// This file turns a level of blocks into rows that every process has.

#include <algorithm>
#include <utility>

#include "grids/blocks/block_operator.hpp"
#include "grids/blocks/stacked_tables.hpp"

namespace poisson {
namespace {

// Returns the first row of each part; parts without unknowns have none.
std::vector<std::int64_t> first_rows(const BlockSpace& blocks) {
  std::vector<std::int64_t> first{0};
  for (std::size_t p = 0; p < blocks.free.size(); ++p)
    first.push_back(first.back() + (blocks.free[p] ? blocks.numbers->first(static_cast<int>(p) + 1) -
                                                         blocks.numbers->first(static_cast<int>(p))
                                                   : 0));
  return first;
}

// Returns the row of each node; −1 for held ones.
std::vector<std::int64_t> rows_of_nodes(const BlockSpace& blocks) {
  const std::vector<std::int64_t> first = first_rows(blocks);
  std::vector<std::int64_t> rows(static_cast<std::size_t>(blocks.numbers->count()), -1);
  for (std::size_t p = 0; p < blocks.free.size(); ++p)
    for (std::int64_t i = 0; i < first[p + 1] - first[p]; ++i)
      rows[static_cast<std::size_t>(blocks.numbers->first(static_cast<int>(p)) + i)] = first[p] + i;
  return rows;
}

struct Entry {
  std::int64_t row, column;
  double value;
};

// Returns the entries of all processes, process by process.
std::vector<Entry> gathered(const Processes& processes, std::vector<Entry> own) {
  const auto most = static_cast<std::size_t>(processes.largest(static_cast<double>(own.size())));
  own.resize(most, {-1, -1, 0});
  std::vector<Entry> all(most * static_cast<std::size_t>(processes.count()));
  processes.gather(own.data(), most * sizeof(Entry), all.data());
  std::erase_if(all, [](const Entry& e) { return e.row < 0; });
  return all;
}

// Adds up entries of the same place in the order in which each(f) gives them to f(row, column, value). It calls `each`
// twice, so that no list of entries with their rows is stored.
template <class Each>
CsrMatrix summed(std::int64_t rows, const Each& each) {
  struct Part {
    int column;
    double value;
  };
  const auto count = static_cast<std::size_t>(rows);
  std::vector<double> diagonal(count);
  std::vector<std::int64_t> start(count + 1), next;
  each([&](std::int64_t r, std::int64_t c, double) { start[static_cast<std::size_t>(r) + 1] += r == c ? 0 : 1; });
  sum_up(start);
  next.assign(start.begin(), start.end() - 1);
  std::vector<Part> parts(static_cast<std::size_t>(start.back()));
  each([&](std::int64_t r, std::int64_t c, double value) {
    const auto row = static_cast<std::size_t>(r);
    if (r == c)
      diagonal[row] += value;
    else
      parts[static_cast<std::size_t>(next[row]++)] = {static_cast<int>(c), value};
  });
  CsrMatrix matrix;
  matrix.columns = rows;
  matrix.start.assign(count + 1, 0);
#pragma omp parallel for schedule(static)
  for (std::size_t r = 0; r < count; ++r) {  // sorts and joins the parts of a row
    Part* const first = parts.data() + start[r];
    Part* const last = parts.data() + start[r + 1];
    for (Part* p = first; p != last; ++p) {
      const Part moved = *p;
      Part* to = p;
      for (; to != first && to[-1].column > moved.column; --to) *to = to[-1];
      *to = moved;
    }
    Part* end = first;
    for (const Part* p = first; p != last; ++p) {
      if (end != first && end[-1].column == p->column)
        end[-1].value += p->value;
      else
        *end++ = *p;
    }
    next[r] = end - parts.data();
    matrix.start[r + 1] = end - first + 1;
  }
  sum_up(matrix.start);
  matrix.column.resize(static_cast<std::size_t>(matrix.start.back()));
  matrix.value.resize(matrix.column.size());
#pragma omp parallel for schedule(static)
  for (std::size_t r = 0; r < count; ++r) {
    auto to = static_cast<std::size_t>(matrix.start[r]);
    bool placed = false;
    const auto place_diagonal = [&] {
      matrix.column[to] = static_cast<int>(r);
      matrix.value[to++] = diagonal[r];
      placed = true;
    };
    for (std::int64_t p = start[r]; p < next[r]; ++p) {
      const Part& part = parts[static_cast<std::size_t>(p)];
      if (!placed && part.column > static_cast<int>(r)) place_diagonal();
      matrix.column[to] = part.column;
      matrix.value[to++] = part.value;
    }
    if (!placed) place_diagonal();
  }
  return matrix;
}

template <class T>
class BlockGather final : public Transfer {
 public:
  BlockGather(Backend& backend, std::shared_ptr<const BlockSpace> blocks, const RowSpace& rows)
      : backend_(backend), blocks_(std::move(blocks)), rows_(rows), row_(rows_of_nodes(*blocks_)) {}

 private:
  void do_restrict_to(const Field& fine, Field& coarse, const Scalar* scale) const override {
    const T factor = scale ? static_cast<T>(*scale->address()) : T(1);
    const std::vector<double> values = get_nodes(fine, *blocks_);
    T* const out = coarse.view<T>().data;
    for (std::size_t n = 0; n < row_.size(); ++n)
      if (row_[n] >= 0) out[rows_.place(row_[n])] = factor * static_cast<T>(values[n]);
  }
  void scatter(const Field& coarse, Field& fine, T factor, bool adds) const {
    std::vector<double> values = adds ? get_nodes(fine, *blocks_) : std::vector<double>(row_.size(), 0);
    const T* const in = coarse.view<T>().data;
    for (std::size_t n = 0; n < row_.size(); ++n)
      if (row_[n] >= 0) values[n] += static_cast<double>(factor * in[rows_.place(row_[n])]);
    put_nodes(values, *blocks_, fine);
  }
  void do_prolong(const Field& coarse, Field& fine) const override { scatter(coarse, fine, T(1), false); }
  void do_prolong_add(const Field& coarse, Field& fine) const override { scatter(coarse, fine, T(1), true); }
  void do_interpolate(const Field& coarse, Field& fine, const Scalar* scale) const override {
    scatter(coarse, fine, scale ? static_cast<T>(*scale->address()) : T(1), false);
  }
  void do_inject(const Field& fine, Field& coarse, const Scalar* scale) const override {
    do_restrict_to(fine, coarse, scale);
  }

  Backend& backend_;
  std::shared_ptr<const BlockSpace> blocks_;
  RowSpace rows_;
  std::vector<std::int64_t> row_;
};

}  // namespace

CsrMatrix block_rows(const BlockLevel& level) {
  const BlockSpace& blocks = *level.space;
  const std::vector<std::int64_t> row = rows_of_nodes(blocks);
  const auto& offsets = forward_offsets(blocks.dimension());
  const auto each_own = [&](const auto& f) {
    for (std::size_t b = 0; b < blocks.own.size(); ++b) {
      const BlockSpace::Own& own = blocks.own[b];
      const BlockMatrix::OfBlock& of = level.matrix->own[b];
      for (std::int64_t i = 0; i < own.size(); ++i) {
        const std::array<int, 3> node{static_cast<int>(i % own.nodes[0]),
                                      static_cast<int>(i / own.nodes[0] % own.nodes[1]),
                                      static_cast<int>(i / own.nodes[0] / own.nodes[1])};
        const std::int64_t r = row[static_cast<std::size_t>(blocks.numbers->number(own.block, node))];
        if (r >= 0) f(r, r, of.sums[static_cast<std::size_t>(i)]);
        for (std::size_t d = 0; d < offsets.size(); ++d) {
          const double a = of.bands[d * static_cast<std::size_t>(own.size()) + static_cast<std::size_t>(i)];
          if (a == 0) continue;
          const std::int64_t c = row[static_cast<std::size_t>(blocks.numbers->number(
              own.block, {node[0] + offsets[d][0], node[1] + offsets[d][1], node[2] + offsets[d][2]}))];
          if (r >= 0) f(r, r, -a);
          if (c >= 0) f(c, c, -a);
          if (r < 0 || c < 0) continue;
          f(r, c, a);
          f(c, r, a);
        }
      }
    }
  };
  const std::int64_t rows = first_rows(blocks).back();
  if (blocks.space.processes().alone()) return summed(rows, each_own);
  std::vector<Entry> own;  // with one entry for each place, which halves the bytes of messages
  const CsrMatrix local = summed(rows, each_own);
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t e = local.start[static_cast<std::size_t>(r)]; e < local.start[static_cast<std::size_t>(r) + 1];
         ++e)
      if (const double value = local.value[static_cast<std::size_t>(e)]; value != 0)
        own.push_back({r, local.column[static_cast<std::size_t>(e)], value});
  const std::vector<Entry> all = gathered(blocks.space.processes(), std::move(own));
  return summed(rows, [&](const auto& f) {
    for (const Entry& e : all) f(e.row, e.column, e.value);
  });
}

BlockRowPlaces find_row_places(const BlockSpace& blocks, const RowSpace& rows, Precision precision) {
  const std::vector<std::int64_t> row = rows_of_nodes(blocks);
  BlockRowPlaces places;
  for (std::size_t g = 0; g < blocks.space.groups().size(); ++g) {
    const PatchGroup& group = blocks.space.groups()[g];
    const GroupMemory memory = group_memory(blocks.space, g, precision);
    const Box& box = group.values;
    for (std::size_t p = 0; p < group.patches.size(); ++p) {
      std::int64_t node =
          blocks.numbers->first(blocks.part_of_patch[static_cast<std::size_t>(group.patches[p].number)]);
      for (int k = box.first[2]; k < box.last[2]; ++k)
        for (int j = box.first[1]; j < box.last[1]; ++j)
          for (int i = box.first[0]; i < box.last[0]; ++i) {
            const std::int64_t r = row[static_cast<std::size_t>(node++)];
            if (r < 0) continue;
            places.row.push_back(rows.place(r));
            places.place.push_back(memory.at(static_cast<int>(p), i, j, k));
          }
    }
  }
  return places;
}

SharedRows share_rows(const BlockSpace& blocks, const RowSpace& rows, const BlockRowPlaces& places) {
  const Processes& processes = blocks.space.processes();
  const std::vector<std::int64_t> first = first_rows(blocks);
  std::vector<std::vector<std::int64_t>> of_process(static_cast<std::size_t>(processes.count()));
  for (std::size_t p = 0; p < blocks.free.size(); ++p) {
    const int owner = blocks.process[static_cast<std::size_t>(blocks.numbers->topology().parts()[p].blocks[0])];
    for (std::int64_t r = first[p]; r < first[p + 1]; ++r)
      of_process[static_cast<std::size_t>(owner)].push_back(rows.place(r));
  }
  SharedRows shared;
  const std::vector<std::int64_t>& own = of_process[static_cast<std::size_t>(processes.rank())];
  for (const std::int64_t place : places.row)
    shared.own.push_back(std::ranges::lower_bound(own, place) - own.begin());  // rows are in the order of their places
  // Lists the rows of a process from a number on.
  const auto add = [&](const std::vector<std::int64_t>& of, std::int64_t next) {
    for (const std::int64_t place : of) {
      shared.listed.push_back(next++);
      shared.row.push_back(place);
    }
    return next;
  };
  std::int64_t next = std::max<std::int64_t>(1, add(own, 0));  // as in listed_space
  for (int q = 0; q < processes.count(); ++q) {
    const std::vector<std::int64_t>& theirs = of_process[static_cast<std::size_t>(q)];
    if (q == processes.rank() || (own.empty() && theirs.empty())) continue;
    RowList list{q};
    for (std::int64_t i = 0; i < std::ssize(own); ++i) list.sent.push_back(i);
    for (std::int64_t i = 0; i < std::ssize(theirs); ++i) list.received.push_back(next + i);
    next = add(theirs, next);
    shared.lists.push_back(std::move(list));
  }
  return shared;
}

std::unique_ptr<Transfer> make_block_gather(Backend& backend, std::shared_ptr<const BlockSpace> blocks,
                                            const RowSpace& rows, Precision precision) {
  return dispatch(precision, [&]<class T>(T) -> std::unique_ptr<Transfer> {
    return std::make_unique<BlockGather<T>>(backend, std::move(blocks), rows);
  });
}

}  // namespace poisson
