#include "library/python/array_argument.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "library/api/gpu_memory.h"
#include "library/python/api_error.h"
#include "library/python/dlpack.h"
#include "library/python/pending_arrays.h"

namespace py = pybind11;

namespace {

[[noreturn]] void refuse(const std::string& what) {
    throw ApiError{TL_INVALID, what};
}

/// The library of an array, of treelight._arrays; None for those of NumPy and Python.
py::object library_of(const py::object& given) {
    if (py::isinstance<py::array>(given) || PyList_Check(given.ptr()) || PyTuple_Check(given.ptr()))
        return py::none();
    // Never released: Python ends before it would be. Set under Python's lock.
    static py::handle find;
    if (!find)
        find = py::object(py::module_::import("treelight._arrays").attr("library_of")).release();
    return find(given);
}

/// Describes an array on a GPU by its __cuda_array_interface__.
SharedArray describe_cuda(const py::object& given, const py::dict& description) {
    SharedArray array;
    array.owner = given;
    array.device = kDlCuda;
    array.type = description["typestr"].cast<std::string>();
    array.data = reinterpret_cast<void*>(py::tuple(description["data"])[0].cast<std::uintptr_t>());
    for (py::handle n : description["shape"]) array.shape.push_back(n.cast<std::size_t>());
    array.strides = packed_strides(array.shape, 4);
    if (!description.contains("strides") || py::object(description["strides"]).is_none())
        return array;
    std::size_t axis = 0;
    for (py::handle step : description["strides"])
        array.strides[axis++] = step.cast<std::ptrdiff_t>();
    return array;
}

/// A library's current stream.
void* stream_of_library(const py::object& library) {
    constexpr std::uintptr_t kLegacyDefault = 1;
    const auto address = library.attr("stream")().cast<std::uintptr_t>();
    return address == kLegacyDefault ? nullptr : reinterpret_cast<void*>(address);
}

bool is_packed(const SharedArray& array) {
    return array.strides == packed_strides(array.shape, 4);
}

/// Whether the C interface reads an array of float where it is: no step is negative, none is 0, as
/// of a broadcast array, and the rows of an image follow each other as those of a list would.
template <class Steps, class Shape>
bool is_list_of_vectors(const Shape& shape, const Steps& strides, std::size_t components) {
    const auto n_axes = static_cast<std::size_t>(shape.size());
    for (std::size_t axis = 0; axis < n_axes; ++axis)
        if (strides[axis] <= 0 && shape[axis] > 1) return false;
    const std::size_t n_rows = n_axes - (components > 1 && n_axes > 0 ? 1 : 0);
    for (std::size_t axis = 1; axis < n_rows; ++axis)
        if (strides[axis - 1] != strides[axis] * static_cast<std::ptrdiff_t>(shape[axis]))
            return false;
    return true;
}

/// Whether the C interface reads the array where it is. `components`: 0 for integers.
bool fits(const SharedArray& array, std::size_t components) {
    if (components == 0) return (array.type == "<i4" || array.type == "<u4") && is_packed(array);
    return array.type == "<f4" && is_list_of_vectors(array.shape, array.strides, components);
}

ArrayArgument as_argument(const SharedArray& array) {
    ArrayArgument argument;
    argument.owner = array.owner;
    argument.data = array.data;
    argument.shape = array.shape;
    for (auto step : array.strides) argument.strides.push_back(static_cast<std::size_t>(step));
    argument.on_gpu = true;
    return argument;
}

ArrayArgument of_numpy(const py::array& values) {
    ArrayArgument array;
    array.owner = values;
    array.data = values.data();
    for (py::ssize_t axis = 0; axis < values.ndim(); ++axis) {
        array.shape.push_back(static_cast<std::size_t>(values.shape(axis)));
        array.strides.push_back(static_cast<std::size_t>(values.strides(axis)));
    }
    return array;
}

/// NumPy's code of the type of a result.
const char* code_of(std::string_view type) {
    if (type == "float32") return "<f4";
    if (type == "uint32") return "<u4";
    return type == "bool" ? "|b1" : "<i8";
}

/// Refuses integers that 32 bits, signed or not, do not hold.
void require_32_bits(const py::array& values, const char* name) {
    if (values.itemsize() <= 4 || values.size() == 0) return;
    const auto least = values.attr("min")(), most = values.attr("max")();
    if (least < py::int_(INT32_MIN) || most > py::int_(UINT32_MAX))
        refuse(std::string(name) + " need integers of at most 32 bits");
}

/// An array of NumPy that the C interface reads where it is.
py::array float_array(const py::object& given, std::size_t components, const char* name) {
    auto values = py::array_t<float, py::array::forcecast>::ensure(given);
    if (!values) {
        PyErr_Clear();
        refuse(std::string(name) + " are no array of numbers");
    }
    const std::vector<py::ssize_t> shape(values.shape(), values.shape() + values.ndim()),
        strides(values.strides(), values.strides() + values.ndim());
    if (is_list_of_vectors(shape, strides, components)) return values;
    return py::module_::import("numpy").attr("array")(values, py::arg("copy") = true,
                                                      py::arg("order") = "C");
}

/// Makes a list of rows of any array of vectors, or of numbers.
void flatten(ArrayArgument& array, std::size_t components, const char* name) {
    auto &shape = array.shape, &strides = array.strides;
    if (components > 1 && (shape.empty() || shape.back() != components))
        refuse(std::string(name) + " need the shape (n, " + std::to_string(components) + ")");
    array.rows.assign(shape.begin(), shape.end() - (components > 1 ? 1 : 0));
    std::size_t n = 1;
    for (auto size : array.rows) n *= size;
    const std::size_t step =
        array.rows.empty() ? components * sizeof(float) : strides[array.rows.size() - 1];
    if (array.rows.empty()) array.rows = {1};
    shape.erase(shape.begin(), shape.end() - (components > 1 ? 1 : 0));
    strides.erase(strides.begin(), strides.end() - (components > 1 ? 1 : 0));
    shape.insert(shape.begin(), n);
    strides.insert(strides.begin(), step);
}

}  // namespace

