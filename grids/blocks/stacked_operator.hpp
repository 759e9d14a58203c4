#pragma once

#include <memory>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "backends/device/kept_exchange.hpp"
#include "backends/memory/error.hpp"
#include "grids/blocks/additive_lines.hpp"
#include "grids/blocks/block_assembly.hpp"
#include "grids/blocks/stacked_product.hpp"

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
      : steps_(std::move(steps)), tables_(std::move(tables)), data_(std::move(data)), sum_(steps_->backend().scalar()) {
    const StackedLists& lists = tables_->lists;
    for (std::size_t g = 0; g < lists.groups.size(); ++g) entries_.emplace_back(*steps_, *tables_, data_, g, assembly);
    slots_ = ListedValues(backend(), tables_->slots, precision_of<T>);
    inverse_ = inverse_of(assembly);
    if (data_.smoothing == BlockSmoothing::lines && !data_.residual)
      lines_ = std::make_unique<StackedLines<Steps, T, dimension>>(steps_, tables_, data_.level, data_.scale, assembly,
                                                                   assembly.inverse_diagonal(data_.level, data_.scale),
                                                                   slots_);
    if (lines_ && !lines_->any()) lines_.reset();
    if (data_.singular) fill_weights(assembly);
  }

  Backend& backend() const override { return steps_->backend(); }
  Precision precision() const override { return precision_of<T>; }
  const Space& space() const override { return blocks().space; }
  std::string_view assembly() const override { return "blocks"; }
  double scale() const override { return data_.scale; }
  bool singular() const override { return data_.singular; }
  std::size_t bytes() const override {
    std::size_t bytes = slots_.bytes() + (data_.residual ? 0 : inverse().bytes());
    for (const auto& entries : entries_) bytes += entries.bytes();
    return bytes + (lines_ ? lines_->bytes() : 0);
  }
  std::unique_ptr<SymmetricSplitting> split(const Relaxation&) const override;
  std::unique_ptr<Splitting> split_by_colours() const override {
    throw RunError("blocks have no colours to sweep over: use solver.smoother.type: chebyshev");
  }

  const BlockSpace& blocks() const { return *data_.level.space; }
  const Field& inverse() const { return inverse_->field; }
  /// Returns the lines; null: points are smoothed.
  const StackedLines<Steps, T, dimension>* lines() const { return lines_.get(); }

  /// Computes A u, and calls the end for each value; `result` is the precision of what it writes.
  template <class End>
  void product(const Field& u, const End& end, Precision result = precision_of<T>, bool everywhere = false) const {
    backend().exchange(u);
    for (const auto& entries : entries_) entries.multiply(*steps_, u, slots_.template data<T>(), end, result);
    add_slots(end, result, everywhere);
  }
  /// Copies the places of slots to the device, which a recorded step could not do.
  void prepare_point_steps() const {
    if (lines_ && !space().processes().alone()) return;
    tables_->copies(*steps_, precision_of<T>);
    if (!lines_) backend().exchange(inverse());
  }
  /// Gives blocks the values of other processes at their ends that steps read besides u.
  void share_right_hand_side(const Field& b) const {
    if (!lines_ && !space().processes().alone()) exchange_with_others(backend(), b);
  }
  /// Takes a step with the diagonal. `whole`: blocks have copies of u at their ends. Those of the result get them, also
  /// from other processes, if b is shared.
  void point_step(const Field& u, const PutPointStep<T>& end, bool whole) const {
    if (!whole) backend().exchange(u);
    for (const auto& entries : entries_) entries.multiply(*steps_, u, slots_.template data<T>(), end, precision_of<T>);
    slots_.exchange();
    const auto add = [&](const InterfaceView& at) {
      steps_->each(at.count, AddSlots<T, PutPointStep<T>>{at, slots_.template data<T>(), end, false,
                                                          tables_->copies(*steps_, precision_of<T>), end.previous});
    };
    add(tables_->view(precision_of<T>, precision_of<T>));
    add(tables_->view_of_others(precision_of<T>));
  }
  /// Does the same with the diagonal and lines, in two ends: the first one writes the residual where lines are.
  bool line_step(const Field& u, const PutPointsOrResidual<T>& end, const PutLineStep<T>& of_lines, bool whole) const {
    const bool copies = space().processes().alone();
    if (!whole) backend().exchange(u);
    for (const auto& entries : entries_) entries.multiply(*steps_, u, slots_.template data<T>(), end, precision_of<T>);
    slots_.exchange();
    steps_->each(tables_->count, AddSlots<T, PutPointsOrResidual<T>>{
                                     tables_->view(precision_of<T>, precision_of<T>), slots_.template data<T>(), end,
                                     false, copies ? tables_->copies(*steps_, precision_of<T>) : nullptr});
    lines_->solve(lines_->work(), slots_, of_lines, copies, copies ? of_lines.previous : nullptr);
    return copies;
  }
  /// Calls f.put for all unknowns, with their places in fields of a precision and of that of the operator.
  template <class F>
  void visit(const F& f, Precision from = precision_of<T>) const {
    for (const StackedLists::Group& group : tables_->lists.groups)
      steps_->each(nodes(group), VisitNode<T, F>{group.shape, group.memory[static_cast<std::size_t>(from)],
                                                 group.memory[static_cast<std::size_t>(precision_of<T>)], f});
    steps_->each(tables_->lists.free, VisitValue<F>{tables_->view(from, precision_of<T>), f});
  }
  /// Computes B⁻¹ r at the nodes with lines, and calls the end for each value.
  template <class End>
  void solve_lines(const Field& r, const End& end) const {
    lines_->solve(r, slots_, end);
  }

 private:
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
    if (to.precision() == Precision::fp64)
      to = std::move(from);
    else
      backend().convert(from, to);
  }
  // Returns the inverse diagonal. One in fp32 serves the corrections and the residual.
  std::shared_ptr<const InverseDiagonal> inverse_of(BlockAssembly& assembly) {
    const Precision precision = data_.residual ? Precision::fp32 : precision_of<T>;
    const auto known = precision == Precision::fp32 ? tables_->diagonal.lock() : nullptr;
    if (known && known->matrix == data_.level.matrix && known->scale == data_.scale) return known;
    auto made = std::make_shared<InverseDiagonal>();
    *made = {data_.level.matrix, data_.scale, Field(backend(), space(), precision)};
    narrow_to(assembly.inverse_diagonal(data_.level, data_.scale), made->field);
    if (precision == Precision::fp32) tables_->diagonal = made;
    return made;
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
  void do_diagonal(Field& d) const override {
    dispatch(inverse().precision(), [&]<class X>(X) {
      visit(PutDiagonal<X, T>{memory_of<X>(inverse()), memory_of<T>(d)}, inverse().precision());
    });
  }
  void do_residual(const Field& u, const Field& b, Field& r) const override { put_residual(u, b, r, nullptr); }
  void do_residual(const Field& u, const Field& b, Field& r, const Scalar& scale, Scalar& norm) const override {
    put_residual(u, b, r, scale.address());
    steps_->sum(r, inverse(), SquareTimes{scale.address()}, norm);
  }
  void put_residual(const Field& u, const Field& b, Field& r, const double* scale) const {
    dispatch(r.precision(), [&]<class R>(R) {
      product(u, PutResidual<T, R>{memory_of<T>(b), memory_of<R>(r), scale}, precision_of<R>);
    });
  }
  void do_norm(const Field& r, Scalar& norm) const override { steps_->sum(r, inverse(), SquareTimes{}, norm); }
  void do_rounding(const Field& u, Scalar& norm) const override { steps_->sum(u, inverse(), SquareOver{}, norm); }
  void do_project_rhs(Field& b, Scalar& amount) const override {
    steps_->sum(b, inverse(), TakeFirst{}, amount);
    visit(SubtractMean<T>{amount.address(), total_, memory_of<T>(weights_), memory_of<T>(b)});
  }
  void do_project_solution(Field& u) const override {
    steps_->sum(u, weights_, TakeProduct{}, sum_);
    visit(SubtractMean<T>{sum_.address(), total_, nullptr, memory_of<T>(u)});
  }

  std::shared_ptr<Steps> steps_;
  std::shared_ptr<const StackedTables> tables_;
  BlockOperatorData data_;
  std::vector<StackedProduct<Steps, T, dimension>> entries_;  // by group
  ListedValues slots_;
  std::unique_ptr<StackedLines<Steps, T, dimension>> lines_;  // null: points are smoothed
  std::shared_ptr<const InverseDiagonal> inverse_;
  Field weights_;
  double total_ = 1;
  Scalar sum_;
};

