#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "backends/memory/error.hpp"
#include "grids/blocks/block_assembly.hpp"
#include "grids/blocks/block_coarsening.hpp"
#include "grids/blocks/block_lines.hpp"
#include "grids/blocks/replicated_blocks.hpp"
#include "grids/blocks/stacked_cells.hpp"
#include "grids/blocks/stacked_gathers.hpp"
#include "grids/blocks/stacked_parts.hpp"
#include "grids/blocks/stacked_sources.hpp"
#include "grids/blocks/stacked_space.hpp"
#include "grids/compact/csr.hpp"

namespace poisson {

/// Returns the tables of a space.
using TablesOfSpaces = std::function<std::shared_ptr<const StackedTables>(const BlockSpace&)>;

/// Runs an assembly on a device (stacked_operator.hpp).
template <class Steps, int dimension>
class StackedAssembly final : public BlockAssembly {
 public:
  StackedAssembly(std::shared_ptr<Steps> steps, TablesOfSpaces tables)
      : steps_(std::move(steps)), tables_(std::move(tables)) {}

  void bands(const BlockLevel& level, std::size_t g, double scale, float* bands, float* sums) override {
    put_bands(level, g, scale, bands, sums);
  }
  void bands(const BlockLevel& level, std::size_t g, double scale, double* bands, double* sums) override {
    put_bands(level, g, scale, bands, sums);
  }
  void bands(const BlockLevel& level, std::size_t g, double scale, Narrow* bands, float* sums) override {
    put_bands(level, g, scale, bands, sums);
  }
  void bands(const BlockLevel& level, std::size_t g, double scale, NarrowRest* bands, double* sums) override {
    put_bands(level, g, scale, bands, sums);
  }
  void bands(const BlockLevel& level, std::size_t g, double scale, ShortRest* bands, double* sums) override {
    put_bands(level, g, scale, bands, sums);
  }
  void release() override {
    records_ = {};
    cells_.clear();
  }
  Field inverse_diagonal(const BlockLevel& level, double scale) override {
    Field inverse(steps_->backend(), level.space->space, Precision::fp64);
    const auto tables = tables_(*level.space);
    const ListedValues slots(steps_->backend(), tables->slots, Precision::fp64);
    const PutValue end{static_cast<double*>(inverse.data()), scale, true};
    for (std::size_t g = 0; g < tables->lists.groups.size(); ++g) {
      const Buffer frozen = frozen_of(level, g);
      for_nodes(level, g, [&](const Part& part) {
        sum_part(
            tables->lists.groups[g], part,
            DiagonalOfElements<dimension>{part.grid, part.records, memory<const unsigned char>(frozen) + part.first},
            slots, end);
      });
    }
    finish_sum(*tables, slots, end);
    return inverse;
  }
  void loads(const BlockLevel& level, double factor, bool volumes, Field& to) override {
    const auto tables = tables_(*level.space);
    const ListedValues slots(steps_->backend(), tables->slots, Precision::fp64);
    const PutValue end{static_cast<double*>(to.data()), factor, false};
    for (std::size_t g = 0; g < tables->lists.groups.size(); ++g) {
      const BlockShape shape = tables->lists.groups[g].shape;
      const Buffer frozen = frozen_of(level, g);
      const std::shared_ptr<const StackedCells> of = cells(level, g);
      const HostDensity host = join_density(*level.matrix->sources, own_of_group(tables->lists, g), shape, dimension);
      const Buffer density = copy(host.constant), source = copy(host.points), unit = copy(host.unit);
      for_parts<dimension>(*steps_, shape, 2 * corners, {}, nodes_in_plane(shape), [&](const Part& part) {
        const ComputeLoads<dimension> f{{part.shape, memory<const double>(of->place)},
                                        part.grid,
                                        host.constant.empty() ? nullptr : memory<const double>(density),
                                        host.points.empty() ? nullptr : memory<const double>(source),
                                        memory<const double>(unit),
                                        host.varies,
                                        part.records,
                                        part.first};
        steps_->each(part.cells, ShiftedSteps<ComputeLoads<dimension>>{f, part.begin_cells});
        add_facets(level, g, part, corners, &BlockFacets::load);
        sum_part(tables->lists.groups[g], part,
                 SumOfCorners<dimension>{part.grid, part.records, volumes ? corners : 0,
                                         memory<const unsigned char>(frozen) + part.first},
                 slots, end);
      });
    }
    finish_sum(*tables, slots, end);
  }
  void couplings(const BlockLevel& level, std::size_t g, double scale, const GroupMemory* places, double* to) override {
    for_nodes(level, g, [&](const Part& part) {
      run(part, GatherCouplings<dimension>{part.shape, part.grid, part.records, places, to, scale, part.first});
    });
  }
  BlockMatrix on_host(const BlockLevel& level) override {
    BlockElements elements;
    elements.own.resize(level.space->own.size());
    const StackedLists& lists = tables_(*level.space)->lists;
    for (std::size_t g = 0; g < lists.groups.size(); ++g) {
      const std::vector<std::size_t> own = own_of_group(lists, g);
      for_nodes(level, g, [&](const Part& part) {
        const auto cells = static_cast<std::size_t>(part.records.cells), size = std::size_t{record_size<dimension>};
        std::vector<double> values(cells * size * static_cast<std::size_t>(part.shape.patches));
        steps_->backend().read(part.records.values, values.data(), values.size() * sizeof(double));
        for (std::size_t p = 0; p < static_cast<std::size_t>(part.shape.patches); ++p) {
          std::vector<double>& all = elements.own[own[static_cast<std::size_t>(part.first) + p]];
          all.resize(static_cast<std::size_t>(part.grid.cells) * size);
          double* const to = all.data() + static_cast<std::size_t>(part.records.first) * size;
          for_rows(part.records.cells, [&](std::int64_t cell) {
            const auto c = static_cast<std::size_t>(cell);
            for (std::size_t e = 0; e < size; ++e) to[c * size + e] = values[(p * size + e) * cells + c];
          });
        }
      });
    }
    return matrix_of(*level.space, elements);
  }
  std::shared_ptr<const StackedCells> cells(const BlockLevel& level, std::size_t g) override {
    const StackedLists& lists = tables_(*level.space)->lists;
    if (cells_of_ != level.space) {
      cells_.clear();
      cells_of_ = level.space;
    }
    cells_.resize(lists.groups.size());
    if (cells_[g]) return cells_[g];
    const HostCells host = join_cells(*level.matrix->sources, own_of_group(lists, g), lists.groups[g].shape, dimension);
    auto made = std::make_shared<StackedCells>();
    made->place = copy(host.place);
    made->kappa = copy(host.kappa);
    made->sigma = copy(host.sigma);
    made->coefficients = host.coefficients;
    made->varies = host.varies;
    made->tensor = host.tensor;
    made->reacts = !host.sigma.empty();
    return cells_[g] = made;
  }

