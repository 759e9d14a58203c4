// A bracket in millimetres: two plates at a right angle, a rib between them, and two holes in the lower plate.
SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 60, 40, 5};
Box(2) = {0, 0, 5, 5, 40, 45};
Wedge(3) = {5, 18, 5, 40, 4, 35, 0};
Cylinder(4) = {40, 10, 0, 0, 0, 5, 4};
Cylinder(5) = {40, 30, 0, 0, 0, 5, 4};
BooleanUnion(6) = { Volume{1}; Delete; }{ Volume{2, 3}; Delete; };
BooleanDifference(7) = { Volume{6}; Delete; }{ Volume{4, 5}; Delete; };
Physical Volume("bracket") = {7};
Physical Surface("holes") = {Surface In BoundingBox {35.9, 5.9, -0.1, 44.1, 14.1, 5.1},
                             Surface In BoundingBox {35.9, 25.9, -0.1, 44.1, 34.1, 5.1}};
Physical Surface("back") = Surface In BoundingBox {-0.1, -0.1, -0.1, 0.1, 40.1, 50.1};
MeshSize { : } = 3.2;
Mesh.MshFileVersion = 4.1; Mesh.Binary = 1;
