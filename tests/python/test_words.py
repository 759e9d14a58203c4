"""Words that users write for keys of materials, bodies, contacts, sheets and images, and the keys that they mean."""

import numpy as np
import poisson
import pytest

BALL = {"center": [0.5, 0.5, 0.5], "radius": 0.3}
BOX = {"lower": [0, 0, 0], "upper": [1, 1, 1]}
SPHERE = {"sphere": BALL}
TRIANGLE = [[0, 0], [1, 0], [0, 1]]


def message(**sections):
    given = {"materials": {"air": {"coefficient": 1}, "core": {"coefficient": 2}}, "background": "air",
             "bodies": [{"material": "core", **SPHERE}], **sections}
    with pytest.raises(poisson.ConfigurationError) as error:
        poisson.Problem(shape=(4, 4, 4), **given)
    return str(error.value)


def ball(**keys):
    return {"sphere": {"center": BALL["center"], **keys}}


@pytest.mark.parametrize("shape, answer", [
    ({"ball": BALL}, "bodies[0].ball: unknown key; did you mean 'sphere'?"),
    ({"disk": BALL}, "'sphere'"),
    ({"cube": BOX}, "'box'"),
    ({"Cuboid": BOX}, "'box'"),
    ({"tube": {"from": [0, 0, 0], "to": [0, 0, 1], "radius": 1}}, "'cylinder'"),
    ({"slab": {"axis": "z"}}, "'layer'"),
    ({"half_space": {"axis": "z"}}, "'layer'"),
    ({"if": "x < 0.5"}, "'where'"),
    ({"subtract": [SPHERE]}, "'difference'"),
    ({"and": [SPHERE]}, "'intersection'"),
    ({**SPHERE, "translate": [1, 0, 0]}, "'move'"),
    ({**SPHERE, "rotation": {"angle": 3}}, "'rotate'"),
    ({**SPHERE, "array": {"count": [2, 2, 2], "step": [1, 1, 1]}}, "'repeat'"),
    ({**SPHERE, "rotate": {"degrees": 30}}, "'angle'"),
    ({**SPHERE, "repeat": {"count": [2, 2, 2], "pitch": [1, 1, 1]}}, "'step'"),
    ({"sphere": {"centre": [0, 0, 0], "radius": 1}}, "'center'"),
    ({"sphere": {"position": [0, 0, 0], "radius": 1}}, "'center'"),
    (ball(r=0.3), "did you mean 'radius'?"),
    (ball(diameter=0.3), "did you mean 'radius', half the diameter?"),
    ({"box": {"min": [0, 0, 0], "max": [1, 1, 1]}}, "box.max: unknown key; did you mean 'upper'?"),
    ({"box": {"lower": [0, 0, 0], "size": [1, 1, 1]}}, "'upper', the opposite corner?"),
    ({"box": {"from": [0, 0, 0], "to": [1, 1, 1]}}, "box.from: unknown key; did you mean 'lower'?"),
    ({"cylinder": {"center": [0, 0, 0], "axis": "z", "radius": 1}}, "'from' and 'to', the centres of both ends?"),
    ({"cylinder": {"from": [0, 0, 0], "height": 1, "radius": 1}}, "'to', the centre of the other end?"),
    ({"ellipsoid": {"center": [0, 0, 0], "radius": [1, 2, 3]}}, "'radii'"),
    ({"ellipsoid": {"center": [0, 0, 0], "semi_axes": [1, 2, 3]}}, "'radii'"),
    ({"layer": {"axis": "z", "lower": 0, "upper": 1}}, "layer.upper: unknown key; did you mean 'to'?"),
    ({"polygon": {"points": TRIANGLE, "height": 1}}, "'extrude': [lower, upper]?"),
    ({"polygon": {"vertices": TRIANGLE}}, "'points'"),
    ({"union": [{"ball": BALL}]}, "union[0].ball: unknown key; did you mean 'sphere'?"),
    ({"union": [ball(r=0.3)]}, "'radius'?"),
])
def test_shapes(shape, answer):
    assert answer in message(bodies=[{"material": "core", **shape}])


@pytest.mark.parametrize("core, answer", [
    ({"conductivity": 2}, "materials.core.conductivity: unknown key; did you mean 'coefficient'?"),
    ({"permittivity": 2}, "'coefficient'?"),
    ({"k": 2}, "'coefficient'?"),
    ({"coefficient": 2, "heat": 3}, "'power'?"),
    ({"coefficient": 2, "power_density": 3}, "'source'?"),
    ({"temperature": 20}, "'fixed'?"),
    ({"voltage": 20}, "'fixed'?"),
    ({"dirichlet": 20}, "'fixed'?"),
    ("insulating", "'insulator'?"),
    (7, "expected {coefficient, power, source, fixed, floating} | insulator"),
])
def test_materials(core, answer):
    assert answer in message(materials={"air": {"coefficient": 1}, "core": core})


@pytest.mark.parametrize("sections, answer", [
    ({"contacts": [{"between": ["core", "air"], "conductance": 10}]}, "'resistance', one over the conductance?"),
    ({"contacts": [{"pair": ["core", "air"], "resistance": 10}]}, "'between'?"),
    ({"contacts": [{"between": "core-air", "resistance": 10}]}, "expected a list of 2 items"),
    ({"sheets": [{"material": "core", "thickness": 1e-3, "coefficient": 10}]}, "'on'?"),
    ({"sheets": [{"on": "core", "thickness": 1e-3, "conductivity": 10}]}, "'coefficient'?"),
    ({"surfaces": "average"}, "'averaged'?"),
    ({"effective": {"axis": "x"}}, "'axes'?"),
    ({"effective": "xyz"}, "output.effective.axes: "),
    ({"effective": ["x", "x"]}, "output.effective.axes"),
    ({"effective": []}, "output.effective.axes"),
    ({"effective": {"faces": "open"}}, "output.effective.faces"),
    ({"output": {"capacitance": "core"}}, "expected a list"),
    ({"capacitance": ["core"]}, "has no fixed value"),
])
def test_contacts_sheets_and_questions(sections, answer):
    assert answer in message(**sections)


@pytest.mark.parametrize("image, answer", [
    ({"path": "core.tif"}, "image.path: unknown key; did you mean 'file'?"),
    ({"file": "core.tif", "voxel_size": 2}, "'voxel'?"),
    ({"file": "core.tif", "roi": [[0, 1]]}, "'crop'?"),
    ({"slices": "a*.tif"}, "'files'?"),
    ({"file": "core.raw", "type": "uint8", "dims": [2, 2, 2]}, "'shape'?"),
    ({"file": np.zeros((2, 2, 2), dtype=np.uint8), "threshold": 3}, "the keys here are"),
])
def test_images(image, answer):
    with pytest.raises(poisson.ConfigurationError) as error:
        poisson.Problem(image=image, materials={0: 1.0})
    assert answer in str(error.value)
