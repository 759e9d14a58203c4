#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "backends/memory/error.hpp"
#include "grids/blocks/slot_memory.hpp"
#include "grids/blocks/stacked_crossing.hpp"
#include "grids/blocks/stacked_entries.hpp"

/// Contains operators that run the steps of stacked_steps.hpp and stacked_lines.hpp. `Steps` runs them on a device:
///   Backend& backend();
///   Buffer copy(const std::vector<X>&), make<X>(count);   memory of the device
///   void each(count, f);                                  f(i) for all i
///   bool fits(bytes);                                     memory that the threads of a plane can share
///   void planes(count, SolvePlane);                       all planes of a group
///   void march(MarchCells);                               products whose matrices are computed cell by cell
///   void sum(const Field& x, const Field& y, f, result);  Σ f(x_i, y_i) over the unknowns
namespace poisson {

/// Owns the tables of a space on a device.
struct StackedTables {
  StackedLists lists;  ///< without the lists of values
  std::array<Buffer, 2> place, owner;
  Buffer start, slot;
  int count = 0;                       ///< values at interfaces
  Space slots;                         ///< of all slots: this process's own, then those of others
  mutable std::vector<Buffer> places;  ///< of nodes, by group, where entries are computed (BlockCells)

  template <class Steps>
  StackedTables(Steps& steps, const BlockSpace& blocks)
      : lists(make_stacked_lists(blocks)),
        slots(listed_space(lists.slots, lists.received, lists.exchanged, blocks.shared_processes)) {
    count = static_cast<int>(lists.place[0].size());
    for (std::size_t p = 0; p < 2; ++p) {
      place[p] = steps.copy(std::exchange(lists.place[p], {}));
      owner[p] = steps.copy(std::exchange(lists.owner[p], {}));
    }
    start = steps.copy(std::exchange(lists.start, {}));
    slot = steps.copy(std::exchange(lists.slot, {}));
  }
  InterfaceView view(Precision own, Precision result) const {
    return {static_cast<const std::int64_t*>(place[static_cast<std::size_t>(own)].data()),
            static_cast<const std::int64_t*>(place[static_cast<std::size_t>(result)].data()),
            static_cast<const int*>(start.data()),
            static_cast<const int*>(slot.data()),
            lists.free,
            count};
  }
};

template <class T>
T* memory_of(Field& x) {
  return static_cast<T*>(x.data());
}
template <class T>
const T* memory_of(const Field& x) {
  return static_cast<const T*>(x.data());
}
template <class T>
T* memory_of(const Buffer& x) {
  return static_cast<T*>(x.data());
}

/// Is the operator of a level of blocks on a device, with stored bands.
template <class Steps, class T, int dimension>
class StackedOperator final : public Operator {
 public:
  StackedOperator(std::shared_ptr<Steps> steps, std::shared_ptr<const StackedTables> tables, BlockOperatorData data)
      : steps_(std::move(steps)),
        tables_(std::move(tables)),
        data_(std::move(data)),
        inverse_(steps_->backend(), blocks().space, precision_of<T>),
        sum_(steps_->backend().scalar()) {
    const StackedLists& lists = tables_->lists;
    for (std::size_t g = 0; g < lists.groups.size(); ++g) entries_.push_back(entries_of(g));
    slots_ = ListedValues(backend(), tables_->slots, precision_of<T>);
    fill_on_host();
  }

  Backend& backend() const override { return steps_->backend(); }
  Precision precision() const override { return precision_of<T>; }
  const Space& space() const override { return blocks().space; }
  std::string_view assembly() const override { return "blocks"; }
  double scale() const override { return data_.scale; }
  bool singular() const override { return data_.singular; }
  std::size_t bytes() const override {
    std::size_t bytes = inverse_.bytes() + slots_.bytes();
    for (const Entries& of : entries_)
      for (const Buffer& memory : of.memory) bytes += memory.bytes();
    for (const auto* of : {&inverses_, &lowers_})
      for (const Buffer& memory : *of) bytes += memory.bytes();
    return bytes + work_.bytes() + other_.bytes() + (crossing_ ? crossing_->bytes() : 0);
  }
  std::unique_ptr<SymmetricSplitting> split(const Relaxation&) const override;
  std::unique_ptr<Splitting> split_by_colours() const override {
    throw RunError("blocks have no colours to sweep over: use solver.smoother.type: chebyshev");
  }

