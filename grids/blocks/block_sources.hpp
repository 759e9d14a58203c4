#pragma once

#include <cstdint>
#include <vector>

namespace poisson {

/// Contains the coefficients of the cells of a block. Lengths are divided by `unit`, a power of two near the width of a
/// cell, and κ and σ are multiplied by what makes the matrix of the block the same.
struct BlockCells {
  double unit = 1;
  std::size_t entries = 1;    ///< of κ: 1, or 6 (xx, yy, zz, xy, xz, yz)
  bool varies = false;        ///< coefficients differ between cells
  std::vector<double> kappa;  ///< by entry: of each cell, or one
  std::vector<double> sigma;  ///< of each cell, or one; empty: 0

  /// Return the coefficients of a cell. A scalar κ has equal entries xx, yy and zz.
  double kappa_of(std::size_t entry, std::size_t cell) const {
    if (entries == 1 && entry > 2) return 0;
    const std::size_t count = kappa.size() / entries;
    return kappa[(entries == 1 ? 0 : entry) * count + (varies ? cell : 0)];
  }
  double sigma_of(std::size_t cell) const { return sigma.empty() ? 0 : sigma[varies ? cell : 0]; }
};

/// Contains f in the cells of a block.
struct BlockDensity {
  bool varies = false;
  std::vector<double> constant;  ///< of each cell, or one; empty: 0
  std::vector<double> points;    ///< the rest: of each cell, of each Gauss point in tensor order; empty: 0
};

/// Contains what Neumann and Robin conditions add to cells of a block: for each cell a record of its matrix
/// (BlockElements), and loads of its corners in tensor order.
struct BlockFacets {
  std::vector<int> cell;
  std::vector<double> matrix, load;
};

/// Tells what the elements of the blocks of a process are assembled from. Blocks have their numbers in BlockSpace::own.
/// Mesh and data must exist.
class BlockSources {
 public:
  virtual ~BlockSources() = default;
  /// Returns the coefficients of a block. Writes x, y and z of all nodes to `place` unless it is null.
  virtual BlockCells cells(std::size_t own, double* place) const = 0;
  /// Returns the unit of the places of a block (BlockCells).
  virtual double unit(std::size_t own) const = 0;
  virtual BlockDensity density(std::size_t own) const = 0;
  virtual const BlockFacets& facets(std::size_t own) const = 0;
  virtual bool robin(std::size_t own) const = 0;
  /// Returns whether cells have a reaction σ.
  virtual bool reacts() const = 0;
};

}  // namespace poisson
