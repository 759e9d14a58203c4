#include "grids/levels/uncoupled_blocks.hpp"

#include <algorithm>

#include "grids/rows/stencil_probe.hpp"

namespace poisson {
namespace {

// Reads entries off products. The rows of a level reach one value along each axis, so one product gives all columns of
// a colour.
class EntryReader {
 public:
  EntryReader(const Operator& A, const UncoupledBlocks& blocks, Field& u, Field& Au)
      : A_(A),
        blocks_(blocks),
        u_(u),
        Au_(Au),
        host_(make_cpu_backend()),
        unit_(*host_, A.space(), A.precision()),
        image_(*host_, A.space(), A.precision()) {}

  BlockMatrices read() {
    BlockMatrices found;
    found.entries.resize(blocks_.places().size() * static_cast<std::size_t>(blocks_.rows()));
    dispatch(A_.precision(), [&]<class T>(T) {
      multiply<T>([](const auto&) { return true; });
      for (const auto& at : blocks_.places()) found.sums.push_back(A_.singular() ? 0 : entry<T>(at));
      StencilProbe probe(A_.space(), false);
      const auto of_colour = [&](const auto& at) { return probe.colour_of(at[0], at[1], at[2]) == probe.colour; };
      for (probe.colour = 0; probe.colour < probe.colours(); ++probe.colour)
        if (multiply<T>(of_colour)) store<T>(of_colour, found.entries);
    });
    return found;
  }

 private:
  using Place = UncoupledBlocks::Place;

  template <class T>
  double entry(const Place& at) const {
    return static_cast<double>(image_.view<T>()(at[0], at[1], at[2]));
  }

  // Multiplies the sum of the unit vectors of the chosen unknowns. Returns whether there are any.
  template <class T, class Chosen>
  bool multiply(const Chosen& chosen) {
    bool any = false;
    host_->fill(unit_, 0);
    const auto in = unit_.view<T>();
    for (const Place& at : blocks_.places()) {
      if (!chosen(at)) continue;
      in(at[0], at[1], at[2]) = T(1);
      any = true;
    }
    if (!any) return false;
    transfer(unit_, u_);
    A_.apply(u_, Au_);
    transfer(Au_, image_);
    return true;
  }

  // Stores the entries whose columns were chosen.
  template <class T, class Chosen>
  void store(const Chosen& chosen, std::vector<double>& entries) const {
    const int rows = blocks_.rows();
    for (int row = 0; row < static_cast<int>(blocks_.places().size()); ++row) {
      const Place& at = blocks_.places()[static_cast<std::size_t>(row)];
      for (int code = 0; code < 27; ++code) {
        const Place there = neighbour(at, code);
        const int column = blocks_.position_of(there);
        if (column >= 0 && column / rows == row / rows && chosen(there))
          entries[static_cast<std::size_t>(row) * static_cast<std::size_t>(rows) +
                  static_cast<std::size_t>(column % rows)] = entry<T>(at);
      }
    }
  }

  Place neighbour(const Place& at, int code) const {
    Place there{};
    for (std::size_t d = 0; d < 3; ++d) {
      const int all = A_.space().part().all()[d];
      there[d] = at[d] + offset_of(code, static_cast<int>(d));
      if (A_.space().part().closed()[d]) there[d] = (there[d] + all) % all;
    }
    return there;
  }

  const Operator& A_;
  const UncoupledBlocks& blocks_;
  Field &u_, &Au_;
  std::unique_ptr<Backend> host_;
  Field unit_, image_;
};

}  // namespace

UncoupledBlocks::UncoupledBlocks(const Box& unknowns, int across) : box_(unknowns) {
  std::array<std::size_t, 3> order{0, 1, 2};
  for (std::size_t d = 0; d < 3; ++d) n_[d] = box_.last[d] - box_.first[d];
  std::ranges::stable_sort(order, {}, [this](std::size_t d) { return n_[d]; });
  count_ = across < 0 ? 1 : n_[static_cast<std::size_t>(across)];
  rows_ = n_[0] * n_[1] * n_[2] / count_;
  positions_.resize(static_cast<std::size_t>(count_) * static_cast<std::size_t>(rows_));
  for (int block = 0; block < count_; ++block)
    for (int row = 0; row < rows_; ++row) {
      Place at{};
      int rest = row;
      for (const std::size_t d : order) {
        const bool chosen = static_cast<int>(d) == across;
        at[d] = box_.first[d] + (chosen ? block : rest % n_[d]);
        if (!chosen) rest /= n_[d];
      }
      const int by_place = at[0] - box_.first[0] + n_[0] * (at[1] - box_.first[1] + n_[1] * (at[2] - box_.first[2]));
      positions_[static_cast<std::size_t>(by_place)] = static_cast<int>(places_.size());
      places_.push_back(at);
    }
}

int UncoupledBlocks::position_of(const Place& at) const {
  int by_place = 0;
  for (std::size_t d = 3; d-- > 0;) {
    if (at[d] < box_.first[d] || at[d] >= box_.last[d]) return -1;
    by_place = by_place * n_[d] + at[d] - box_.first[d];
  }
  return positions_[static_cast<std::size_t>(by_place)];
}

BlockMatrices read_matrices(const Operator& A, const UncoupledBlocks& blocks, Field& u, Field& Au) {
  return EntryReader(A, blocks, u, Au).read();
}

std::vector<std::int64_t> offsets_of(const UncoupledBlocks& blocks, const Space& space, Precision precision) {
  std::vector<std::int64_t> offsets;
  const auto host = make_cpu_backend();
  dispatch(precision, [&]<class T>(T) {
    const Field numbered(*host, space, precision);
    const auto view = numbered.view<T>();
    for (const auto& at : blocks.places()) offsets.push_back(at[0] + at[1] * view.sy + at[2] * view.sz);
  });
  return offsets;
}

}  // namespace poisson