  const BlockSpace& blocks() const { return *data_.level.space; }
  const Field& inverse() const { return inverse_; }
  bool by_lines() const { return data_.smoothing == BlockSmoothing::lines; }

  /// Computes A u, and calls the end for each value; `result` is the precision of what it writes.
  template <class End>
  void product(const Field& u, const End& end, Precision result = precision_of<T>, bool everywhere = false) const {
    backend().exchange(u);
    for (std::size_t g = 0; g < entries_.size(); ++g) {
      const Entries& of = entries_[g];
      const auto at = [&of](std::size_t n) { return memory_of<const T>(of.memory[n]); };
      const BlockShape& shape = tables_->lists.groups[g].shape;
      if (of.model == Model::axes)
        multiply(g, TensorProductOfBlock<T, dimension>{{at(0), at(1), at(2)}, at(3)}, u, end, result);
      else if (of.model == Model::bands)
        multiply(g, BandProduct<T, dimension>{at(0), at(1), BandPlaces(shape, BandProduct<T, dimension>::offsets)}, u,
                 end, result);
      else if constexpr (dimension == 3)
        march(g, u, end, result);
    }
    add_slots(end, result, everywhere);
  }
  /// Calls f.put for all unknowns.
  template <class F>
  void visit(const F& f) const {
    for (const StackedLists::Group& group : tables_->lists.groups)
      steps_->each(nodes(group),
                   VisitNode<T, F>{group.shape, group.memory[static_cast<std::size_t>(precision_of<T>)], f});
    steps_->each(tables_->lists.free, VisitValue<F>{tables_->view(precision_of<T>, precision_of<T>), f});
  }
  /// Computes B⁻¹ r of the lines of all axes, and calls the end for each value.
  template <class End>
  void solve_lines(const Field& r, const End& end) const {
    backend().exchange(r);
    if (crossing_) return solve_crossing_lines(r, end);
    for (std::size_t g = 0; g < entries_.size(); ++g) {
      solve_planes<dimension == 2>(g, r, end);
      if constexpr (dimension == 3) solve_axis<2, false, true>(g, r, end);
    }
    add_slots(end, precision_of<T>, false);
  }
  /// Computes b − A u in a field of the operator.
  const Field& residual_in_work(const Field& u, const Field& b) const {
    product(u, PutResidual<T, T>{memory_of<T>(b), memory_of<T>(work_), nullptr});
    return work_;
  }

 private:
  using Model = typename StackedEntries<T>::Model;
  // Contains the entries of a group on the device (StackedEntries).
  struct Entries {
    Model model = Model::bands;
    std::array<Buffer, 4> memory;
    std::int64_t coefficients = 0;
    bool varies = false, tensor = false;
  };

  // Both precisions share the places of nodes.
  Entries entries_of(std::size_t g) const {
    std::vector<Buffer>& places = tables_->places;
    places.resize(tables_->lists.groups.size());
    const StackedEntries<T> of = make_stacked_entries<T>(data_, tables_->lists, g, places[g].bytes() == 0);
    Entries made{of.model, {}, of.coefficients, of.varies, of.tensor};
    for (std::size_t n = 0; n < 4; ++n)
      if (!of.values[n].empty()) made.memory[n] = steps_->copy(of.values[n]);
    if (!of.place.empty()) places[g] = steps_->copy(of.place);
    return made;
  }