tl_floats ArrayArgument::floats() const {
    if (shape.size() == 2) return {static_cast<const float*>(data), strides[0], strides[1]};
    return {static_cast<const float*>(data), strides[0], sizeof(float)};
}

void* ArrayHome::stream() const {
    return on_gpu ? stream_of_library(library) : nullptr;
}

CallArguments::CallArguments(const std::string& device) : device_(device) {
    pending_arrays().release();
}

CallArguments::~CallArguments() {
    if (!imported_.empty()) pending_arrays().add(std::move(imported_), device_, stream());
}

bool CallArguments::lies_on_gpu(const py::object& library, const char* name) const {
    const int device = library.attr("dl_device").cast<int>();
    const bool is_host = device == kDlCpu || device == kDlCudaHost || device == kDlRocmHost;
    if (is_host || (device == kDlCudaManaged && device_ == "cpu")) return false;
    if (device != kDlCuda && device != kDlCudaManaged)
        refuse(std::string(name) + " lie on a device of DLPack's kind " + std::to_string(device) +
               ", which is no CUDA GPU: copy them to host memory");
    if (device_ == "cpu")
        refuse(std::string(name) +
               " lie on a GPU, and the tree on the CPU: copy them to host memory, or make the tree "
               "with device=\"cuda\"");
    return true;
}

void CallArguments::set_home(const py::object& library, bool on_gpu) {
    if (home_) return;
    home_.emplace();
    // Results of unknown libraries in host memory are NumPy's.
    if (library.is_none() || library.attr("on_gpu").cast<bool>() != on_gpu) return;
    *home_ = {library, on_gpu};
}

void CallArguments::join_stream(void* stream) {
    if (!stream_)
        stream_ = stream;
    else if (*stream_ != stream)
        check(tl_gpu_hold(device_.c_str(), *stream_, stream));
}

