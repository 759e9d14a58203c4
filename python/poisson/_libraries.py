"""Libraries of CUDA from NVIDIA's packages of Python, which the compiled module loads when it first needs them."""

import importlib.util
import os
import pathlib

_VARIABLES = {"POISSON_NVRTC": "libnvrtc.so.*", "POISSON_CUBLAS": "libcublas.so.*"}


def name_libraries():
    """Names the libraries in the environment of this process, unless it names others. The newest release counts."""
    spec = importlib.util.find_spec("nvidia")
    folders = [pathlib.Path(folder) for folder in spec.submodule_search_locations or ()] if spec else []
    for variable, pattern in _VARIABLES.items():
        found = [path for folder in folders for path in folder.glob(f"*/lib/{pattern}")
                 if path.suffix[1:].isdigit()]
        if found and variable not in os.environ:
            os.environ[variable] = str(max(found, key=lambda path: int(path.suffix[1:])))
