// Samplers, functionals and transfers of a rehearsal. On a GPU they own tables of the axes.

#include <algorithm>
#include <vector>

#include "grids/kernels/rehearsal/rehearsal.hpp"
#include "grids/kernels/weighted_transfer.hpp"

namespace poisson::rehearsal {
namespace {

// Allocates tables with this number of bytes for each value of the axes on a GPU.
Buffer device_tables(Backend& backend, const Block& block, std::size_t bytes_per_value) {
  const Layout layout = block.layout();
  const auto values = static_cast<std::size_t>(layout.n[0] + layout.n[1] + layout.n[2]);
  return backend.on_gpu() ? backend.allocate(values * bytes_per_value) : Buffer();
}

// Masses, widths and ones; coordinates and, of nodes, the parts of control volumes on both sides; rows of restriction,
// sums, interpolation and injection, with up to four weights and places each.
constexpr std::size_t bytes_of_functionals = 24, bytes_of_sampler = 120, bytes_of_cell_sampler = 40,
                      bytes_of_transfer = 160, bytes_of_weighted_transfer = 72;

class RehearsedFunctionals final : public Functionals {
 public:
  RehearsedFunctionals(Backend& backend, const Block& block)
      : backend_(backend), tables_(device_tables(backend, block, bytes_of_functionals)) {
    if (backend.on_gpu()) result_ = backend.scalar();
  }
  Moments moments(const Field&) const override { return {}; }
  std::vector<double> sums(const Field&, std::span<const Region> regions) const override {
    return std::vector<double>(regions.size());
  }
  double product(const Field&, const Field&, const Box&) const override { return 0; }
  double cell_product(const Field&, const Field&) const override { return 0; }
  std::vector<double> values(const Field&, const Box& box) const override {
    const auto size = static_cast<std::size_t>(box.size());
    if (backend_.on_gpu()) const Buffer staged = backend_.allocate(size * sizeof(double));
    return std::vector<double>(size);
  }

 private:
  Backend& backend_;
  Buffer tables_;
  Scalar result_;
};

class RehearsedSampler final : public Sampler {
 public:
  RehearsedSampler(GridRehearsal& backend, const SampleGrid& grid, std::span<const Quantity> data)
      : backend_(backend),
        compiles_(!data.empty()),
        tables_(device_tables(backend, grid.block,
                              grid.block.centering() == Centering::cell ? bytes_of_cell_sampler : bytes_of_sampler)) {}

  const std::string& note() const override { return note_; }
  void fill(const Datum& datum, Location, const Box& box, const SampleWeight&, SampleStore, Field&) override {
    stage(datum, box);
  }
  void fill_integrals(const Datum& datum, const Box& box, const SampleWeight&, SampleStore, Field&) override {
    stage(datum, box);
  }
  void fill_corners(const Datum& datum, const Box& cells, const std::array<int, 3>&, int, Field&) override {
    stage(datum, cells);
  }
  void put(const Box& box, std::span<const double>, SampleStore, Field&) override { stage(box); }

  DifferenceMoments measure(const Datum&, const Field&) override { return {}; }
  // Components of κ are measured in their order.
  CellStatistics statistics(const Field& cells) override {
    const KappaSummary& kappa = backend_.kappa();
    const double mean = kappa.mean[std::min<std::size_t>(measured_++, 2)];
    return {mean * static_cast<double>(cells.space().size()), kappa.jumps};
  }
  double share_of_stronger(std::size_t a, const Field&, std::size_t b, const Field&) override {
    const auto& imbalance = backend_.kappa().jumps.imbalance;
    return imbalance ? (*imbalance)[a][b] : 0;
  }
  Extremes extremes(const Field&, const Box&) override { return {1, 1}; }
  bool positive_definite(const CellTensors&) override { return true; }
  double sum_of_magnitudes(const Field&, const Box&) override { return 1; }
  void subtract_inside(Field&) override {}
  void faces_from_cells(std::size_t, const Field&, const Field*, Field&) override {}
  void add_product(const MassRows&, const Field&, const Box&, double, Field&) override {}

 private:
  // Values that the host evaluates pass through a buffer on a GPU.
  void stage(const Datum& datum, const Box& box) {
    if (datum.quantity.constant() || (compiles_ && datum.quantity.source())) return;
    stage(box);
  }
  void stage(const Box& box) {
    if (!backend_.on_gpu() || box.size() == 0) return;
    Layout layout;
    for (std::size_t d = 0; d < 3; ++d) layout.n[d] = box.last[d] - box.first[d];
    const Buffer staged =
        backend_.allocate(std::min(staging_bytes(layout), static_cast<std::size_t>(box.size()) * sizeof(double)));
  }

  GridRehearsal& backend_;
  bool compiles_;
  Buffer tables_;
  std::size_t measured_ = 0;
  std::string note_;
};

// Counts a transfer that exchanges the halo of its source.
void verb(const Field& from, const Field& to) {
  from.backend().exchange(from);
  dynamic_cast<RehearsalBackend&>(from.backend()).count_verbs(to.layout().size());
}

class RehearsedTransfer final : public Transfer {
 public:
  explicit RehearsedTransfer(Buffer tables) : tables_(std::move(tables)) {}

 private:
  void do_restrict_to(const Field& fine, Field& coarse, const Scalar*) const override { verb(fine, coarse); }
  void do_prolong(const Field& coarse, Field& fine) const override { verb(coarse, fine); }
  void do_prolong_add(const Field& coarse, Field& fine) const override { verb(coarse, fine); }
  void do_interpolate(const Field& coarse, Field& fine, const Scalar*) const override { verb(coarse, fine); }
  void do_inject(const Field& fine, Field& coarse, const Scalar*) const override { verb(fine, coarse); }
  Buffer tables_;
};

class RehearsedWeightedTransfer final : public WeightedTransferBase {
 public:
  RehearsedWeightedTransfer(Backend& backend, const Block& fine, const CoarseBlock& coarse, const Weights& weights)
      : WeightedTransferBase(fine, coarse, weights),
        tables_(device_tables(backend, fine, bytes_of_weighted_transfer)) {}

 private:
  void do_restrict_to(const Field& fine, Field& coarse, const Scalar*) const override { verb(fine, coarse); }
  void do_inject(const Field& fine, Field& coarse, const Scalar*) const override { verb(fine, coarse); }
  void spread(const Field& coarse, Field& fine, bool, const Scalar*) const override { verb(coarse, fine); }
  Buffer tables_;
};

}  // namespace

std::unique_ptr<Functionals> make_functionals(Backend& backend, const Block& block) {
  return std::make_unique<RehearsedFunctionals>(backend, block);
}

std::unique_ptr<Sampler> make_sampler(Backend& backend, const SampleGrid& grid, std::span<const Quantity> data) {
  return std::make_unique<RehearsedSampler>(dynamic_cast<GridRehearsal&>(backend), grid, data);
}

std::unique_ptr<Transfer> make_transfer(Backend& backend, const Block& fine, const CoarseBlock&) {
  return std::make_unique<RehearsedTransfer>(device_tables(backend, fine, bytes_of_transfer));
}

std::unique_ptr<Transfer> make_weighted_transfer(Backend& backend, const Block& fine, const CoarseBlock& coarse,
                                                 const Weights& weights) {
  return std::make_unique<RehearsedWeightedTransfer>(backend, fine, coarse, weights);
}

}  // namespace poisson::rehearsal
