#include "grids/axes/coarse_places.hpp"

namespace poisson {

CoarsePlaces::CoarsePlaces(const Axis& fine, const CoarseAxis& coarse, int past_end) {
  const int all = coarse.axis.global().size(), all_fine = fine.global().size(), n = coarse.axis.size();
  const auto place = [&](int I) {
    int at = I + coarse.axis.origin(), turned = 0;
    if (fine.closed() && at < 0) at += all, turned = -all_fine;
    if (fine.closed() && at >= all) at -= all, turned = all_fine;
    return at < 0 || at >= all ? past_end : coarse.node(at) + turned - fine.origin();
  };
  for (int I = -1; I <= n; ++I) centre.push_back(place(I));
  int before = -1;  // last coarse value
  for (int i = 0; i < fine.size(); ++i) {
    const bool next = before + 1 < n && centre[static_cast<std::size_t>(before) + 2] == i;
    if (next) ++before;
    parents.push_back(2 * before + (next ? 0 : 1));
  }
}

}  // namespace poisson
