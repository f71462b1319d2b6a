#include "library/python/gpu_array.h"

#include <pybind11/stl.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "library/api/gpu_memory.h"
#include "library/python/api_error.h"
#include "library/python/dlpack.h"

namespace py = pybind11;

namespace {

std::size_t item_size(const std::string& type) {
    return static_cast<std::size_t>(type[2] - '0');
}

/// Copies to an array of NumPy, and waits.
py::array to_numpy(const GpuArray& array) {
    py::array host(py::dtype(array.type), array.shape);
    void* to = host.mutable_data();
    py::gil_scoped_release release;
    check(tl_gpu_download(array.memory->device().c_str(), to, array.data, array.bytes(),
                          array.memory->stream()));
    return host;
}

/// Copies from an array of NumPy of the same size.
void fill_gpu_array(const GpuArray& array, const py::array& host) {
    const auto packed = py::array::ensure(host, py::array::c_style);
    if (static_cast<std::size_t>(packed.nbytes()) != array.bytes())
        throw ApiError{TL_INVALID, "arrays of different sizes"};
    check(tl_gpu_upload(array.memory->device().c_str(), array.data, packed.data(), array.bytes(),
                        array.memory->stream()));
}

std::uintptr_t address_of_stream(const GpuArray& array) {
    constexpr std::uintptr_t kLegacyDefault = 1;
    auto* stream = array.memory->stream();
    return stream ? reinterpret_cast<std::uintptr_t>(stream) : kLegacyDefault;
}

py::dict cuda_interface(const GpuArray& array) {
    py::dict all;
    all["shape"] = py::tuple(py::cast(array.shape));
    all["typestr"] = array.type;
    all["data"] = py::make_tuple(reinterpret_cast<std::uintptr_t>(array.data), false);
    all["strides"] = py::none();
    all["version"] = 3;
    all["stream"] = address_of_stream(array);
    return all;
}

bool is_on_host(const GpuArray& array) {
    return array.memory->device() == "cpu";
}

int dl_kind(const GpuArray& array) {
    return is_on_host(array) ? kDlCpu : kDlCuda;
}

/// Hands the array to a consumer, whose stream then waits for the contents. `stream`: None and 1
/// are CUDA's default stream; with -1 the consumer waits itself.
py::object to_dlpack(const py::object& self, const py::object& stream, const py::object&,
                     const py::object& device, const py::object& copy) {
    const auto& array = self.cast<const GpuArray&>();
    const int kind = dl_kind(array), index = gpu_index(array.memory->device());
    const bool moves = !device.is_none() && !device.equal(py::make_tuple(kind, index));
    if (moves || (!copy.is_none() && copy.cast<bool>())) {
        PyErr_SetString(PyExc_BufferError, "the array is handed over where it is, without a copy");
        throw py::error_already_set();
    }
    const auto number = stream.is_none() ? 1 : stream.cast<std::intptr_t>();
    if (number != -1 && static_cast<std::uintptr_t>(number) != address_of_stream(array))
        check(tl_gpu_hold(array.memory->device().c_str(), reinterpret_cast<void*>(number),
                          array.memory->stream()));
    return give_dlpack({self, array.data, array.shape,
                        packed_strides(array.shape, item_size(array.type)), array.type, kind,
                        index});
}

}  // namespace

GpuMemory::GpuMemory(std::string device, std::size_t bytes, void* stream)
    : device_(std::move(device)), bytes_(bytes), stream_(stream) {
    check(tl_gpu_allocate(device_.c_str(), bytes, stream, &data_));
}

GpuMemory::~GpuMemory() {
    tl_gpu_free(device_.c_str(), data_, bytes_, stream_);
}

GpuArray GpuResults::make(const std::string& device, std::vector<std::size_t> shape,
                          std::string type, void* stream) {
    GpuArray array{nullptr, nullptr, std::move(shape), std::move(type)};
    const std::size_t bytes = array.bytes();
    if (bytes > kLargestShared) {
        array.allocate(device, stream);
        return array;
    }
    const std::size_t taken = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    if (!shared_ || used_ + taken > size_) {
        // Closest hits give one number for the distance, one for the primitive, and two for u and
        // v.
        size_ = 4 * taken;
        used_ = 0;
        shared_ = std::make_shared<GpuMemory>(device, size_, stream);
    }
    array.memory = shared_;
    if (bytes > 0) array.data = static_cast<std::byte*>(shared_->data()) + used_;
    used_ += taken;
    return array;
}

void GpuArray::allocate(const std::string& device, void* stream) {
    memory = std::make_shared<GpuMemory>(device, bytes(), stream);
    data = memory->data();
}

std::size_t GpuArray::bytes() const {
    std::size_t size = item_size(type);
    for (auto n : shape) size *= n;
    return size;
}

int gpu_index(const std::string& device) {
    auto colon = device.find(':');
    return colon == std::string::npos ? 0 : std::stoi(device.substr(colon + 1));
}

void define_gpu_array(py::module_& module) {
    const py::arg_v no_stream("stream", py::none()), no_version("max_version", py::none()),
        no_device("dl_device", py::none()), no_copy("copy", py::none());
    py::class_<GpuArray>(module, "_GpuArray")
        .def(py::init([](const std::string& device, const std::vector<std::size_t>& shape,
                         const std::string& type, std::size_t stream) {
            auto name = py::dtype(type).attr("str").cast<std::string>();
            GpuArray array{nullptr, nullptr, shape, name};
            array.allocate(device, reinterpret_cast<void*>(stream));
            return array;
        }))
        .def_property_readonly(
            "shape", [](const GpuArray& a) { return py::tuple(py::cast(a.shape)); },
            "Number of elements on each axis.")
        .def_property_readonly(
            "dtype", [](const GpuArray& a) { return py::dtype(a.type); }, "Type of NumPy.")
        .def_property_readonly(
            "device", [](const GpuArray& a) { return a.memory->device(); },
            "Id of the GPU: \"cuda\", \"cuda:1\".")
        .def_property_readonly(
            "_address", [](const GpuArray& a) { return reinterpret_cast<std::uintptr_t>(a.data); })
        .def("_fill", &fill_gpu_array)
        .def("_as",
             [](const GpuArray& a, const std::string& type) {
                 GpuArray other = a;
                 other.type = py::dtype(type).attr("str").cast<std::string>();
                 if (other.bytes() != a.bytes())
                     throw ApiError{TL_INVALID, "elements of another size"};
                 return other;
             })
        .def("numpy", &to_numpy, "A copy in host memory, as an array of NumPy. Waits for it.")
        .def_property_readonly("__cuda_array_interface__",
                               [](const GpuArray& a) {
                                   // A library with the attribute would take the address for one on
                                   // a GPU.
                                   if (is_on_host(a)) throw py::attribute_error("not on a GPU");
                                   return cuda_interface(a);
                               })
        .def("__dlpack__", &to_dlpack, no_stream, no_version, no_device, no_copy)
        .def("__dlpack_device__", [](const GpuArray& a) {
            return py::make_tuple(dl_kind(a), gpu_index(a.memory->device()));
        });
}