  template <class End>
  void march(std::size_t g, const Field& u, const End& end, Precision result) const {
    const StackedLists::Group& group = tables_->lists.groups[g];
    const Entries& of = entries_[g];
    const T* const sigma = of.memory[1].bytes() > 0 ? memory_of<const T>(of.memory[1]) : nullptr;
    steps_->march(MarchCells<T, End>{group.shape,
                                     group.memory[static_cast<std::size_t>(precision_of<T>)],
                                     group.memory[static_cast<std::size_t>(result)],
                                     {memory_of<const double>(tables_->places[g]), memory_of<const T>(of.memory[0]),
                                      sigma, of.coefficients, of.varies, of.tensor},
                                     memory_of<T>(u),
                                     slots_.template data<T>(),
                                     end});
  }
  template <class Product, class End>
  void multiply(std::size_t g, const Product& entries, const Field& u, const End& end, Precision result) const {
    const StackedLists::Group& group = tables_->lists.groups[g];
    steps_->each(nodes(group),
                 MultiplyNode<T, Product, End>{group.shape, group.memory[static_cast<std::size_t>(precision_of<T>)],
                                               group.memory[static_cast<std::size_t>(result)], entries, memory_of<T>(u),
                                               slots_.template data<T>(), end});
  }
  static std::int64_t nodes(const StackedLists::Group& group) {
    return std::int64_t{group.shape.nodes} * group.shape.patches;
  }
  template <class End>
  void add_slots(const End& end, Precision result, bool everywhere) const {
    slots_.exchange();
    steps_->each(tables_->count,
                 AddSlots<T, End>{tables_->view(precision_of<T>, result), slots_.template data<T>(), end, everywhere});
  }
  LineFactors<T> factors_of(std::size_t g, std::size_t axis) const {
    const std::size_t at = static_cast<std::size_t>(dimension) * g + axis;
    return {memory_of<const T>(inverses_[at]), memory_of<const T>(lowers_[at])};
  }
  // Solves on the lines along x and y of a group. The last ones end with the sum.
  template <bool last, class End>
  void solve_planes(std::size_t g, const Field& r, const End& end) const {
    const BlockShape& shape = tables_->lists.groups[g].shape;
    if (const auto planes = plane_of<last>(g, r, end); steps_->fits(planes.room() * sizeof(T))) {
      steps_->planes(std::int64_t{shape.n[2]} * shape.patches, planes);
    } else {
      solve_axis<0, true, false>(g, r, end);
      solve_axis<1, false, last>(g, r, end);
    }
  }
  // Adds what crosses interfaces before the last lines end the sum.
  template <class End>
  void solve_crossing_lines(const Field& r, const End& end) const {
    T* const slots = slots_.template data<T>();
    steps_->each(tables_->lists.slots, crossing_->sums(memory_of<T>(r), slots));
    add_slots(crossing_->solution(memory_of<T>(r)), precision_of<T>, false);
    for (std::size_t g = 0; g < entries_.size(); ++g) solve_planes<false>(g, r, end);
    crossing_->add(*steps_, memory_of<T>(other_));
    for (std::size_t g = 0; g < entries_.size(); ++g) {
      const StackedLists::Group& group = tables_->lists.groups[g];
      if constexpr (dimension == 3)
        solve_axis<2, false, true>(g, r, end);
      else
        steps_->each(nodes(group), EndNode<T, End>{group.shape, group.memory[static_cast<std::size_t>(precision_of<T>)],
                                                   memory_of<T>(std::as_const(other_)), slots, end});
    }
    add_slots(AddBefore<T, End>{crossing_->x(), end}, precision_of<T>, false);
  }
  template <bool last, class End>
  SolvePlane<T, last, End> plane_of(std::size_t g, const Field& r, const End& end) const {
    const StackedLists::Group& group = tables_->lists.groups[g];
    return {group.shape,
            group.memory[static_cast<std::size_t>(precision_of<T>)],
            factors_of(g, 0),
            factors_of(g, 1),
            memory_of<T>(r),
            memory_of<T>(other_),
            slots_.template data<T>(),
            end};
  }
  template <int axis, bool first, bool last, class End>
  void solve_axis(std::size_t g, const Field& r, const End& end) const {
    const StackedLists::Group& group = tables_->lists.groups[g];
    const int lines = group.shape.nodes / group.shape.n[axis];
    steps_->each(
        std::int64_t{lines} * group.shape.patches,
        SolveLine<T, axis, first, last, End>{
            group.shape, group.memory[static_cast<std::size_t>(precision_of<T>)], factors_of(g, axis), Division(lines),
            memory_of<T>(r), memory_of<T>(other_), memory_of<T>(scratch_), slots_.template data<T>(), end});
  }

