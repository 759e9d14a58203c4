"""Every example of docs/python.md and README.md runs, in the order of the page."""

import os
import pathlib
import re

import numpy as np
import pytest

ROOT = pathlib.Path(os.environ["POISSON_ROOT"])


def examples(page):
    return re.findall(r"^```python\n(.*?)^```$", (ROOT / page).read_text(encoding="utf-8"), re.M | re.S)


@pytest.mark.parametrize("page", ["docs/python.md", "README.md"])
def test_examples_run(page, tmp_path, monkeypatch):
    codes = examples(page)
    assert codes
    (tmp_path / "configs").symlink_to(ROOT / "configs")
    monkeypatch.chdir(tmp_path)
    space = {}
    for code in codes:
        first = re.match(r"import (torch|jax|scipy)", code)
        if first:
            try:
                module = __import__(first[1])
                if first[1] == "torch":
                    module.from_numpy(np.zeros(1))
            except (ImportError, RuntimeError):  # not installed, or built for another numpy
                continue
        exec(compile(code, page, "exec"), space)
