#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "backends/memory/error.hpp"
#include "grids/operators/band_colours.hpp"
#include "grids/operators/operator.hpp"

namespace poisson {

/// Contains the common parts of the banded operators of all backends. Derived is one of these operators.
template <class T, class Derived>
class BandedBase : public Operator {
 public:
  BandedBase(Backend& backend, const Bands& bands)
      : backend_(backend),
        space_(bands.space),
        layout_(space_.part().layout()),
        unknowns_(space_.part().unknowns()),
        sum_(in_precision(bands.sum)),
        diagonal_(backend, space_, precision_of<T>),
        scale_(bands.scale),
        singular_(bands.singular) {
    for (const auto& entries : bands.entries) entries_.push_back(in_precision(entries));
    const auto far = reach(bands.offsets);
    guarded_ = far[0] > 1 || far[1] > 1 || far[2] > 1;
    for (std::size_t d = 0; d < 3; ++d) {
      const int before = space_.part().origin()[d], behind = space_.part().all()[d] - before - layout_.n[d];
      const bool cut = space_.part().cuts().count(d) > 1;
      within_.first[d] = cut ? -std::min(before, cut_halo) : 0;
      within_.last[d] = layout_.n[d] + (cut ? std::min(behind, cut_halo) : 0);
      if (cut) halo_ = std::max(halo_, far[d]);
    }
    const View<T> shape = diagonal_.template view<T>();
    offsets_ = bands.offsets;
    if (bands.symmetric)
      for (const Offset& o : bands.offsets) offsets_.push_back({-o[0], -o[1], -o[2]});
    for (std::size_t at = 0; at < offsets_.size(); ++at) {
      const Offset& o = offsets_[at];
      const std::int64_t shift = o[0] + o[1] * shape.sy + o[2] * shape.sz;
      const bool backward = at >= entries_.size();
      const T* data = entries_[at % entries_.size()]->template view<T>().data;
      // The entry of a backward coupling at i is stored at i + o in the forward band.
      links_.push_back({data, backward ? shift : 0, shift, o[0], o[1], o[2]});
    }
  }

  Backend& backend() const override { return backend_; }
  Precision precision() const override { return precision_of<T>; }
  const Space& space() const override { return space_; }
  std::string_view assembly() const override { return "bands"; }
  double scale() const override { return scale_; }
  bool singular() const override { return singular_; }
  std::size_t bytes() const override {
    std::size_t bytes = sum_->bytes() + diagonal_.bytes();
    for (const auto& entries : entries_) bytes += entries->bytes();
    return bytes;
  }
  std::unique_ptr<SymmetricSplitting> split(const Relaxation& relaxation) const override {
    if (relaxation.line()) throw RunError("lines are relaxed by operators that are discretized on axes, not by bands");
    return std::make_unique<PointSplitting<Derived>>(derived(), EigenvalueBound{largest_});
  }
  std::unique_ptr<Splitting> split_by_colours() const override {
    if (!space_.is_global()) throw RunError("colours of bands are those of a whole grid");
    return std::make_unique<ColourSplitting<Derived>>(derived());
  }

 protected:
  /// Describes a coupling of every row i to unknown i + `shift`. The coefficient is band[i + at].
  struct Link {
    const T* band;
    std::int64_t at, shift;
    int dx, dy, dz;
  };

  double count() const { return static_cast<double>(space_.unknown_count()); }
  /// Fills halos as far as rows reach.
  void exchange(const Field& u) const { backend_.exchange(u, halo_); }

  Backend& backend_;
  Space space_;
  const Layout& layout_;
  const Box& unknowns_;
  std::vector<std::shared_ptr<const Field>> entries_;
  std::shared_ptr<const Field> sum_;
  Field diagonal_;
  std::vector<Offset> offsets_;
  std::vector<Link> links_;
  bool guarded_ = false;  ///< offsets reach beyond the halo of an uncut axis
  Box within_{};          ///< contains all neighbours: these values, and the halo beyond cuts
  int halo_ = 1;          ///< is the reach of rows beyond cuts
  double largest_ = 2;    ///< Gershgorin's bound

 private:
  const Derived& derived() const { return static_cast<const Derived&>(*this); }
  std::shared_ptr<const Field> in_precision(const std::shared_ptr<const Field>& from) const {
    if (from->precision() == precision_of<T>) return from;
    auto to = std::make_shared<Field>(backend_, space_, precision_of<T>);
    backend_.convert(*from, *to);
    return to;
  }

  double scale_;
  bool singular_;
};

}  // namespace poisson
