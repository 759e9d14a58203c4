// An L-shaped plate: the unit squares of three quadrants. The elements shrink towards the corner at the origin.
SetFactory("OpenCASCADE");
Point(1) = {-1, -1, 0}; Point(2) = {0, -1, 0}; Point(3) = {0, 0, 0};
Point(4) = {1, 0, 0}; Point(5) = {1, 1, 0}; Point(6) = {-1, 1, 0};
For i In {1:6}
  Line(i) = {i, i % 6 + 1};
EndFor
Curve Loop(1) = {1:6};
Plane Surface(1) = {1};
Physical Curve("corner") = {2, 3};
Physical Curve("outer") = {1, 4, 5, 6};
Physical Surface("plate") = {1};
Field[1] = Distance; Field[1].PointsList = {3};
Field[2] = MathEval; Field[2].F = "0.003 + 0.11 * F1^0.7";
Background Field = 2;
Mesh.MeshSizeExtendFromBoundary = 0; Mesh.MeshSizeFromPoints = 0;
Mesh.MshFileVersion = 4.1; Mesh.Binary = 1;
