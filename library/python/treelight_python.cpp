// The Python module: scenes, queues and matrices over the C interface. Arrays go in and come out
// without copies where their layout allows it; Python's lock is released while a call waits.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "library/python/api_error.h"
#include "library/python/python_complex.h"
#include "library/python/python_eig.h"
#include "library/python/python_fmm.h"
#include "library/python/python_pose.h"
#include "library/python/python_scenes.h"
#include "library/python/python_sparse.h"
#include "library/python/python_systems.h"
#include "library/python/python_trees.h"

namespace py = pybind11;

namespace {

/// Arrays that the queue no longer needs. Its threads must not wait for Python's lock, so that
/// arrays are given up by the next call from Python.
class UnusedArrays {
  public:
    void add(PyObject* array) {
        std::scoped_lock lock(mutex_);
        arrays_.push_back(array);
    }
    void give_up() {
        std::vector<PyObject*> arrays;
        {
            std::scoped_lock lock(mutex_);
            arrays.swap(arrays_);
        }
        for (PyObject* array : arrays) Py_DECREF(array);
    }

  private:
    std::mutex mutex_;
    std::vector<PyObject*> arrays_;
};

UnusedArrays& unused_arrays() {
    static UnusedArrays* arrays = new UnusedArrays;  // threads of queues may outlive the module
    return *arrays;
}

/// Owns a queue, together with the matrices on it.
class QueueOwner {
  public:
    explicit QueueOwner(const std::string& device) : device_(device) {
        check(tl_queue_create(device.c_str(), &queue_));
    }
    ~QueueOwner() {
        if (PyGILState_Check()) {
            py::gil_scoped_release release;
            tl_queue_destroy(queue_);
        } else {
            tl_queue_destroy(queue_);
        }
    }
    QueueOwner(const QueueOwner&) = delete;
    QueueOwner& operator=(const QueueOwner&) = delete;
    [[nodiscard]] tl_queue* get() const { return queue_; }
    [[nodiscard]] const std::string& device() const { return device_; }

  private:
    std::string device_;
    tl_queue* queue_ = nullptr;
};
using QueuePointer = std::shared_ptr<QueueOwner>;

/// A call of the C interface that gives one result.
template <class Call>
tl_value result_of(Call call) {
    py::gil_scoped_release release;
    tl_value value = 0;
    check(call(&value));
    return value;
}

/// A handle of a value.
class PyMatrix {
  public:
    PyMatrix(QueuePointer queue, tl_value value) : queue_(std::move(queue)), value_(value) {}
    PyMatrix(PyMatrix&& other) noexcept
        : queue_(std::move(other.queue_)), value_(std::exchange(other.value_, 0)) {}
    PyMatrix& operator=(PyMatrix&&) = delete;
    ~PyMatrix() {
        if (value_ != 0) tl_release(queue_->get(), value_);
    }

    [[nodiscard]] tl_queue* queue() const { return queue_->get(); }
    [[nodiscard]] const QueuePointer& owner() const { return queue_; }
    [[nodiscard]] tl_value value() const { return value_; }
    [[nodiscard]] PyMatrix with(tl_value value) const { return {queue_, value}; }

    struct Shape {
        int rows = 0, cols = 0;
        tl_type type = TL_FLOAT64;
    };
    [[nodiscard]] Shape shape() const {
        Shape shape;
        check(tl_shape(queue(), value_, &shape.type, &shape.rows, &shape.cols));
        return shape;
    }

