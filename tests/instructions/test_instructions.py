#!/usr/bin/env python3
"""Counts the instructions of the CPU's hot paths (hot_paths.cpp) and fails if a count differs from counts.txt by more
than 2 %.
usage: test_instructions.py HOT_PATHS COUNTS COMPILER [--rewrite]
--rewrite: writes the counts of this build to COUNTS instead

Counts are made independent of the machine:
- Only instructions of the program's own object count. The C library, oneTBB and OpenBLAS select code by the processor
  or spin while they wait.
- valgrind emulates a processor without AVX-512, and OPENBLAS_CORETYPE selects OpenBLAS's code for one, so that results
  are the same on every machine.
- The program runs in one thread (hot_paths.cpp).
Counts depend on the compiler: exit code 77 (skipped) where it is not the one that COUNTS names."""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

MOST_CHANGE = 0.02
HEAD = """# Instructions of the CPU's hot paths in release builds. tests/instructions/test_instructions.py compares with them, and
# with --rewrite writes them.
"""


def skip(reason):
    print("skipped:", reason)
    sys.exit(77)


def own_instructions(profile, program):
    """Returns the name of a callgrind profile and the number of instructions executed in the program's own object."""
    name, in_program, skips, total, objects = "", False, False, 0, {}
    with open(profile) as file:
        for line in file:
            if line.startswith("desc: Trigger: Client Request: "):
                name = line.rstrip("\n").split(": ", 3)[3]
            elif line.startswith("ob="):
                number, path = re.match(r"ob=(\(\d+\)) ?(.*)", line).groups()
                if path:
                    objects[number] = path
                in_program = objects[number] == program
            elif line.startswith("cob="):
                number, path = re.match(r"cob=(\(\d+\)) ?(.*)", line).groups()
                if path:
                    objects[number] = path
            elif line.startswith("calls="):
                skips = True  # the next line is the cost of the called function
            elif line[0] in "0123456789+-*":
                if in_program and not skips:
                    total += int(line.split()[1])
                skips = False
    return name, total


def measured(program):
    environment = dict(os.environ, OPENBLAS_CORETYPE="Haswell", OPENBLAS_NUM_THREADS="1")
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(
            ["valgrind", "--quiet", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={folder}/profile",
             program], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if run.returncode == 77:
            skip(run.stdout)
        if run.returncode != 0:
            sys.exit(f"FAILED: {program} ended with {run.returncode}:\n{run.stdout}")
        counts = dict(own_instructions(path, program) for path in glob.glob(f"{folder}/profile.*"))
    counts.pop("", None)
    return counts


def read_counts(path):
    compiler, counts = "", {}
    with open(path) as file:
        for line in file:
            if line.startswith("# compiler: "):
                compiler = line.strip().removeprefix("# compiler: ")
            elif not line.startswith("#"):
                number, name = line.rstrip("\n").split(" ", 1)
                counts[name] = int(number)
    return compiler, counts


def main():
    program, path, compiler = os.path.realpath(sys.argv[1]), sys.argv[2], sys.argv[3]
    if not shutil.which("valgrind"):
        skip("there is no valgrind")
    if "--rewrite" in sys.argv:
        counts = measured(program)
        with open(path, "w") as file:
            file.write(f"{HEAD}# compiler: {compiler}\n")
            file.writelines(f"{counts[name]} {name}\n" for name in sorted(counts))
        return
    wanted_compiler, wanted = read_counts(path)
    if compiler != wanted_compiler:
        skip(f"the counts are of {wanted_compiler}, this is {compiler}")
    counts, n_failed = measured(program), 0
    for name in sorted(wanted | counts):
        if name not in counts or name not in wanted:
            print(f"FAILED: {name} is {'not run any more' if name in wanted else 'not in the list'}")
            n_failed += 1
            continue
        change = counts[name] / wanted[name] - 1
        if abs(change) > MOST_CHANGE:
            print(f"FAILED: {name}: {counts[name]} instructions, {change:+.1%}")
            n_failed += 1
    if n_failed:
        print(f"If that is meant: {sys.argv[0]} {' '.join(sys.argv[1:4])} --rewrite")
    else:
        print(f"ok: {len(counts)} hot paths")
    sys.exit(n_failed > 0)


main()
