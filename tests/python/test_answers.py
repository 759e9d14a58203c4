"""Images, effective coefficients, matrices of conductors, and answers for bodies and faces."""

import re

import numpy as np
import poisson
import pytest

LAYERS = np.repeat(np.array([0, 7, 0, 7], dtype=np.uint8), 4)  # along the axis of the layers


def layered(axis, dtype=np.uint8):
    image = np.zeros((16, 16, 16), dtype=dtype)
    image += LAYERS.astype(dtype).reshape([-1 if a == 2 - axis else 1 for a in range(3)])
    return image


@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("faces", ["fixed", "periodic"])
def test_layers_conduct_in_series_and_side_by_side(axis, faces):
    e = poisson.effective(layered(axis), {0: 1.0, 7: 4.0}, voxel=0.5, faces=faces)
    wanted = np.diag([1 / np.mean([1, 1 / 4]) if a == axis else 2.5 for a in range(3)])
    assert abs(e.tensor - wanted).max() < 1e-6
    assert e.porosity == 1 and e.percolates.all() and e.converged and e.axes == "xyz"
    assert abs(e.tortuosity - 2.5 / np.diag(wanted)).max() < 1e-6


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", ">i4", "int64", "float32", "float16", ">f8"])
@pytest.mark.parametrize("order", ["C", "F", "strided"])
def test_images_of_any_type_and_order(dtype, order):
    image = np.zeros((6, 8, 10), dtype=dtype)
    image[:, 2:4] = 1
    if order == "strided":
        image = np.repeat(image, 2, axis=2)[:, :, ::2]
    image = np.asarray(image, order=order) if order != "strided" else image
    e = poisson.effective(image, {0: 1.0, 1: 3.0}, axes="x")
    assert abs(e.tensor[0, 0] - 1.5) < 1e-6 and np.isnan(e.tensor[0, 1])


def test_insulators_percolation_and_crop(tmp_path):
    image = np.full((8, 8, 8), 255, dtype=np.uint8)
    image[2:4, :, :] = 0  # a plate that connects x and y
    e = poisson.effective(image, {0: 1.0, 255: 0.0})
    assert list(e.percolates) == [True, True, False]
    assert abs(np.diag(e.tensor) - [0.25, 0.25, 0]).max() < 1e-7
    assert e.porosity == 0.25 and abs(e.tortuosity[0] - 1) < 1e-6 and np.isnan(e.tortuosity[2])
    assert np.isnan(e.result.u[0]).all() and not np.isnan(e.result.u[2:4]).any()
    np.save(tmp_path / "plate.npy", image)
    cut = poisson.effective(tmp_path / "plate.npy", {0: 1.0, 255: 0.0}, crop=[[0, 8], [0, 8], [2, 6]], axes=["y"])
    assert abs(cut.tensor[1, 1] - 0.5) < 1e-7 and cut.axes == "y"
    assert "0.5" in cut._repr_html_() and "porosity" in repr(cut)


def test_nothing_percolates():
    e = poisson.effective(np.ones((4, 4, 4), dtype=np.uint8), {0: 1.0, 1: 0.0})
    assert not e.percolates.any() and (e.tensor == 0).all() and e.porosity == 0


def test_materials_of_an_image():
    image = np.zeros((8, 8), dtype=int)
    image[:, 4:] = 9
    p = poisson.Problem(image=image, voxel=0.25, boundary={"x-": 1.0, "x+": 0.0, "default": {"neumann": 0}},
                        materials={0: [2.0, 1.0], 9: "steel", "steel": {"coefficient": 4.0, "power": 3.0}})
    r = p.solve()
    assert p.config["domain"]["upper"] == [2, 2] and p.config["image"]["materials"] == {"0": "value 0", "9": "steel"}
    assert r.u.shape == (8, 8) and abs(r.bodies["steel"]["power"] - 3) < 1e-12
    assert abs(r.flows["x-"] + r.flows["x+"] + 3) < 1e-6
    assert {"steel", "value 0"} <= set(r.materials) and r.bodies["value 0"]["cells"] == 32
    assert abs(r.faces["x-"]["flow"] - r.flows["x-"]) < 1e-8 and r.faces["x+"]["condition"] == "dirichlet"
    assert "steel" in r._repr_html_() and "<th>flow</th>" in r.faces._repr_html_()


def test_bodies_cover_an_image_and_a_guess_with_gaps_starts_a_solve():
    p = poisson.Problem(image=np.zeros((16, 16, 16), dtype=np.uint8), boundary={"default": 0.0},
                        materials={0: {"coefficient": 1.0, "source": 1.0}, "hole": "insulator", "lead": {"fixed": 2.0}},
                        bodies=[poisson.Body("hole", poisson.Sphere([8, 8, 4], 3), name="hole"),
                                poisson.Body("lead", poisson.Sphere([8, 8, 12], 3), name="lead")])
    s = p.solver(tolerance=1e-9)
    r = s.solve()
    u = r.u
    assert np.isnan(u[4, 8, 8]) and u[12, 8, 8] == 2 and np.isnan(u).sum() == r.bodies["hole"]["cells"]
    assert r.floating == {"cells": 0, "volume": 0.0}
    again = s.solve(guess=u)
    assert again.iterations <= 1 and np.nanmax(abs(again.u - u)) < 1e-7


def conductors():
    return poisson.Problem(shape=(24, 24, 24), upper=[1, 1, 1], boundary={"default": 0.0}, coefficient=2.0,
                           materials={"metal": {"fixed": 1}},
                           bodies=[poisson.Body("metal", poisson.Box([0.2, 0.25, 0.3], [0.4, 0.75, 0.7]), name="a"),
                                   poisson.Body("metal", poisson.Sphere([0.7, 0.5, 0.5], 0.15), name="b")])


