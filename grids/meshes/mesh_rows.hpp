#pragma once

#include <cmath>
#include <cstdint>

#include "grids/meshes/element_rules.hpp"

namespace poisson {

/// Refers to elements of one shape: their rule, and the points of their corners.
struct MeshBlock {
  const ElementRule* rule = nullptr;
  const int* corner = nullptr;
  int corners = 0, dimension = 0;
  bool simplex = false;
  std::int64_t first = 0, count = 0;  ///< number of the first element among those of all shapes
  std::int64_t first_source = 0;      ///< of the first element's points among those of all elements
};

/// Refers to sides, lines and vertices with Neumann or Robin conditions. Among the members of rows they follow the
/// elements. Their values are data at the points of their rule, and then, of Robin conditions, α at these points.
struct MeshSides {
  const ElementRule* rule = nullptr;    ///< of each shape up to the quadrilateral
  const std::uint8_t* shape = nullptr;  ///< of each side
  const int* corner = nullptr;          ///< four of each side
  const std::int64_t* first = nullptr;  ///< value of each side; count + 1
  const double* value = nullptr;
  std::int64_t count = 0;
};

/// Refers to elements, their coefficients, and the rows of points, in memory of any device.
struct MeshRows {
  static constexpr int most_blocks = 8;
  MeshBlock block[most_blocks];
  int blocks = 0;
  const double* point = nullptr;  ///< x, y, z of each point
  const double* kappa = nullptr;  ///< by element: 1 number, or xx, yy, zz, xy, xz, yz
  int kappa_entries = 1;
  const double* reaction = nullptr;  ///< by element; null: none
  const int* row = nullptr;          ///< of each point; −1: none
  const int* point_of = nullptr;     ///< of each row
  const std::int64_t* first = nullptr;
  const int* element = nullptr;  ///< elements at each row, rising; sides follow
  std::int64_t elements = 0;     ///< of all blocks
  MeshSides sides;

  constexpr int index_of(std::int64_t number) const {
    int b = 0;
    while (number >= block[b].first + block[b].count) ++b;
    return b;
  }
  constexpr const MeshBlock& block_of(std::int64_t number) const { return block[index_of(number)]; }
  /// Calls f(point) for the corners of an element or of a side.
  template <class F>
  constexpr void for_corners(std::int64_t number, const F& f) const {
    const bool is_side = number >= elements;
    const MeshBlock& of = block[is_side ? 0 : index_of(number)];
    const int* const corner =
        is_side ? sides.corner + (number - elements) * 4 : of.corner + (number - of.first) * of.corners;
    const int corners = is_side ? sides.rule[sides.shape[number - elements]].corners : of.corners;
    for (int c = 0; c < corners; ++c) f(corner[c]);
  }
  /// Sums row i over its elements in their order. Columns rise and contain those of all elements.
  constexpr void fill(std::int64_t i, std::int64_t entries, const int* column, double* value) const {
    constexpr int most = 32;
    if (entries <= most) {  // memory of the thread is faster
      double sum[most] = {};
      add_elements(i, static_cast<int>(entries), column, sum);
      for (std::int64_t k = 0; k < entries; ++k) value[k] = sum[k];
    } else {
      for (std::int64_t k = 0; k < entries; ++k) value[k] = 0;
      add_elements(i, static_cast<int>(entries), column, value);
    }
  }

 private:
  friend struct FillMeshLoads;
  using Slopes = double[most_corners][3];