 private:
  static constexpr int corners = 1 << dimension;

  using Part = GroupPart;
  // Contains the elements of a level that is not the finest one, group by group.
  struct Records {
    const BlockSpace* space = nullptr;
    Buffer values;
    std::vector<std::int64_t> first;
  };

  template <class X>
  static X* memory(const Buffer& buffer) {
    return static_cast<X*>(buffer.data());
  }
  template <class Values>
  Buffer copy(const Values& values) {
    using X = typename Values::value_type;
    Buffer there = steps_->template make<X>(std::ssize(values));
    if (!values.empty()) steps_->backend().write(values.data(), there.data(), values.size() * sizeof(X));
    return there;
  }
  template <class S, class T>
  void put_bands(const BlockLevel& level, std::size_t g, double scale, S* bands, T* sums) {
    const BlockShape shape = tables_(*level.space)->lists.groups[g].shape;
    const BandPlaces places(shape, dimension == 2 ? 4 : 13);
    for_nodes(level, g, [&](const Part& part) {
      run(part,
          GatherBands<S, T, dimension>{part.shape, part.grid, part.records, places, bands, sums, scale, part.first});
    });
  }
  template <class F>
  void run(const Part& part, const F& f) {
    steps_->each(part.items, ShiftedSteps<F>{f, part.begin});
  }
  Buffer frozen_of(const BlockLevel& level, std::size_t g) {
    std::vector<unsigned char> frozen;
    const MacroTopology& topology = level.space->numbers->topology();
    for (const std::size_t b : own_of_group(tables_(*level.space)->lists, g)) {
      const int whole = topology.place(level.space->own[b].block, topology.places() / 2).part;
      frozen.push_back(level.space->free[static_cast<std::size_t>(whole)] ? 0 : 1);
    }
    return copy(frozen);
  }