ArrayArgument CallArguments::read_on_gpu(py::object given, const py::object& library,
                                         std::size_t components, const char* name) {
    const bool integers = components == 0;
    const bool by_dlpack = library.attr("by_dlpack").cast<bool>();
    join_stream(by_dlpack ? stream() : stream_of_library(library));
    for (bool again = false;; again = true) {
        SharedArray array = by_dlpack ? take_dlpack(given, stream())
                                      : describe_cuda(given, library.attr("interface")(given));
        // The library may use the memory again as soon as it is released.
        if (by_dlpack) imported_.push_back(array.owner);
        if (fits(array, components)) return as_argument(array);
        const char* kind = integers ? "uint32" : "float32";
        given = again ? py::none() : library.attr("converted")(given, kind);
        if (given.is_none())
            refuse(std::string(name) + " on a GPU need " +
                   (integers ? "elements of int32 or uint32, without gaps"
                             : "elements of float32, and strides above 0"));
    }
}

CallArguments::Place CallArguments::place_of(const py::object& given, const char* name) {
    Place place{library_of(given), given};
    if (!place.library.is_none()) {
        place.on_gpu = lies_on_gpu(place.library, name);
        if (!place.on_gpu) place.array = place.library.attr("on_host")(given);
    }
    set_home(place.library, place.on_gpu);
    return place;
}

ArrayArgument CallArguments::floats(const py::object& given, std::size_t components,
                                    const char* name) {
    auto place = place_of(given, name);
    ArrayArgument array = place.on_gpu ? read_on_gpu(given, place.library, components, name)
                                       : of_numpy(float_array(place.array, components, name));
    flatten(array, components, name);
    if (rows_.empty()) rows_ = array.rows;
    return array;
}

ArrayArgument CallArguments::filled(std::size_t n, float value) {
    if (home_ && home_->on_gpu) {
        auto made = home_->library.attr("filled")(n, value);
        if (!made.is_none()) return floats(made, 1, "limits");
    }
    py::array_t<float> all(static_cast<py::ssize_t>(n));
    std::fill_n(all.mutable_data(), n, value);
    ArrayArgument array = of_numpy(all);
    array.rows = {n};
    return array;
}

ArrayArgument CallArguments::indices(const py::object& given, const char* name) {
    auto place = place_of(given, name);
    if (place.on_gpu) return read_on_gpu(given, place.library, 0, name);
    auto values = py::array::ensure(place.array);
    if (!values || (values.dtype().kind() != 'i' && values.dtype().kind() != 'u')) {
        PyErr_Clear();
        refuse(std::string(name) + " are no array of integers");
    }
    require_32_bits(values, name);
    return of_numpy(py::array_t<std::uint32_t, py::array::c_style | py::array::forcecast>(values));
}

ResultArray::ResultArray(const ArrayHome& home, const std::vector<std::size_t>& shape,
                         const char* type, const std::string& device, void* stream,
                         GpuResults* others)
    : home_(home), type_(type) {
    if (!home.on_gpu) {
        py::array host(py::dtype(type), shape);
        data = host.mutable_data();
        array = host;
        return;
    }
    if (home.library.attr("takes_own_arrays").cast<bool>()) {
        GpuResults alone;
        GpuArray made = (others ? others : &alone)->make(device, shape, code_of(type), stream);
        data = made.data;
        array = py::cast(std::move(made));
        return;
    }
    py::tuple extent(shape.size());
    for (std::size_t axis = 0; axis < shape.size(); ++axis) extent[axis] = shape[axis];
    array =
        home.library.attr("empty")(extent, type, device, reinterpret_cast<std::uintptr_t>(stream));
    data = reinterpret_cast<void*>(home.library.attr("address")(array).cast<std::uintptr_t>());
}

py::object ResultArray::finished() const {
    return home_.library.is_none() || array.is_none()
               ? array
               : home_.library.attr("finished")(array, type_);
}

py::object in_library(const py::array& values, const ArrayHome& home, const std::string& device,
                      void* stream) {
    if (home.library.is_none()) return values;
    if (!home.on_gpu) return home.library.attr("finished")(values, "int64");
    return home.library.attr("uploaded")(values, device, reinterpret_cast<std::uintptr_t>(stream));
}