  // Contains what a side adds to a row at one point of its rule: the point's measure times the own function.
  constexpr double side_share(const ElementRule& rule, std::size_t q, const int* corner, int own) const {
    if (rule.corners == 1) return 1;
    double J[2][3] = {};
    for (int c = 0; c < rule.corners; ++c)
      for (int r = 0; r < rule.dimension; ++r)
        for (int d = 0; d < 3; ++d)
          J[r][d] += rule.slope[q][static_cast<std::size_t>(c)][static_cast<std::size_t>(r)] *
                     point[std::int64_t{corner[c]} * 3 + d];
    double n[3] = {J[0][0], J[0][1], J[0][2]};
    if (rule.dimension == 2)
      for (int d = 0; d < 3; ++d) {
        const int e = (d + 1) % 3, f = (d + 2) % 3;
        n[d] = J[0][e] * J[1][f] - J[0][f] * J[1][e];
      }
    return rule.weight[q] * std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) *
           rule.value[q][static_cast<std::size_t>(own)];
  }
  // Calls add(corner, entry) for α of a side, and load(value, α) for its data. Both contain the share of row i.
  template <class Add, class Load>
  constexpr void add_side(std::int64_t side, int of_row, const Add& add, const Load& load) const {
    const ElementRule& rule = sides.rule[sides.shape[side]];
    const int* const corner = sides.corner + side * 4;
    int own = 0;
    for (int c = 1; c < rule.corners; ++c)
      if (corner[c] == of_row) own = c;
    const int points = rule.corners == 1 ? 1 : rule.points;
    const double* const value = sides.value + sides.first[side];
    const bool robin = sides.first[side + 1] - sides.first[side] > points;
    for (int q = 0; q < points; ++q) {
      const auto p = static_cast<std::size_t>(q);
      const double share = side_share(rule, p, corner, own), alpha = robin ? value[points + q] : 0;
      load(share * value[q]);
      if (alpha != 0)
        for (int c = 0; c < rule.corners; ++c)
          add(corner[c], alpha * share * (rule.corners == 1 ? 1 : rule.value[p][static_cast<std::size_t>(c)]));
    }
  }

  constexpr void add_elements(std::int64_t i, int entries, const int* column, double* sum) const {
    const int own_place = place_of(static_cast<int>(i), entries, column);
    for (std::int64_t k = first[i]; k < first[i + 1]; ++k) {
      const std::int64_t number = element[k];
      if (number >= elements) {
        add_side(
            number - elements, point_of[i],
            [&](int corner, double entry) { add_to(row[corner], entry, entries, column, sum); }, [](double) {});
        continue;
      }
      const MeshBlock& of = block_of(number);
      const int* const corner = of.corner + (number - of.first) * of.corners;
      if (of.simplex && of.dimension == 3) {
        add_tetrahedron(number, corner, point_of[i], own_place, entries, column, sum);
        continue;
      }
      double entry[most_corners] = {};
      add_element(of, number, corner, point_of[i], entry);
      for (int c = 0; c < of.corners; ++c) add_to(row[corner[c]], entry[c], entries, column, sum);
    }
  }
  // Returns the place of a column, which binary search finds.
  static constexpr int place_of(int wanted, int entries, const int* column) {
    int at = 0;
    for (int end = entries; at < end;) {
      const int middle = (at + end) / 2;
      if (column[middle] < wanted)
        at = middle + 1;
      else
        end = middle;
    }
    return at;
  }
  static constexpr void add_to(int to, double entry, int entries, const int* column, double* sum) {
    if (to >= 0) sum[place_of(to, entries, column)] += entry;
  }
  // Does the same as add_element with the corners rotated, so that the own one is the first and all arrays stay in
  // registers.
  constexpr void add_tetrahedron(std::int64_t number, const int* corner, int of_row, int own_place, int entries,
                                 const int* column, double* sum) const {
    int own = 0;
    for (int c = 1; c < 4; ++c)
      if (corner[c] == of_row) own = c;
    int p[4] = {};
    double x[4][3] = {}, edge[3][3] = {}, slope[4][3] = {};
    for (int c = 0; c < 4; ++c) {
      p[c] = corner[(own + c) % 4];
      for (int d = 0; d < 3; ++d) x[c][d] = point[std::int64_t{p[c]} * 3 + d];
    }
    for (int r = 0; r < 3; ++r)
      for (int d = 0; d < 3; ++d) edge[r][d] = x[r + 1][d] - x[0][d];
    for (int r = 0; r < 3; ++r)
      for (int d = 0; d < 3; ++d) {
        const int s = (r + 1) % 3, t = (r + 2) % 3, e = (d + 1) % 3, f = (d + 2) % 3;
        slope[r + 1][d] = edge[s][e] * edge[t][f] - edge[s][f] * edge[t][e];
      }
    double det = 0;
    for (int d = 0; d < 3; ++d) det += edge[0][d] * slope[1][d];
    const double inverse = 1 / det, measure = (det < 0 ? -det : det) / 6;
    for (int d = 0; d < 3; ++d) {
      for (int r = 1; r < 4; ++r) slope[r][d] *= inverse;
      slope[0][d] = -slope[1][d] - slope[2][d] - slope[3][d];
    }
    double flux[3] = {};
    flux_of(number, slope[0], flux);
    // ∫ φ_own φ_c is measure/10 for the own corner and measure/20 for the others.
    const double mass = reaction ? reaction[number] * measure / 20 : 0;
    const auto entry = [&](int c) {
      return measure * (flux[0] * slope[c][0] + flux[1] * slope[c][1] + flux[2] * slope[c][2]) +
             (c == 0 ? 2 * mass : mass);
    };
    sum[own_place] += entry(0);
    for (int c = 1; c < 4; ++c) add_to(row[p[c]], entry(c), entries, column, sum);
  }
  // Computes κ times a vector.
  constexpr void flux_of(std::int64_t number, const double (&s)[3], double (&flux)[3]) const {
    const double* const k = kappa + number * kappa_entries;
    if (kappa_entries == 1) {
      for (int d = 0; d < 3; ++d) flux[d] = k[0] * s[d];
    } else {
      flux[0] = k[0] * s[0] + k[3] * s[1] + k[4] * s[2];
      flux[1] = k[3] * s[0] + k[1] * s[1] + k[5] * s[2];
      flux[2] = k[4] * s[0] + k[5] * s[1] + k[2] * s[2];
    }
  }

