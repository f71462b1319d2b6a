#include "library/python/py_tree.h"

#include <optional>

namespace py = pybind11;

template <class Call>
py::object PyTree::number_for_each(const py::object& points, const Call& query) const {
    CallArguments call(device_);
    auto in = call.floats(points, 3, "points");
    const auto out = call.result_for_each({}, "float32");
    const auto queries = in.floats();
    call_unlocked([&] { return query(queries, in.size(0), floats_of(out), call.stream()); });
    return out.finished();
}
PyClosestPoints PyTree::closest_point(const py::object& points, double most) const {
    CallArguments call(device_);
    auto in = call.floats(points, 3, "points");
    const std::size_t n = in.size(0);
    const auto distance = call.result_for_each({}, "float32"),
               position = call.result_for_each({3}, "float32"),
               uv = call.result_for_each({2}, "float32"),
               primitive = call.result_for_each({}, "uint32");
    const tl_closest_points out{sizeof(tl_closest_points), floats_of(distance), floats_of(position),
                                indices_of(primitive), floats_of(uv)};
    const auto queries = in.floats();
    call_unlocked([&] {
        return tl_tree_closest_point(tree_, &queries, n, static_cast<float>(most), &out,
                                     call.stream());
    });
    return {distance.finished(), position.finished(), primitive.finished(), uv.finished()};
}

py::object PyTree::winding_number(const py::object& points, double accuracy) const {
    return number_for_each(
        points, [&](const tl_floats& in, std::size_t n, float* out, void* stream) {
            return tl_tree_winding_number(tree_, &in, n, static_cast<float>(accuracy), out, stream);
        });
}

py::object PyTree::signed_distance(const py::object& points) const {
    return number_for_each(points,
                           [&](const tl_floats& in, std::size_t n, float* out, void* stream) {
                               return tl_tree_signed_distance(tree_, &in, n, out, stream);
                           });
}

py::object PyTree::density(const py::object& points, int k) const {
    return number_for_each(points,
                           [&](const tl_floats& in, std::size_t n, float* out, void* stream) {
                               return tl_tree_density(tree_, &in, n, k, out, stream);
                           });
}

py::tuple PyTree::sum(const py::object& points, const py::object& weights,
                      const std::string& kernel, double length, double tolerance,
                      bool gradient) const {
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
    const auto queries = at ? at->floats() : tl_floats{}, from = of ? of->floats() : tl_floats{};
    call_unlocked([&] {
        return tl_tree_sum(tree_, &from, &queries, n, &options, floats_of(sums),
                           floats_of(gradients), nullptr, stream);
    });
    return py::make_tuple(sums.finished(), gradients.finished());
}

py::object PyTree::inside(const py::object& points) const {
    CallArguments call(device_);
    auto in = call.floats(points, 3, "points");
    const auto out = call.result_for_each({}, "bool");
    const auto queries = in.floats();
    call_unlocked(
        [&] { return tl_tree_inside(tree_, &queries, in.size(0), bools_of(out), call.stream()); });
    return out.finished();
}

py::object PyTree::signed_distance_grid(const std::vector<float>& origin,
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

py::tuple PyTree::in_boxes(const py::object& lower, const py::object& upper) const {
    CallArguments call(device_);
    auto from = call.floats(lower, 3, "lower corners");
    auto to = call.floats(upper, 3, "upper corners");
    require_equal(from, to, "lower and upper corners");
    const auto lo = from.floats(), hi = to.floats();
    const std::size_t n = from.size(0);
    std::vector<std::uint32_t> counts(n);
    call_unlocked(
        [&] { return tl_tree_count_in_boxes(tree_, &lo, &hi, n, counts.data(), call.stream()); });
    const auto offsets = offsets_of(counts);
    const auto lists = call.result({offsets.back()}, "uint32");
    call_unlocked([&] {
        return tl_tree_list_in_boxes(tree_, &lo, &hi, n, offsets.data(), indices_of(lists),
                                     call.stream());
    });
    return py::make_tuple(offsets_for(call, offsets), lists.finished());
}

py::object PyTree::pairs(const PyTree& other) const {
    std::size_t n = 0, written = 0;
    void* stream = home_.stream();
    call_unlocked([&] { return tl_tree_pairs(tree_, other.tree_, 0, nullptr, &n, stream); });
    const ResultArray list(home_, {n, 2}, "uint32", device_, stream);
    call_unlocked(
        [&] { return tl_tree_pairs(tree_, other.tree_, n, indices_of(list), &written, stream); });
    return list.finished();
}

py::tuple PyTree::nearest(const py::object& points, int k, double radius) const {
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

py::tuple PyTree::within(const py::object& points, double radius) const {
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
        return tl_tree_list_within(tree_, &queries, n, most, offsets.data(), indices_of(indices),
                                   floats_of(distances), call.stream());
    });
    return py::make_tuple(offsets_for(call, offsets), indices.finished(), distances.finished());
}
