#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "grids/surfaces/triangles.hpp"

namespace poisson {

/// Returns the solid angle of a triangle seen from a point, over 4π: its part of the winding number (van Oosterom,
/// Strackee, IEEE Trans. Biomed. Eng. 30, 1983). It is positive from inside.
double solid_angle(const Point& from, const Point& a, const Point& b, const Point& c);

/// Is a tree of boxes over triangles. It finds the triangles that a ray may meet, and sums their solid angles: those of
/// distant nodes by two terms of an expansion (Barill, Dickson, Schmidt, Levin, Jacobson, "Fast winding numbers for
/// soups and clouds", ACM Trans. Graph. 37, 2018).
class TriangleTree {
 public:
  /// Covers the triangles first … last − 1 of a list, which must outlive the tree.
  TriangleTree(const Triangles& triangles, std::size_t first, std::size_t last);

  /// Returns the generalized winding number of the triangles about a point (Jacobson, Kavan, Sorkine-Hornung, "Robust
  /// inside-outside segmentation using generalized winding numbers", ACM Trans. Graph. 32, 2013).
  double winding(const Point& p) const;

  /// Calls f(face) for the triangles in boxes that a line, infinite on both sides, may meet.
  template <class F>
  void along(const Ray& ray, const F& f) const {
    std::array<std::uint32_t, 64> stack{};
    std::size_t depth = 0;
    if (!nodes_.empty()) stack[depth++] = 0;
    while (depth > 0) {
      const Node& node = nodes_[stack[--depth]];
      if (!meets(node, ray)) continue;
      if (node.right == 0) {
        for (std::uint32_t i = node.first; i < node.last; ++i) f(order_[i]);
        continue;
      }
      stack[depth++] = node.right;
      stack[depth++] = static_cast<std::uint32_t>(&node - nodes_.data()) + 1;
    }
  }

 private:
  struct Node {
    Bounds box;
    Point centre{};                                ///< mean of the triangles, by area
    Point dipole{};                                ///< ∑ area · normal
    std::array<Point, 3> quadrupole;               ///< ∑ (centroid − centre) ⊗ area · normal
    double radius2 = 0;                            ///< square of the largest distance of a corner from the centre
    std::uint32_t first = 0, last = 0, right = 0;  ///< the left child follows its node; right = 0: a leaf
  };
  void split(std::uint32_t first, std::uint32_t last);
  void summarize(Node& node) const;
  static bool meets(const Node& node, const Ray& ray);
  static double far_field(const Node& node, const Point& p);

  const Triangles& triangles_;
  std::vector<std::uint32_t> order_;
  std::vector<Node> nodes_;
};

}  // namespace poisson
