#include "library/python/python_scenes.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <memory>
#include <utility>
#include <vector>

#include "library/python/py_progress.h"

namespace {

namespace py = pybind11;

using SettingTexts = std::vector<std::pair<std::string, std::string>>;

std::vector<tl_setting> settings_of(const SettingTexts& texts) {
    std::vector<tl_setting> settings;
    for (auto& [name, value] : texts) settings.push_back({name.c_str(), value.c_str()});
    return settings;
}

/// Returns the picture that render(picture, progress) fills, row by row.
template <class Render>
py::array_t<float> rendered(int width, int height, int channels, const py::object& function,
                            Render render) {
    if (width < 0 || height < 0) throw ApiError{TL_INVALID, "a picture of negative size"};
    py::array_t<float> pixels({height, width, channels});
    tl_picture picture{width, height, channels, pixels.mutable_data(), 0};
    PyProgress progress(function);
    auto call = [&] {
        py::gil_scoped_release release;
        return render(picture, progress);
    };
    progress.check_call(call());
    return pixels;
}

py::array_t<double> vector_of(const double* numbers) {
    return py::array_t<double>(3, numbers);
}

/// Owns a scene.
class PyScene {
  public:
    PyScene(const std::string& path, const SettingTexts& texts, const py::object& function) {
        auto settings = settings_of(texts);
        PyProgress progress(function);
        auto open = [&] {
            py::gil_scoped_release release;
            return tl_scene_open(path.c_str(), settings.data(), settings.size(), &PyProgress::tell,
                                 &progress, &scene_);
        };
        progress.check_call(open());
    }
    ~PyScene() {
        py::gil_scoped_release release;
        tl_scene_close(scene_);
    }
    PyScene(const PyScene&) = delete;
    PyScene& operator=(const PyScene&) = delete;

    void cancel() { check(tl_scene_cancel(scene_)); }

    py::array_t<float> render(int width, int height, int channels, const SettingTexts& texts,
                              const py::object& function) {
        auto settings = settings_of(texts);
        auto render = [&](tl_picture& picture, PyProgress& progress) {
            return tl_render(scene_, settings.data(), settings.size(), &picture, &PyProgress::tell,
                             &progress);
        };
        return rendered(width, height, channels, function, render);
    }
    [[nodiscard]] tl_scene* get() const { return scene_; }

    [[nodiscard]] py::dict about() const {
        tl_scene_info info;
        check(tl_scene_about(scene_, &info));
        py::dict all;
        all["triangles"] = info.n_triangles;
        all["patches"] = info.n_patches;
        all["spheres"] = info.n_spheres;
        all["splats"] = info.n_splats;
        all["gaussians"] = info.n_gaussians;
        all["bounds"] = py::make_tuple(vector_of(info.lower), vector_of(info.upper));
        all["offset"] = vector_of(info.offset);
        all["eye"] = vector_of(info.eye);
        all["target"] = vector_of(info.target);
        all["up"] = vector_of(info.up);
        all["fov"] = info.fov;
        all["duration"] = info.duration;
        return all;
    }
    [[nodiscard]] std::vector<std::string> warnings() const {
        std::vector<std::string> lines;
        while (const char* line = tl_scene_warning(scene_, lines.size())) lines.emplace_back(line);
        return lines;
    }

  private:
    tl_scene* scene_ = nullptr;
};

/// Owns a sequence, of a scene that lives longer.
class PySequence {
  public:
    PySequence(const PyScene& scene, const SettingTexts& texts) {
        auto settings = settings_of(texts);
        check(tl_sequence_open(scene.get(), settings.data(), settings.size(), &sequence_));
    }
    ~PySequence() { tl_sequence_close(sequence_); }
    PySequence(const PySequence&) = delete;
    PySequence& operator=(const PySequence&) = delete;

    [[nodiscard]] std::size_t count() const { return tl_sequence_count(sequence_); }
    [[nodiscard]] py::dict about(std::size_t index) const {
        tl_frame frame;
        check(tl_sequence_frame(sequence_, index, &frame));
        py::dict all;
        all["number"] = frame.number;
        all["time"] = frame.time;
        all["eye"] = vector_of(frame.eye);
        all["target"] = vector_of(frame.target);
        all["up"] = vector_of(frame.up);
        all["fov"] = frame.fov;
        return all;
    }
    py::array_t<float> render(std::size_t index, int width, int height, int channels,
                              const py::object& function) {
        auto render = [&](tl_picture& picture, PyProgress& progress) {
            return tl_render_frame(sequence_, index, &picture, &PyProgress::tell, &progress);
        };
        return rendered(width, height, channels, function, render);
    }

  private:
    tl_sequence* sequence_ = nullptr;
};

}  // namespace

void define_scene(py::module_& module) {
    py::class_<PyScene>(module, "_Scene")
        .def(py::init<const std::string&, const SettingTexts&, const py::object&>())
        .def("render", &PyScene::render)
        .def("cancel", &PyScene::cancel)
        .def("about", &PyScene::about)
        .def("warnings", &PyScene::warnings);
    py::class_<PySequence>(module, "_Sequence")
        .def(py::init<const PyScene&, const SettingTexts&>(), py::keep_alive<1, 2>())
        .def("count", &PySequence::count)
        .def("about", &PySequence::about)
        .def("render", &PySequence::render);
}
