#!/usr/bin/env python3
"""Fails if objects compiled with different options define the same inline function: the linker would keep one copy for
both (cmake/OwnCopies.cmake). Tests itself and cmake/own-copies on two small objects first.
usage: test_own_copies.py SOURCE_DIR BUILD_DIR COMPILER"""
import collections
import concurrent.futures
import json
import os
import shlex
import subprocess
import sys
import tempfile

SOURCE, BUILD, COMPILER = sys.argv[1:4]
MOST_SHOWN = 10
# Options that leave the code of an inline function unchanged: addressing, visibility, precompilation and names of files.
# -fopenmp-simd changes only loops with `#pragma omp simd`; in headers these are in a namespace per device. nvcc's host
# code lacks it.
NEUTRAL = ("-fPIC", "-fPIE", "-fvisibility", "-fpch-preprocess", "-ffile-prefix-map", "-fopenmp-simd")


def code_options(command):
    """Returns the options that affect the code of functions: the last -O, and each other option once."""
    words, host = shlex.split(command), []
    if os.path.basename(words[0]) == "nvcc":
        for word, after in zip(words, words[1:] + [""]):
            if word.startswith("-O"):
                host.append(word)
            elif word.startswith("-Xcompiler"):
                host += (word.partition("=")[2] or after).split(",")
    else:
        host = words
    level = [word for word in host if word.startswith("-O")][-1:] or ["-O0"]
    others = {word for word in host if word.startswith(("-f", "-m", "--param"))}
    return " ".join(level + sorted(word for word in others if not word.startswith(NEUTRAL)))


def copies(path):
    """Returns the mangled names of the weak functions that an object defines."""
    lines = subprocess.run(["nm", "-f", "posix", path], capture_output=True, text=True, check=True).stdout.splitlines()
    symbols = (line.split() for line in lines)
    return {symbol[0] for symbol in symbols if len(symbol) > 2 and symbol[1] == "W" and symbol[0].startswith("_Z")}


def shared_copies(objects):
    """Returns functions defined with more than one set of options: name -> {options: path of an object}.

    objects: pairs of path and options."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        names = pool.map(copies, [path for path, _ in objects])
        users = collections.defaultdict(dict)
        for (path, options), of_object in zip(objects, names):
            for name in of_object:
                users[name][options] = path
    return {name: by_options for name, by_options in users.items() if len(by_options) > 1}


SHARED_HEADER = """
struct Shape { virtual ~Shape() {} virtual int sides() const { return 3; } };
template <class T> __attribute__((noinline)) T twice(T x) { return x + x; }
__attribute__((noinline)) inline int& counter() { static int count = 0; return count; }
"""


def try_out(folder):
    """Checks the test itself: a function shared by two objects with different options is found, and is gone once one
    object belongs to a group. Static local variables are still shared."""
    def compiled(name, options, launcher=()):
        source, path = os.path.join(folder, name + ".cpp"), os.path.join(folder, name + ".o")
        with open(source, "w") as file:
            file.write(SHARED_HEADER)
            file.write(f"int {name}() {{ Shape* s = new Shape; int n = s->sides(); delete s; return twice(n) * ++counter(); }}")
            file.write("int second(); int main() { return first() == 6 && second() == 12 ? 0 : 1; }" if name == "first" else "")
        command = [COMPILER, *options, "-o", path, "-c", source]
        subprocess.run([*launcher, *command], check=True)
        return path, code_options(shlex.join(command))

    def names(objects):
        mangled = "\n".join(shared_copies(objects))
        return subprocess.run(["c++filt"], input=mangled, capture_output=True, text=True, check=True).stdout

    first = compiled("first", ["-O1"])
    assert "twice<int>" in names([first, compiled("second", ["-O2"])]), "a shared function is not found"
    assert not names([first, compiled("second", ["-O1", "-fPIC"])]), "the same options are taken for others"
    second = compiled("second", ["-O2", "-DTL_OWN_COPIES=others"], [os.path.join(SOURCE, "cmake/own-copies")])
    assert not names([first, second]), "a group's names are not its own"
    program = os.path.join(folder, "program")
    subprocess.run([COMPILER, first[0], second[0], "-o", program], check=True)
    assert subprocess.run([program]).returncode == 0, "objects of two groups count apart"


def main():
    with tempfile.TemporaryDirectory() as folder:
        try_out(folder)
    with open(os.path.join(BUILD, "compile_commands.json")) as file:
        commands = json.load(file)
    objects = []
    for entry in commands:
        words = shlex.split(entry["command"])
        path = os.path.join(entry["directory"], words[words.index("-o") + 1])
        if path.endswith(".o") and os.path.exists(path):
            objects.append((path, code_options(entry["command"])))
    assert len({options for _, options in objects}) > 1, "all objects have the same options"
    shared = shared_copies(objects)
    for name, users in sorted(shared.items())[:MOST_SHOWN]:
        print("FAILED:", subprocess.run(["c++filt", name], capture_output=True, text=True).stdout.strip())
        for options, path in users.items():
            print(f"  {os.path.relpath(path, BUILD)}: {options}")
    if shared:
        print(f"{len(shared)} inline functions are shared by objects with different options: name these objects' group by "
              "tl_target_options or tl_source_options (cmake/OwnCopies.cmake)")
    else:
        print(f"ok: {len(objects)} objects")
    sys.exit(bool(shared))


main()
