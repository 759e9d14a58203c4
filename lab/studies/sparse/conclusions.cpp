#include "lab/page/curve.hpp"
#include "lab/page/verdict.hpp"
#include "lab/studies/sparse/study.hpp"

namespace poisson::lab {

std::vector<std::string> conclude_sparse(const Panels& panels, const Machine& machine) {
  using namespace sparse_names;
  std::vector<std::string> sentences;
  const Panel* const panel = find_panel(panels, "product");
  if (!panel) return sentences;
  const double largest = places(*panel).back();
  const auto at = [&](std::string_view a, std::string_view b) { return ratio_at(*panel, a, b, largest); };
  const std::string_view best = machine.gpu ? lanes : rows;
  const Ratio plain = at(rows, bands), shared = at(best, bands), numbering = at(scattered, best);
  if (!plain.known() || !shared.known()) return sentences;
  const std::string of = "A product of " + figure(largest) + " rows";
  if (!quotable(*panel)) {
    if (!shared.more())
      sentences.push_back(of + " as compact rows is no faster than one of bands: each entry brings its column.");
    return sentences;
  }
  sentences.push_back(of + " as compact rows has " + rate_against(shared) + " bands; by its bytes it would have " +
                      percent(sparse_bytes(bands) / sparse_bytes(rows)) + ", for each entry brings its column.");
  if (machine.gpu)
    sentences.push_back("With a thread for each row the loads of a warp lie a row apart, and the product has " +
                        rate_against(at(rows, lanes)) + " the one with eight lanes for each.");
  if (numbering.known())
    sentences.push_back("With a numbering that scatters neighbours it has " + rate_against(numbering) +
                        " the same rows in the order of the grid" +
                        (numbering.less() ? ": number an unstructured mesh so that neighbours stay near, or keep it in "
                                            "blocks that have structure."
                                          : ": caches hold x."));
  return sentences;
}

}  // namespace poisson::lab
