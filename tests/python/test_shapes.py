"""Shapes, bodies and materials become the keys of configuration files."""

import os
import pathlib
import subprocess
import sys

import numpy as np
import poisson
import pytest


def problem(*bodies):
    return poisson.Problem(shape=(16, 16, 16), centering="cell", materials={"m": {"coefficient": 10}},
                           bodies=list(bodies), boundary={"default": 0.0})


def test_problem_has_the_keys_of_files():
    shape = poisson.Sphere(np.array([0.5, 0.5, 0.5]), np.float64(0.3)) - poisson.Layer("z", 0.5)
    body = problem(poisson.Body("m", shape, name="half")).config["bodies"][0]
    assert (body["material"], body["name"]) == ("m", "half")
    assert len(body["difference"]) == 2


def test_transforms_apply_in_the_order_of_calls():
    box = poisson.Box([0, 0, 0], [1, 1, 1])
    assert box.scale(2).move(1, 0, 0).tree() == {**box.tree(), "scale": 2, "move": [1, 0, 0]}
    assert box.move(1, 0, 0).scale(2).tree() == {"union": [{**box.tree(), "move": [1, 0, 0]}], "scale": 2}


VERTICES = np.array([[0.2, 0.2, 0.2], [0.9, 0.2, 0.2], [0.2, 0.9, 0.2], [0.2, 0.2, 0.9]])
TRIANGLES = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]


def centre(shape):
    """Returns u in the middle of a problem with a source and a body."""
    p = poisson.Problem(shape=(16, 16, 16), centering="cell", source=1.0, boundary={"default": 0.0}, background="air",
                        materials={"air": {"coefficient": 1}, "m": {"coefficient": 10}}, bodies=[poisson.Body("m", shape)])
    return p.solve().u[8, 8, 8]


def stl(path):
    """Writes the tetrahedron in units of a tenth."""
    lines = ["solid t"]
    for triangle in TRIANGLES:
        lines += ["facet normal 0 0 0", "outer loop"]
        lines += ["vertex " + " ".join(str(10 * x) for x in VERTICES[i]) for i in triangle] + ["endloop", "endfacet"]
    path.write_text("\n".join(lines + ["endsolid t"]) + "\n", encoding="utf-8")
    return path


def test_meshes_are_files_or_arrays(tmp_path):
    of_arrays = centre(poisson.Mesh(VERTICES, np.array(TRIANGLES)))
    assert abs(centre(poisson.Mesh(stl(tmp_path / "t.stl"), scale=0.1)) - of_arrays) < 1e-8
    assert abs(centre(poisson.Mesh(str(tmp_path / "t.stl")).scale(0.1)) - of_arrays) < 1e-8
    assert abs(centre(poisson.Mesh(VERTICES.tolist(), TRIANGLES)) - of_arrays) < 1e-12
    cut = poisson.Box([0.2, 0.2, 0.2], [0.9, 0.9, 0.9]) & poisson.Where("x + y + z < 1.3")
    assert abs(centre(cut) - of_arrays) < 1e-3 * of_arrays


def test_the_fin_is_written_by_its_script(tmp_path):
    root = pathlib.Path(os.environ.get("POISSON_ROOT", pathlib.Path(__file__).resolve().parents[2]))
    subprocess.run([sys.executable, root / "examples/fin.py", tmp_path / "fin.stl"], check=True)
    assert (tmp_path / "fin.stl").read_bytes() == (root / "configs/fin.stl").read_bytes()


def test_round_shapes_have_the_keys_of_files():
    assert poisson.Cone([0, 0, 0], [0, 0, 1], 0.5).tree() == {"cone": {"from": [0, 0, 0], "to": [0, 0, 1], "radii": [0.5]}}
    assert poisson.Torus([0, 0, 0], [1, 0.2], axis="x").tree()["torus"]["axis"] == "x"
    cylinder = centre(poisson.Cylinder([0.5, 0.5, 0.2], [0.5, 0.5, 0.8], 0.3))
    profile = poisson.Revolve([[0, 0.2], [0.3, 0.2], [0.3, 0.8], [0, 0.8]]).move(0.5, 0.5, 0)
    assert abs(centre(profile) - cylinder) < 1e-8
    assert abs(centre(poisson.Cone([0.5, 0.5, 0.2], [0.5, 0.5, 0.8], [0.3, 0.3])) - cylinder) < 1e-8


@pytest.mark.parametrize("make, words", [
    (lambda: poisson.Mesh(5), "expected a path"),
    (lambda: poisson.Mesh(VERTICES, [[0, 1]]), r"shape \[n, 3\]"),
    (lambda: problem(poisson.Body("m", poisson.Mesh("none.stl"))), "no such file"),
    (lambda: problem(poisson.Body("m", poisson.Mesh(VERTICES, [[0, 1, 7]]))), "has the vertex 7, but there are 4"),
    (lambda: problem(poisson.Body("m", poisson.Mesh(VERTICES * np.nan, TRIANGLES))), "mesh.vertices"),
    (lambda: problem(poisson.Body("m", poisson.Torus([0, 0, 0], [0.2, 1]))), "tube larger than the ring"),
    (lambda: problem(poisson.Body("mm", poisson.Sphere([0, 0, 0], 1))), "did you mean 'm'"),
    (lambda: problem(poisson.Body("m", poisson.Sphere(5, 1))), "expected a list"),
    (lambda: problem(poisson.Body("m", poisson.Sphere([0, 0, 0], float("nan")))), "radius"),
    (lambda: poisson.Body("m", 5), "expected a shape"),
    (lambda: poisson.Sphere([0, 0, 0], 1) | 5, "expected shapes"),
])
def test_mistakes_are_configuration_errors(make, words):
    with pytest.raises(poisson.ConfigurationError, match=words):
        make()