  // Computes diagonals, weights and factors of lines on the host.
  void fill_on_host() {
    const auto host = make_cpu_backend();
    const Field diagonal = assembled_diagonal(*host, data_.level, data_.scale);
    Field inverse(*host, space(), precision_of<T>);
    const std::vector<double> d = get_nodes(diagonal, blocks());
    std::vector<double> inverted(d.size());
    for (std::size_t p = 0; p < blocks().free.size(); ++p)
      for (std::int64_t n = blocks().numbers->first(static_cast<int>(p));
           n < blocks().numbers->first(static_cast<int>(p) + 1); ++n)
        if (blocks().free[p] && d[static_cast<std::size_t>(n)] > 0)
          inverted[static_cast<std::size_t>(n)] = 1 / d[static_cast<std::size_t>(n)];
    put_nodes(inverted, blocks(), inverse);
    transfer(inverse, inverse_);
    if (by_lines()) {
      keep_factors(BlockLines<T>(*host, data_.level, data_.scale));
      work_ = Field(backend(), space(), precision_of<T>);
      other_ = Field(backend(), space(), precision_of<T>);
    }
    if (data_.singular) fill_weights(*host);
  }
  void keep_factors(const BlockLines<T>& lines) {
    const StackedLists& lists = tables_->lists;
    std::int64_t most = 0;
    for (std::size_t g = 0; g < lists.groups.size(); ++g) {
      most = std::max(most, nodes(lists.groups[g]));
      for (std::size_t axis = 0; axis < dimension; ++axis) {
        const StackedFactors<T> factors = join_factors(lines, blocks(), lists, g, axis);
        inverses_.push_back(steps_->copy(factors.inverse));
        lowers_.push_back(steps_->copy(factors.lower));
      }
    }
    scratch_ = steps_->template make<T>(most);
    if (lines.crossing())
      crossing_ = std::make_unique<StackedCrossing<Steps, T>>(*steps_, *lines.crossing(), blocks(), lists);
  }
  void fill_weights(Backend& host) {
    Field weights(host, space(), precision_of<T>);
    if (data_.volume) {
      put_own_blocks(*data_.volume, blocks(), weights);
      host.run_exchange(blocks().add, weights, weights);
    } else {
      host.fill(weights, 1);
    }
    total_ = 0;
    for (const double w : get_nodes(weights, blocks())) total_ += w;
    weights_ = Field(backend(), space(), precision_of<T>);
    transfer(weights, weights_);
  }

