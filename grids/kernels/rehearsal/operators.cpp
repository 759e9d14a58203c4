// Operators of a rehearsal own the tables of real operators, and nothing reads them.

#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "grids/kernels/rehearsal/rehearsal.hpp"
#include "grids/operators/axis_tables.hpp"
#include "grids/operators/banded_base.hpp"
#include "grids/operators/box_tables.hpp"
#include "grids/operators/eigenvalue_bound.hpp"
#include "grids/rows/band_coefficients.hpp"
#include "grids/rows/box_stencil.hpp"

namespace poisson::rehearsal {
namespace {

template <class T, class Own>
using TablesOf = std::conditional_t<std::is_same_v<Own, ElementRows>, BoxTables<T>, CoefficientTables<T>>;

// Counts a verb that exchanges the halo of u.
void verb(const Field& u, std::size_t launches = 1) {
  u.backend().exchange(u);
  dynamic_cast<RehearsalBackend&>(u.backend()).count_verbs(u.layout().size(), launches);
}

// Returns the verbs of a sweep over colours. Rows of 9 and 27 points have two or three colours along each axis.
int colours_of(const Layout& layout, bool star) {
  if (star) return 3;
  int colours = 1;
  for (const bool periodic : layout.periodic) colours *= periodic ? 3 : 2;
  return colours;
}

struct Colours final : Splitting {
  explicit Colours(int of) : colours(of) {}
  void take(std::span<const PolynomialStep> steps, bool, const Field&, Iterate& u) const override {
    if (u.zero) u.now->backend().fill(*u.now, 0);
    u.zero = false;
    for (std::size_t s = 0; s < steps.size() * static_cast<std::size_t>(colours); ++s) verb(*u.now);
  }
  int colours;
};

// Is a splitting that owns what relaxation of lines needs on the device.
template <class Owned>
class Steps final : public BoundedSplitting {
 public:
  Steps(const Operator& A, const EigenvalueBound& bound, bool lines, Owned owned)
      : BoundedSplitting(A, bound, lines), lines_(lines), owned_(std::move(owned)) {}
  void do_start(double, const Field&, Field& u) const override { verb(u); }
  void do_step(PolynomialStep, const Field& u, const Field&, Field&) const override { verb(u, lines_ ? 2 : 1); }

 private:
  bool lines_;
  Owned owned_;
};

// On a GPU lines need a residual, and two bands unless their rows come from tables of the axes.
struct DeviceLines {
  Field residual;
  std::variant<std::monostate, BandTables<float>, BandTables<double>> bands;

  DeviceLines(Backend& backend, const Space& space, Precision precision, bool on_axes)
      : residual(backend, space, precision) {
    if (on_axes) return;
    if (precision == Precision::fp32)
      bands.emplace<BandTables<float>>(backend, space, 2);
    else
      bands.emplace<BandTables<double>>(backend, space, 2);
  }
};

template <class Tables>
class RehearsedOperator final : public Operator {
 public:
  RehearsedOperator(Backend& backend, const LevelRows& rows, Precision precision, std::string_view assembly,
                    const EigenvalueBounds& bounds, int colours, Tables tables)
      : backend_(backend),
        space_(rows.block.space()),
        precision_(precision),
        assembly_(assembly),
        scale_(rows.scale),
        singular_(rows.singular),
        bounds_(bounds),
        colours_(colours),
        tables_(std::move(tables)) {
    backend.reserve_halo_buffers(space_);
    if (backend.on_gpu()) mean_ = backend.scalar();
  }

  Backend& backend() const override { return backend_; }
  Precision precision() const override { return precision_; }
  const Space& space() const override { return space_; }
  std::string_view assembly() const override { return assembly_; }
  double scale() const override { return scale_; }
  bool singular() const override { return singular_; }
  std::size_t bytes() const override { return tables_.bytes(); }

