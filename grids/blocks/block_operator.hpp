#pragma once

#include <memory>

#include "grids/blocks/block_matrix.hpp"
#include "grids/compact/csr.hpp"
#include "grids/compact/row_space.hpp"
#include "grids/operators/operator.hpp"

namespace poisson {

/// Selects how a level of blocks is smoothed.
enum class BlockSmoothing : std::uint8_t { points, lines };

/// Selects the model of coefficients of blocks on a device (Blocks on a GPU in docs/design/blocks.md): stored entries,
/// stored with 8 binary digits in operators in fp32 (Narrow) and with 32 in those in fp64 (NarrowRest), or computed
/// from the corners of cells by each product. `shared` stores floats in operators in fp32, and their rest (ShortRest)
/// in those in fp64. All but `stored` and `computed` take products of axes where these are possible. Elsewhere
/// `automatic` computes entries, which saves memory, and the others store them. Blocks with Robin conditions and blocks
/// in the plane never compute entries.
enum class BlockModel : std::uint8_t { automatic, corrections, narrow, shared, stored, computed };

/// Describes the operator of a level.
struct BlockOperatorData {
  BlockLevel level;
  double scale = 1;
  bool singular = false;
  BlockSmoothing smoothing = BlockSmoothing::points;
  BlockModel model = BlockModel::automatic;
  /// The operator computes residuals for corrections in another precision: on a device it has no lines, and shares its
  /// diagonal and the upper digits of entries with theirs.
  bool residual = false;
  std::shared_ptr<const std::vector<std::vector<double>>> volume{};  ///< as BlockSystem::volume; null: equal weights
};

/// Makes the operator scale · A of a level on the CPU. Each block multiplies its own matrix, and an exchange adds the
/// results on interfaces.
std::unique_ptr<Operator> make_block_operator(Backend& backend, const BlockOperatorData& data, Precision precision);

/// Makes the transfer between two levels: linear interpolation by halves or thirds, and its transpose.
std::unique_ptr<Transfer> make_block_transfer(Backend& backend, std::shared_ptr<const BlockSpace> fine,
                                              std::shared_ptr<const BlockSpace> coarse, Precision precision);

/// Returns the matrix of all unknowns of a level, which all processes receive. Rows are numbered part by part.
CsrMatrix block_rows(const BlockLevel& level);
/// Lists the unknowns of this process in the memory of fields: of rows, counted from row 0, and of blocks.
struct BlockRowPlaces {
  std::vector<std::int64_t> row, place;
};
BlockRowPlaces find_row_places(const BlockSpace& blocks, const RowSpace& rows, Precision precision);
/// Lists how all processes get all rows: each sends its unknowns, in the order of their rows, to all others.
struct SharedRows {
  std::vector<std::int64_t> own;          ///< of each entry of BlockRowPlaces: its number in the list of this process
  std::vector<std::int64_t> row, listed;  ///< of each row: its place in fields of rows, and in the list with received
  std::vector<RowList> lists;
};
SharedRows share_rows(const BlockSpace& blocks, const RowSpace& rows, const BlockRowPlaces& places);
/// Makes the transfer from a level to the same unknowns as rows, which every process has completely.
std::unique_ptr<Transfer> make_block_gather(Backend& backend, std::shared_ptr<const BlockSpace> blocks,
                                            const RowSpace& rows, Precision precision);

}  // namespace poisson