  private:
    QueuePointer queue_;
    tl_value value_;
};

/// The error of complex numbers where only real ones are possible.
ApiError no_complex() {
    return {TL_INVALID,
            "complex matrices are not supported here; treelight.svd, svdvals, solve, lu, eig and "
            "eigvals take them"};
}

/// An array of float32 or float64 with two dimensions; others are converted.
py::array as_matrix(const py::object& object) {
    auto array = py::array::ensure(object);
    if (!array) throw ApiError{TL_INVALID, "not an array of numbers"};
    if (array.ndim() == 1) array = array.reshape({array.shape(0), py::ssize_t{1}});
    if (array.ndim() != 2) throw ApiError{TL_INVALID, "a matrix has two dimensions"};
    bool is_number =
        array.dtype().is(py::dtype::of<float>()) || array.dtype().is(py::dtype::of<double>());
    if (array.dtype().kind() == 'c') throw no_complex();
    if (!is_number) array = py::array_t<double>::ensure(array);
    if (!array) throw ApiError{TL_INVALID, "not an array of real numbers"};
    auto size = array.itemsize();
    bool by_columns = array.strides(0) == size && array.strides(1) == size * array.shape(0);
    bool by_rows = array.strides(1) == size && array.strides(0) == size * array.shape(1);
    if (by_columns || by_rows) return array;
    return py::array::ensure(array.attr("copy")("F"));
}

/// Without a copy: rows one after the other arrive as the transpose, which the device turns.
PyMatrix upload(const QueuePointer& queue, const py::object& object, bool copy) {
    unused_arrays().give_up();
    auto array = as_matrix(object);
    auto rows = static_cast<int>(array.shape(0)), cols = static_cast<int>(array.shape(1));
    bool by_columns = array.strides(0) == array.itemsize() || rows <= 1;
    if (!by_columns) std::swap(rows, cols);
    auto type = array.dtype().is(py::dtype::of<float>()) ? TL_FLOAT32 : TL_FLOAT64;
    const void* data = array.data();
    PyObject* kept = copy ? nullptr : array.inc_ref().ptr();
    auto value = result_of([&](tl_value* result) {
        if (copy)
            return tl_upload(queue->get(), type, rows, cols, data, static_cast<std::size_t>(rows),
                             result);
        auto done = [](void* context) { unused_arrays().add(static_cast<PyObject*>(context)); };
        return tl_upload_shared(queue->get(), type, rows, cols, data, done, kept, result);
    });
    PyMatrix matrix(queue, value);
    if (by_columns) return matrix;
    return matrix.with(
        result_of([&](tl_value* result) { return tl_transpose(queue->get(), value, result); }));
}

/// The value as an array over the memory that it was read to.
py::array to_array(const PyMatrix& matrix, double seconds) {
    unused_arrays().give_up();
    tl_memory* memory = nullptr;
    void* columns = nullptr;
    {
        py::gil_scoped_release release;
        check(tl_fetch_shared(matrix.queue(), matrix.value(), seconds, &memory, &columns));
    }
    py::capsule owner(memory, [](void* m) { tl_memory_free(static_cast<tl_memory*>(m)); });
    auto shape = matrix.shape();
    auto make = [&](auto* first) {
        py::ssize_t size = sizeof(*first);
        return py::array(py::dtype::of<std::remove_pointer_t<decltype(first)>>(),
                         {py::ssize_t{shape.rows}, py::ssize_t{shape.cols}},
                         {size, size * shape.rows}, first, owner);
    };
    return shape.type == TL_FLOAT32 ? make(static_cast<float*>(columns))
                                    : make(static_cast<double*>(columns));
}

void require_one_queue(const PyMatrix& a, const PyMatrix& b) {
    if (a.queue() != b.queue()) throw ApiError{TL_INVALID, "the matrices are of different queues"};
}

template <class Call>
PyMatrix apply(const PyMatrix& a, Call call) {
    return a.with(result_of([&](tl_value* result) { return call(a.queue(), a.value(), result); }));
}
template <class Call>
PyMatrix apply(const PyMatrix& a, const PyMatrix& b, Call call) {
    require_one_queue(a, b);
    return a.with(
        result_of([&](tl_value* result) { return call(a.queue(), a.value(), b.value(), result); }));
}
/// A call that gives several results, as a tuple.
template <std::size_t kResults, class Call>
py::tuple apply_many(const PyMatrix& a, Call call) {
    tl_value values[kResults] = {};
    {
        py::gil_scoped_release release;
        check(call(a.queue(), a.value(), values));
    }
    py::tuple results(kResults);
    for (std::size_t r = 0; r < kResults; ++r) results[r] = py::cast(a.with(values[r]));
    return results;
}

/// a op b, where one of them may be a number.
PyMatrix elements(tl_element op, const py::object& left, const py::object& right) {
    bool left_is_matrix = py::isinstance<PyMatrix>(left);
    bool right_is_matrix = py::isinstance<PyMatrix>(right);
    if (left_is_matrix && right_is_matrix)
        return apply(left.cast<const PyMatrix&>(), right.cast<const PyMatrix&>(),
                     [op](tl_queue* queue, tl_value a, tl_value b, tl_value* result) {
                         return tl_elements(queue, op, a, b, result);
                     });
    auto& matrix = (left_is_matrix ? left : right).cast<const PyMatrix&>();
    auto& number = left_is_matrix ? right : left;
    bool is_real = PyFloat_Check(number.ptr()) || PyLong_Check(number.ptr());
    if (!is_real && py::module_::import("numpy").attr("iscomplexobj")(number).cast<bool>())
        throw no_complex();
    double scalar = PyFloat_AsDouble(number.ptr());
    if (PyErr_Occurred()) {
        PyErr_Clear();
        throw py::type_error("the other operand has to be a Matrix or a number");
    }
    return apply(matrix, [=](tl_queue* queue, tl_value a, tl_value* result) {
        return tl_elements_scalar(queue, op, a, scalar, left_is_matrix ? 0 : 1, result);
    });
}

PyMatrix elements_of(tl_element op, const PyMatrix& matrix) {
    return apply(matrix, [op](tl_queue* queue, tl_value a, tl_value* result) {
        return tl_elements(queue, op, a, 0, result);
    });
}

/// Rows or columns that a slice or an index names.
struct IndexRange {
    int first, step, count;
};
IndexRange range_of(const py::handle& index, int size) {
    if (py::isinstance<py::slice>(index)) {
        py::ssize_t start = 0, stop = 0, step = 0, count = 0;
        if (!index.cast<py::slice>().compute(size, &start, &stop, &step, &count))
            throw py::error_already_set();
        // The start of an empty slice backwards is -1.
        return {count > 0 ? static_cast<int>(start) : 0, static_cast<int>(step),
                static_cast<int>(count)};
    }
    int at = index.cast<int>();
    if (at < 0) at += size;
    if (at < 0 || at >= size) throw py::index_error("the index is out of range");
    return {at, 1, 1};
}

PyMatrix block_of(const PyMatrix& matrix, const py::tuple& index) {
    if (index.size() != 2) throw py::index_error("a matrix has two indices");
    auto shape = matrix.shape();
    auto rows = range_of(index[0], shape.rows), cols = range_of(index[1], shape.cols);
    return apply(matrix, [=](tl_queue* queue, tl_value a, tl_value* result) {
        return tl_block_strided(queue, a, rows.first, rows.step, rows.count, cols.first, cols.step,
                                cols.count, result);
    });
}

PyMatrix replaced(const PyMatrix& matrix, int row, int col, const PyMatrix& block) {
    return apply(matrix, block, [=](tl_queue* queue, tl_value a, tl_value b, tl_value* result) {
        return tl_replace(queue, a, row, col, b, result);
    });
}

const char* state_of(const PyMatrix& matrix) {
    constexpr const char* kNames[] = {"waiting", "running", "ready", "failed"};
    return kNames[tl_value_state(matrix.queue(), matrix.value())];
}

void wait_for(const PyMatrix& matrix, double seconds) {
    py::gil_scoped_release release;
    check(tl_wait(matrix.queue(), matrix.value(), seconds));
}

void define_queue(py::module_& module) {
    py::class_<QueueOwner, QueuePointer>(module, "Queue",
                                         "Operations that a device runs beside Python.\n\n"
                                         "    >>> queue = treelight.Queue(\"cpu\")\n"
                                         "    >>> a = queue.upload(numpy.eye(2))\n"
                                         "    >>> (a @ a + a).numpy().tolist()\n"
                                         "    [[2.0, 0.0], [0.0, 2.0]]\n")
        .def(py::init<const std::string&>(), py::arg("device") = "auto")
        .def("upload", &upload, py::arg("array"), py::arg("copy") = true,
             "Copies an array to the device and returns its Matrix at once. Without copy the array "
             "must not change until the matrix is ready.")
        .def(
            "wait",
            [](const QueueOwner& queue) {
                py::gil_scoped_release release;
                check(tl_wait_for_all(queue.get()));
            },
            "Waits until nothing is left to do.")
        .def(
            "set_timeout",
            [](const QueueOwner& queue, double s) { check(tl_set_timeout(queue.get(), s)); },
            py::arg("seconds"),
            "Operations that are given from now on fail that many seconds later; 0: never.")
        .def("pause", [](const QueueOwner& queue) { check(tl_pause(queue.get())); })
        .def("resume", [](const QueueOwner& queue) { check(tl_resume(queue.get())); })
        .def_property_readonly("device", &QueueOwner::device)
        .def_property_readonly(
            "overlap_percent",
            [](const QueueOwner& queue) { return tl_overlap_percent(queue.get()); },
            "The fraction of copies that overlapped with computations.");
}

template <tl_status (*kCall)(tl_queue*, tl_value, tl_value*)>
PyMatrix one(const PyMatrix& a) {
    return apply(a, kCall);
}
template <tl_status (*kCall)(tl_queue*, tl_value, tl_value, tl_value*)>
PyMatrix two(const PyMatrix& a, const PyMatrix& b) {
    return apply(a, b, kCall);
}

PyMatrix lu_solve(const PyMatrix& factors, const PyMatrix& order, const PyMatrix& right,
                  bool transposed) {
    require_one_queue(factors, order);
    return apply(factors, right,
                 [&, p = order.value()](tl_queue* queue, tl_value f, tl_value b, tl_value* result) {
                     return tl_lu_solve(queue, f, p, transposed ? 1 : 0, b, result);
                 });
}

py::tuple least_squares(const PyMatrix& matrix, const PyMatrix& right, double rcond) {
    require_one_queue(matrix, right);
    return apply_many<2>(matrix, [=, b = right.value()](tl_queue* queue, tl_value a, tl_value* r) {
        return tl_lstsq(queue, a, b, rcond, &r[0], &r[1]);
    });
}

void define_matrix(py::module_& module) {
    py::class_<PyMatrix> matrix(
        module, "Matrix", "A matrix on the device, which may not exist yet.", py::dynamic_attr());
    matrix
        .def_property_readonly("shape",
                               [](const PyMatrix& m) {
                                   auto shape = m.shape();
                                   return py::make_tuple(shape.rows, shape.cols);
                               })
        .def_property_readonly("dtype",
                               [](const PyMatrix& m) {
                                   return m.shape().type == TL_FLOAT32 ? py::dtype::of<float>()
                                                                       : py::dtype::of<double>();
                               })
        .def_property_readonly("queue", &PyMatrix::owner)
        .def_property_readonly("state", &state_of)
        .def_property_readonly("T", &one<tl_transpose>)
        .def("read", [](const PyMatrix& m) { check(tl_read(m.queue(), m.value())); })
        .def("wait", &wait_for, py::arg("seconds") = -1.0)
        .def("cancel", [](const PyMatrix& m) { check(tl_cancel(m.queue(), m.value())); })
        .def("_array", &to_array, py::arg("seconds"))
        .def("replaced", &replaced, py::arg("row"), py::arg("col"), py::arg("block"))
        .def("__getitem__", &block_of)
        .def("__matmul__", &two<tl_matmul>, py::is_operator());
    auto define = [&](const char* name, const char* reversed, tl_element op) {
        matrix.def(name,
                   [op](const py::object& a, const py::object& b) { return elements(op, a, b); });
        if (reversed)
            matrix.def(reversed, [op](const py::object& a, const py::object& b) {
                return elements(op, b, a);
            });
    };
    define("__add__", "__radd__", TL_ADD);
    define("__sub__", "__rsub__", TL_SUBTRACT);
    define("__mul__", "__rmul__", TL_MULTIPLY);
    define("__truediv__", "__rtruediv__", TL_DIVIDE);
    define("minimum", nullptr, TL_MINIMUM);
    define("maximum", nullptr, TL_MAXIMUM);
    matrix.def("__neg__", [](const PyMatrix& m) { return elements_of(TL_NEGATE, m); })
        .def("__abs__", [](const PyMatrix& m) { return elements_of(TL_ABSOLUTE, m); })
        .def("sqrt", [](const PyMatrix& m) { return elements_of(TL_SQUARE_ROOT, m); })
        .def("exp", [](const PyMatrix& m) { return elements_of(TL_EXPONENTIAL, m); });
    matrix
        .def("lu_factors",
             [](const PyMatrix& m) {
                 return apply_many<2>(m, [](tl_queue* queue, tl_value a, tl_value* r) {
                     return tl_lu_factors(queue, a, &r[0], &r[1]);
                 });
             })
        .def("lu_solve", &lu_solve, py::arg("order"), py::arg("right"),
             py::arg("transposed") = false, "A^-1 B, or A^-T B, by the factors of A.")
        .def("lstsq", &least_squares, py::arg("right"), py::arg("rcond") = -1.0)
        .def(
            "pinv",
            [](const PyMatrix& m, double rcond) {
                return apply_many<2>(m, [=](tl_queue* queue, tl_value a, tl_value* r) {
                    return tl_pinv(queue, a, rcond, &r[0], &r[1]);
                });
            },
            py::arg("rcond") = -1.0)
        .def(
            "rank",
            [](const PyMatrix& m, double rcond) {
                return apply(m, [=](tl_queue* queue, tl_value a, tl_value* result) {
                    return tl_rank(queue, a, rcond, result);
                });
            },
            py::arg("rcond") = -1.0)
        .def(
            "low_rank",
            [](const PyMatrix& m, int rank) {
                return apply_many<2>(m, [=](tl_queue* queue, tl_value a, tl_value* r) {
                    return tl_low_rank(queue, a, rank, &r[0], &r[1]);
                });
            },
            py::arg("rank"));
    matrix.def("solve", &two<tl_solve>, py::arg("right"), "A^-1 B")
        .def("inverse", &one<tl_inverse>)
        .def("svdvals", &one<tl_singular_values>)
        .def("eigvals", &one<tl_eigenvalues>)
        .def("lu",
             [](const PyMatrix& m) {
                 return apply_many<3>(m, [](tl_queue* queue, tl_value a, tl_value* r) {
                     return tl_lu(queue, a, &r[0], &r[1], &r[2]);
                 });
             })
        .def("svd",
             [](const PyMatrix& m) {
                 return apply_many<3>(m, [](tl_queue* queue, tl_value a, tl_value* r) {
                     return tl_svd(queue, a, &r[0], &r[1], &r[2]);
                 });
             })
        .def("rref",
             [](const PyMatrix& m) {
                 return apply_many<2>(m, [](tl_queue* queue, tl_value a, tl_value* r) {
                     return tl_rref(queue, a, &r[0], &r[1]);
                 });
             })
        .def("eig", [](const PyMatrix& m) {
            return apply_many<2>(m, [](tl_queue* queue, tl_value a, tl_value* r) {
                return tl_eig(queue, a, &r[0], &r[1]);
            });
        });
}

/// Errors become Python's own where it has one of their kind.
void define_errors(py::module_& module) {
    static PyObject* failed = nullptr;
    static PyObject* cancelled = nullptr;
    failed = PyErr_NewExceptionWithDoc("treelight.Error",
                                       "The solver could not do it: the matrix is singular.",
                                       PyExc_ArithmeticError, nullptr);
    cancelled = PyErr_NewExceptionWithDoc("treelight.Cancelled",
                                          "The operation, or one before it, was cancelled.",
                                          PyExc_RuntimeError, nullptr);
    module.attr("Error") = py::handle(failed);
    module.attr("Cancelled") = py::handle(cancelled);
    py::register_exception_translator([](std::exception_ptr thrown) {
        try {
            if (thrown) std::rethrow_exception(thrown);
        } catch (const ApiError& error) {
            PyObject* types[] = {PyExc_RuntimeError, PyExc_ValueError, failed,
                                 PyExc_MemoryError,  cancelled,        PyExc_TimeoutError,
                                 PyExc_LookupError,  PyExc_OSError};
            PyErr_SetString(types[error.status], error.message.c_str());
        }
    });
}

}  // namespace

PYBIND11_MODULE(_treelight, module) {
    module.doc() = "Treelight over its C interface; see the package treelight.";
    module.attr("__version__") = tl_version();
    // Older versions of pybind11 read the descriptions of arrays as NumPy 1 lays them out.
    module.attr("_takes_numpy_2") = PYBIND11_VERSION_HEX >= 0x020C0000;
    module.def(
        "devices",
        [] {
            py::dict all;
            for (int i = 0; tl_device_id(i); ++i) all[tl_device_id(i)] = tl_device_name(i);
            return all;
        },
        "The devices of this machine: their names by their ids.\n\n"
        "    >>> \"cpu\" in treelight.devices()\n"
        "    True\n");
    define_errors(module);
    define_queue(module);
    define_matrix(module);
    define_pose(module);
    define_complex(module);
    define_eig(module);
    define_fmm(module);
    define_sparse(module);
    define_systems(module);
    define_scene(module);
    define_trees(module);
}
