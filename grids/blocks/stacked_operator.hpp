#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "backends/memory/error.hpp"
#include "grids/blocks/additive_lines.hpp"
#include "grids/blocks/block_assembly.hpp"
#include "grids/blocks/stacked_axes.hpp"
#include "grids/blocks/stacked_cells.hpp"
#include "grids/blocks/stacked_entries.hpp"
#include "grids/blocks/stacked_space.hpp"

/// Contains operators that run the steps of stacked_steps.hpp and stacked_lines.hpp. `Steps` runs them on a device:
///   Backend& backend();
///   Buffer copy(const std::vector<X>&), make<X>(count);   memory of the device
///   void each(count, f);                                  f(i) for all i
///   bool fits(bytes);                                     memory that the threads of a plane can share
///   void planes(count, SolvePlane);                       all planes of a group
///   void march(MarchCells);                               products whose matrices are computed cell by cell
///   void sum(const Field& x, const Field& y, f, result);  Σ f(x_i, y_i) over the unknowns
namespace poisson {

/// Is the operator of a level of blocks on a device.
template <class Steps, class T, int dimension>
class StackedOperator final : public Operator {
 public:
  StackedOperator(std::shared_ptr<Steps> steps, std::shared_ptr<const StackedTables> tables, BlockOperatorData data,
                  BlockAssembly& assembly)
      : steps_(std::move(steps)),
        tables_(std::move(tables)),
        data_(std::move(data)),
        inverse_(steps_->backend(), blocks().space, precision_of<T>),
        sum_(steps_->backend().scalar()) {
    const StackedLists& lists = tables_->lists;
    for (std::size_t g = 0; g < lists.groups.size(); ++g) entries_.push_back(entries_of(g, assembly));
    slots_ = ListedValues(backend(), tables_->slots, precision_of<T>);
    Field inverse = assembly.inverse_diagonal(data_.level, data_.scale);
    if (data_.smoothing == BlockSmoothing::lines)
      lines_ = std::make_unique<StackedLines<Steps, T, dimension>>(steps_, tables_, data_.level, data_.scale, assembly,
                                                                   inverse, slots_);
    narrow_to(std::move(inverse), inverse_);
    if (data_.singular) fill_weights(assembly);
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
    return bytes + (lines_ ? lines_->bytes() : 0);
  }
  std::unique_ptr<SymmetricSplitting> split(const Relaxation&) const override;
  std::unique_ptr<Splitting> split_by_colours() const override {
    throw RunError("blocks have no colours to sweep over: use solver.smoother.type: chebyshev");
  }

  const BlockSpace& blocks() const { return *data_.level.space; }
  const Field& inverse() const { return inverse_; }
  /// Returns the lines; null: points are smoothed.
  const StackedLines<Steps, T, dimension>* lines() const { return lines_.get(); }

