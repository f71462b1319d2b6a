#include "library/python/python_systems.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <string>
#include <vector>

#include "library/python/py_progress.h"

namespace {

namespace py = pybind11;

/// Owns a system of polynomial equations.
class PySystem {
  public:
    PySystem(const std::string& text, const std::string& action, const py::object& function) {
        PyProgress progress(function);
        auto open = [&] {
            py::gil_scoped_release release;
            return tl_system_open(text.c_str(), action.c_str(), &PyProgress::tell, &progress,
                                  &system_);
        };
        progress.check_call(open());
    }
    ~PySystem() { tl_system_close(system_); }
    PySystem(const PySystem&) = delete;
    PySystem& operator=(const PySystem&) = delete;

    [[nodiscard]] py::dict about() const {
        auto info = this->info();
        std::vector<std::string> unknowns;
        while (const char* name = tl_system_unknown(system_, unknowns.size()))
            unknowns.emplace_back(name);
        py::dict all;
        all["name"] = info.name;
        all["unknowns"] = unknowns;
        all["parameters"] = info.n_parameters;
        all["solutions"] = info.n_solutions;
        all["columns"] = info.n_columns;
        all["summary"] = info.summary;
        all["warning"] = info.warning;
        all["path"] = info.path;
        all["is_new"] = info.is_new != 0;
        return all;
    }

    /// Returns solutions and their counts.
    [[nodiscard]] py::tuple solve(
        const py::array_t<double, py::array::c_style | py::array::forcecast>& instances,
        const std::string& device, const std::string& mode, const py::object& function) const {
        auto info = this->info();
        if (instances.ndim() != 2 ||
            static_cast<std::size_t>(instances.shape(1)) != info.n_parameters)
            throw ApiError{TL_INVALID, "instances of this system have " +
                                           std::to_string(info.n_parameters) + " numbers in a row"};
        auto count = instances.shape(0);
        py::array_t<double> solutions({count, static_cast<py::ssize_t>(info.n_solutions),
                                       static_cast<py::ssize_t>(info.n_unknowns)});
        py::array_t<int> counts(count);
        const double* from = instances.data();
        double* found = solutions.mutable_data();
        int* number = counts.mutable_data();
        PyProgress progress(function);
        auto run = [&] {
            py::gil_scoped_release release;
            return tl_system_solve_on(system_, device.c_str(), mode.c_str(), from,
                                      static_cast<std::size_t>(count), found, number,
                                      &PyProgress::tell, &progress);
        };
        progress.check_call(run());
        return py::make_tuple(solutions, counts);
    }

    /// Returns the model, the inliers, and a dictionary of what was found.
    [[nodiscard]] py::tuple ransac(
        const py::array_t<double, py::array::c_style | py::array::forcecast>& measurements,
        double bound, double confidence, int most_samples, int seed, const std::string& device,
        const std::string& mode, const py::object& function) const {
        auto info = this->info();
        if (measurements.ndim() != 2 ||
            static_cast<std::size_t>(measurements.shape(1)) != info.n_columns)
            throw ApiError{TL_INVALID, "measurements of this system have " +
                                           std::to_string(info.n_columns) + " numbers in a row"};
        auto count = measurements.shape(0);
        py::array_t<double> model(static_cast<py::ssize_t>(info.n_unknowns));
        py::array_t<bool> inliers(count);
        static_assert(sizeof(bool) == 1);
        const double* rows = measurements.data();
        double* unknowns = model.mutable_data();
        auto* flags = reinterpret_cast<unsigned char*>(inliers.mutable_data());
        tl_ransac found{bound, confidence, most_samples, seed, 0, 0, 0, 0, 0, 0};
        PyProgress progress(function);
        auto run = [&] {
            py::gil_scoped_release release;
            return tl_system_ransac(system_, device.c_str(), mode.c_str(), rows,
                                    static_cast<std::size_t>(count), &found, unknowns, flags,
                                    &PyProgress::tell, &progress);
        };
        progress.check_call(run());
        py::dict about;
        about["inliers"] = found.n_inliers;
        about["rms"] = found.rms;
        about["left_out"] = found.n_left_out;
        about["samples"] = found.n_samples;
        about["solved"] = found.n_solved;
        about["models"] = found.n_models;
        return py::make_tuple(model, inliers, about);
    }

  private:
    [[nodiscard]] tl_system_info info() const {
        tl_system_info info;
        check(tl_system_about(system_, &info));
        return info;
    }
    tl_system* system_ = nullptr;
};

}  // namespace

void define_systems(py::module_& module) {
    py::class_<PySystem>(module, "_System")
        .def(py::init<const std::string&, const std::string&, const py::object&>())
        .def("about", &PySystem::about)
        .def("solve", &PySystem::solve)
        .def("ransac", &PySystem::ransac);
}