  // Maps a quadrature point (map_point). Returns its weight times its measure.
  static constexpr double map(const MeshBlock& of, std::size_t p, const Slopes& x, Slopes& slope) {
    const ElementRule& rule = *of.rule;
    double J[3][3] = {};
    for (int c = 0; c < of.corners; ++c)
      for (int r = 0; r < of.dimension; ++r)
        for (int d = 0; d < 3; ++d)
          J[r][d] += rule.slope[p][static_cast<std::size_t>(c)][static_cast<std::size_t>(r)] * x[c][d];
    if (of.dimension == 2) {
      J[0][2] = J[1][2] = J[2][0] = J[2][1] = 0;
      J[2][2] = 1;
    }
    double a[3][3] = {};
    for (int r = 0; r < 3; ++r)
      for (int d = 0; d < 3; ++d) {
        const int s = (r + 1) % 3, t = (r + 2) % 3, e = (d + 1) % 3, f = (d + 2) % 3;
        a[r][d] = J[s][e] * J[t][f] - J[s][f] * J[t][e];
      }
    const double det = J[0][0] * a[0][0] + J[0][1] * a[0][1] + J[0][2] * a[0][2], inverse = 1 / det;
    for (int c = 0; c < of.corners; ++c)
      for (int d = 0; d < 3; ++d) {
        double sum = 0;
        for (int r = 0; r < of.dimension; ++r)
          sum += a[r][d] * rule.slope[p][static_cast<std::size_t>(c)][static_cast<std::size_t>(r)];
        slope[c][d] = inverse * sum;
      }
    return rule.weight[p] * det;
  }
  // Adds w κ∇φ_own · ∇φ_c.
  constexpr void add_stiffness(std::int64_t number, double w, const Slopes& slope, int own, int corners,
                               double (&entry)[most_corners]) const {
    double flux[3] = {};
    flux_of(number, slope[own], flux);
    for (int c = 0; c < corners; ++c)
      entry[c] += w * (flux[0] * slope[c][0] + flux[1] * slope[c][1] + flux[2] * slope[c][2]);
  }
  constexpr void add_element(const MeshBlock& of, std::int64_t number, const int* corner, int of_row,
                             double (&entry)[most_corners]) const {
    Slopes x = {}, slope = {};
    int own = 0;
    for (int c = 0; c < of.corners; ++c) {
      if (corner[c] == of_row) own = c;
      for (int d = 0; d < 3; ++d) x[c][d] = point[std::int64_t{corner[c]} * 3 + d];
    }
    const double sigma = reaction ? reaction[number] : 0;
    double measure = 0, mapped = 0;
    for (int q = 0; q < of.rule->points; ++q) {
      const auto p = static_cast<std::size_t>(q);
      // All points of simplices have the same slopes and measure.
      if (!of.simplex || q == 0) mapped = map(of, p, x, slope);
      const double w = mapped < 0 ? -mapped : mapped;
      measure += w;
      if (sigma != 0)
        for (int c = 0; c < of.corners; ++c)
          entry[c] += sigma * (w * of.rule->value[p][static_cast<std::size_t>(own)]) *
                      of.rule->value[p][static_cast<std::size_t>(c)];
      if (!of.simplex) add_stiffness(number, w, slope, own, of.corners, entry);
    }
    if (of.simplex) add_stiffness(number, measure, slope, own, of.corners, entry);
  }
};

