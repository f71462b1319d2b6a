#include "library/python/python_trees.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "library/python/api_error.h"
#include "library/python/gpu_array.h"
#include "library/python/ray_arguments.h"

namespace {

namespace py = pybind11;

using SettingList = std::vector<std::pair<std::string, std::string>>;

/// Calls the C interface without Python's lock.
template <class Call>
void call_unlocked(const Call& call) {
    tl_status status;
    {
        py::gil_scoped_release release;
        status = call();
    }
    check(status);
}

float* floats_of(const ResultArray& result) {
    return static_cast<float*>(result.data);
}
std::uint32_t* indices_of(const ResultArray& result) {
    return static_cast<std::uint32_t*>(result.data);
}
/// NumPy's bools are bytes of 0 or 1.
std::uint8_t* bools_of(const ResultArray& result) {
    return static_cast<std::uint8_t*>(result.data);
}

/// Results of rays. Members that were not asked for are None.
struct PyHits {
    py::object t, primitive, instance, uv, normal, count;
};
struct PyClosestPoints {
    py::object distance, position, primitive, uv;
};

/// Owns a tree.
class PyTree {
  public:
    PyTree(const std::string& device, const SettingList& texts) {
        std::vector<tl_setting> settings;
        for (auto& [name, value] : texts) settings.push_back({name.c_str(), value.c_str()});
        call_unlocked([&] {
            return tl_tree_create(device.c_str(), settings.data(), settings.size(), &tree_);
        });
        set_device();
    }
    ~PyTree() {
        py::gil_scoped_release release;
        tl_tree_destroy(tree_);
    }
    PyTree(const PyTree&) = delete;
    PyTree& operator=(const PyTree&) = delete;
    [[nodiscard]] tl_tree* get() const { return tree_; }

    void save(const std::string& path) const {
        call_unlocked([&] { return tl_tree_save(tree_, path.c_str()); });
    }
    /// Replaces the tree by that of a file.
    void open(const std::string& device, const std::string& path) {
        tl_tree* opened = nullptr;
        call_unlocked([&] { return tl_tree_open(device.c_str(), path.c_str(), &opened); });
        std::swap(tree_, opened);
        call_unlocked([&] {
            tl_tree_destroy(opened);
            return TL_OK;
        });
        set_device();
    }
    void triangles(const py::object& vertices, const py::object& faces, bool moves) {
        CallArguments call(device_);
        auto positions = call.floats(vertices, 3, "vertices");
        std::optional<ArrayArgument> corners;
        tl_geometry g{};
        g.kind = TL_TRIANGLES;
        g.positions = positions.floats();
        g.n_positions = positions.size(0);
        if (!faces.is_none()) {
            corners = call.indices(faces, "faces");
            if (corners->shape.size() != 2 || corners->size(1) != 3)
                throw ApiError{TL_INVALID, "faces need the shape (n, 3)"};
            g.faces = static_cast<const std::uint32_t*>(corners->data);
            g.count = corners->size(0);
        } else {
            if (!moves && g.n_positions % 3 != 0)
                throw ApiError{TL_INVALID, "without faces, each triangle needs three vertices"};
            g.count = moves ? about().n_primitives : g.n_positions / 3;
        }
        build(g, call, moves);
    }
    void boxes(const py::object& lower, const py::object& upper, bool moves) {
        CallArguments call(device_);
        auto from = call.floats(lower, 3, "lower corners");
        auto to = call.floats(upper, 3, "upper corners");
        require_equal(from, to, "lower and upper corners");
        tl_geometry g{};
        g.kind = TL_BOXES;
        g.count = from.size(0);
        g.positions = from.floats();
        g.upper = to.floats();
        build(g, call, moves);
    }
    void spheres(const py::object& centers, const py::object& radii, bool moves) {
        CallArguments call(device_);
        auto positions = call.floats(centers, 3, "centers");
        auto sizes = call.floats(radii, 1, "radii");
        require_equal(positions, sizes, "centers and radii");
        tl_geometry g{};
        g.kind = TL_SPHERES;
        g.count = positions.size(0);
        g.positions = positions.floats();
        g.radii = sizes.floats();
        build(g, call, moves);
    }
    void points(const py::object& given) {
        CallArguments call(device_);
        auto positions = call.floats(given, 3, "points");
        tl_geometry g{};
        g.kind = TL_POINTS;
        g.count = positions.size(0);
        g.positions = positions.floats();
        build(g, call, false);
    }
    void patches(const py::object& given, const py::object& given_weights, bool moves) {
        CallArguments call(device_);
        auto positions = call.floats(given, 3, "control points");
        std::optional<ArrayArgument> weights;
        if (positions.size(0) % 16 != 0)
            throw ApiError{TL_INVALID, "each patch needs 16 control points"};
        tl_geometry g{};
        g.kind = TL_PATCHES;
        g.count = positions.size(0) / 16;
        g.positions = positions.floats();
        if (!given_weights.is_none()) {
            weights = call.floats(given_weights, 1, "weights");
            require_equal(positions, *weights, "control points and weights");
            g.weights = weights->floats();
        }
        build(g, call, moves);
    }
    void instances(const std::vector<const PyTree*>& of,
                   const py::array_t<float, py::array::c_style | py::array::forcecast>& transforms,
                   bool moves) {
        std::vector<tl_tree*> trees;
        for (auto* tree : of) trees.push_back(tree->get());
        if (transforms.size() != static_cast<py::ssize_t>(12 * trees.size()))
            throw ApiError{TL_INVALID, "each instance needs a matrix of 3 rows of 4 numbers"};
        tl_geometry g{};
        g.kind = TL_INSTANCES;
        g.count = trees.size();
        g.trees = trees.data();
        g.transforms = transforms.data();
        give(g, nullptr, moves);
    }
    void set_masks(const py::object& masks) {
        if (masks.is_none())
            return call_unlocked([&] { return tl_tree_set_masks(tree_, nullptr, nullptr); });
        CallArguments call(device_);
        auto given = call.indices(masks, "masks");
        if (given.shape.size() != 1 || given.size(0) != about().n_primitives)
            throw ApiError{TL_INVALID, "masks need one element for each primitive"};
        call_unlocked([&] {
            return tl_tree_set_masks(tree_, static_cast<const std::uint32_t*>(given.data),
                                     call.stream());
        });
    }
    [[nodiscard]] tl_tree_info about() const {
        tl_tree_info info{};
        call_unlocked([&] { return tl_tree_about(tree_, &info); });
        return info;
    }

