// A disk of radius 2 with a hole of radius 1, in quadrilaterals and triangles.
SetFactory("OpenCASCADE");
Disk(1) = {0, 0, 0, 2}; Disk(2) = {0, 0, 0, 1};
BooleanDifference(3) = { Surface{1}; Delete; }{ Surface{2}; Delete; };
outer() = Boundary{ Surface{3}; };
Physical Curve("outside") = {outer(0)};
Physical Curve("hole") = {outer(1)};
Physical Surface("ring") = {3};
MeshSize { : } = 0.09;
Mesh.RecombineAll = 1;
Mesh.MshFileVersion = 2.2; Mesh.Binary = 1;
