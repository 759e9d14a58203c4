#pragma once

#include <array>

namespace poisson {

/// Sums up lines across a face and returns the conductance of the face per area.
///
/// The gradient in a body whose surface crosses the face is taken as uniform. The flux normal to the surface and the
/// gradient along it are continuous, so the flux through the face and the difference of the two centres follow. One
/// conductance fits the flux to the difference, for gradients in all directions, by least squares: of the fluxes if
/// the body conducts better than its surroundings, of the differences if it conducts worse. Other faces have the mean
/// of 1/∫ds/κ. The normal is that of the gradient of κ, fitted to the lines.
class FaceLines {
 public:
  /// Describes a line between two centres, or between a centre and an open end.
  struct Line {
    double resistance = 0;              ///< ∫ds/κ
    double conducting = 0, moment = 0;  ///< ∫κ ds, ∫κ s ds with s from the face
    double at_face = 0;                 ///< κ at the face
    std::array<double, 2> across{};     ///< place of the line, from the centre of the face
    double lower = 0, higher = 0;       ///< κ of the regions with the lowest and the highest number
    bool plain = true;                  ///< only conducting pieces, without contacts
    double weight = 1;                  ///< the area that the line stands for, in any unit
  };

  void add(const Line& line);
  /// Sets ∫ds/κ of the line between the centres.
  void set_central(double resistance) { central_ = resistance; }
  bool empty() const { return lines_ == 0; }
  /// Returns the conductance per area. `length`: distance of the centres. `cut`: a sharp insulator closes a part of the
  /// face. Lines that pass near its tip then do not count as blocked, unless all lines are.
  double conductance(double length, bool cut = false) const;

 private:
  double normal_along(double length) const;

  double harmonic_ = 0, resistance_ = 0, at_face_ = 0, moment_ = 0, central_ = 0;
  double body_ = 0, around_ = 0;  ///< κ on both sides of a surface that a line crosses
  std::array<double, 2> slopes_{}, squares_{};
  int lines_ = 0, blocked_ = 0;
  double weight_ = 0, blocked_weight_ = 0;  ///< of all lines, and of those that are blocked
  bool plain_ = true, better_ = false, worse_ = false;
};

}  // namespace poisson