  std::unique_ptr<SymmetricSplitting> split(const Relaxation& relaxation) const override {
    const std::optional<int> axis = relaxation.line();
    if (!axis) return std::make_unique<Steps<std::monostate>>(*this, bounds_.of_points, false, std::monostate());
    const EigenvalueBound& bound = bounds_.of_lines[*axis];
    if (!backend_.on_gpu()) return std::make_unique<Steps<std::monostate>>(*this, bound, true, std::monostate());
    const bool on_axes = assembly_ == "tensor-product";
    return std::make_unique<Steps<DeviceLines>>(*this, bound, true, DeviceLines(backend_, space_, precision_, on_axes));
  }
  std::unique_ptr<Splitting> split_by_colours() const override { return std::make_unique<Colours>(colours_); }

 private:
  void do_apply(const Field& u, Field&) const override { verb(u); }
  void do_apply_everywhere(const Field& u, Field&) const override { verb(u); }
  void do_diagonal(Field& d) const override { verb(d); }
  void do_residual(const Field& u, const Field&, Field&) const override { verb(u); }
  void do_residual(const Field& u, const Field&, Field&, const Scalar&, Scalar&) const override { verb(u); }
  void do_norm(const Field&, Scalar&) const override {}
  void do_rounding(const Field&, Scalar&) const override {}
  void do_project_rhs(Field& b, Scalar&) const override { verb(b); }
  void do_project_solution(Field& u) const override { verb(u); }

  Backend& backend_;
  Space space_;
  Precision precision_;
  std::string_view assembly_;
  double scale_;
  bool singular_;
  EigenvalueBounds bounds_;
  int colours_;
  Tables tables_;
  Scalar mean_;
};

template <class Tables>
std::unique_ptr<Operator> make(Backend& backend, const LevelRows& rows, Precision precision, std::string_view assembly,
                               const EigenvalueBounds& bounds, bool star, Tables tables) {
  return std::make_unique<RehearsedOperator<Tables>>(backend, rows, precision, assembly, bounds,
                                                     colours_of(rows.block.layout(), star), std::move(tables));
}

template <class T>
class RehearsedBands final : public SilentOperator<BandedBase<T, RehearsedBands<T>>> {
  using Base = BandedBase<T, RehearsedBands>;

 public:
  RehearsedBands(Backend& backend, const Bands& bands) : SilentOperator<Base>(backend, bands) {
    if (!backend.on_gpu()) return;
    mean_ = backend.scalar();
    const std::size_t count = bands.entries.size();
    // Kernels of other shapes read a list of links: an address, two shifts and three distances.
    if (!bands.symmetric || Base::guarded_ || (count != 13 && count != 3))
      list_ = backend.allocate(Base::links_.size() * sizeof(typename Base::Link));
  }
  void point_start(double, const Field&, Field&) const {}
  void point_step(PolynomialStep, const Field&, const Field&, Field&) const {}
  void relax_colours(double, bool, const Field&, Field&) const {}

 private:
  Scalar mean_;
  Buffer list_;
};

class RehearsalKernels final : public GridKernels {
 public:
  std::unique_ptr<Operator> make_banded_operator(Backend& backend, const Bands& bands,
                                                 Precision precision) const override {
    return dispatch(precision, [&]<class T>(T) -> std::unique_ptr<Operator> {
      return std::make_unique<RehearsedBands<T>>(backend, bands);
    });
  }
  std::unique_ptr<Transfer> make_transfer(Backend& backend, const Block& fine, const CoarseBlock& coarse,
                                          bool) const override {
    return rehearsal::make_transfer(backend, fine, coarse);
  }
  std::unique_ptr<Transfer> make_weighted_transfer(Backend& backend, const Block& fine, const CoarseBlock& coarse,
                                                   const Weights& weights) const override {
    return rehearsal::make_weighted_transfer(backend, fine, coarse, weights);
  }
  void coarsen_cells(Backend&, const Block&, const CoarseBlock&, const Field&, Field&, CellMean, bool) const override {}
  void coarsen_faces(Backend&, const FaceRows&, const CoarseBlock&, const FieldPerAxis&, Field&,
                     const std::array<std::shared_ptr<Field>, 3>&) const override {}
  void move_walls(Backend&, const FaceRows&, const CoarseBlock&, const Field&, Field&) const override {}
  void continue_outwards(Backend&, const Box&, Field&) const override {}
  void paint_colour(Backend&, const StencilProbe&, Field&) const override {}
  void gather_couplings(Backend&, const StencilProbe&) const override {}
  void weigh(Backend&, const GalerkinProduct&) const override {}
  void galerkin_rows(Backend&, const GalerkinProduct&) const override {}
  void fill_line_rows(Backend&, const LinesOfBands&, const Box&) const override {}
  std::unique_ptr<Functionals> make_functionals(Backend& backend, const Block& block) const override {
    return rehearsal::make_functionals(backend, block);
  }
  std::unique_ptr<Sampler> make_sampler(Backend& backend, const SampleGrid& grid, std::span<const Quantity> data,
                                        bool) const override {
    return rehearsal::make_sampler(backend, grid, data);
  }

