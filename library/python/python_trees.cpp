#include "library/python/python_trees.h"

#include <pybind11/stl.h>

#include <cmath>

#include "library/python/py_tree.h"

namespace py = pybind11;

namespace {

py::dict info_of(const PyTree& tree) {
    const auto info = tree.about();
    static const char* const kinds[] = {"triangles", "boxes",     "spheres",
                                        "points",    "instances", "patches"};
    py::dict all;
    all["kind"] = kinds[info.kind];
    all["device"] = info.device;
    all["builder"] = info.builder;
    all["primitives"] = info.n_primitives;
    all["dropped"] = info.n_dropped;
    all["nodes"] = info.n_nodes;
    all["bytes"] = info.bytes;
    all["lower"] = py::array_t<float>(3, info.lower);
    all["upper"] = py::array_t<float>(3, info.upper);
    all["sah_cost"] = info.sah_cost;
    return all;
}

}  // namespace

void define_trees(py::module_& module) {
    define_gpu_array(module);
    const py::arg_v t_min("t_min", py::none()), t_max("t_max", py::none()),
        masks("masks", py::none()), coherent("coherent", false);
    py::class_<PyHits>(module, "_Hits")
        .def_readonly("t", &PyHits::t)
        .def_readonly("primitive", &PyHits::primitive)
        .def_readonly("instance", &PyHits::instance)
        .def_readonly("uv", &PyHits::uv)
        .def_readonly("normal", &PyHits::normal)
        .def_readonly("count", &PyHits::count);
    py::class_<PyClosestPoints>(module, "_ClosestPoints")
        .def_readonly("distance", &PyClosestPoints::distance)
        .def_readonly("position", &PyClosestPoints::position)
        .def_readonly("primitive", &PyClosestPoints::primitive)
        .def_readonly("uv", &PyClosestPoints::uv);
    py::class_<PyTree>(module, "_Tree")
        .def(py::init<const std::string&, const SettingList&>())
        .def("_triangles", &PyTree::triangles)
        .def("_boxes", &PyTree::boxes)
        .def("_spheres", &PyTree::spheres)
        .def("_points", &PyTree::points)
        .def("_instances", &PyTree::instances)
        .def("_patches", &PyTree::patches)
        .def("_save", &PyTree::save)
        .def("_open", &PyTree::open)
        .def("_info", &info_of)
        .def("set_masks", &PyTree::set_masks, py::arg("masks"))
        .def("_closest", &PyTree::closest)
        .def("occluded", &PyTree::occluded, py::arg("origins"), py::arg("directions"), t_min, t_max,
             masks, coherent)
        .def("count_hits", &PyTree::count_hits, py::arg("origins"), py::arg("directions"), t_min,
             t_max, masks)
        .def("_all_hits", &PyTree::all_hits)
        .def("_list_hits", &PyTree::list_hits)
        .def("closest_point", &PyTree::closest_point, py::arg("points"),
             py::arg("most_distance") = static_cast<double>(INFINITY))
        .def("winding_number", &PyTree::winding_number, py::arg("points"),
             py::arg("accuracy") = 2.0)
        .def("signed_distance", &PyTree::signed_distance, py::arg("points"))
        .def("signed_distance_grid", &PyTree::signed_distance_grid, py::arg("origin"),
             py::arg("spacing"), py::arg("size"))
        .def("inside", &PyTree::inside, py::arg("points"))
        .def("_sum", &PyTree::sum)
        .def("in_boxes", &PyTree::in_boxes, py::arg("lower"), py::arg("upper"))
        .def("_pairs", &PyTree::pairs)
        .def("nearest", &PyTree::nearest, py::arg("points"), py::arg("k") = 1,
             py::arg("radius") = static_cast<double>(INFINITY))
        .def("within", &PyTree::within, py::arg("points"), py::arg("radius"))
        .def("density", &PyTree::density, py::arg("points"), py::arg("k") = 8);
}
