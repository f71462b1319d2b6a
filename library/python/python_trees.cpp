#include "library/python/python_trees.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "library/python/api_error.h"
#include "library/python/array_argument.h"

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

/// An array of results, and its address.
template <class T>
struct Result {
    py::object array = py::none();
    T* data = nullptr;

    Result() = default;
    Result(const ArrayArgument& like, const std::vector<std::size_t>& shape, const char* type)
        : array(make_array(like, shape, type)),
          data(static_cast<T*>(address_of(array, like.maker))) {}
};
using Floats = Result<float>;
using Indices = Result<std::uint32_t>;

Floats floats_like(const ArrayArgument& like, const std::vector<std::size_t>& shape) {
    return {like, shape, "float32"};
}
Indices indices_like(const ArrayArgument& like, const std::vector<std::size_t>& shape) {
    return {like, shape, "uint32"};
}

/// The arrays of a call's rays.
struct RayArguments {
    ArrayArgument origins, directions;
    std::optional<ArrayArgument> t_min, t_max, masks;
    tl_rays rays{};

    RayArguments(const ArrayReader& reader, const py::object& origin, const py::object& direction,
                 const py::object& nearest, const py::object& farthest, const py::object& mask)
        : origins(reader.floats(origin, 3, "origins")),
          directions(reader.floats(direction, 3, "directions")) {
        origins.follow(directions);
        rays.count = origins.size(0);
        if (directions.size(0) != rays.count)
            throw ApiError{TL_INVALID, "there are " + std::to_string(rays.count) + " origins and " +
                                           std::to_string(directions.size(0)) + " directions"};
        rays.origins = origins.floats();
        rays.directions = directions.floats();
        rays.t_min = limit(reader, t_min, nearest, "t_min");
        rays.t_max = limit(reader, t_max, farthest, "t_max");
        if (mask.is_none()) return;
        masks = reader.indices(mask, "masks");
        origins.follow(*masks);
        check_size(*masks, "masks");
        rays.masks = static_cast<const std::uint32_t*>(masks->data);
    }

