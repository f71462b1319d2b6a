"""Sends key and mouse events to the viewer's window and reads its pixels until they change.

tools/measure-latency runs it on a display of its own. Prints a row for each kind of input: milliseconds
from the event to the first picture of the window that shows its effect. Pixels are read every two
milliseconds.
"""
import argparse
import ctypes
import os
import random
import subprocess
import tempfile
import time

import numpy as np

X11 = ctypes.CDLL("libX11.so.6")
XTEST = ctypes.CDLL("libXtst.so.6")
ALL_PLANES, Z_PIXMAP = 0xFFFFFFFFFFFFFFFF, 2
SEVERAL_LEVELS = 40  # threshold out of 255; noise of a picture seldom changes a pixel by more
LONGEST = 10.0  # longest wait for an effect, s

X11.XOpenDisplay.restype = ctypes.c_void_p
X11.XDefaultRootWindow.restype = ctypes.c_ulong
X11.XDefaultRootWindow.argtypes = [ctypes.c_void_p]
X11.XGetImage.restype = ctypes.c_void_p
X11.XGetImage.argtypes = [
    ctypes.c_void_p, ctypes.c_ulong, ctypes.c_int, ctypes.c_int, ctypes.c_uint, ctypes.c_uint,
    ctypes.c_ulong, ctypes.c_int]
X11.XGetSubImage.argtypes = X11.XGetImage.argtypes + [ctypes.c_void_p, ctypes.c_int, ctypes.c_int]
X11.XGetSubImage.restype = ctypes.c_void_p
X11.XStringToKeysym.restype = ctypes.c_ulong
X11.XKeysymToKeycode.restype = ctypes.c_ubyte
X11.XKeysymToKeycode.argtypes = [ctypes.c_void_p, ctypes.c_ulong]
X11.XFlush.argtypes = [ctypes.c_void_p]
XTEST.XTestFakeKeyEvent.argtypes = [ctypes.c_void_p, ctypes.c_uint, ctypes.c_int, ctypes.c_ulong]
XTEST.XTestFakeButtonEvent.argtypes = XTEST.XTestFakeKeyEvent.argtypes
XTEST.XTestFakeMotionEvent.argtypes = [
    ctypes.c_void_p, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_ulong]


class Area:
    """Rectangle of the screen whose pixels are read repeatedly."""

    class Header(ctypes.Structure):
        _fields_ = [("width", ctypes.c_int), ("height", ctypes.c_int), ("xoffset", ctypes.c_int),
                    ("format", ctypes.c_int), ("data", ctypes.c_void_p)]

    def __init__(self, display, x, y, width, height):
        self.display, self.place = display, (x, y, width, height)
        self.root = X11.XDefaultRootWindow(display)
        self.image = X11.XGetImage(display, self.root, x, y, width, height, ALL_PLANES, Z_PIXMAP)
        data = Area.Header.from_address(self.image).data
        buffer = (ctypes.c_ubyte * (width * height * 4)).from_address(data)
        self.pixels = np.frombuffer(buffer, np.uint8).reshape(height, width, 4)[:, :, :3]

    def look(self):
        X11.XGetSubImage(self.display, self.root, *self.place, ALL_PLANES, Z_PIXMAP, self.image, 0, 0)
        return self.pixels

    def changed(self, before):
        """Returns the fraction of pixels that differ from `before` by more than SEVERAL_LEVELS."""
        difference = np.abs(self.look().astype(np.int16) - before).max(axis=2)
        return float((difference > SEVERAL_LEVELS).mean())


class Input:
    def __init__(self, display):
        self.display = display

    def key(self, name, *modifiers):
        codes = [X11.XKeysymToKeycode(self.display, X11.XStringToKeysym(key.encode()))
                 for key in (*modifiers, name)]
        for code in codes:
            XTEST.XTestFakeKeyEvent(self.display, code, 1, 0)
        for code in reversed(codes):
            XTEST.XTestFakeKeyEvent(self.display, code, 0, 0)
        X11.XFlush(self.display)

    def move(self, x, y):
        XTEST.XTestFakeMotionEvent(self.display, -1, x, y, 0)
        X11.XFlush(self.display)

    def button(self, down):
        XTEST.XTestFakeButtonEvent(self.display, 1, int(down), 0)
        X11.XFlush(self.display)


def wait_for(condition, limit=LONGEST):
    """Returns the seconds until the condition holds; infinity after `limit` seconds."""
    began = time.perf_counter()
    while not condition():
        if time.perf_counter() - began > limit:
            return float("inf")
        time.sleep(0.001)  # busy waiting would take a processor from the measured program
    return time.perf_counter() - began


