"""Shapes, bodies and materials become the keys of configuration files."""

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


@pytest.mark.parametrize("make, words", [
    (lambda: problem(poisson.Body("mm", poisson.Sphere([0, 0, 0], 1))), "did you mean 'm'"),
    (lambda: problem(poisson.Body("m", poisson.Sphere(5, 1))), "expected a list"),
    (lambda: problem(poisson.Body("m", poisson.Sphere([0, 0, 0], float("nan")))), "radius"),
    (lambda: poisson.Body("m", 5), "expected a shape"),
    (lambda: poisson.Sphere([0, 0, 0], 1) | 5, "expected shapes"),
])
def test_mistakes_are_configuration_errors(make, words):
    with pytest.raises(poisson.ConfigurationError, match=words):
        make()
