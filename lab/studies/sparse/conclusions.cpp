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
  const Ratio plain = at(rows, bands), shared = at(lanes, rows), numbering = at(scattered, machine.gpu ? lanes : rows);
  if (!plain.known()) return sentences;
  const std::string of = "A product of " + figure(largest) + " rows";
  if (!quotable(*panel)) {
    if (!plain.more())
      sentences.push_back(of + " as compact rows is no faster than one of bands: each entry brings its column.");
    return sentences;
  }
  sentences.push_back(of + " as compact rows with a thread for each has " + rate_against(plain) +
                      " bands; by its bytes it would have " + percent(sparse_bytes(bands) / sparse_bytes(rows)) +
                      ", for each entry brings its column.");
  if (shared.known())
    sentences.push_back("With eight lanes for each row, whose loads lie side by side, it has " + rate_against(shared) +
                        " the one with a thread for each" +
                        (shared.less() ? ", which fits rows of nine entries: a second round for one of them." : "."));
  if (numbering.known())
    sentences.push_back(std::string("With a numbering that scatters neighbours ") +
                        (machine.gpu ? "the product by eight lanes has " : "the product has ") +
                        rate_against(numbering) + " the same in the order of the grid" +
                        (numbering.less() ? ": number an unstructured mesh so that neighbours stay near, or keep it in "
                                            "blocks that have structure."
                                          : ": caches hold x."));
  return sentences;
}

}  // namespace poisson::lab