  // Calls f(part) with the elements around all nodes of a group.
  template <class F>
  void for_nodes(const BlockLevel& level, std::size_t g, const F& f) {
    const BlockShape shape = tables_(*level.space)->lists.groups[g].shape;
    if (level.matrix->sources) {
      for_parts<dimension>(*steps_, shape, record_size<dimension>, {}, nodes_in_plane(shape), [&](const Part& part) {
        compute(level, g, part);
        f(part);
      });
      return;
    }
    make_records(level);
    f(Part{shape, CellGrid(shape, dimension), 0, 0, std::int64_t{shape.nodes} * shape.patches, 0, 0,
           records_of(g, shape)});
  }
  static int nodes_in_plane(const BlockShape& shape) { return shape.nodes / std::max(1, shape.n[dimension - 1]); }
  RecordView records_of(std::size_t g, const BlockShape& shape) const {
    const CellGrid grid(shape, dimension);
    return {memory<double>(records_.values) + records_.first[g], grid.cells, record_size<dimension>, 0};
  }

  // Computes the elements of a part of the finest level.
  void compute(const BlockLevel& level, std::size_t g, const Part& part) {
    const std::shared_ptr<const StackedCells> of = cells(level, g);
    const ComputeElements<dimension> f{
        {part.shape, memory<const double>(of->place)}, part.grid, of->tables(), part.records, part.first};
    steps_->each(part.cells, ShiftedSteps<ComputeElements<dimension>>{f, part.begin_cells});
    add_facets(level, g, part, record_size<dimension>, &BlockFacets::matrix);
  }
  // Adds what facets add to the first `size` values of records.
  void add_facets(const BlockLevel& level, std::size_t g, const Part& part, int size,
                  std::vector<double> BlockFacets::*values) {
    const HostFacets host = join_facets(*level.matrix->sources, own_of_group(tables_(*level.space)->lists, g), values,
                                        size, part.first, part.shape.patches, part.begin_cells, part.records.cells);
    if (host.cell.empty()) return;
    const Buffer patch = copy(host.patch), cell = copy(host.cell), added = copy(host.values);
    steps_->each(std::ssize(host.cell), AddRecords{memory<const int>(patch), memory<const int>(cell),
                                                   memory<const double>(added), size, part.records});
  }

