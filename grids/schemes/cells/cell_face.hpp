#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "backends/cpu/launch.hpp"
#include "backends/memory/places.hpp"
#include "grids/axes/block.hpp"
#include "grids/problem/problem.hpp"
#include "grids/sampling/sampling.hpp"

namespace poisson {

class MediaSystem;

/// Computes the contribution of a face of a cell-centred problem to the cells behind it. The flux into cell (i, j, k)
/// per area is given − conductance·u:
///
///   Neumann    q
///   Dirichlet  2κ/h (g − u)
///   Robin      κ/(κ + αh/2) (g − αu), where u on the face has been eliminated
///
/// If possible, the halo of the solution contains given/conductance, which is g or g/α. This value is the same on all
/// levels, while `given` depends on h. If α is negligible next to κ, there is no such value, and g remains in the
/// right-hand side.
class CellFace {
 public:
  struct Values {
    double given = 0, conductance = 0;
    bool in_halo = false;
    double halo() const { return in_halo ? given / conductance : 0; }
  };

  /// Returns the values for one cell of width h behind a face. The arguments are the face's value, κ of the cell, α of
  /// the face, and the block's `length` across the face.
  static Values values(BoundaryKind kind, double value, double kappa, double alpha, double h, double length);

  /// Samples the face's data. `media`: the system of the problem's materials, whose rows contain κ behind its faces;
  /// null if the problem has none. Throws ValueError.
  CellFace(const Problem& problem, const Block& block, int axis, int end, const MediaSystem* media);
  /// Samples the data for the cells of a box, which may include cells next to the process's part.
  CellFace(const Problem& problem, const Block& block, int axis, int end, const Box& within, const MediaSystem* media)
      : CellFace(problem, block, axis, end, within, media, nullptr) {}
  /// Uses given values of κ in the cells behind the face, x fastest, in a problem without materials.
  CellFace(const Problem& problem, const Block& block, int axis, int end, std::vector<double> kappa)
      : CellFace(problem, block, axis, end, block.layout().box(), nullptr, &kappa) {}

  /// Returns whether nothing passes the face, whatever u is.
  static bool is_closed(const Boundary& face);
  /// Returns the cells behind the face.
  const Box& behind() const { return behind_; }
  /// Calls f(i, j, k, values) for the cells behind the face, x fastest.
  template <class F>
  void visit(const F& f) const {
    for (int k = behind_.first[2]; k < behind_.last[2]; ++k)
      for (int j = behind_.first[1]; j < behind_.last[1]; ++j) visit_line(j, k, f);
  }
  /// Does the same on all threads, a line of cells on one of them.
  template <class F>
  void visit_on_threads(const F& f) const {
    cpu::for_each_line(behind_, cpu::heavy_threshold, [&](int j, int k) { visit_line(j, k, f); });
  }
  /// Visits one line of cells.
  template <class F>
  void visit_line(int j, int k, const F& f) const {
    std::size_t at = number(behind_.first[0], j, k);
    for (int i = behind_.first[0]; i < behind_.last[0]; ++i, ++at) {
      // Nothing flows into a cell that left the system of materials.
      const bool gone = media_ && kappa_[at] == 0;
      f(i, j, k, gone ? Values() : values_at(at));
    }
  }
  /// Returns the number of a cell among those behind the face, x fastest.
  std::size_t number(int i, int j, int k) const { return number_in(behind_, i, j, k); }

 private:
  CellFace(const Problem& problem, const Block& block, int axis, int end, const Box& within, const MediaSystem* media,
           std::vector<double>* kappa);

  /// Contains samples of a quantity: one for each cell, a single one if the quantity is constant, or none, which reads
  /// as 0.
  class Data {
   public:
    Data() = default;
    explicit Data(std::vector<double> values)
        : own_(std::make_shared<const std::vector<double>>(std::move(values))), values_(*own_) {}
    Data(const Quantity& quantity, const std::string& name, Sign sign, const Block& block, const Box& box);
    /// Refers to values that outlive the face.
    static Data of(const std::vector<double>& stored) {
      Data data;
      data.values_ = stored;
      return data;
    }

    double operator[](std::size_t cell) const {
      return values_.empty() ? 0 : values_.size() == 1 ? values_.front() : values_[cell];
    }

   private:
    std::shared_ptr<const std::vector<double>> own_;  ///< null if others own the values
    std::span<const double> values_;
  };

  // κ of materials contains the open share of the face, which reduces all flows.
  Values values_at(std::size_t at) const {
    const double open = media_ ? open_[at] : 1;
    Values v = values(kind_, data_[at], kappa_[at] / open, alpha_[at], width_, length_);
    v.given *= open;
    v.conductance *= open;
    return v;
  }

  Box behind_;
  BoundaryKind kind_{};
  bool media_ = false;
  Data data_, kappa_, alpha_, open_;
  double width_ = 0, length_ = 0;
};

/// Contains the areas of this process's cells across an axis (Block::face_area), whose masses are computed once.
class FaceAreas {
 public:
  FaceAreas(const Block& block, int axis);
  double operator()(int i, int j, int k) const {
    return masses_[0][static_cast<std::size_t>(i)] * masses_[1][static_cast<std::size_t>(j)] *
           masses_[2][static_cast<std::size_t>(k)];
  }

 private:
  std::array<std::vector<double>, 3> masses_;
};

/// Returns the cells behind a face; the box is empty if the process's part of a block does not reach it.
Box cells_behind(const Block& block, int axis, int end);

/// Returns the halo cells that a Dirichlet face of a cell-centred problem sets: the halo across the face, including its
/// edges towards other Dirichlet faces, where interpolation uses the mean of their data.
Box dirichlet_cells(const Block& block, int axis, int end);

}  // namespace poisson
