#include "library/python/dlpack.h"

#include <cstdint>

#include "library/python/api_error.h"

namespace py = pybind11;

namespace {

// The structures of dlpack.h, https://dmlc.github.io/dlpack/latest/c_api.html.
struct DlTensor {
    void* data;
    std::int32_t device_type, device_id;
    std::int32_t n_dimensions;
    std::uint8_t type_code, type_bits;
    std::uint16_t type_lanes;
    std::int64_t* shape;
    std::int64_t* strides;  ///< elements; null: without gaps
    std::uint64_t byte_offset;
};
struct DlManaged {
    DlTensor tensor;
    void* context;
    void (*deleter)(DlManaged*);
};
struct DlVersioned {
    std::uint32_t major, minor;
    void* context;
    void (*deleter)(DlVersioned*);
    std::uint64_t flags;
    DlTensor tensor;
};
static_assert(sizeof(DlTensor) == 48 && sizeof(DlManaged) == 64 && sizeof(DlVersioned) == 80);

constexpr char kName[] = "dltensor", kUsedName[] = "used_dltensor";
constexpr char kVersionedName[] = "dltensor_versioned",
               kUsedVersionedName[] = "used_dltensor_versioned";

struct TypeCode {
    std::uint8_t code;
    char kind;
};
constexpr TypeCode kTypeCodes[] = {{0, 'i'}, {1, 'u'}, {2, 'f'}, {6, 'b'}};

std::string type_of(const DlTensor& tensor) {
    for (auto [code, kind] : kTypeCodes)
        if (code == tensor.type_code && tensor.type_lanes == 1)
            return (tensor.type_bits == 8 ? "|" : "<") +
                   (kind + std::to_string(tensor.type_bits / 8));
    return "";
}

template <class Managed>
void release(void* managed) {
    auto* own = static_cast<Managed*>(managed);
    if (own->deleter) own->deleter(own);
}

/// The tensor of a capsule, which this consumes, with its owner.
template <class Managed>
DlTensor& consume(const py::object& capsule, const char* name, const char* used,
                  py::object& owner) {
    auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule.ptr(), name));
    if (!managed || PyCapsule_SetName(capsule.ptr(), used) != 0) throw py::error_already_set();
    owner = py::capsule(managed, release<Managed>);
    return managed->tensor;
}

py::object request_capsule(const py::object& producer, void* stream) {
    constexpr int kLegacyDefault = 1;
    const auto number =
        stream ? py::int_(reinterpret_cast<std::uintptr_t>(stream)) : py::int_(kLegacyDefault);
    auto give = producer.attr("__dlpack__");
    try {
        return give(py::arg("stream") = number, py::arg("max_version") = py::make_tuple(1, 0));
    } catch (py::error_already_set& error) {
        if (!error.matches(PyExc_TypeError)) throw;  // a producer from before version 1
    }
    return give(py::arg("stream") = number);
}

/// Contents of a capsule: the tensor, its sizes, and the array.
struct Given {
    DlManaged managed{};
    std::vector<std::int64_t> shape, strides;
    PyObject* owner = nullptr;

    explicit Given(const SharedArray& array)
        : shape(array.shape.begin(), array.shape.end()),
          owner(py::object(array.owner).release().ptr()) {
        const int bytes = array.type[2] - '0';
        for (auto step : array.strides) strides.push_back(step / bytes);
        auto& tensor = managed.tensor;
        tensor = {array.data,
                  array.device,
                  array.index,
                  static_cast<std::int32_t>(shape.size()),
                  0,
                  static_cast<std::uint8_t>(8 * bytes),
                  1,
                  shape.data(),
                  strides.data(),
                  0};
        for (auto [code, kind] : kTypeCodes)
            if (kind == array.type[1]) tensor.type_code = code;
        managed.context = this;
        managed.deleter = [](DlManaged* own) {
            py::gil_scoped_acquire lock;
            auto* given = static_cast<Given*>(own->context);
            Py_DECREF(given->owner);
            delete given;
        };
    }
};

}  // namespace

std::vector<std::ptrdiff_t> packed_strides(const std::vector<std::size_t>& shape,
                                           std::size_t item) {
    std::vector<std::ptrdiff_t> strides(shape.size());
    for (std::size_t axis = shape.size(); axis-- > 0; item *= shape[axis])
        strides[axis] = static_cast<std::ptrdiff_t>(item);
    return strides;
}

SharedArray take_dlpack(const py::object& producer, void* stream) {
    const auto capsule = request_capsule(producer, stream);
    if (!PyCapsule_CheckExact(capsule.ptr()))
        throw ApiError{TL_INVALID, "__dlpack__ returned no capsule"};
    SharedArray array;
    const DlTensor& tensor =
        PyCapsule_IsValid(capsule.ptr(), kVersionedName)
            ? consume<DlVersioned>(capsule, kVersionedName, kUsedVersionedName, array.owner)
            : consume<DlManaged>(capsule, kName, kUsedName, array.owner);
    array.data = static_cast<char*>(tensor.data) + tensor.byte_offset;
    array.type = type_of(tensor);
    array.device = tensor.device_type;
    array.index = tensor.device_id;
    array.shape.assign(tensor.shape, tensor.shape + tensor.n_dimensions);
    const std::size_t item = tensor.type_bits / 8u * tensor.type_lanes;
    array.strides = packed_strides(array.shape, item);
    for (std::size_t axis = 0; tensor.strides && axis < array.shape.size(); ++axis)
        array.strides[axis] = tensor.strides[axis] * static_cast<std::ptrdiff_t>(item);
    return array;
}

py::object give_dlpack(const SharedArray& array) {
    auto* given = new Given(array);
    PyObject* capsule = PyCapsule_New(&given->managed, kName, [](PyObject* self) {
        // A consumer renames the capsule, and calls the deleter itself.
        if (!PyCapsule_IsValid(self, kName)) return;
        release<DlManaged>(PyCapsule_GetPointer(self, kName));
    });
    if (!capsule) throw py::error_already_set();
    return py::reinterpret_steal<py::object>(capsule);
}