 protected:
  std::unique_ptr<Operator> make_stencil_operator(Backend& backend, const SchemeRows& rows,
                                                  Precision precision) const override {
    return with_own_rows(rows, precision, [&]<class T, class Own>(T, const Own& own) {
      const bool constant = std::is_same_v<Own, LevelRows>;
      return make(backend, own, precision, constant ? "tensor-product" : "partial", eigenvalue_bounds(own),
                  !std::is_same_v<Own, ElementRows>, TablesOf<T, Own>(backend, own));
    });
  }
  std::unique_ptr<Operator> make_recompute_operator(Backend& backend, const SchemeRows& rows, Precision precision,
                                                    std::string& why_not) const override {
    if (!backend.on_gpu()) return GridKernels::make_recompute_operator(backend, rows, precision, why_not);
    return dispatch(precision, [&]<class T>(T) {
      return std::visit(
          [&]<class Own>(const Own& own) {
            return make(backend, own, precision, "recompute", eigenvalue_bounds(own), !std::is_same_v<Own, ElementRows>,
                        TablesOf<T, Own>(backend, own));
          },
          rows);
    });
  }
  std::unique_ptr<Operator> make_assembled_operator(Backend& backend, const SchemeRows& rows,
                                                    Precision precision) const override {
    return with_own_rows(rows, precision, [&]<class T, class Own>(T, const Own& own) {
      const bool star = !std::is_same_v<Own, ElementRows>;
      const int dimension = own.block.dimension();
      const auto offsets = star ? star_offsets(dimension) : box_offsets(dimension);
      BandTables<T> tables(backend, own.block, static_cast<int>(offsets.size()) + 1);
      { const TablesOf<T, Own> source(backend, own); }  // exists while the bands are filled
      return make(backend, own, precision, "full", eigenvalue_bounds(own), star, std::move(tables));
    });
  }
  std::unique_ptr<Operator> make_assembled_operator(Backend& backend, const LevelRows& rows, const Bands& bands,
                                                    Precision precision) const override {
    const int dimension = bands.layout().n[2] == 1 ? 2 : 3;
    return dispatch(precision, [&]<class T>(T) {
      const bool star = is_star(bands.offsets);
      const auto stored = star ? star_offsets(dimension) : box_offsets(dimension);
      return make(backend, rows, precision, "bands", bounds_of_bands(2), star,
                  BandTables<T>(backend, rows.block, stored, bands));
    });
  }
};

// On a GPU a pass also stores the squares of its blocks, and constants of equal cells their 27 rows: a few kilobytes.
template <class Tables>
class RehearsedPass final : public SweepPass {
 public:
  explicit RehearsedPass(Tables tables) : tables_(std::move(tables)) {}
  int sweeps() const override { return 2; }

 private:
  void do_take(double, const Field&, const Field&, Field&, Scalar*) const override {}
  Tables tables_;
};

}  // namespace

const GridKernels& grid_kernels() {
  static const RehearsalKernels kernels;
  return kernels;
}

std::unique_ptr<SweepPass> make_sweep_pass(Backend& backend, const SchemeRows& rows, Precision precision) {
  return with_own_rows(rows, precision, [&]<class T, class Own>(T, const Own& own) -> std::unique_ptr<SweepPass> {
    return std::make_unique<RehearsedPass<TablesOf<T, Own>>>(TablesOf<T, Own>(backend, own));
  });
}

}  // namespace poisson::rehearsal
