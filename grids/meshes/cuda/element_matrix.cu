#include <span>
#include <utility>

#include "grids/compact/cuda/device_rows.cuh"
#include "grids/meshes/cuda/element_matrix.hpp"

namespace poisson::cuda {
namespace {

// Returns the entries of a row of a mesh without poor elements.
std::int64_t most_entries(const std::vector<ElementArrays::Block>& blocks) {
  std::int64_t most = 0;
  for (const ElementArrays::Block& block : blocks)
    most = std::max<std::int64_t>(most, facts_of(block.shape).dimension == 2    ? 9
                                        : block.shape == CellShape::tetrahedron ? 16
                                                                                : 27);
  return most;
}

class ElementMatrix final : public DeviceAssembly {
 public:
  ElementMatrix(CudaBackend& backend, ElementArrays arrays) : rows_(backend), arrays_(std::move(arrays)) {
    std::int64_t elements = 0;
    for (const ElementArrays::Block& block : arrays_.blocks) {
      const ElementRule& rule = rule_of(block.shape);
      rules_.push_back(backend.allocate(sizeof rule));
      backend.write(&rule, rules_.back().data(), sizeof rule);
      const bool simplex = block.shape == CellShape::triangle || block.shape == CellShape::tetrahedron;
      view_.block[view_.blocks++] = {static_cast<const ElementRule*>(rules_.back().data()),
                                     static_cast<const int*>(block.corner.data()),
                                     rule.corners,
                                     rule.dimension,
                                     simplex,
                                     elements,
                                     block.count};
      elements += block.count;
    }
    view_.point = static_cast<const double*>(arrays_.points.data());
    view_.row = static_cast<const int*>(arrays_.row.data());
    view_.point_of = static_cast<const int*>(arrays_.point_of.data());
    elements_ = elements;
    make_pattern();
  }

  void set_values(std::span<const double> kappa, int kappa_entries, std::span<const double> reaction) override {
    const auto copy = [&](std::span<const double> from) {
      Buffer to = rows_.make<double>(static_cast<std::int64_t>(from.size()));
      if (!from.empty()) rows_.backend().write(from.data(), to.data(), from.size_bytes());
      return to;
    };
    const Buffer k = copy(kappa), sigma = copy(reaction);
    set_values(static_cast<const double*>(k.data()), kappa_entries,
               reaction.empty() ? nullptr : static_cast<const double*>(sigma.data()));
  }
  void set_values(const double* kappa, int kappa_entries, const double* reaction) override {
    MeshRows view = view_;
    view.kappa = kappa;
    view.kappa_entries = kappa_entries;
    view.reaction = reaction;
    const CsrView A = matrix_->view();
    rows_.each(A.rows, FillMeshRows{view, A.start, A.column, rows_.at(matrix_->value)});
  }
  std::shared_ptr<const DeviceMatrix> matrix() const override { return matrix_; }

 private:
  // The rows that share an element are the entries of EᵀE, where E lists the rows of each element.
  void make_pattern() {
    DeviceMatrix E;
    E.start = rows_.make<std::int64_t>(elements_ + 1);
    rows_.each(elements_, CountCorners{view_, rows_.at(E.start)});
    rows_.resize(E, elements_, arrays_.rows, rows_.sum_up(E.start, elements_));
    rows_.each(elements_, ListCorners{view_, rows_.at(E.start), rows_.at(E.column)});
    DeviceMatrix at_rows = transpose(rows_, E);
    matrix_ = std::make_shared<DeviceMatrix>(
        sorted(rows_, loose_product(rows_, at_rows, E, arrays_.rows * most_entries(arrays_.blocks))));
    first_ = std::move(at_rows.start);
    element_ = std::move(at_rows.column);
    view_.first = static_cast<const std::int64_t*>(first_.data());
    view_.element = static_cast<const int*>(element_.data());
  }

  DeviceRows rows_;
  ElementArrays arrays_;
  std::vector<Buffer> rules_;
  MeshRows view_;
  std::int64_t elements_ = 0;
  Buffer first_, element_;
  std::shared_ptr<DeviceMatrix> matrix_;
};

}  // namespace

std::unique_ptr<DeviceAssembly> make_device_assembly(Backend& backend, ElementArrays arrays) {
  return std::make_unique<ElementMatrix>(static_cast<CudaBackend&>(backend), std::move(arrays));
}

}  // namespace poisson::cuda
