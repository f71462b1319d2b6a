#include "library/python/py_tree.h"

#include <optional>
#include <utility>

namespace py = pybind11;

PyTree::PyTree(const std::string& device, const SettingList& texts) {
    std::vector<tl_setting> settings;
    for (auto& [name, value] : texts) settings.push_back({name.c_str(), value.c_str()});
    call_unlocked(
        [&] { return tl_tree_create(device.c_str(), settings.data(), settings.size(), &tree_); });
    set_device();
}

PyTree::~PyTree() {
    py::gil_scoped_release release;
    tl_tree_destroy(tree_);
}

void PyTree::save(const std::string& path) const {
    call_unlocked([&] { return tl_tree_save(tree_, path.c_str()); });
}

void PyTree::open(const std::string& device, const std::string& path) {
    tl_tree* opened = nullptr;
    call_unlocked([&] { return tl_tree_open(device.c_str(), path.c_str(), &opened); });
    std::swap(tree_, opened);
    call_unlocked([&] {
        tl_tree_destroy(opened);
        return TL_OK;
    });
    set_device();
}

void PyTree::triangles(const py::object& vertices, const py::object& faces, bool moves) {
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

void PyTree::boxes(const py::object& lower, const py::object& upper, bool moves) {
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

void PyTree::spheres(const py::object& centers, const py::object& radii, bool moves) {
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

void PyTree::points(const py::object& given) {
    CallArguments call(device_);
    auto positions = call.floats(given, 3, "points");
    tl_geometry g{};
    g.kind = TL_POINTS;
    g.count = positions.size(0);
    g.positions = positions.floats();
    build(g, call, false);
}

void PyTree::patches(const py::object& given, const py::object& given_weights, bool moves) {
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

void PyTree::instances(
    const std::vector<const PyTree*>& of,
    const py::array_t<float, py::array::c_style | py::array::forcecast>& transforms, bool moves) {
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

void PyTree::set_masks(const py::object& masks) {
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

tl_tree_info PyTree::about() const {
    tl_tree_info info{};
    call_unlocked([&] { return tl_tree_about(tree_, &info); });
    return info;
}

void PyTree::require_equal(const ArrayArgument& a, const ArrayArgument& b, const char* names) {
    if (a.size(0) != b.size(0))
        throw ApiError{TL_INVALID, std::string(names) + " differ in number"};
}

void PyTree::give(const tl_geometry& g, void* stream, bool moves) {
    call_unlocked([&] {
        return moves ? tl_tree_refit(tree_, &g, stream) : tl_tree_build(tree_, &g, stream);
    });
}

void PyTree::build(const tl_geometry& g, const CallArguments& call, bool moves) {
    give(g, call.stream(), moves);
    home_ = call.home();
}

std::vector<std::uint64_t> PyTree::offsets_of(const std::vector<std::uint32_t>& counts) {
    std::vector<std::uint64_t> offsets{0};
    offsets.reserve(counts.size() + 1);
    for (auto n : counts) offsets.push_back(offsets.back() + n);
    return offsets;
}

py::object PyTree::offsets_for(const CallArguments& call,
                               const std::vector<std::uint64_t>& offsets) const {
    const py::array_t<std::int64_t> values(static_cast<py::ssize_t>(offsets.size()),
                                           reinterpret_cast<const std::int64_t*>(offsets.data()));
    return in_library(values, call.home(), device_, call.stream());
}