  void do_apply(const Field& u, Field& Au) const override { product(u, PutProduct<T>{memory_of<T>(Au)}); }
  void do_apply_everywhere(const Field& u, Field& Au) const override {
    product(u, PutProduct<T>{memory_of<T>(Au)}, precision_of<T>, true);
  }
  void do_diagonal(Field& d) const override { visit(PutDiagonal<T>{memory_of<T>(inverse_), memory_of<T>(d)}); }
  void do_residual(const Field& u, const Field& b, Field& r) const override { put_residual(u, b, r, nullptr); }
  void do_residual(const Field& u, const Field& b, Field& r, const Scalar& scale, Scalar& norm) const override {
    put_residual(u, b, r, scale.address());
    steps_->sum(r, inverse_, SquareTimes{scale.address()}, norm);
  }
  void put_residual(const Field& u, const Field& b, Field& r, const double* scale) const {
    dispatch(r.precision(), [&]<class R>(R) {
      product(u, PutResidual<T, R>{memory_of<T>(b), memory_of<R>(r), scale}, precision_of<R>);
    });
  }
  void do_norm(const Field& r, Scalar& norm) const override { steps_->sum(r, inverse_, SquareTimes{}, norm); }
  void do_rounding(const Field& u, Scalar& norm) const override { steps_->sum(u, inverse_, SquareOver{}, norm); }
  void do_project_rhs(Field& b, Scalar& amount) const override {
    steps_->sum(b, inverse_, TakeFirst{}, amount);
    visit(SubtractMean<T>{amount.address(), total_, memory_of<T>(weights_), memory_of<T>(b)});
  }
  void do_project_solution(Field& u) const override {
    steps_->sum(u, weights_, TakeProduct{}, sum_);
    visit(SubtractMean<T>{sum_.address(), total_, nullptr, memory_of<T>(u)});
  }

  std::shared_ptr<Steps> steps_;
  std::shared_ptr<const StackedTables> tables_;
  BlockOperatorData data_;
  std::vector<Entries> entries_;                         // by group
  std::vector<Buffer> inverses_, lowers_;                // of lines, by group and axis
  std::unique_ptr<StackedCrossing<Steps, T>> crossing_;  // null: no strong line crosses an interface
  ListedValues slots_;
  Buffer scratch_;
  Field inverse_;
  mutable Field work_, other_;  // of lines
  Field weights_;
  double total_ = 1;
  Scalar sum_;
};

/// Is the diagonal, or additive lines.
template <class Steps, class T, int dimension>
class StackedSplitting final : public BoundedSplitting {
 public:
  explicit StackedSplitting(const StackedOperator<Steps, T, dimension>& A)
      : BoundedSplitting(A, {2, false, false}, A.by_lines()), A_(A) {}

 private:
  void do_start(double alpha, const Field& b, Field& u) const override {
    const T factor = static_cast<T>(alpha);
    if (A_.by_lines())
      A_.solve_lines(b, PutLineStep<T>{nullptr, memory_of<T>(u), factor, T(0)});
    else
      A_.visit(BeginPoints<T>{memory_of<T>(b), memory_of<T>(A_.inverse()), memory_of<T>(u), factor});
  }
  void do_step(PolynomialStep step, const Field& u, const Field& b, Field& previous) const override {
    const T alpha = static_cast<T>(step.alpha), beta = static_cast<T>(step.beta);
    if (A_.by_lines())
      A_.solve_lines(A_.residual_in_work(u, b), PutLineStep<T>{memory_of<T>(u), memory_of<T>(previous), alpha, beta});
    else
      A_.product(u, PutPointStep<T>{memory_of<T>(u), memory_of<T>(b), memory_of<T>(A_.inverse()),
                                    memory_of<T>(previous), alpha, beta});
  }

  const StackedOperator<Steps, T, dimension>& A_;
};

template <class Steps, class T, int dimension>
std::unique_ptr<SymmetricSplitting> StackedOperator<Steps, T, dimension>::split(const Relaxation&) const {
  return std::make_unique<StackedSplitting<Steps, T, dimension>>(*this);
}

/// Makes the operator of a level.
template <class T, class Steps>
std::unique_ptr<Operator> make_stacked_operator(const std::shared_ptr<Steps>& steps,
                                                const std::shared_ptr<const StackedTables>& tables,
                                                const BlockOperatorData& data) {
  if (data.level.space->dimension() == 2) return std::make_unique<StackedOperator<Steps, T, 2>>(steps, tables, data);
  return std::make_unique<StackedOperator<Steps, T, 3>>(steps, tables, data);
}

}  // namespace poisson
