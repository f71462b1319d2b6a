"""Arrays of PyTorch, CuPy, JAX and Numba, as arguments and as results of trees. Imports nothing that the
caller has not imported.

Each class stands for a library, and for the place of the array that it is made of: a GPU or host
memory. The C++ side of the module uses these members, `kind` being "float32", "uint32", "bool" or
"int64":

    dl_device                                  kind of memory of the array, as DLPack numbers them
    on_gpu                                     whether results can be made there by empty()
    by_dlpack                                  arrays on the GPU are read by DLPack
    on_host(array)                             array of NumPy with the same memory, where it is the host's
    interface(array)                           its __cuda_array_interface__
    stream()                                   address of the current stream; 0 and 1 are the default stream
    takes_own_arrays                           results on the GPU are made as GpuArrays; otherwise by empty()
    empty(shape, kind, tree_device, stream)    array on the GPU for results
    address(array)                             that of the memory of empty()
    finished(array, kind)                      array of the library for a GpuArray, one of empty() or of NumPy
    uploaded(array, tree_device, stream)       array of the library on the GPU, of one of NumPy
    filled(n, value)                           n floats on the GPU, or None: the library has no such call
    converted(array, kind)                     array on the GPU that is packed and of the kind, or None
"""
import sys as _sys

import numpy as _numpy

from ._treelight import _GpuArray as GpuArray

_CPU, _CUDA = 1, 2
_LARGEST_INDEX = 2**31 - 1

GpuArray.__module__ = "treelight"
GpuArray.__name__ = GpuArray.__qualname__ = "GpuArray"
GpuArray.__doc__ = """Results on a GPU, where the arguments are of a library that treelight does not know.

shape   tuple of integers
dtype   of NumPy
device  "cuda", "cuda:1"

Any library with __cuda_array_interface__ or DLPack takes it without a copy: cupy.asarray(x),
torch.from_dlpack(x), numba.cuda.as_cuda_array(x). numpy.asarray(x) and x.numpy() copy it to host
memory, and wait for it.
"""
GpuArray.__len__ = lambda self: self.shape[0]
GpuArray.ndim = property(lambda self: len(self.shape), doc="Number of axes.")
GpuArray.__repr__ = lambda self: (f"treelight.GpuArray(shape={self.shape}, dtype={self.dtype}, "
                                  f"device={self.device!r})")


def _array_of(self, dtype=None, copy=None):
    if copy is False:
        raise ValueError("an array on a GPU becomes one of NumPy only by a copy")
    return self.numpy() if dtype is None else self.numpy().astype(dtype)


GpuArray.__array__ = _array_of


class Other:
    """A library with __cuda_array_interface__ or DLPack. In host memory its results are NumPy's."""

    by_dlpack = False
    on_gpu = True
    takes_own_arrays = True
    _described = (None, None)

    def __init__(self, array):
        interface = getattr(array, "__cuda_array_interface__", None)
        if interface is not None:
            self.dl_device = _CUDA
            self._described = array, interface
            self._stream = interface.get("stream") or 0
        else:
            describe = getattr(array, "__dlpack_device__", None)
            self.dl_device = int(describe()[0]) if describe else _CPU
            self.by_dlpack = True
            self._stream = 0

    def on_host(self, array):
        return _numpy.from_dlpack(array) if hasattr(array, "__dlpack__") else array

    def interface(self, array):
        described, interface = self._described
        return interface if array is described else array.__cuda_array_interface__

    def stream(self):
        return self._stream

    def finished(self, array, kind):
        del kind
        return array

    def uploaded(self, array, tree_device, stream):
        on_gpu = GpuArray(tree_device, array.shape, array.dtype.name, stream)
        on_gpu._fill(array)
        return self.finished(on_gpu, array.dtype.name)

    def filled(self, n, value):
        del n, value

    def converted(self, array, kind):
        del array, kind


class Numba(Other):
    def finished(self, array, kind):
        return _sys.modules["numba"].cuda.as_cuda_array(array)