/// Is the diagonal, or additive lines.
template <class Steps, class T, int dimension>
class StackedSplitting final : public BoundedSplitting {
 public:
  explicit StackedSplitting(const StackedOperator<Steps, T, dimension>& A)
      : BoundedSplitting(A, {2, false, false}, A.lines() != nullptr), A_(A) {
    A.prepare_point_steps();
  }
  /// Between the steps nothing else writes the fields, so that a step may leave the copies that the next one reads.
  void take(std::span<const PolynomialStep> steps, bool reversed, const Field& b, Iterate& u) const override {
    in_turn_ = true;
    if (steps.size() > 1) A_.share_right_hand_side(b);
    BoundedSplitting::take(steps, reversed, b, u);
    in_turn_ = false;
    whole_ = nullptr;
  }

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
      return step_at_points(
          u, {memory_of<T>(u), memory_of<T>(b), memory_of<T>(A_.inverse()), memory_of<T>(previous), alpha, beta},
          previous);
    const PutPointsOrResidual<T> end{memory_of<T>(u),
                                     memory_of<T>(b),
                                     A_.lines()->points(),
                                     memory_of<T>(previous),
                                     memory_of<T>(A_.lines()->work()),
                                     alpha,
                                     beta};
    const bool whole =
        A_.line_step(u, end, {memory_of<T>(u), memory_of<T>(previous), alpha, beta}, in_turn_ && whole_ == &u);
    whole_ = whole ? &previous : nullptr;
  }
  void step_at_points(const Field& u, const PutPointStep<T>& end, const Field& previous) const {
    A_.point_step(u, end, in_turn_ && whole_ == &u);
    whole_ = &previous;
  }

  const StackedOperator<Steps, T, dimension>& A_;
  mutable bool in_turn_ = false;
  mutable const Field* whole_ = nullptr;  // whose copies at the ends of blocks are those of the last step
};

template <class Steps, class T, int dimension>
std::unique_ptr<SymmetricSplitting> StackedOperator<Steps, T, dimension>::split(const Relaxation&) const {
  if (data_.residual) throw std::logic_error("this operator of blocks computes residuals and smooths nothing");
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