def effect(area, act, share):
    """Returns the milliseconds from act() until more than the fraction `share` of the area's pixels has changed."""
    before = area.look().astype(np.int16)
    act()
    return 1000 * wait_for(lambda: area.changed(before) > share)


def row(name, times):
    ordered = sorted(times)
    at = lambda part: ordered[min(int(part * len(ordered)), len(ordered) - 1)]
    print(f"{name:<42} {len(times):5d} {at(.5):9.1f} {at(.95):9.1f} {at(.99):9.1f} {ordered[-1]:9.1f}", flush=True)


def window_place():
    """Returns the id of the viewer's window and its left, top, width and height; None before it is visible."""
    found = subprocess.run(["xdotool", "search", "--onlyvisible", "--name", "Treelight"],
                           capture_output=True, text=True).stdout.split()
    if not found:
        return None
    text = subprocess.run(["xdotool", "getwindowgeometry", "--shell", found[0]],
                          capture_output=True, text=True).stdout
    of = dict(line.split("=") for line in text.split() if "=" in line)
    return found[0], [int(of[key]) for key in ("X", "Y", "WIDTH", "HEIGHT")]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=100, help="of each kind of input")
    options, view = parser.parse_known_args()
    view = view or ["scenes/teapot.toml", "--renderer", "bezier", "--compare", "lbvh"]
    display = X11.XOpenDisplay(None)
    display = ctypes.c_void_p(display)
    user = Input(display)
    screen = Area(display, 0, 0, 1600, 900)
    empty = screen.look().astype(np.int16)
    folder = tempfile.TemporaryDirectory()
    environment = dict(os.environ, XDG_CONFIG_HOME=folder.name)
    began = time.perf_counter()
    viewer = subprocess.Popen([os.environ["TREELIGHT"], "view", *view, "--device", "cpu"],
                              env=environment, stdout=subprocess.DEVNULL)
    print(f"{'ms from input to effect':<42} {'times':>5} {'median':>9} {'95 %':>9} {'99 %':>9} {'longest':>9}")
    wait_for(lambda: screen.changed(empty) > 0.05 or viewer.poll() is not None)
    if not window_place():
        raise SystemExit("measure-latency: the viewer shows no window; its arguments: " + " ".join(view))
    row("start to the first interface", [1000 * (time.perf_counter() - began)])
    window, (left, top, width, height) = window_place()
    # The middle of the picture above the first hint, which is black before the first sample.
    middle = Area(display, left + width // 8, top + height // 8, width // 2, height // 2)
    wait_for(lambda: middle.look().std() > SEVERAL_LEVELS / 2)
    row("start to the first picture", [1000 * (time.perf_counter() - began)])
    subprocess.run(["xdotool", "windowmove", window, "0", "0", "windowfocus", window], check=False)
    time.sleep(10)
    window, (left, top, width, height) = window_place()
    # A strip of the picture, which is left of the panel; the help covers the picture's middle.
    strip = Area(display, left + width // 4, top + height // 8, 48, 3 * height // 4)
    user.move(left + width // 2, top + height // 2)
    time.sleep(1)
    before = strip.look().astype(np.int16)
    at_rest, until = 0.0, time.perf_counter() + 10
    while time.perf_counter() < until:
        at_rest = max(at_rest, strip.changed(before))
        time.sleep(0.01)
    print(f"(without input at most {100 * at_rest:.2f} % of the pixels change in 10 s)")
    share = max(0.02, 2 * at_rest)
    pause = lambda: time.sleep(random.uniform(0.3, 0.8))

    times = []
    for _ in range(options.trials):
        pause()
        times.append(effect(strip, lambda: user.key("F1"), share))
    row("F1 to the help, on and off", times)
    if len(times) % 2:
        user.key("F1")

    times = []
    for k in range(options.trials):
        time.sleep(random.uniform(1.0, 2.0))
        view_keys = ("t", "Alt_L") if k % 2 == 0 else ("Home",)
        times.append(effect(strip, lambda: user.key(*view_keys), share))
    row("Alt+T and Home to another view", times)

    times = []
    for k in range(options.trials):
        time.sleep(random.uniform(1.0, 2.0))
        x, y = left + width // 2, top + height // 2
        user.move(x, y)
        user.button(True)
        time.sleep(0.3)
        way = 1 if k % 2 == 0 else -1  # alternates between two views
        times.append(effect(strip, lambda: user.move(x + 150 * way, y), share))
        user.button(False)
    row("a drag to the turned view", times)

    pause()
    began = time.perf_counter()
    user.key("q", "Control_L")
    try:
        viewer.wait(LONGEST)
    except subprocess.TimeoutExpired:
        viewer.kill()
    row("Ctrl+Q to the end of the program", [1000 * (time.perf_counter() - began)])


main()
