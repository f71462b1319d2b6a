#!/usr/bin/env python3
"""Folders are rooms that include each other in one direction only.

usage: test_rooms.py SOURCE_DIR

A file belongs to the innermost room of ROOMS that it lies in, and may include files of its own room,
of the rooms listed after it, and of those that they may include.
"""
import re
import sys
from pathlib import Path

ROOMS = {
    "accel/parallel": [],
    "accel": ["accel/parallel"],
    "solvers": ["accel/parallel"],
    "renderer/images": ["accel"],
    "renderer/scene": ["renderer/images"],
    "renderer/shading": ["renderer/scene"],
    "renderer/film": ["renderer/images"],
    "renderer/false_color": ["renderer/film"],
    "renderer/probe": ["renderer/shading"],
    "renderer/form_factors": ["renderer/shading"],
    # What every renderer is given, and the renderers.
    "renderer": ["renderer/scene", "renderer/shading", "renderer/film", "renderer/false_color",
                 "renderer/probe"],
    "renderer/aov": ["renderer"],
    "renderer/bezier": ["renderer"],
    "renderer/heat_map": ["renderer"],
    "renderer/whitted": ["renderer"],
    # The session, and what drives it.
    "app": ["renderer"],
    "app/jobs": ["app", "solvers", "renderer/form_factors"],
    "app/commands": ["app/jobs", "renderer/aov"],
}
# What puts rooms together: the table of renderers, and the program.
FREE = {"renderer/renderers.cpp", "app/main.cpp", "app/program.cpp"}


def room_of(path):
    """The innermost room of ROOMS that a path lies in; its first folder where there is none."""
    parents = [parent.as_posix() for parent in Path(path).parents]
    return next((parent for parent in parents if parent in ROOMS), parents[-2])


def reachable(room):
    """The room and all that it may include."""
    rooms = {room}
    for below in ROOMS[room]:
        rooms |= reachable(below)
    return rooms


def main():
    root = Path(sys.argv[1])
    failures = 0
    for top in ("accel", "solvers", "renderer", "app"):
        for file in sorted((root / top).rglob("*")):
            name = file.relative_to(root).as_posix()
            # Rooms of the viewer lie above all others.
            free = name in FREE or (room_of(name) == "app" and file.parent != root / "app")
            if file.suffix not in (".h", ".cpp", ".cu") or free:
                continue
            may = reachable(room_of(name))
            for number, line in enumerate(file.read_text().splitlines(), 1):
                include = re.match(r'#include "([^"]+)"', line)
                if not include or not (root / include[1]).exists():
                    continue
                if include[1].startswith(("accel", "solvers", "renderer", "app")):
                    to = Path(include[1])
                    wrong = room_of(to) not in may or (
                        room_of(to) == "app" and to.parent != Path("app"))
                    if wrong:
                        print(f"FAILED: {name}:{number}: may not include {include[1]}")
                        failures += 1
    if failures == 0:
        print("all rooms include those below them alone")
    return 1 if failures else 0


sys.exit(main())