  private:
    /// A number of Python or NumPy.
    static bool is_number(const py::object& given) {
        return PyFloat_Check(given.ptr()) || PyLong_Check(given.ptr()) ||
               py::isinstance(given, py::module_::import("numpy").attr("number"));
    }
    ArrayArgument one_for_all(float value, const char* name) const {
        py::array_t<float> all(static_cast<py::ssize_t>(rays.count));
        std::fill_n(all.mutable_data(), rays.count, value);
        return ArrayReader().floats(all, 1, name);
    }
    void check_size(const ArrayArgument& values, const char* name) const {
        if (values.shape.size() != 1 || values.size(0) != rays.count)
            throw ApiError{TL_INVALID, std::string(name) + " need one element for each ray"};
    }
    tl_floats limit(const ArrayReader& reader, std::optional<ArrayArgument>& to,
                    const py::object& given, const char* name) {
        if (given.is_none()) return {};
        to = is_number(given) ? one_for_all(given.cast<float>(), name)
                              : reader.floats(given, 1, name);
        origins.follow(*to);
        check_size(*to, name);
        return to->floats();
    }
};

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
        set_reader();
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
        set_reader();
    }
    void triangles(const py::object& vertices, const py::object& faces, bool moves) {
        auto positions = reader_.floats(vertices, 3, "vertices");
        std::optional<ArrayArgument> of_faces;
        tl_geometry g{};
        g.kind = TL_TRIANGLES;
        g.positions = positions.floats();
        g.n_positions = positions.size(0);
        if (!faces.is_none()) {
            of_faces = reader_.indices(faces, "faces");
            positions.follow(*of_faces);
            if (of_faces->shape.size() != 2 || of_faces->size(1) != 3)
                throw ApiError{TL_INVALID, "faces need the shape (n, 3)"};
            g.faces = static_cast<const std::uint32_t*>(of_faces->data);
            g.count = of_faces->size(0);
        } else {
            if (!moves && g.n_positions % 3 != 0)
                throw ApiError{TL_INVALID, "without faces, each triangle needs three vertices"};
            g.count = moves ? about().n_primitives : g.n_positions / 3;
        }
        build(g, positions, moves);
    }
    void boxes(const py::object& lower, const py::object& upper, bool moves) {
        auto from = reader_.floats(lower, 3, "lower corners");
        auto to = reader_.floats(upper, 3, "upper corners");
        require_equal(from, to, "lower and upper corners");
        from.follow(to);
        tl_geometry g{};
        g.kind = TL_BOXES;
        g.count = from.size(0);
        g.positions = from.floats();
        g.upper = to.floats();
        build(g, from, moves);
    }
    void spheres(const py::object& centers, const py::object& radii, bool moves) {
        auto positions = reader_.floats(centers, 3, "centers");
        auto sizes = reader_.floats(radii, 1, "radii");
        require_equal(positions, sizes, "centers and radii");
        positions.follow(sizes);
        tl_geometry g{};
        g.kind = TL_SPHERES;
        g.count = positions.size(0);
        g.positions = positions.floats();
        g.radii = sizes.floats();
        build(g, positions, moves);
    }
    void points(const py::object& given) {
        auto positions = reader_.floats(given, 3, "points");
        tl_geometry g{};
        g.kind = TL_POINTS;
        g.count = positions.size(0);
        g.positions = positions.floats();
        build(g, positions, false);
    }
    void patches(const py::object& given, const py::object& given_weights, bool moves) {
        auto positions = reader_.floats(given, 3, "control points");
        std::optional<ArrayArgument> weights;
        if (positions.size(0) % 16 != 0)
            throw ApiError{TL_INVALID, "each patch needs 16 control points"};
        tl_geometry g{};
        g.kind = TL_PATCHES;
        g.count = positions.size(0) / 16;
        g.positions = positions.floats();
        if (!given_weights.is_none()) {
            weights = reader_.floats(given_weights, 1, "weights");
            require_equal(positions, *weights, "control points and weights");
            positions.follow(*weights);
            g.weights = weights->floats();
        }
        build(g, positions, moves);
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
        build(g, ArrayArgument{}, moves);
    }
    void set_masks(const py::object& masks) {
        if (masks.is_none())
            return call_unlocked([&] { return tl_tree_set_masks(tree_, nullptr, nullptr); });
        auto given = reader_.indices(masks, "masks");
        if (given.shape.size() != 1 || given.size(0) != about().n_primitives)
            throw ApiError{TL_INVALID, "masks need one element for each primitive"};
        call_unlocked([&] {
            return tl_tree_set_masks(tree_, static_cast<const std::uint32_t*>(given.data),
                                     given.stream);
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
        RayArguments in(reader_, origins, directions, t_min, t_max, masks);
        const std::size_t n = in.rays.count;
        const auto& like = in.origins;
        Floats t = floats_like(like, {n}), uv = floats_like(like, {n, 2});
        Indices primitive = indices_like(like, {n});
        Floats normal = normals ? floats_like(like, {n, 3}) : Floats();
        Indices instance = instances ? indices_like(like, {n}) : Indices();
        const tl_hits hits{sizeof(tl_hits), t.data,  primitive.data,
                           instance.data,   uv.data, normal.data};
        call_unlocked([&] { return tl_tree_closest(tree_, &in.rays, &hits, like.stream); });
        return {t.array, primitive.array, instance.array, uv.array, normal.array, py::none()};
    }
    py::object occluded(const py::object& origins, const py::object& directions,
                        const py::object& t_min, const py::object& t_max,
                        const py::object& masks) const {
        RayArguments in(reader_, origins, directions, t_min, t_max, masks);
        Result<std::uint8_t> out(in.origins, {in.rays.count}, "uint8");
        call_unlocked(
            [&] { return tl_tree_occluded(tree_, &in.rays, out.data, in.origins.stream); });
        return as_bools(out.array, in.origins.maker);
    }
    py::object count_hits(const py::object& origins, const py::object& directions,
                          const py::object& t_min, const py::object& t_max,
                          const py::object& masks) const {
        RayArguments in(reader_, origins, directions, t_min, t_max, masks);
        Indices out = indices_like(in.origins, {in.rays.count});
        call_unlocked(
            [&] { return tl_tree_count_hits(tree_, &in.rays, out.data, in.origins.stream); });
        return out.array;
    }
    PyHits all_hits(const py::object& origins, const py::object& directions, int k,
                    const py::object& t_min, const py::object& t_max, const py::object& masks,
                    bool normals) const {
        RayArguments in(reader_, origins, directions, t_min, t_max, masks);
        const std::size_t n = in.rays.count, per = k < 0 ? 0 : static_cast<std::size_t>(k);
        const auto& like = in.origins;
        Floats t = floats_like(like, {n, per}), uv = floats_like(like, {n, per, 2});
        Indices primitive = indices_like(like, {n, per}), count = indices_like(like, {n});
        Floats normal = normals ? floats_like(like, {n, per, 3}) : Floats();
        const tl_hits hits{sizeof(tl_hits), t.data, primitive.data, nullptr, uv.data, normal.data};
        call_unlocked(
            [&] { return tl_tree_all_hits(tree_, &in.rays, k, &hits, count.data, like.stream); });
        return {t.array, primitive.array, py::none(), uv.array, normal.array, count.array};
    }

    PyClosestPoints closest_point(const py::object& points, double most) const {
        auto in = reader_.floats(points, 3, "points");
        const std::size_t n = in.size(0);
        Floats distance = floats_like(in, {n}), position = floats_like(in, {n, 3}),
               uv = floats_like(in, {n, 2});
        Indices primitive = indices_like(in, {n});
        const tl_closest_points out{sizeof(tl_closest_points), distance.data, position.data,
                                    primitive.data, uv.data};
        const auto queries = in.floats();
        call_unlocked([&] {
            return tl_tree_closest_point(tree_, &queries, n, static_cast<float>(most), &out,
                                         in.stream);
        });
        return {distance.array, position.array, primitive.array, uv.array};
    }
    py::object winding_number(const py::object& points, double accuracy) const {
        return floats_of(points, [&](const tl_floats& in, std::size_t n, float* out, void* stream) {
            return tl_tree_winding_number(tree_, &in, n, static_cast<float>(accuracy), out, stream);
        });
    }
    py::object signed_distance(const py::object& points) const {
        return floats_of(points, [&](const tl_floats& in, std::size_t n, float* out, void* stream) {
            return tl_tree_signed_distance(tree_, &in, n, out, stream);
        });
    }
    py::object density(const py::object& points, int k) const {
        return floats_of(points, [&](const tl_floats& in, std::size_t n, float* out, void* stream) {
            return tl_tree_density(tree_, &in, n, k, out, stream);
        });
    }
    /// Returns sums and, if asked for, gradients; else None.
    py::tuple sum(const py::object& points, const py::object& weights, const std::string& kernel,
                  double length, double tolerance, bool gradient) const {
        std::optional<ArrayArgument> at, of;
        ArrayArgument like;
        if (!weights.is_none()) {
            of = reader_.floats(weights, 1, "weights");
            if (of->size(0) != about().n_primitives)
                throw ApiError{TL_INVALID, "weights need one element for each point of the tree"};
            like = *of;
        }
        if (!points.is_none()) {
            at = reader_.floats(points, 3, "points");
            if (of) at->follow(*of);
            like = *at;
        }
        const std::size_t n = at ? at->size(0) : about().n_primitives;
        Floats sums = floats_like(like, {n});
        Floats gradients = gradient ? floats_like(like, {n, 3}) : Floats();
        auto options = tl_fmm_defaults();
        options.kernel = kernel.c_str();
        options.length = length;
        options.tolerance = tolerance;
        const auto queries = at ? at->floats() : tl_floats{},
                   from = of ? of->floats() : tl_floats{};
        call_unlocked([&] {
            return tl_tree_sum(tree_, &from, &queries, n, &options, sums.data, gradients.data,
                               nullptr, like.stream);
        });
        return py::make_tuple(sums.array, gradients.array);
    }
    py::object inside(const py::object& points) const {
        auto in = reader_.floats(points, 3, "points");
        Result<std::uint8_t> out(in, {in.size(0)}, "uint8");
        const auto queries = in.floats();
        call_unlocked(
            [&] { return tl_tree_inside(tree_, &queries, in.size(0), out.data, in.stream); });
        return as_bools(out.array, in.maker);
    }
    py::array_t<float> signed_distance_grid(const std::vector<float>& origin,
                                            const std::vector<float>& spacing,
                                            const std::vector<int>& size) const {
        if (origin.size() != 3 || spacing.size() != 3 || size.size() != 3)
            throw ApiError{TL_INVALID, "origin, spacing and size need three numbers each"};
        for (int n : size)
            if (n < 0) throw ApiError{TL_INVALID, "a grid of negative size"};
        py::array_t<float> out({size[2], size[1], size[0]});
        float* data = out.mutable_data();
        call_unlocked([&] {
            return tl_tree_signed_distance_grid(tree_, origin.data(), spacing.data(), size.data(),
                                                data, nullptr);
        });
        return out;
    }

    py::tuple in_boxes(const py::object& lower, const py::object& upper) const {
        auto from = reader_.floats(lower, 3, "lower corners");
        auto to = reader_.floats(upper, 3, "upper corners");
        require_equal(from, to, "lower and upper corners");
        from.follow(to);
        const auto lo = from.floats(), hi = to.floats();
        const std::size_t n = from.size(0);
        std::vector<std::uint32_t> counts(n);
        call_unlocked(
            [&] { return tl_tree_count_in_boxes(tree_, &lo, &hi, n, counts.data(), from.stream); });
        auto offsets = offsets_of(counts);
        Indices lists = indices_like(from, {offsets.back()});
        call_unlocked([&] {
            return tl_tree_list_in_boxes(tree_, &lo, &hi, n, offsets.data(), lists.data,
                                         from.stream);
        });
        return py::make_tuple(as_array(offsets), lists.array);
    }
    py::array_t<std::uint32_t> pairs(const PyTree& other) const {
        std::size_t n = 0, written = 0;
        call_unlocked([&] { return tl_tree_pairs(tree_, other.tree_, 0, nullptr, &n, nullptr); });
        py::array_t<std::uint32_t> list({static_cast<py::ssize_t>(n), py::ssize_t{2}});
        auto* data = list.mutable_data();
        call_unlocked(
            [&] { return tl_tree_pairs(tree_, other.tree_, n, data, &written, nullptr); });
        return list;
    }
    py::tuple nearest(const py::object& points, int k, double radius) const {
        auto in = reader_.floats(points, 3, "points");
        const std::size_t n = in.size(0), per = k < 0 ? 0 : static_cast<std::size_t>(k);
        Indices indices = indices_like(in, {n, per});
        Floats distances = floats_like(in, {n, per});
        const auto queries = in.floats();
        call_unlocked([&] {
            return tl_tree_nearest(tree_, &queries, n, k, static_cast<float>(radius), indices.data,
                                   distances.data, in.stream);
        });
        return py::make_tuple(indices.array, distances.array);
    }
    py::tuple within(const py::object& points, double radius) const {
        auto in = reader_.floats(points, 3, "points");
        const std::size_t n = in.size(0);
        const auto queries = in.floats();
        const auto most = static_cast<float>(radius);
        std::vector<std::uint32_t> counts(n);
        call_unlocked([&] {
            return tl_tree_count_within(tree_, &queries, n, most, counts.data(), in.stream);
        });
        auto offsets = offsets_of(counts);
        Indices indices = indices_like(in, {offsets.back()});
        Floats distances = floats_like(in, {offsets.back()});
        call_unlocked([&] {
            return tl_tree_list_within(tree_, &queries, n, most, offsets.data(), indices.data,
                                       distances.data, in.stream);
        });
        return py::make_tuple(as_array(offsets), indices.array, distances.array);
    }

  private:
    void set_reader() { reader_.takes_gpu = std::string(about().device) != "cpu"; }
    static void require_equal(const ArrayArgument& a, const ArrayArgument& b, const char* names) {
        if (a.size(0) != b.size(0))
            throw ApiError{TL_INVALID, std::string(names) + " differ in number"};
    }
    void build(const tl_geometry& g, const ArrayArgument& of, bool moves) {
        call_unlocked([&] {
            return moves ? tl_tree_refit(tree_, &g, of.stream)
                         : tl_tree_build(tree_, &g, of.stream);
        });
    }
    static py::object as_bools(const py::object& bytes, ArrayMaker maker) {
        if (maker == ArrayMaker::torch) return bytes.attr("bool")();
        return bytes.attr("view")("bool");
    }
    static std::vector<std::uint64_t> offsets_of(const std::vector<std::uint32_t>& counts) {
        std::vector<std::uint64_t> offsets{0};
        offsets.reserve(counts.size() + 1);
        for (auto n : counts) offsets.push_back(offsets.back() + n);
        return offsets;
    }
    static py::array_t<std::uint64_t> as_array(const std::vector<std::uint64_t>& values) {
        return py::array_t<std::uint64_t>(static_cast<py::ssize_t>(values.size()), values.data());
    }
    template <class Call>
    py::object floats_of(const py::object& points, const Call& call) const {
        auto in = reader_.floats(points, 3, "points");
        Floats out = floats_like(in, {in.size(0)});
        const auto queries = in.floats();
        call_unlocked([&] { return call(queries, in.size(0), out.data, in.stream); });
        return out.array;
    }

    tl_tree* tree_ = nullptr;
    ArrayReader reader_;
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
