#include <algorithm>
#include <cmath>

#include "backends/memory/memory.hpp"
#include "lab/page/curve.hpp"
#include "lab/page/sentence.hpp"
#include "lab/page/verdict.hpp"
#include "lab/studies/texture/study.hpp"

namespace poisson::lab {
namespace {

double bar(const Panel& panel, const std::string& variant) {
  const Point* const point = best_of(panel, variant);
  return point ? point->value : NAN;
}

// Compares the array texture with plain loads by rows and by columns. Rates of random reads vary between runs.
void on_walks(const Panel& best, Lessons& lessons) {
  for (const char* const element : {"float", "float4"}) {
    const auto rates = [&](const char* walk, std::size_t path) {
      return bar(best, walk_variant(element, walk, path_names[path]));
    };
    const double rows = rates("rows", 0), columns = rates("columns", 0), rows_by_texture = rates("rows", 2),
                 columns_by_texture = rates("columns", 2);
    if (!known(rows, columns, rows_by_texture, columns_by_texture)) continue;
    const std::string text = "A 2-D texture of " + std::string(element) + " reads rows at " + rate(rows_by_texture) +
                             " and columns at " + rate(columns_by_texture) + ", plain loads at " + rate(rows) +
                             " and " + rate(columns) + ".";
    if (std::string_view(element) == "float" && columns_by_texture > columns && rows > rows_by_texture)
      lessons.say("A texture helps only against the order of memory: it is " + times(columns_by_texture / columns) +
                  " as fast as plain loads by columns, and " + times(rows / rows_by_texture) + " slower by rows.");
    lessons.say(best.name, text);
  }
}

// States the smallest share of today's best rate that the lecture's best grids reach.
void on_grids(const Panel& then, const Panel& best, Lessons& lessons) {
  double least = INFINITY;
  for (const std::string& variant : variants_of(then))
    least = std::fmin(least, bar(then, variant) / bar(best, variant));
  if (known(least))
    lessons.say(then.name, "The grids that were best on a GeForce 8800 GTX still reach " + at_least(least) +
                               " of the best rate found here.");
}

double median_of(std::vector<double> values) {
  if (values.empty()) return NAN;
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// Compares powers of two, which divide the row into equal shares, with all other numbers of threads.
void on_threads(const Panel& panel, Lessons& lessons) {
  std::vector<double> powers, others;
  const Curve plain(panel, path_names[0]);
  for (const Point& point : plain.points())
    if (point.x >= 64) (std::exp2(std::round(std::log2(point.x))) == point.x ? powers : others).push_back(point.value);
  const double gain = median_of(powers) / median_of(others);
  const Point *const small = point_at(panel, path_names[0], 64), *const large = point_at(panel, path_names[0], 512);
  if (!known(gain) || !small || !large) return;
  const double apart = std::fabs(small->value / large->value - 1);
  lessons.say(panel.name, "With plain loads, blocks of 64 and of 512 threads differ by " + at_most(apart) +
                              "; from 64 on, powers of two are " +
                              (gain > 1.02 ? times(gain) + " as fast as the median of the other sizes"
                                           : "no faster than other sizes") +
                              "; blocks of " + figure(plain.first().x) + " threads reach " +
                              percent(plain.first().value / plain.highest().value) + " of the best rate.");
}

void on_blocks(const Panel& panel, const Machine& machine, Lessons& lessons) {
  const Curve plain(panel, path_names[0]);
  const double each = 8, blocks = each * machine.multiprocessors;
  if (plain.empty() || !known(plain.at(blocks))) return;
  const double best = plain.highest().value;
  lessons.say(panel.name, "With 128 threads per block, " + figure(blocks) + " blocks, " + figure(each) +
                              " on each multiprocessor, reach " + percent(plain.at(blocks) / best) +
                              " of the best rate of plain loads, " + rate(best) + "; " + figure(plain.first().x) +
                              " blocks reach " + percent(plain.first().value / best) + ".");
}

void on_offsets(const Panel& panel, Lessons& lessons) {
  double most = 0;
  for (const std::string& path : variants_of(panel)) {
    const Curve curve(panel, path);
    most = std::max(most, 1 - curve.lowest().value / curve.first().value);
  }
  lessons.say(panel.name, "An offset costs " + at_most(most) + " with plain loads and with a linear texture.");
}

void on_chase(const Panel& panel, Lessons& lessons) {
  const Curve plain(panel, path_names[0]), texture(panel, path_names[1]);
  if (plain.empty() || texture.empty()) return;
  const Point &near = texture.first(), &far = texture.last();
  if (!quotable(panel, near) || !quotable(panel, far)) return;
  lessons.say(panel.name, "A dependent load by texture takes " + figure(near.value) + " ns within " +
                              readable_bytes(near.x) + ", a plain one " + figure(plain.at(near.x)) + "; within " +
                              readable_bytes(far.x) + " they take " + figure(far.value) + " and " +
                              figure(plain.at(far.x)) + " ns.");
}

}  // namespace

std::vector<std::string> conclude_texture(const Panels& panels, const Machine& machine) {
  Lessons lessons;
  const auto panel = [&](const char* name) { return find_panel(panels, name); };
  if (panel("best")) on_walks(*panel("best"), lessons);
  if (panel("then") && panel("best")) on_grids(*panel("then"), *panel("best"), lessons);
  if (panel("threads")) on_threads(*panel("threads"), lessons);
  if (panel("blocks")) on_blocks(*panel("blocks"), machine, lessons);
  if (panel("offset")) on_offsets(*panel("offset"), lessons);
  if (panel("chase")) on_chase(*panel("chase"), lessons);
  return lessons.take();
}

}  // namespace poisson::lab
