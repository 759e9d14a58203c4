#pragma once

#include <array>

namespace poisson {

/// Sums up lines across a face and returns the conductance of the face per area.
///
/// With a field normal to a surface, the exact difference between two centres is the flux times the mean of ∫ds/κ. With
/// a tangential field, the exact flux is the mean of ∫κ ds. Near a body that conducts better than its surroundings, the
/// field is mainly normal, and mainly tangential near one that conducts worse. The conductance lies between the mean of
/// 1/∫ds/κ and the one of these two, weighted by the component of the normal along the lines. The normal is that of
/// the gradient of κ, fitted to the lines.
class FaceLines {
 public:
  /// Describes a line between two centres, or between a centre and an open end.
  struct Line {
    double resistance = 0;              ///< ∫ds/κ
    double conducting = 0, moment = 0;  ///< ∫κ ds, ∫κ s ds with s from the face
    std::array<double, 2> across{};     ///< place of the line, from the centre of the face
    double lower = 0, higher = 0;       ///< κ of the regions with the lowest and the highest number
    bool plain = true;                  ///< only conducting pieces, without contacts
  };

  void add(const Line& line);
  bool empty() const { return lines_ == 0; }
  /// Returns the conductance per area. `length`: distance of the centres. `cut`: a sharp insulator closes a part of the
  /// face. Lines that pass near its tip then do not count as blocked, unless all lines are.
  double conductance(double length, bool cut = false) const;

 private:
  double harmonic_ = 0, resistance_ = 0, conducting_ = 0, moment_ = 0;
  std::array<double, 2> slopes_{}, squares_{};
  int lines_ = 0, blocked_ = 0;
  bool plain_ = true, better_ = false, worse_ = false;
};

}  // namespace poisson
