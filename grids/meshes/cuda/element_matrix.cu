#include <span>
#include <stdexcept>
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
    std::int64_t elements = 0, source = 0;
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
                                     block.count,
                                     source};
      elements += block.count;
      source += block.count * rule.points;
    }
    view_.point = static_cast<const double*>(arrays_.points.data());
    view_.row = static_cast<const int*>(arrays_.row.data());
    view_.point_of = static_cast<const int*>(arrays_.point_of.data());
    view_.elements = elements;
    if (arrays_.sides > 0) add_sides();
    make_pattern();
  }

  void set_values(std::span<const double> kappa, int kappa_entries, std::span<const double> reaction) override {
    const Buffer k = copy(kappa), sigma = copy(reaction);
    set_values(static_cast<const double*>(k.data()), kappa_entries,
               reaction.empty() ? nullptr : static_cast<const double*>(sigma.data()));
  }
  void set_values(const double* kappa, int kappa_entries, const double* reaction) override {
    if (view_.sides.count > 0 && !view_.sides.value)
      throw std::logic_error("a mesh with conditions on sides is assembled from its data first");
    MeshRows view = view_;
    view.kappa = kappa;
    view.kappa_entries = kappa_entries;
    view.reaction = reaction;
    const CsrView A = matrix_->view();
    rows_.each(A.rows, FillMeshRows{view, A.start, A.column, rows_.at(matrix_->value)});
  }
  MeshLoads assemble(const MeshData& data) override {
    std::vector<double> of_sides;
    for (std::size_t f = 0; f < data.facets.size(); ++f)
      if (data.condition(data.facets[f]).kind != BoundaryKind::dirichlet)
        of_sides.insert(of_sides.end(), data.data[f].begin(), data.data[f].end());
    side_values_ = copy(of_sides);
    view_.sides.value = static_cast<const double*>(side_values_.data());
    const Buffer kappa = copy(data.kappa), sigma = copy(data.reaction), density = copy(data.density),
                 source = copy(data.source), held = copy(data.held);
    const auto given = [](std::span<const double> values, const Buffer& memory) {
      return values.empty() ? nullptr : static_cast<const double*>(memory.data());
    };
    set_values(given(data.kappa, kappa), static_cast<int>(data.kappa_entries), given(data.reaction, sigma));
    FillMeshLoads fill{view_, given(data.density, density), given(data.source, source), given(data.held, held)};
    fill.elements.kappa = given(data.kappa, kappa);
    fill.elements.kappa_entries = static_cast<int>(data.kappa_entries);
    fill.elements.reaction = given(data.reaction, sigma);
    const Buffer b = rows_.make<double>(arrays_.rows), weight = rows_.make<double>(arrays_.rows);
    fill.b = rows_.at(b);
    fill.weight = rows_.at(weight);
    rows_.each(arrays_.rows, fill);
    MeshLoads loads;
    const auto read = [&](const Buffer& from, std::vector<double>& to) {
      to.resize(static_cast<std::size_t>(arrays_.rows));
      if (!to.empty()) rows_.backend().read(from.data(), to.data(), to.size() * sizeof(double));
    };
    read(b, loads.b);
    read(weight, loads.weights);
    return loads;
  }
  std::shared_ptr<const DeviceMatrix> matrix() const override { return matrix_; }

 private:
  Buffer copy(std::span<const double> from) {
    Buffer to = rows_.make<double>(static_cast<std::int64_t>(from.size()));
    if (!from.empty()) rows_.backend().write(from.data(), to.data(), from.size_bytes());
    return to;
  }
  void add_sides() {
    constexpr int shapes = static_cast<int>(CellShape::quadrilateral) + 1;
    std::vector<ElementRule> rules;
    for (int s = 0; s < shapes; ++s) rules.push_back(rule_of(static_cast<CellShape>(s)));
    rules_.push_back(rows_.backend().allocate(rules.size() * sizeof rules[0]));
    rows_.backend().write(rules.data(), rules_.back().data(), rules.size() * sizeof rules[0]);
    view_.sides = {static_cast<const ElementRule*>(rules_.back().data()),
                   static_cast<const std::uint8_t*>(arrays_.side_shape.data()),
                   static_cast<const int*>(arrays_.side_corner.data()),
                   static_cast<const std::int64_t*>(arrays_.side_first.data()),
                   nullptr,
                   arrays_.sides};
  }
  // The rows that share an element are the entries of EᵀE, where E lists the rows of each element and then of each
  // side.
  void make_pattern() {
    DeviceMatrix E;
    const std::int64_t members = view_.elements + view_.sides.count;
    E.start = rows_.make<std::int64_t>(members + 1);
    rows_.each(members, CountCorners{view_, rows_.at(E.start)});
    rows_.resize(E, members, arrays_.rows, rows_.sum_up(E.start, members));
    rows_.each(members, ListCorners{view_, rows_.at(E.start), rows_.at(E.column)});
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
  Buffer first_, element_, side_values_;
  std::shared_ptr<DeviceMatrix> matrix_;
};

}  // namespace

std::unique_ptr<DeviceAssembly> make_device_assembly(Backend& backend, ElementArrays arrays) {
  return std::make_unique<ElementMatrix>(static_cast<CudaBackend&>(backend), std::move(arrays));
}

}  // namespace poisson::cuda
