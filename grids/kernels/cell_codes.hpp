#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "backends/device/field.hpp"
#include "backends/memory/unset_vector.hpp"
#include "grids/axes/block.hpp"

namespace poisson {

/// Stores a small number for each cell of this process in the memory of a backend, and finds which cells are connected.
/// Cells are numbered x fastest.
class CellCodes {
 public:
  using Code = std::uint16_t;
  using Cell = std::uint32_t;
  static constexpr Cell nowhere = std::numeric_limits<Cell>::max();

  virtual ~CellCodes() = default;

  /// Sets each value of `out` to the entry of the table at its cell's code. If the entry is NaN, the value stays.
  virtual void look_up(std::span<const double> table, Field& out) const = 0;

  /// Finds the connected parts of the cells whose code has `connects`. Cells connect across their faces; along an axis
  /// with `closed` also the last cell to the first. Replaces earlier parts.
  virtual void find_parts(std::span<const char> connects, const std::array<bool, 3>& closed) = 0;
  /// Returns the first cell of the part to which each of `cells` belongs, or `nowhere`.
  virtual std::vector<Cell> parts_of(std::span<const Cell> cells) const = 0;
  /// Returns the first cell of the part with most cells, of equal ones the first, or `nowhere` if no cell connects.
  virtual Cell largest_part() const = 0;
  /// Sets the code of all connected cells that share no part with any of `cells`.
  virtual void set_others(std::span<const Cell> cells, Code code) = 0;
  /// Frees the memory of the parts.
  virtual void forget_parts() = 0;

  /// Returns which cells have a code: cell c is bit c mod 32 of word c / 32.
  virtual std::vector<std::uint32_t> cells_with(Code code) const = 0;

  /// Contains sums over the cells of a code, weighted by volumes, and the extrema; of equal ones the first.
  struct Moments {
    struct Extremum {
      double value = 0;
      Cell at = nowhere;  ///< if the code has no cell
    };
    double size = 0, first = 0, second = 0;
    double outflow = 0;  ///< Σ κ · area / distance · (u − u of the neighbour) to cells of other codes
    Extremum low, high;
  };
  /// Contains what moments() reads: u, which may be replaced by one value for each code unless that is NaN, and κ on
  /// the faces below each cell along the axes of the block.
  struct Fields {
    const Field& u;
    const Block& block;
    std::array<const Field*, 3> faces{};
    std::span<const double> replaced;
  };
  /// Returns the moments of each code for which `wanted` is not 0. This process must have all cells of the block.
  virtual std::vector<Moments> moments(const Fields& fields, std::span<const char> wanted) const = 0;
};

/// Computes CellCodes::largest_part() from the parts of all cells.
CellCodes::Cell largest_part_of(std::span<const CellCodes::Cell> parts);

/// Writes the codes of the cells (0 … , j, k) to the line.
using LineOfCodes = std::function<void(int j, int k, std::span<CellCodes::Code> line)>;
/// Copies codes to a backend. `n` counts the cells along each axis; their product is below 2³² − 1. All codes are below
/// `codes_used`. `write` is called once for each line, from several threads.
std::unique_ptr<CellCodes> make_cell_codes(Backend& backend, const std::array<int, 3>& n, std::size_t codes_used,
                                           const LineOfCodes& write);
/// Does the same for bytes of the host, x fastest. The code of a cell is table[its byte].
struct BytesOfCells {
  const std::uint8_t* bytes;
  std::span<const CellCodes::Code, 256> table;
};
std::unique_ptr<CellCodes> make_cell_codes(Backend& backend, const std::array<int, 3>& n, std::size_t codes_used,
                                           const BytesOfCells& from);

/// Returns κ · area summed over the faces across an axis, times the differences u(above) − u(below) of their cells.
/// `faces` contains κ on the face below each cell. Faces at open ends and between the last and the first cells of a
/// periodic axis are left out; across cuts the halo of u is current. Counts the faces of this process.
double sum_of_differences(const Field& faces, const Field& u, const Block& block, std::size_t axis);

}  // namespace poisson
