#include "lab/page/curve.hpp"
#include "lab/page/sentence.hpp"
#include "lab/page/verdict.hpp"
#include "lab/studies/sparse/study.hpp"

namespace poisson::lab {

std::vector<std::string> conclude_sparse(const Panels& panels, const Machine& machine) {
  using namespace sparse_names;
  Lessons lessons;
  const Panel* const panel = find_panel(panels, "product");
  if (!panel) return {};
  const double largest = places(*panel).back();
  const auto share = [&](std::string_view a, std::string_view b) { return ratio_at(*panel, a, b, largest).median; };
  const double plain = share(rows, bands);
  if (!known(plain)) return {};
  if (!quotable(*panel)) {
    if (!ratio_at(*panel, rows, bands, largest).more())
      lessons.say("Compact rows are no faster than bands: each entry also loads its column.");
    return lessons.take();
  }
  lessons.say("Use bands if the grid has structure: compact rows also load a column for each entry, and reach " +
              percent(plain) + " of the rate of bands at " + count_of(largest) + " rows; by bytes alone it would be " +
              percent(sparse_bytes(bands) / sparse_bytes(rows)) + ".");
  const double scattering = share(scattered, machine.gpu ? lanes : rows), own = share(scattered_threads, rows),
               shared = share(lanes, rows);
  if (known(shared))
    lessons.say(panel->name, "Eight lanes per row reach " + percent(shared) +
                                 " of the rate of a thread per row: nine entries need a second round for one of them.");
  if (known(scattering))
    lessons.say(panel->name, "A scattered numbering keeps " + percent(scattering) + " of the rate" +
                                 (known(own) ? " with eight lanes per row and " + percent(own) +
                                                   " with a thread per row, although L2 holds x"
                                             : "") +
                                 ": number an unstructured mesh so that neighbours stay near each other.");
  return lessons.take();
}

}  // namespace poisson::lab