class Jax(Other):
    by_dlpack = True  # its __cuda_array_interface__ names no stream

    def __init__(self, array):
        self.jax = _sys.modules["jax"]
        self.device = next(iter(array.devices()))
        self.dl_device = int(array.__dlpack_device__()[0])
        self.on_gpu = self.dl_device == _CUDA

    def on_host(self, array):
        return _numpy.asarray(array)

    def stream(self):
        return 0

    def uploaded(self, array, tree_device, stream):
        return self.jax.device_put(array, self.device)

    def finished(self, array, kind):
        if not self.on_gpu:
            return self.jax.device_put(array, self.device)
        # Not all versions take bools by DLPack.
        shared = self.jax.dlpack.from_dlpack(array._as("uint8") if kind == "bool" else array)
        return shared.astype(bool) if kind == "bool" else shared

    def filled(self, n, value):
        return self.jax.device_put(self.jax.numpy.full(n, value, dtype="float32"), self.device)

    def converted(self, array, kind):
        if kind == "uint32" and array.dtype.itemsize == 8:
            array = array.clip(0 if array.dtype.kind == "u" else -1, _LARGEST_INDEX)
        return array.astype(kind)


class Torch(Other):
    takes_own_arrays = False
    #: PyTorch has no unsigned integers of 32 bits in all versions.
    KINDS = {"uint32": "int32"}

    def __init__(self, array):
        if array.requires_grad:
            raise ValueError("the tensor requires gradients, which trees do not compute: pass its "
                             ".detach()")
        self.torch = _sys.modules["torch"]
        self.device = array.device
        self.on_gpu = array.is_cuda
        known = {"cpu": _CPU, "cuda": _CUDA}.get(self.device.type)
        self.dl_device = known or int(array.__dlpack_device__()[0])

    def on_host(self, array):
        return array.numpy()

    def _kind(self, kind):
        return getattr(self.torch, self.KINDS.get(kind, kind))

    def stream(self):
        return self.torch.cuda.current_stream(self.device).cuda_stream

    def empty(self, shape, kind, tree_device, stream):
        return self.torch.empty(shape, dtype=self._kind(kind), device=self.device)

    def address(self, array):
        return array.data_ptr()

    def finished(self, array, kind):
        if self.on_gpu:
            return array
        return self.torch.from_numpy(array.view("int32") if kind == "uint32" else array)

    def uploaded(self, array, tree_device, stream):
        return self.torch.from_numpy(array).to(self.device)

    def filled(self, n, value):
        return self.torch.full((n,), value, dtype=self.torch.float32, device=self.device)

    def converted(self, array, kind):
        if kind == "uint32" and array.dtype == self.torch.int64:
            array = array.clamp(-1, _LARGEST_INDEX)
        return array.to(self._kind(kind)).contiguous()


class Cupy(Other):
    dl_device = _CUDA
    takes_own_arrays = False

    def __init__(self, array):
        self.cupy = _sys.modules["cupy"]
        self.device = array.device

    def stream(self):
        with self.device:
            return self.cupy.cuda.get_current_stream().ptr

    def empty(self, shape, kind, tree_device, stream):
        with self.device:
            return self.cupy.empty(shape, dtype=kind)

    def address(self, array):
        return array.data.ptr

    def uploaded(self, array, tree_device, stream):
        with self.device:
            return self.cupy.asarray(array)

    def filled(self, n, value):
        with self.device:
            return self.cupy.full(n, value, dtype="float32")

    def converted(self, array, kind):
        if kind == "uint32" and array.dtype.itemsize == 8:
            array = array.clip(0 if array.dtype.kind == "u" else -1, _LARGEST_INDEX)
        return self.cupy.ascontiguousarray(array, dtype=kind)


_LIBRARIES = {"torch": Torch, "cupy": Cupy, "jax": Jax, "jaxlib": Jax, "numba": Numba}


def library_of(array):
    """The library of an array that is not NumPy's; None for lists and numbers of Python."""
    kind = type(array)
    if kind.__module__ == "builtins":
        return None
    for base in kind.__mro__:
        known = _LIBRARIES.get(base.__module__.partition(".")[0])
        if known:
            return known(array)
    return Other(array)
