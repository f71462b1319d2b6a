"""Tests the types in __init__.pyi by mypy, where that is installed: they agree with the module, and programs that
use trees pass `mypy --strict`."""
import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import unittest

import treelight

PROGRAM = """
import numpy as np
import treelight

tree = treelight.Tree(np.zeros((3, 3)), device="cpu", robust=True)
hits = tree.closest(np.zeros((1, 3)), np.ones((1, 3)), normals=True)
grid = tree.signed_distance_grid((0, 0, 0), 0.1, (2, 2, 2))
indices, distances = treelight.Tree.points(np.zeros((4, 3))).nearest(np.zeros((1, 3)), k=2)
rays = treelight.RayMeshIntersector(object(), device="cpu")
triangles, of_rays = rays.intersects_id([[0, 0, 1]], [[0, 0, -1]])
triangles, of_rays, locations = rays.intersects_id([[0, 0, 1]], [[0, 0, -1]], return_locations=True)
height: float = locations[:, 2].max()
"""

# Classes of C++ have a metaclass of pybind11; those that only the module makes have no constructor in the stubs.
ALLOWED = r"""
treelight\.(_trees\.|_trimesh\.)?(ClosestPoints|GpuArray|Hits|Matrix|Queue|Tree)
treelight\.(ClosestPoints|Frames|GpuArray|Hits|Matrix)\.__init__
"""


@unittest.skipIf(importlib.util.find_spec("mypy") is None, "mypy is not installed")
class Stubs(unittest.TestCase):
    def run_mypy(self, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            # The stubs are those of the package; the files below it have none.
            package = pathlib.Path(treelight.__file__).parent
            config = ["[mypy]", "ignore_missing_imports = True", f"cache_dir = {folder}/cache"]
            for source in package.glob("_[a-z]*.py"):
                config += [f"[mypy-treelight.{source.stem}]", "ignore_errors = True"]
            pathlib.Path(folder, "mypy.ini").write_text("\n".join(config))
            pathlib.Path(folder, "allowed").write_text(ALLOWED)
            pathlib.Path(folder, "program.py").write_text(PROGRAM)
            run = subprocess.run([sys.executable, *arguments], cwd=folder, capture_output=True, text=True,
                                 env={"MYPYPATH": str(package.parent), "PYTHONPATH": str(package.parent)},
                                 check=False)
            self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_stubs_agree_with_the_module(self):
        self.run_mypy("-m", "mypy.stubtest", "treelight", "--concise", "--ignore-missing-stub",
                      "--mypy-config-file", "mypy.ini", "--allowlist", "allowed",
                      "--ignore-unused-allowlist")

    def test_a_program_is_strictly_typed(self):
        self.run_mypy("-m", "mypy", "--strict", "--config-file", "mypy.ini", "program.py")


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