def test_capacitance():
    c = conductors().capacitance(["a", "b"])
    assert c.names == ("a", "b") and abs(c.matrix - c.matrix.T).max() < 1e-8 * c["a", "a"]
    assert (c.to_ground > 0).all() and c["a", "b"] < 0
    assert np.allclose(c.to_ground, c.matrix.sum(axis=1))
    spice = {m[1]: float(m[2]) for m in re.finditer(r"^(C\S+) \S+ \S+ (\S+)$", c.spice, re.M)}
    assert abs(spice["Ca_gnd"] - c.to_ground[0]) < 1e-8 and abs(spice["Ca_b"] + c["a", "b"]) < 1e-8
    assert c.csv.startswith("conductor,a,b,ground\n") and "ground" in c._repr_html_()


def test_questions_of_a_problem(tmp_path):
    p = poisson.Problem(image=layered(2), materials={0: 1.0, 7: 4.0}, effective={"axes": ["z", "x"]})
    r = p.solve()
    e = r.effective
    assert e.axes == "zx" and abs(e.tensor[2, 2] - 1.6) < 1e-6 and abs(e.tensor[0, 0] - 2.5) < 1e-6
    r.save(tmp_path / "layers")
    summary = (tmp_path / "layers/summary.json").read_text()
    assert '"effective"' in summary and (tmp_path / "layers/bodies.csv").exists()
    again = p.effective(axes="y", tolerance=1e-10)
    assert again.axes == "y" and abs(again.tensor[1, 1] - 2.5) < 1e-9


def test_questions_of_a_file(tmp_path, monkeypatch):
    np.save(tmp_path / "image.npy", layered(0))
    (tmp_path / "a.yaml").write_text("image: {file: image.npy, materials: {0: a, 7: b}}\n"
                                     "materials: {a: {coefficient: 1}, b: {coefficient: 4}}\n")
    monkeypatch.chdir(tmp_path)
    assert abs(poisson.load("a.yaml").effective(axes=["x"]).tensor[0, 0] - 1.6) < 1e-6


def test_a_solve_ends_when_its_flow_has_settled():
    rng = np.random.default_rng(3)
    image = (rng.random((24, 24, 24)) < 0.4).astype(np.uint8)
    exact = poisson.effective(image, {0: 1.0, 1: 50.0}, axes="x", tolerance=1e-10)
    quick = poisson.effective(image, {0: 1.0, 1: 50.0}, axes="x", flow_tolerance=1e-3)
    assert quick.iterations < exact.iterations
    assert abs(quick.tensor[0, 0] / exact.tensor[0, 0] - 1) < 2e-3


def test_other_data_than_those_of_the_problem_have_no_answers():
    p = conductors()
    s = p.solver()
    r = s.solve()
    with pytest.raises(poisson.ConfigurationError, match="output.capacitance"):
        r.capacitance
    with pytest.raises(poisson.ConfigurationError, match="output.effective"):
        r.effective
    s.solve()
    with pytest.raises(poisson.StaleResult):
        r.bodies


IMAGE = np.zeros((4, 4, 4), dtype=np.uint8)


@pytest.mark.parametrize("make, words", [
    (lambda: poisson.effective(IMAGE, {}), "materials of the image are missing"),
    (lambda: poisson.effective(IMAGE, {0: True}), r"materials\[0\] is True"),
    (lambda: poisson.effective(IMAGE, {0: -1.0}), "value 0.*coefficient"),
    (lambda: poisson.effective(IMAGE, {0: "por", "pore": {"coefficient": 1}}), "did you mean 'pore'"),
    (lambda: poisson.effective(IMAGE + 0.5, {0: 1.0}), "no whole number"),
    (lambda: poisson.effective(IMAGE * 1j, {0: 1.0}), "real numbers"),
    (lambda: poisson.effective(np.zeros(4), {0: 1.0}), "two or three axes"),
    (lambda: poisson.effective(np.zeros((4, 0, 4)), {0: 1.0}), "no voxel"),
    (lambda: poisson.effective("missing.npy", {0: 1.0}), "no such file"),
    (lambda: poisson.effective(5, {0: 1.0}), "expected a path"),
    (lambda: poisson.effective(IMAGE, {0: 1.0}, crop=[[0, 5], [0, 4], [0, 4]]), "crop"),
    (lambda: poisson.effective(IMAGE, {0: 1.0}, voxel=-1), "voxel"),
    (lambda: poisson.effective(IMAGE, {0: 1.0}, axes="w"), "axes"),
    (lambda: poisson.effective(IMAGE, {0: 1.0}, faces="open"), "faces"),
    (lambda: poisson.effective(IMAGE, {0: 1.0}, boundary={"x-": 1.0}), "conflicts with output.effective"),
    (lambda: poisson.Problem(shape=(4, 4), materials={0: 1.0}), "is for an image"),
    (lambda: poisson.Problem(shape=(4, 4), voxel=1), "voxel is for an image"),
    (lambda: poisson.Problem(image={"file": IMAGE, "type": "uint8", "shape": [4, 4, 4]}, materials={0: 1.0}),
     "keys of files"),
    (lambda: poisson.Problem(image=IMAGE, materials={0: 1.0}, lower=[0, 0, 0]), "has its own grid"),
    (lambda: conductors().capacitance(["a", "c"]), 'unknown body "c"'),
])
def test_mistakes_are_configuration_errors(make, words):
    with pytest.raises(poisson.ConfigurationError, match=words):
        make()
