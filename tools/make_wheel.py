#!/usr/bin/env python3
"""Writes a wheel of the Python module from the folder that holds its package, and prints the wheel's path.

usage: make_wheel.py FOLDER VERSION LICENCE LICENCES TARGET
"""
import base64
import hashlib
import pathlib
import sys
import sysconfig
import zipfile

METADATA = """Metadata-Version: 2.1
Name: treelight
Version: {version}
Summary: Rays and queries through trees over meshes and points, pictures of scenes, and solvers, on CPU and GPU
License: MIT
Requires-Python: =={python}.*
Requires-Dist: {numpy}
"""
WHEEL = """Wheel-Version: 1.0
Generator: treelight
Root-Is-Purelib: false
Tag: {tag}
"""


def row_of(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


def numpy_versions(folder):
    """The requirement of NumPy. A module that was built with an old pybind11 misreads arrays of NumPy 2."""
    sys.dont_write_bytecode = True  # else the wheel would have what Python compiles here
    sys.path.insert(0, folder)
    from treelight import _treelight
    return "numpy" if _treelight._takes_numpy_2 else "numpy<2"


def main(folder, version, licence, licences, target):
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    interpreter = "cp" + python.replace(".", "")
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    tag = f"{interpreter}-{interpreter}-{platform}"
    info = f"treelight-{version}.dist-info"
    root = pathlib.Path(folder)
    members = {p.relative_to(root).as_posix(): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}
    members[f"{info}/METADATA"] = METADATA.format(version=version, python=python,
                                                     numpy=numpy_versions(folder)).encode()
    members[f"{info}/WHEEL"] = WHEEL.format(tag=tag).encode()
    members[f"{info}/LICENSE"] = pathlib.Path(licence).read_bytes()
    for path in sorted(pathlib.Path(licences).iterdir()):
        members[f"{info}/licences/{path.name}"] = path.read_bytes()
    record = f"{info}/RECORD"
    rows = "".join(row_of(name, data) for name, data in members.items()) + f"{record},,\n"
    members[record] = rows.encode()
    wheel = pathlib.Path(target) / f"treelight-{version}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
    print(wheel)


main(*sys.argv[1:])
