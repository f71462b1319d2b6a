#!/usr/bin/env python3
"""Compiles kernels that trace all rays of a pixel, and checks how much local memory a thread of each takes.

usage: test_kernel_memory.py BUILD_DIR

A kernel keeps its stack of rays in local memory. Where a function that is not inlined takes the address of a part of
the kernel's scene, the compiler copies the whole scene there too, for each pixel, which has cost two thirds of the
frames a second. Exit code 77 (skipped) where the build compiles no CUDA.
"""
import json
import pathlib
import re
import shlex
import subprocess
import sys

SKIPPED = 77
# Most bytes of a thread's stack frame, by unit of compilation: 3 % above what kernels take. Those for patches take more.
LIMITS = {"whitted_frames_cuda.cu": 2600, "whitted_waves_cuda.cu": 2530}
KERNELS = re.compile(r"^(?!.*PatchTests).*(SingleKernelPass|ShadePass)")


def commands_of_cuda(build):
    for entry in json.loads((build / "compile_commands.json").read_text()):
        if "-x cu" in entry["command"]:
            yield pathlib.Path(entry["file"]).name, entry


def compile_for_one_card(entry):
    """The output of the compilation for sm_90, with each kernel's use of memory."""
    words = [word for word in shlex.split(entry["command"]) if not word.startswith("--generate-code")]
    words[words.index("-o") + 1] = "/dev/null"
    words += ["--generate-code=arch=compute_90,code=[sm_90]", "--resource-usage"]
    done = subprocess.run(words, cwd=entry["directory"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{entry['file']} does not compile:\n{done.stderr}")
    return done.stdout + done.stderr


def frames(text):
    """Pairs of a kernel's name and the bytes of its stack frame."""
    name = None
    for line in text.splitlines():
        if match := re.search(r"Compiling entry function '(\w+)'", line):
            name = match[1]
        elif name and (match := re.search(r"(\d+) bytes stack frame", line)):
            yield name, int(match[1])
            name = None


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    units = dict(commands_of_cuda(pathlib.Path(sys.argv[1])))
    if not units:
        sys.exit(SKIPPED)
    faults = [f"{unit}: not in the build" for unit in LIMITS if unit not in units]
    for unit in LIMITS.keys() & units.keys():
        found = [(name, size) for name, size in frames(compile_for_one_card(units[unit])) if KERNELS.search(name)]
        if not found:
            faults.append(f"{unit}: no kernel of {KERNELS.pattern}")
        print(f"{unit}: {len(found)} kernels, at most {max((size for _, size in found), default=0)} bytes a thread")
        faults += [f"{unit}: {size} bytes a thread, at most {LIMITS[unit]}: {name}"
                   for name, size in found if size > LIMITS[unit]]
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