    PyHits closest(const py::object& origins, const py::object& directions, const py::object& t_min,
                   const py::object& t_max, const py::object& masks, bool normals,
                   bool instances) const {
        CallArguments call(device_);
        RayArguments in(call, origins, directions, t_min, t_max, masks);
        const auto t = call.result_for_each({}, "float32"),
                   uv = call.result_for_each({2}, "float32"),
                   primitive = call.result_for_each({}, "uint32");
        const auto normal = normals ? call.result_for_each({3}, "float32") : ResultArray();
        const auto instance = instances ? call.result_for_each({}, "uint32") : ResultArray();
        const tl_hits hits{sizeof(tl_hits),      floats_of(t),  indices_of(primitive),
                           indices_of(instance), floats_of(uv), floats_of(normal)};
        call_unlocked([&] { return tl_tree_closest(tree_, &in.rays, &hits, call.stream()); });
        return {t.finished(),  primitive.finished(), instance.finished(),
                uv.finished(), normal.finished(),    py::none()};
    }
    py::object occluded(const py::object& origins, const py::object& directions,
                        const py::object& t_min, const py::object& t_max,
                        const py::object& masks) const {
        CallArguments call(device_);
        RayArguments in(call, origins, directions, t_min, t_max, masks);
        const auto out = call.result_for_each({}, "bool");
        call_unlocked(
            [&] { return tl_tree_occluded(tree_, &in.rays, bools_of(out), call.stream()); });
        return out.finished();
    }
    py::object count_hits(const py::object& origins, const py::object& directions,
                          const py::object& t_min, const py::object& t_max,
                          const py::object& masks) const {
        CallArguments call(device_);
        RayArguments in(call, origins, directions, t_min, t_max, masks);
        const auto out = call.result_for_each({}, "uint32");
        call_unlocked(
            [&] { return tl_tree_count_hits(tree_, &in.rays, indices_of(out), call.stream()); });
        return out.finished();
    }
    PyHits all_hits(const py::object& origins, const py::object& directions, int k,
                    const py::object& t_min, const py::object& t_max, const py::object& masks,
                    bool normals) const {
        CallArguments call(device_);
        RayArguments in(call, origins, directions, t_min, t_max, masks);
        const std::size_t per = k < 0 ? 0 : static_cast<std::size_t>(k);
        const auto t = call.result_for_each({per}, "float32"),
                   uv = call.result_for_each({per, 2}, "float32"),
                   primitive = call.result_for_each({per}, "uint32"),
                   count = call.result_for_each({}, "uint32");
        const auto normal = normals ? call.result_for_each({per, 3}, "float32") : ResultArray();
        const tl_hits hits{sizeof(tl_hits), floats_of(t),  indices_of(primitive),
                           nullptr,         floats_of(uv), floats_of(normal)};
        call_unlocked([&] {
            return tl_tree_all_hits(tree_, &in.rays, k, &hits, indices_of(count), call.stream());
        });
        return {t.finished(),  primitive.finished(), py::none(),
                uv.finished(), normal.finished(),    count.finished()};
    }