  /// Computes A u, and calls the end for each value; `result` is the precision of what it writes.
  template <class End>
  void product(const Field& u, const End& end, Precision result = precision_of<T>, bool everywhere = false) const {
    backend().exchange(u);
    for (std::size_t g = 0; g < entries_.size(); ++g) {
      const Entries& of = entries_[g];
      const auto at = [&of](std::size_t n) { return memory_of<const T>(of.memory[n]); };
      const BlockShape& shape = tables_->lists.groups[g].shape;
      const BandPlaces places(shape, BandProduct<T, dimension>::offsets);
      if (of.model == Model::bands)
        multiply(g, BandProduct<T, dimension>{at(0), at(1), places}, u, end, result);
      else if (of.model == Model::narrow)
        multiply(g, BandProduct<T, dimension, Narrow>{memory_of<const Narrow>(of.memory[0]), at(1), places}, u, end,
                 result);
      else if (of.model == Model::axes)
        multiply_axes(g, u, end, result);
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
  /// Computes B⁻¹ r at the nodes with lines, and calls the end for each value.
  template <class End>
  void solve_lines(const Field& r, const End& end) const {
    lines_->solve(r, slots_, end);
  }

 private:
  using Model = EntryModel;
  // Contains the entries of a group on the device: bands and row sums, the tables of axes and constants, or κ and σ.
  struct Entries {
    Model model = Model::bands;
    std::array<Buffer, 4> memory;
    bool straight = false;                      // no mixed entries of the metric
    std::shared_ptr<const StackedCells> cells;  // of computed entries
  };

  Entries entries_of(std::size_t g, BlockAssembly& assembly) {
    Entries made;
    const BlockShape& shape = tables_->lists.groups[g].shape;
    made.model = choose_model<T>(data_, tables_->lists, g);
    if (made.model == Model::axes) {
      const AxisTables<T> axes = join_axes<T>(data_, tables_->lists, g);
      for (std::size_t n = 0; n < 4; ++n) made.memory[n] = steps_->copy(axes.values[n]);
      made.straight = axes.straight;
      return made;
    }
    if (made.model == Model::cells) {
      made.cells = assembly.cells(data_.level, g);
      made.memory[0] = scaled(made.cells->kappa);
      if (made.cells->reacts) made.memory[1] = scaled(made.cells->sigma);
      return made;
    }
    const std::int64_t count = BandPlaces(shape, BandProduct<T, dimension>::offsets).count(shape);
    made.memory[1] = steps_->template make<T>(nodes(tables_->lists.groups[g]));
    T* const sums = memory_of<T>(made.memory[1]);
    if constexpr (std::is_same_v<T, float>) {
      if (made.model == Model::narrow) {
        made.memory[0] = steps_->template make<Narrow>(count);
        assembly.bands(data_.level, g, data_.scale, memory_of<Narrow>(made.memory[0]), sums);
        return made;
      }
    }
    made.memory[0] = steps_->template make<T>(count);
    assembly.bands(data_.level, g, data_.scale, memory_of<T>(made.memory[0]), sums);
    return made;
  }
  // Returns coefficients times the scale of the operator.
  Buffer scaled(const Buffer& values) {
    const auto count = static_cast<std::int64_t>(values.bytes() / sizeof(double));
    Buffer made = steps_->template make<T>(count);
    steps_->each(count, ScaleValues<T>{memory_of<const double>(values), memory_of<T>(made), data_.scale});
    return made;
  }

  template <class End>
  void march(std::size_t g, const Field& u, const End& end, Precision result) const {
    const StackedLists::Group& group = tables_->lists.groups[g];
    const Entries& of = entries_[g];
    const CellTables<double> tables = of.cells->tables();
    steps_->march(MarchCells<T, End>{
        group.shape,
        group.memory[static_cast<std::size_t>(precision_of<T>)],
        group.memory[static_cast<std::size_t>(result)],
        {tables.place, memory_of<const T>(of.memory[0]), tables.sigma ? memory_of<const T>(of.memory[1]) : nullptr,
         tables.cells, tables.varies, tables.tensor},
        memory_of<T>(u),
        slots_.template data<T>(),
        end});
  }
  template <class End>
  void multiply_axes(std::size_t g, const Field& u, const End& end, Precision result) const {
    const StackedLists::Group& group = tables_->lists.groups[g];
    const Entries& of = entries_[g];
    const T* const tables[3] = {memory_of<const T>(of.memory[0]), memory_of<const T>(of.memory[1]),
                                memory_of<const T>(of.memory[2])};
    const T* const constants = memory_of<const T>(of.memory[3]);
    if constexpr (dimension == 3) {
      if (of.straight) {
        const MarchAxes<T, End> march(group.shape, group.memory[static_cast<std::size_t>(precision_of<T>)],
                                      group.memory[static_cast<std::size_t>(result)], tables, constants,
                                      memory_of<T>(u), slots_.template data<T>(), end);
        return steps_->each(march.columns(), march);
      }
    }
    multiply(g, TensorProductOfBlock<T, dimension>{{tables[0], tables[1], tables[2]}, constants}, u, end, result);
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

  // Converts a field in fp64.
  void narrow_to(Field from, Field& to) {
    if constexpr (std::is_same_v<T, double>)
      to = std::move(from);
    else
      backend().convert(from, to);
  }
  void fill_weights(BlockAssembly& assembly) {
    Field weights(backend(), space(), Precision::fp64);
    if (data_.level.matrix->sources)
      assembly.loads(data_.level, 1, true, weights);
    else
      backend().fill(weights, 1);
    steps_->sum(weights, weights, TakeFirst{}, sum_);
    total_ = backend().value(sum_);
    weights_ = Field(backend(), space(), precision_of<T>);
    narrow_to(std::move(weights), weights_);
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
  std::vector<Entries> entries_;  // by group
  ListedValues slots_;
  std::unique_ptr<StackedLines<Steps, T, dimension>> lines_;  // null: points are smoothed
  Field inverse_;
  Field weights_;
  double total_ = 1;
  Scalar sum_;
};

/// Is the diagonal, or additive lines.
template <class Steps, class T, int dimension>
class StackedSplitting final : public BoundedSplitting {
 public:
  explicit StackedSplitting(const StackedOperator<Steps, T, dimension>& A)
      : BoundedSplitting(A, {2, false, false}, A.lines() != nullptr), A_(A) {}

 private:
  void do_start(double alpha, const Field& b, Field& u) const override {
    const T factor = static_cast<T>(alpha);
    if (!A_.lines())
      return A_.visit(BeginPoints<T>{memory_of<T>(b), memory_of<T>(A_.inverse()), memory_of<T>(u), factor});
    A_.visit(StartPoints<T>{A_.lines()->points(), memory_of<T>(b), memory_of<T>(u), factor});
    A_.solve_lines(b, PutLineStep<T>{nullptr, memory_of<T>(u), factor, T(0)});
  }
  void do_step(PolynomialStep step, const Field& u, const Field& b, Field& previous) const override {
    const T alpha = static_cast<T>(step.alpha), beta = static_cast<T>(step.beta);
    if (!A_.lines())
      return A_.product(u, PutPointStep<T>{memory_of<T>(u), memory_of<T>(b), memory_of<T>(A_.inverse()),
                                           memory_of<T>(previous), alpha, beta});
    Field& residual = A_.lines()->work();
    A_.product(u, PutPointsOrResidual<T>{memory_of<T>(u), memory_of<T>(b), A_.lines()->points(), memory_of<T>(previous),
                                         memory_of<T>(residual), alpha, beta});
    A_.solve_lines(residual, PutLineStep<T>{memory_of<T>(u), memory_of<T>(previous), alpha, beta});
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
                                                const BlockOperatorData& data, BlockAssembly& assembly) {
  if (data.level.space->dimension() == 2)
    return std::make_unique<StackedOperator<Steps, T, 2>>(steps, tables, data, assembly);
  return std::make_unique<StackedOperator<Steps, T, 3>>(steps, tables, data, assembly);
}

}  // namespace poisson
