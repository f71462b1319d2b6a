#!/usr/bin/env python3
"""Checks the #include lines of the program: a lower layer must not include a higher one.

usage: test_includes.py SOURCE_FOLDER
"""
import collections
import pathlib
import re
import sys

# Layers from the lowest to the highest, each a row of folders or files. A file belongs to the entry that is the longest
# prefix of its path. It may include files of its own entry and of earlier rows, but not of other entries of its row.
ROWS = [
    ["core/base"],
    ["core/ranks"],
    ["core/device"],
    ["core/operators"],
    ["accel/box.h", "accel/morton.h", "accel/patch/patches.h", "accel/primitives.h",
     "accel/watertight.h"],
    ["accel/patch"],
    ["accel/bvh/layouts"],
    ["accel/tree_builder.h"],
    ["accel/bvh/passes"],
    ["accel/bvh/builders"],
    ["accel/kdtree", "accel/points"],
    ["accel/octree"],
    ["accel/fmm"],
    ["accel"],  # trees of all kinds, and the table of builders
    ["accel/bvh/traversal"],
    ["accel/bvh/inspect", "accel/query"],
    ["solvers"],
    ["renderer/images", "renderer/optics"],
    ["renderer/scene"],
    ["renderer/scene/generators", "renderer/scene/live"],
    ["renderer/scene/export"],
    ["renderer/scene/loaders"],
    ["renderer/scene/toml"],
    ["renderer/scene/loaders/loader.cpp"],  # opens a scene of any kind
    ["renderer/shading"],
    ["renderer/film"],
    ["renderer/false_color", "renderer/probe"],
    ["renderer/renderer.h", "renderer/frame_context.h", "renderer/photon_share.h", "renderer/pixel_tree.h",
     "renderer/transport_source.h", "renderer/point_source.h",
     "renderer/record_rays.h", "renderer/recorded_rays.h"],
    ["renderer/path"],  # paths from the camera, for several renderers
    ["renderer/whitted", "renderer/path/tracer"],  # folders of renderer/ that are not listed are renderers too
    ["renderer/denoise"],  # guided by auxiliary pictures
    ["renderer"],  # the table of renderers
    ["session"],  # renders pictures for the program and the library
    ["session/water"],  # scenes animated by a solver
    ["app/version.h"],
    ["app/jobs"],
    ["app/commands"],
    ["app/viewer/window"],
    ["app/viewer/imgui"],
    ["app/viewer/gl"],
    ["app/viewer/views"],
    ["app/viewer"],
    ["app/panels"],
    ["app/solve"],
    ["app"],  # the program
    ["library"],
]
# Entries that may include only the listed layers.
ONLY = {"solvers": ["core/base", "core/ranks", "core/device", "core/operators"]}
# Pairs of folders that must not include each other, whatever their rows.
STRANGERS = [("app", "library"), ("renderer", "solvers"), ("app/viewer", "solvers")]
# Rows of interfaces, named by their first file: files of such a row may include each other.
INTERFACES = {"accel/box.h", "renderer/renderer.h"}

ROW_OF = {room: i for i, row in enumerate(ROWS) for room in row}
TOPS = {room.split("/")[0] for room in ROW_OF}


def room_of(path):
    """Returns the longest entry of ROWS that is a prefix of `path`, up to a slash, a dot or its end."""
    found = [r for r in ROW_OF if path == r or path.startswith((r + "/", r + "."))]
    return max(found, key=len)


def is_allowed(source, target):
    if source == target:
        return True
    def is_within(room, folder):
        return room == folder or room.startswith((folder + "/", folder + "."))

    for a, b in STRANGERS:
        if is_within(source, a) and is_within(target, b) or is_within(source, b) and is_within(target, a):
            return False
    if source in ONLY:
        return target in ONLY[source]
    row = ROW_OF[source]
    if ROW_OF[target] == row:
        return not INTERFACES.isdisjoint(ROWS[row])
    return ROW_OF[target] < row


def main():
    root = pathlib.Path(sys.argv[1])
    for folder in (root / "renderer").iterdir():
        if folder.is_dir():
            ROW_OF.setdefault(f"renderer/{folder.name}", ROW_OF["renderer/whitted"])
    include = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
    n_files = 0
    upwards = collections.defaultdict(list)
    for top in sorted(TOPS):
        for file in sorted((root / top).rglob("*")):
            if file.suffix not in (".h", ".cpp", ".cu"):
                continue
            n_files += 1
            path = file.relative_to(root).as_posix()
            for target in include.findall(file.read_text(errors="replace")):
                if target.split("/")[0] not in TOPS:
                    continue
                arrow = (room_of(path), room_of(target))
                if not is_allowed(*arrow):
                    upwards[arrow].append(f"{path} includes {target}")
    for (source, target), lines in sorted(upwards.items()):
        print(f"{source} is not to include {target}:")
        print("".join(f"  {line}\n" for line in lines), end="")
    if n_files < 100:
        print(f"only {n_files} files were found below {root}")
        return 1
    return 1 if upwards else 0


sys.exit(main())
