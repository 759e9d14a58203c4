// This file lists what blocks are assembled from, block by block.

#include "grids/blocks/block_sources.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "grids/blocks/block_matrix.hpp"
#include "grids/blocks/element_assembler.hpp"
#include "grids/blocks/held_nodes.hpp"
#include "grids/compact/csr.hpp"

namespace poisson {
namespace {

// Returns the Gauss points of the rule of a cell in the order of its corners in tensor order: the nearest point.
std::array<std::size_t, 8> points_in_tensor_order(const ElementRule& rule) {
  std::array<std::size_t, 8> points{};
  for (std::size_t c = 0; c < static_cast<std::size_t>(rule.corners); ++c)
    for (std::size_t q = 0; q < static_cast<std::size_t>(rule.points); ++q)
      if (rule.value[q][tensor_order[c]] > rule.value[points[c]][tensor_order[c]]) points[c] = q;
  return points;
}

class SourcesOfMesh final : public BlockSources {
 public:
  SourcesOfMesh(const MeshData& data, const BlockMesh& mesh, const BlockSpace& space) : data_(data), mesh_(mesh) {
    for (const BlockSpace::Own& own : space.own) pieces_.push_back(mesh.piece(own.block));
    facets_.resize(pieces_.size());
    robin_.assign(pieces_.size(), 0);
    add_facets();
  }

  BlockCells cells(std::size_t own, double* place) const override {
    const BlockMesh::Piece& piece = pieces_[own];
    BlockCells found;
    const int dimension = data_.mesh().dimension;
    found.unit = unit_of(piece, dimension);
    if (place) put_places(piece, found.unit, place);
    const std::int64_t cells = count(piece);
    const std::size_t entries = data_.kappa_entries;
    const auto kappa = [&](std::int64_t c, std::size_t e) { return data_.kappa[cell(piece, c) * entries + e]; };
    const std::size_t first = cell(piece, 0);
    for (std::int64_t c = 1; c < cells && !found.varies; ++c) {
      for (std::size_t e = 0; e < entries; ++e) found.varies = found.varies || kappa(c, e) != kappa(0, e);
      if (!data_.reaction.empty())
        found.varies = found.varies || data_.reaction[cell(piece, c)] != data_.reaction[first];
    }
    found.entries = entries;
    const std::int64_t values = found.varies ? cells : 1;
    const double measure = std::pow(found.unit, dimension), factor = std::pow(found.unit, dimension - 2);
    for (std::size_t e = 0; e < entries; ++e)
      for (std::int64_t c = 0; c < values; ++c) found.kappa.push_back(kappa(c, e) * factor);
    for (std::int64_t c = 0; c < values && !data_.reaction.empty(); ++c)
      found.sigma.push_back(data_.reaction[cell(piece, c)] * measure);
    return found;
  }

  double unit(std::size_t own) const override { return unit_of(pieces_[own], data_.mesh().dimension); }
  BlockDensity density(std::size_t own) const override {
    const BlockMesh::Piece& piece = pieces_[own];
    BlockDensity found;
    const std::int64_t cells = count(piece);
    const auto f = [&](std::int64_t c) { return data_.density[cell(piece, c)]; };
    if (!data_.density.empty()) {
      for (std::int64_t c = 1; c < cells && !found.varies; ++c) found.varies = f(c) != f(0);
      for (std::int64_t c = 0; c < (found.varies ? cells : 1); ++c) found.constant.push_back(f(c));
    }
    if (data_.source.empty()) return found;
    const ElementRule& rule = rule_of(data_.mesh().dimension == 2 ? CellShape::quadrilateral : CellShape::hexahedron);
    const std::array<std::size_t, 8> order = points_in_tensor_order(rule);
    for (std::int64_t c = 0; c < cells; ++c) {
      const auto from = static_cast<std::size_t>(data_.first_source(static_cast<std::int64_t>(cell(piece, c))));
      for (std::size_t q = 0; q < static_cast<std::size_t>(rule.points); ++q)
        found.points.push_back(data_.source[from + order[q]]);
    }
    return found;
  }

  const BlockFacets& facets(std::size_t own) const override { return facets_[own]; }
  bool robin(std::size_t own) const override { return robin_[own] != 0; }
  bool reacts() const override { return !data_.reaction.empty(); }