    PyClosestPoints closest_point(const py::object& points, double most) const {
        CallArguments call(device_);
        auto in = call.floats(points, 3, "points");
        const std::size_t n = in.size(0);
        const auto distance = call.result_for_each({}, "float32"),
                   position = call.result_for_each({3}, "float32"),
                   uv = call.result_for_each({2}, "float32"),
                   primitive = call.result_for_each({}, "uint32");
        const tl_closest_points out{sizeof(tl_closest_points), floats_of(distance),
                                    floats_of(position), indices_of(primitive), floats_of(uv)};
        const auto queries = in.floats();
        call_unlocked([&] {
            return tl_tree_closest_point(tree_, &queries, n, static_cast<float>(most), &out,
                                         call.stream());
        });
        return {distance.finished(), position.finished(), primitive.finished(), uv.finished()};
    }
    py::object winding_number(const py::object& points, double accuracy) const {
        return number_for_each(points, [&](const tl_floats& in, std::size_t n, float* out,
                                           void* stream) {
            return tl_tree_winding_number(tree_, &in, n, static_cast<float>(accuracy), out, stream);
        });
    }
    py::object signed_distance(const py::object& points) const {
        return number_for_each(points,
                               [&](const tl_floats& in, std::size_t n, float* out, void* stream) {
                                   return tl_tree_signed_distance(tree_, &in, n, out, stream);
                               });
    }
    py::object density(const py::object& points, int k) const {
        return number_for_each(points,
                               [&](const tl_floats& in, std::size_t n, float* out, void* stream) {
                                   return tl_tree_density(tree_, &in, n, k, out, stream);
                               });
    }
    /// Returns sums and, if asked for, gradients; else None.
    py::tuple sum(const py::object& points, const py::object& weights, const std::string& kernel,
                  double length, double tolerance, bool gradient) const {
        CallArguments call(device_);
        std::optional<ArrayArgument> at, of;
        if (!points.is_none()) at = call.floats(points, 3, "points");
        if (!weights.is_none()) {
            of = call.floats(weights, 1, "weights");
            if (of->size(0) != about().n_primitives)
                throw ApiError{TL_INVALID, "weights need one element for each point of the tree"};
        }
        const bool has_arrays = at || of;
        const ArrayHome& home = has_arrays ? call.home() : home_;
        void* stream = has_arrays ? call.stream() : home_.stream();
        const std::size_t n = at ? at->size(0) : about().n_primitives;
        auto shape = at ? at->rows : std::vector<std::size_t>{n};
        const ResultArray sums(home, shape, "float32", device_, stream);
        shape.push_back(3);
        const auto gradients =
            gradient ? ResultArray(home, shape, "float32", device_, stream) : ResultArray();
        auto options = tl_fmm_defaults();
        options.kernel = kernel.c_str();
        options.length = length;
        options.tolerance = tolerance;
        const auto queries = at ? at->floats() : tl_floats{},
                   from = of ? of->floats() : tl_floats{};
        call_unlocked([&] {
            return tl_tree_sum(tree_, &from, &queries, n, &options, floats_of(sums),
                               floats_of(gradients), nullptr, stream);
        });
        return py::make_tuple(sums.finished(), gradients.finished());
    }
    py::object inside(const py::object& points) const {
        CallArguments call(device_);
        auto in = call.floats(points, 3, "points");
        const auto out = call.result_for_each({}, "bool");
        const auto queries = in.floats();
        call_unlocked([&] {
            return tl_tree_inside(tree_, &queries, in.size(0), bools_of(out), call.stream());
        });
        return out.finished();
    }
    py::object signed_distance_grid(const std::vector<float>& origin,
                                    const std::vector<float>& spacing,
                                    const std::vector<int>& size) const {
        if (origin.size() != 3 || spacing.size() != 3 || size.size() != 3)
            throw ApiError{TL_INVALID, "origin, spacing and size need three numbers each"};
        std::vector<std::size_t> shape;
        for (int axis : {2, 1, 0}) {
            const int n = size[static_cast<std::size_t>(axis)];
            if (n < 0) throw ApiError{TL_INVALID, "a grid of negative size"};
            shape.push_back(static_cast<std::size_t>(n));
        }
        void* stream = home_.stream();
        const ResultArray out(home_, shape, "float32", device_, stream);
        call_unlocked([&] {
            return tl_tree_signed_distance_grid(tree_, origin.data(), spacing.data(), size.data(),
                                                floats_of(out), stream);
        });
        return out.finished();
    }

