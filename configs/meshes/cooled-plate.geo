// A plate of 0.6 m x 1 m in equal quadrilaterals of 25 mm.
Point(1) = {0, 0, 0}; Point(2) = {0.6, 0, 0}; Point(3) = {0.6, 1, 0}; Point(4) = {0, 1, 0};
For i In {1:4}
  Line(i) = {i, i % 4 + 1};
EndFor
Curve Loop(1) = {1:4};
Plane Surface(1) = {1};
Transfinite Curve {1, 3} = 25; Transfinite Curve {2, 4} = 41;
Transfinite Surface {1}; Recombine Surface {1};
Physical Curve("bottom", 1) = {1}; Physical Curve("cooled", 2) = {2, 3}; Physical Curve("insulated", 3) = {4};
Physical Surface("plate", 4) = {1};
Mesh.MshFileVersion = 2.2;
