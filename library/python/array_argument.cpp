#include "library/python/array_argument.h"

#include <cstdint>

#include "library/python/api_error.h"

namespace py = pybind11;

namespace {

[[noreturn]] void refuse(const std::string& what) {
    throw ApiError{TL_INVALID, what};
}

std::string module_of(const py::object& given) {
    auto name = py::str(py::type::of(given).attr("__module__")).cast<std::string>();
    return name.substr(0, name.find('.'));
}

/// A module that the caller has imported; none if he has not.
py::object imported(const char* name) {
    py::dict modules = py::module_::import("sys").attr("modules");
    return modules.contains(name) ? py::object(modules[name]) : py::none();
}

/// Sets the maker and the stream of an array on a GPU.
void set_library(ArrayArgument& array, const py::object& given) {
    const std::string module = module_of(given);
    if (module == "torch") {
        auto stream = imported("torch").attr("cuda").attr("current_stream")(given.attr("device"));
        array.maker = ArrayMaker::torch;
        array.stream = reinterpret_cast<void*>(stream.attr("cuda_stream").cast<std::uintptr_t>());
    } else if (module == "cupy") {
        auto stream = imported("cupy").attr("cuda").attr("get_current_stream")();
        array.maker = ArrayMaker::cupy;
        array.stream = reinterpret_cast<void*>(stream.attr("ptr").cast<std::uintptr_t>());
    }
}

void set_layout(ArrayArgument& array, const py::object& shape, const py::object& strides,
                std::size_t item) {
    for (py::handle n : shape) array.shape.push_back(n.cast<std::size_t>());
    array.strides.resize(array.shape.size());
    if (!strides.is_none()) {
        std::size_t axis = 0;
        for (py::handle step : strides) {
            if (step.cast<std::ptrdiff_t>() < 0) refuse("arrays on a GPU need strides from 0 up");
            array.strides[axis++] = step.cast<std::size_t>();
        }
        return;
    }
    for (std::size_t axis = array.shape.size(); axis-- > 0; item *= array.shape[axis])
        array.strides[axis] = item;
}

/// Reads an array by __cuda_array_interface__. `types`: those that are taken, "<f4".
ArrayArgument read_on_gpu(const py::object& given, const std::vector<std::string>& types,
                          const char* name) {
    py::dict description = given.attr("__cuda_array_interface__");
    auto type = description["typestr"].cast<std::string>();
    if (std::find(types.begin(), types.end(), type) == types.end())
        refuse(std::string(name) + " on a GPU need elements of " +
               (types[0] == "<f4" ? "float32" : "int32 or uint32"));
    ArrayArgument array;
    array.owner = given;
    array.on_gpu = true;
    py::tuple data = description["data"];
    array.data = reinterpret_cast<const void*>(data[0].cast<std::uintptr_t>());
    set_layout(array, description["shape"],
               description.contains("strides") ? py::object(description["strides"]) : py::none(),
               4);
    if (description.contains("stream") && !py::object(description["stream"]).is_none())
        array.stream =
            reinterpret_cast<void*>(py::object(description["stream"]).cast<std::uintptr_t>());
    set_library(array, given);
    return array;
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

/// Arrays of other libraries in host memory share it with NumPy's.
py::object on_host(const py::object& given) {
    if (py::isinstance<py::array>(given) || !py::hasattr(given, "__dlpack_device__")) return given;
    constexpr int kCpu = 1;
    auto device = given.attr("__dlpack_device__")().cast<py::tuple>();
    if (device[0].cast<int>() != kCpu)
        refuse("an array lies on a device that is no CUDA GPU, or hides how to read it");
    return py::module_::import("numpy").attr("from_dlpack")(given);
}

/// Refuses integers that 32 bits, signed or not, do not hold.
void require_32_bits(const py::array& values, const char* name) {
    if (values.itemsize() <= 4 || values.size() == 0) return;
    const auto least = values.attr("min")(), most = values.attr("max")();
    if (least < py::int_(INT32_MIN) || most > py::int_(UINT32_MAX))
        refuse(std::string(name) + " need integers of at most 32 bits");
}

}  // namespace

tl_floats ArrayArgument::floats() const {
    if (shape.size() == 2) return {static_cast<const float*>(data), strides[0], strides[1]};
    return {static_cast<const float*>(data), strides[0], sizeof(float)};
}

bool ArrayReader::is_on_gpu(const py::object& given, const char* name) const {
    if (py::isinstance<py::array>(given) || !py::hasattr(given, "__cuda_array_interface__"))
        return false;
    if (!takes_gpu)
        refuse(std::string(name) +
               " lie on a GPU, and the tree on the CPU: copy them to host memory, or make the tree "
               "with device=\"cuda\"");
    return true;
}

ArrayArgument ArrayReader::floats(const py::object& given, std::size_t components,
                                  const char* name) const {
    ArrayArgument array;
    if (is_on_gpu(given, name)) {
        array = read_on_gpu(given, {"<f4"}, name);
    } else {
        auto values = py::array_t<float, py::array::forcecast>::ensure(on_host(given));
        if (!values) {
            PyErr_Clear();
            refuse(std::string(name) + " are no array of numbers");
        }
        bool backwards = false;
        for (py::ssize_t axis = 0; axis < values.ndim(); ++axis)
            backwards = backwards || values.strides(axis) < 0;
        if (backwards)
            values = py::array_t<float, py::array::forcecast | py::array::c_style>(values);
        array = of_numpy(values);
    }
    auto& shape = array.shape;
    // A single vector, or a single number.
    if (components > 1 && shape.size() == 1) {
        shape.insert(shape.begin(), 1);
        array.strides.insert(array.strides.begin(), components * sizeof(float));
    } else if (components == 1 && shape.empty()) {
        shape.push_back(1);
        array.strides.push_back(sizeof(float));
    }
    const bool fits =
        components > 1 ? shape.size() == 2 && shape[1] == components : shape.size() == 1;
    if (!fits)
        refuse(std::string(name) + " need the shape (n" +
               (components > 1 ? ", " + std::to_string(components) + ")" : ",)"));
    // Steps of 0, as of broadcast arrays, would be read as packed.
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        if (array.strides[axis] == 0 && shape[axis] > 1) {
            if (array.on_gpu) refuse(std::string(name) + " on a GPU need strides above 0");
            return of_numpy(py::array_t<float, py::array::c_style | py::array::forcecast>(
                py::module_::import("numpy").attr("array")(array.owner, py::arg("copy") = true,
                                                           py::arg("order") = "C")));
        }
    return array;
}

ArrayArgument ArrayReader::indices(const py::object& given, const char* name) const {
    if (is_on_gpu(given, name)) {
        auto array = read_on_gpu(given, {"<i4", "<u4"}, name);
        std::size_t packed = 4;
        for (std::size_t axis = array.shape.size(); axis-- > 0; packed *= array.shape[axis])
            if (array.strides[axis] != packed)
                refuse(std::string(name) + " on a GPU need an array without gaps");
        return array;
    }
    auto values = py::array::ensure(on_host(given));
    if (!values || (values.dtype().kind() != 'i' && values.dtype().kind() != 'u')) {
        PyErr_Clear();
        refuse(std::string(name) + " are no array of integers");
    }
    require_32_bits(values, name);
    return of_numpy(py::array_t<std::uint32_t, py::array::c_style | py::array::forcecast>(values));
}

py::object make_array(const ArrayArgument& like, const std::vector<std::size_t>& shape,
                      const char* type) {
    if (like.maker == ArrayMaker::numpy) return py::array(py::dtype(type), shape);
    py::tuple extent = py::tuple(shape.size());
    for (std::size_t axis = 0; axis < shape.size(); ++axis) extent[axis] = shape[axis];
    if (like.maker == ArrayMaker::cupy)
        return imported("cupy").attr("empty")(extent, py::arg("dtype") = type);
    auto torch = imported("torch");
    const char* own = std::string(type) == "uint32" ? "int32" : type;
    return torch.attr("empty")(extent, py::arg("dtype") = torch.attr(own),
                               py::arg("device") = like.owner.attr("device"));
}

void* address_of(const py::object& array, ArrayMaker maker) {
    if (maker == ArrayMaker::numpy) return array.cast<py::array>().mutable_data();
    auto pointer = maker == ArrayMaker::torch ? array.attr("data_ptr")()
                                              : py::object(array.attr("data").attr("ptr"));
    return reinterpret_cast<void*>(pointer.cast<std::uintptr_t>());
}