    py::tuple in_boxes(const py::object& lower, const py::object& upper) const {
        CallArguments call(device_);
        auto from = call.floats(lower, 3, "lower corners");
        auto to = call.floats(upper, 3, "upper corners");
        require_equal(from, to, "lower and upper corners");
        const auto lo = from.floats(), hi = to.floats();
        const std::size_t n = from.size(0);
        std::vector<std::uint32_t> counts(n);
        call_unlocked([&] {
            return tl_tree_count_in_boxes(tree_, &lo, &hi, n, counts.data(), call.stream());
        });
        const auto offsets = offsets_of(counts);
        const auto lists = call.result({offsets.back()}, "uint32");
        call_unlocked([&] {
            return tl_tree_list_in_boxes(tree_, &lo, &hi, n, offsets.data(), indices_of(lists),
                                         call.stream());
        });
        return py::make_tuple(offsets_for(call, offsets), lists.finished());
    }
    py::object pairs(const PyTree& other) const {
        std::size_t n = 0, written = 0;
        void* stream = home_.stream();
        call_unlocked([&] { return tl_tree_pairs(tree_, other.tree_, 0, nullptr, &n, stream); });
        const ResultArray list(home_, {n, 2}, "uint32", device_, stream);
        call_unlocked([&] {
            return tl_tree_pairs(tree_, other.tree_, n, indices_of(list), &written, stream);
        });
        return list.finished();
    }
    py::tuple nearest(const py::object& points, int k, double radius) const {
        CallArguments call(device_);
        auto in = call.floats(points, 3, "points");
        const std::size_t n = in.size(0), per = k < 0 ? 0 : static_cast<std::size_t>(k);
        const auto indices = call.result_for_each({per}, "uint32"),
                   distances = call.result_for_each({per}, "float32");
        const auto queries = in.floats();
        call_unlocked([&] {
            return tl_tree_nearest(tree_, &queries, n, k, static_cast<float>(radius),
                                   indices_of(indices), floats_of(distances), call.stream());
        });
        return py::make_tuple(indices.finished(), distances.finished());
    }
    py::tuple within(const py::object& points, double radius) const {
        CallArguments call(device_);
        auto in = call.floats(points, 3, "points");
        const std::size_t n = in.size(0);
        const auto queries = in.floats();
        const auto most = static_cast<float>(radius);
        std::vector<std::uint32_t> counts(n);
        call_unlocked([&] {
            return tl_tree_count_within(tree_, &queries, n, most, counts.data(), call.stream());
        });
        const auto offsets = offsets_of(counts);
        const auto indices = call.result({offsets.back()}, "uint32"),
                   distances = call.result({offsets.back()}, "float32");
        call_unlocked([&] {
            return tl_tree_list_within(tree_, &queries, n, most, offsets.data(),
                                       indices_of(indices), floats_of(distances), call.stream());
        });
        return py::make_tuple(offsets_for(call, offsets), indices.finished(), distances.finished());
    }

  private:
    void set_device() { device_ = about().device; }
    static void require_equal(const ArrayArgument& a, const ArrayArgument& b, const char* names) {
        if (a.size(0) != b.size(0))
            throw ApiError{TL_INVALID, std::string(names) + " differ in number"};
    }
    void give(const tl_geometry& g, void* stream, bool moves) {
        call_unlocked([&] {
            return moves ? tl_tree_refit(tree_, &g, stream) : tl_tree_build(tree_, &g, stream);
        });
    }
    void build(const tl_geometry& g, const CallArguments& call, bool moves) {
        give(g, call.stream(), moves);
        home_ = call.home();
    }
    static std::vector<std::uint64_t> offsets_of(const std::vector<std::uint32_t>& counts) {
        std::vector<std::uint64_t> offsets{0};
        offsets.reserve(counts.size() + 1);
        for (auto n : counts) offsets.push_back(offsets.back() + n);
        return offsets;
    }
    /// Signed integers, which Python's libraries add and index with.
    py::object offsets_for(const CallArguments& call,
                           const std::vector<std::uint64_t>& offsets) const {
        const py::array_t<std::int64_t> values(
            static_cast<py::ssize_t>(offsets.size()),
            reinterpret_cast<const std::int64_t*>(offsets.data()));
        return in_library(values, call.home(), device_, call.stream());
    }
    template <class Call>
    py::object number_for_each(const py::object& points, const Call& query) const {
        CallArguments call(device_);
        auto in = call.floats(points, 3, "points");
        const auto out = call.result_for_each({}, "float32");
        const auto queries = in.floats();
        call_unlocked([&] { return query(queries, in.size(0), floats_of(out), call.stream()); });
        return out.finished();
    }

    tl_tree* tree_ = nullptr;
    std::string device_;
    ArrayHome home_;  ///< of the arrays that it was built over
};

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
        masks("masks", py::none());
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
             masks)
        .def("count_hits", &PyTree::count_hits, py::arg("origins"), py::arg("directions"), t_min,
             t_max, masks)
        .def("all_hits", &PyTree::all_hits, py::arg("origins"), py::arg("directions"), py::arg("k"),
             t_min, t_max, masks, py::arg("normals") = false)
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
