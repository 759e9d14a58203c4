// A ball of radius 0.25 in a unit cube of another material.
SetFactory("OpenCASCADE");
Box(1) = {-0.5, -0.5, -0.5, 1, 1, 1};
Sphere(2) = {0, 0, 0, 0.25};
BooleanFragments{ Volume{1}; Delete; }{ Volume{2}; Delete; }
Physical Volume("ball") = {2};
Physical Volume("air") = {3};
Physical Surface("left") = Surface In BoundingBox {-0.51, -0.51, -0.51, -0.49, 0.51, 0.51};
Physical Surface("right") = Surface In BoundingBox {0.49, -0.51, -0.51, 0.51, 0.51, 0.51};
MeshSize { : } = 0.16;
MeshSize { PointsOf{ Volume{2}; } } = 0.06;
Mesh.MshFileVersion = 4.1; Mesh.Binary = 1;