  // Makes the elements of a level from those of the level above, unless they are known.
  void make_records(const BlockLevel& level) {
    if (records_.space == level.space.get()) return;
    const BlockLevel& finer = *level.matrix->finer;
    if (!finer.matrix->sources) make_records(finer);
    const BlockSpace& to = level.shares ? *level.shares : *level.space;
    const StackedLists &fine = tables_(*finer.space)->lists, &coarse = tables_(to)->lists;
    Records made = allocated(to);
    // Blocks of one shape may have coarse blocks of several. `first` is the first record of each, −1 in other groups.
    for (std::size_t g = 0; g < fine.groups.size(); ++g)
      for (std::size_t below = 0; below < coarse.groups.size(); ++below) {
        std::vector<std::int64_t> first;
        for (const std::size_t b : own_of_group(fine, g)) {
          if (to.own[b].block != finer.space->own[b].block) throw RunError("a block has no coarse block");
          first.push_back(coarse.group_of_own[b] == static_cast<int>(below) ? record_of(to, b, made) : -1);
        }
        if (std::ranges::any_of(first, [](std::int64_t at) { return at >= 0; }))
          coarsen(finer, g, first, coarse.groups[below].shape, made);
      }
    records_ = level.shares ? replicated(level, made) : std::move(made);
  }
  Records allocated(const BlockSpace& space) {
    Records made{&space, {}, {}};
    std::int64_t count = 0;
    for (const StackedLists::Group& group : tables_(space)->lists.groups) {
      made.first.push_back(count);
      count += values_of(group.shape) * group.shape.patches;
    }
    made.values = steps_->template make<double>(count);
    return made;
  }
  static std::int64_t values_of(const BlockShape& shape) {
    return std::int64_t{record_size<dimension>} * CellGrid(shape, dimension).cells;
  }
  std::int64_t record_of(const BlockSpace& space, std::size_t own, const Records& of) const {
    const StackedLists& lists = tables_(space)->lists;
    const auto group = static_cast<std::size_t>(lists.group_of_own[own]);
    return of.first[group] + space.own[own].patch * values_of(lists.groups[group].shape);
  }
  // Gives every process the elements of all blocks. Messages pass through the hosts.
  Records replicated(const BlockLevel& level, const Records& of_shares) {
    const StackedLists& lists = tables_(*level.shares)->lists;
    std::vector<std::vector<double>> own;
    for (std::size_t b = 0; b < level.shares->own.size(); ++b) {
      const BlockShape& shape = lists.groups[static_cast<std::size_t>(lists.group_of_own[b])].shape;
      std::vector<double>& to = own.emplace_back(static_cast<std::size_t>(values_of(shape)));
      const double* const from = memory<double>(of_shares.values) + record_of(*level.shares, b, of_shares);
      steps_->backend().read(from, to.data(), to.size() * sizeof(double));
    }
    Records made = allocated(*level.space);
    std::size_t b = 0;
    for (const std::vector<double>& from : lists_of_all_blocks(*level.shares, own)) {
      double* const to = memory<double>(made.values) + record_of(*level.space, b++, made);
      steps_->backend().write(from.data(), to, from.size() * sizeof(double));
    }
    return made;
  }
  void coarsen(const BlockLevel& finer, std::size_t g, const std::vector<std::int64_t>& first,
               const BlockShape& coarse_shape, const Records& made) {
    const BlockShape shape = tables_(*finer.space)->lists.groups[g].shape;
    const CellGrid grid(shape, dimension), coarse(coarse_shape, dimension);
    std::array<std::vector<int>, 3> starts;
    std::array<Buffer, 3> start, place;
    for (std::size_t d = 0; d < 3; ++d) {
      starts[d] = coarse_cells(grid.n[d], coarse.n[d]);
      start[d] = copy(starts[d]);
      std::vector<double> places;
      const std::vector<double>& widths = finer.space->numbers->widths(shape.n[d] - 1);
      for (const AxisInterpolation::Node& node : interpolate_axis(widths, coarse.n[d]).nodes) places.push_back(node.t);
      place[d] = copy(places);
    }
    const Buffer table = copy(first);
    const auto step = [&](const Part& part) {
      const CoarsenElements<dimension> f{
          part.grid,
          coarse,
          {memory<const int>(start[0]), memory<const int>(start[1]), memory<const int>(start[2])},
          {memory<const double>(place[0]), memory<const double>(place[1]), memory<const double>(place[2])},
          part.records,
          memory<double>(made.values),
          memory<const std::int64_t>(table),
          part.first};
      run(part, f);
    };
    const std::int64_t items = coarse.cells;
    if (!finer.matrix->sources) return step({shape, grid, 0, 0, items * shape.patches, 0, 0, records_of(g, shape)});
    for_parts<dimension>(*steps_, shape, record_size<dimension>, starts[dimension - 1],
                         coarse.cells / coarse.n[dimension - 1], [&](const Part& part) {
                           compute(finer, g, part);
                           step(part);
                         });
  }

  // Sums values of nodes over blocks. value(nodes in a group) adds up the records at a node.
  template <class Product>
  void sum_part(const StackedLists::Group& group, const Part& part, const Product& product, const ListedValues& slots,
                const PutValue& end) {
    BlockShape shape = part.shape;
    GroupMemory memory_of_part = group.memory[static_cast<std::size_t>(Precision::fp64)];
    shape.first_slot += part.first * shape.slots;
    memory_of_part.first += part.first * memory_of_part.patch;
    run(part, MultiplyNode<double, Product, PutValue>{shape, memory_of_part, memory_of_part, product, nullptr,
                                                      slots.template data<double>(), end});
  }
  void finish_sum(const StackedTables& tables, const ListedValues& slots, const PutValue& end) {
    slots.exchange();
    steps_->each(tables.count, AddSlots<double, PutValue>{tables.view(Precision::fp64, Precision::fp64),
                                                          slots.template data<double>(), end, false});
  }

  std::shared_ptr<Steps> steps_;
  TablesOfSpaces tables_;
  std::vector<std::shared_ptr<const StackedCells>> cells_;  // of a level, by group
  std::shared_ptr<const BlockSpace> cells_of_;              // the space of this level
  Records records_;
};

/// Makes the assembly of blocks of a dimension.
template <int dimension, class Steps>
std::unique_ptr<BlockAssembly> make_stacked_assembly(const std::shared_ptr<Steps>& steps,
                                                     const TablesOfSpaces& tables) {
  return std::make_unique<StackedAssembly<Steps, dimension>>(steps, tables);
}

}  // namespace poisson