/// Sums the right-hand side and ∫ φ of each row over its elements and sides in their order: f, data of sides, and held
/// values times their entries.
struct FillMeshLoads {
  MeshRows elements;
  const double* density = nullptr;  ///< constant part of f, by element; null: none
  const double* source = nullptr;   ///< the rest of f, at the points of all elements; null: none
  const double* held = nullptr;     ///< of each point
  double *b = nullptr, *weight = nullptr;

  constexpr void operator()(std::int64_t i) const {
    double load = 0, volume = 0;
    const int point = elements.point_of[i];
    for (std::int64_t k = elements.first[i]; k < elements.first[i + 1]; ++k) {
      const std::int64_t number = elements.element[k];
      if (number < elements.elements)
        add_element(number, point, load, volume);
      else
        elements.add_side(
            number - elements.elements, point,
            [&](int corner, double entry) { load -= elements.row[corner] < 0 ? entry * held[corner] : 0; },
            [&](double value) { load += value; });
    }
    b[i] = load;
    weight[i] = volume;
  }

 private:
  constexpr void add_element(std::int64_t number, int of_row, double& load, double& volume) const {
    const MeshBlock& of = elements.block_of(number);
    const int* const corner = of.corner + (number - of.first) * of.corners;
    MeshRows::Slopes x = {}, slope = {};
    std::size_t own = 0;
    bool holds = false;
    for (int c = 0; c < of.corners; ++c) {
      if (corner[c] == of_row) own = static_cast<std::size_t>(c);
      holds = holds || elements.row[corner[c]] < 0;
      for (int d = 0; d < 3; ++d) x[c][d] = elements.point[std::int64_t{corner[c]} * 3 + d];
    }
    double mapped = 0;
    for (int q = 0; q < of.rule->points; ++q) {
      const auto p = static_cast<std::size_t>(q);
      if (!of.simplex || q == 0) mapped = MeshRows::map(of, p, x, slope);
      const double share = (mapped < 0 ? -mapped : mapped) * of.rule->value[p][own];
      volume += share;
      load += share * ((density ? density[number] : 0) +
                       (source ? source[of.first_source + (number - of.first) * of.rule->points + q] : 0));
    }
    if (!holds) return;
    double entry[most_corners] = {};
    elements.add_element(of, number, corner, of_row, entry);
    for (int c = 0; c < of.corners; ++c)
      if (elements.row[corner[c]] < 0) load -= entry[c] * held[corner[c]];
  }
};

/// Lists the rows of an element's corners: a row of the incidence of elements and rows.
struct CountCorners {
  MeshRows elements;
  std::int64_t* count;
  constexpr void operator()(std::int64_t number) const {
    std::int64_t n = 0;
    elements.for_corners(number, [&](int corner) { n += elements.row[corner] >= 0 ? 1 : 0; });
    count[number] = n;
  }
};
struct ListCorners {
  MeshRows elements;
  const std::int64_t* start;
  int* column;
  constexpr void operator()(std::int64_t number) const {
    std::int64_t at = start[number];
    elements.for_corners(number, [&](int corner) {
      if (elements.row[corner] >= 0) column[at++] = elements.row[corner];
    });
  }
};
struct FillMeshRows {
  MeshRows elements;
  const std::int64_t* start;
  const int* column;
  double* value;
  constexpr void operator()(std::int64_t i) const {
    elements.fill(i, start[i + 1] - start[i], column + start[i], value + start[i]);
  }
};

}  // namespace poisson