 private:
  static std::int64_t count(const BlockMesh::Piece& piece) {
    return std::int64_t{piece.cells[0]} * piece.cells[1] * std::max(1, piece.cells[2]);
  }
  std::size_t cell(const BlockMesh::Piece& piece, std::int64_t c) const {
    const std::array<int, 3>& n = piece.cells;
    return static_cast<std::size_t>(mesh_.cell(
        piece, {static_cast<int>(c % n[0]), static_cast<int>(c / n[0] % n[1]), static_cast<int>(c / n[0] / n[1])}));
  }
  const Place3& point(const BlockMesh::Piece& piece, int i, int j, int k) const {
    return mesh_.mesh->points[static_cast<std::size_t>(
        mesh_.numbers->number(piece.block, {piece.first[0] + i, piece.first[1] + j, piece.first[2] + k}))];
  }
  double unit_of(const BlockMesh::Piece& piece, int dimension) const {
    double measure = 1;  // of a box of mean cells
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d) {
      std::array<int, 3> end{};
      end[d] = piece.cells[d];
      const Place3 &a = point(piece, 0, 0, 0), &b = point(piece, end[0], end[1], end[2]);
      measure *= std::hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2]) / piece.cells[d];
    }
    if (!(measure > 0)) return 1;  // the ends of an axis may be one point
    return std::exp2(std::round(std::log2(measure) / dimension));
  }
  // Nodes inside of a block are numbered as its memory.
  void put_places(const BlockMesh::Piece& piece, double unit, double* place) const {
    const std::array<int, 3>& n = piece.cells;
    const std::array<int, 3> all = mesh_.numbers->cells_of(piece.block);
    const std::int64_t lines = std::int64_t{n[1] + 1} * (n[2] + 1), nodes = lines * (n[0] + 1);
    const auto inside = [&](int at, std::size_t d) { return all[d] == 0 || (at > 0 && at < all[d]); };
    for_rows(lines, [&](std::int64_t line) {
      const int j = static_cast<int>(line % (n[1] + 1)), k = static_cast<int>(line / (n[1] + 1));
      const bool within = all[0] > 1 && inside(piece.first[1] + j, 1) && inside(piece.first[2] + k, 2);
      const Place3* const row = within ? &point(piece, 1 - piece.first[0], j, k) - 1 : nullptr;
      for (int i = 0; i <= n[0]; ++i) {
        const int at = piece.first[0] + i;
        const Place3& x = within && inside(at, 0) ? row[at] : point(piece, i, j, k);
        for (std::int64_t a = 0; a < 3; ++a)
          place[a * nodes + line * (n[0] + 1) + i] = x[static_cast<std::size_t>(a)] / unit;
      }
    });
  }
  void add_facets() {
    const ElementAssembler assembler(data_, find_held_nodes(data_, mesh_).pinned);
    const auto& listed = assembler.facets();
    const std::size_t corners = std::size_t{1} << data_.mesh().dimension,
                      record = BlockElements::record(data_.mesh().dimension);
    for (std::size_t b = 0; b < pieces_.size(); ++b) {
      const BlockMesh::Piece& piece = pieces_[b];
      const std::array<int, 3> all = mesh_.numbers->cells_of(piece.block);
      const std::int64_t first = mesh_.first_cell[static_cast<std::size_t>(piece.block)],
                         last = mesh_.first_cell[static_cast<std::size_t>(piece.block) + 1];
      std::int64_t before = -1;
      for (auto next = std::ranges::lower_bound(listed, first, {}, [](const auto& of) { return of.first; });
           next != listed.end() && next->first < last; ++next) {
        const auto c = static_cast<int>(next->first - first);
        const std::array<int, 3> at{c % all[0] - piece.first[0], c / all[0] % all[1] - piece.first[1],
                                    c / all[0] / all[1] - piece.first[2]};
        bool here = true;
        for (std::size_t d = 0; d < 3; ++d) here = here && at[d] >= 0 && at[d] < std::max(1, piece.cells[d]);
        if (!here) continue;
        if (assembler.changes_matrix(next->second)) robin_[b] = 1;
        if (next->first == before) continue;  // another facet of the same cell
        before = next->first;
        const LoadedElement element = assembler.of_facets(next->first);
        BlockFacets& to = facets_[b];
        to.cell.push_back(at[0] + piece.cells[0] * (at[1] + piece.cells[1] * at[2]));
        to.matrix.resize(to.matrix.size() + record, 0);
        add_to_record(element.matrix, corners, to.matrix.data() + to.matrix.size() - record);
        to.load.insert(to.load.end(), element.load.begin(), element.load.begin() + static_cast<int>(corners));
      }
      if (robin_[b] == 0) facets_[b].matrix = {};
    }
  }

  const MeshData& data_;
  const BlockMesh& mesh_;
  std::vector<BlockMesh::Piece> pieces_;
  std::vector<BlockFacets> facets_;
  std::vector<char> robin_;
};

}  // namespace

std::shared_ptr<const BlockSources> sources_of(const MeshData& data, const BlockMesh& mesh, const BlockSpace& space) {
  return std::make_shared<const SourcesOfMesh>(data, mesh, space);
}

}  // namespace poisson
