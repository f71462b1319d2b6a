#include "library/python/py_tree.h"

#include "library/python/ray_arguments.h"

namespace py = pybind11;

PyHits PyTree::closest(const py::object& origins, const py::object& directions,
                       const py::object& t_min, const py::object& t_max, const py::object& masks,
                       bool normals, bool instances, bool coherent) const {
    CallArguments call(device_);
    RayArguments in(call, origins, directions, t_min, t_max, masks, coherent);
    const auto t = call.result_for_each({}, "float32"), uv = call.result_for_each({2}, "float32"),
               primitive = call.result_for_each({}, "uint32");
    const auto normal = normals ? call.result_for_each({3}, "float32") : ResultArray();
    const auto instance = instances ? call.result_for_each({}, "uint32") : ResultArray();
    const tl_hits hits{sizeof(tl_hits),      floats_of(t),  indices_of(primitive),
                       indices_of(instance), floats_of(uv), floats_of(normal)};
    call_unlocked([&] { return tl_tree_closest(tree_, &in.rays, &hits, call.stream()); });
    return {t.finished(),  primitive.finished(), instance.finished(),
            uv.finished(), normal.finished(),    py::none()};
}

py::object PyTree::occluded(const py::object& origins, const py::object& directions,
                            const py::object& t_min, const py::object& t_max,
                            const py::object& masks, bool coherent) const {
    CallArguments call(device_);
    RayArguments in(call, origins, directions, t_min, t_max, masks, coherent);
    const auto out = call.result_for_each({}, "bool");
    call_unlocked([&] { return tl_tree_occluded(tree_, &in.rays, bools_of(out), call.stream()); });
    return out.finished();
}

py::object PyTree::count_hits(const py::object& origins, const py::object& directions,
                              const py::object& t_min, const py::object& t_max,
                              const py::object& masks) const {
    CallArguments call(device_);
    RayArguments in(call, origins, directions, t_min, t_max, masks);
    const auto out = call.result_for_each({}, "uint32");
    call_unlocked(
        [&] { return tl_tree_count_hits(tree_, &in.rays, indices_of(out), call.stream()); });
    return out.finished();
}

PyHits PyTree::all_hits(const py::object& origins, const py::object& directions, int k,
                        const py::object& t_min, const py::object& t_max, const py::object& masks,
                        bool normals, bool instances) const {
    CallArguments call(device_);
    RayArguments in(call, origins, directions, t_min, t_max, masks);
    const std::size_t per = k < 0 ? 0 : static_cast<std::size_t>(k);
    const auto t = call.result_for_each({per}, "float32"),
               uv = call.result_for_each({per, 2}, "float32"),
               primitive = call.result_for_each({per}, "uint32"),
               count = call.result_for_each({}, "uint32");
    const auto normal = normals ? call.result_for_each({per, 3}, "float32") : ResultArray();
    const auto instance = instances ? call.result_for_each({per}, "uint32") : ResultArray();
    const tl_hits hits{sizeof(tl_hits),      floats_of(t),  indices_of(primitive),
                       indices_of(instance), floats_of(uv), floats_of(normal)};
    call_unlocked([&] {
        return tl_tree_all_hits(tree_, &in.rays, k, &hits, indices_of(count), call.stream());
    });
    return {t.finished(),  primitive.finished(), instance.finished(),
            uv.finished(), normal.finished(),    count.finished()};
}

py::tuple PyTree::list_hits(const py::object& origins, const py::object& directions,
                            const py::object& t_min, const py::object& t_max,
                            const py::object& masks, bool normals, bool instances) const {
    CallArguments call(device_);
    RayArguments in(call, origins, directions, t_min, t_max, masks);
    std::vector<std::uint32_t> counts(in.rays.count);
    call_unlocked(
        [&] { return tl_tree_count_hits(tree_, &in.rays, counts.data(), call.stream()); });
    const auto offsets = offsets_of(counts);
    const std::size_t n = offsets.back();
    const auto t = call.result({n}, "float32"), uv = call.result({n, 2}, "float32"),
               primitive = call.result({n}, "uint32");
    const auto normal = normals ? call.result({n, 3}, "float32") : ResultArray();
    const auto instance = instances ? call.result({n}, "uint32") : ResultArray();
    const tl_hits hits{sizeof(tl_hits),      floats_of(t),  indices_of(primitive),
                       indices_of(instance), floats_of(uv), floats_of(normal)};
    call_unlocked(
        [&] { return tl_tree_list_hits(tree_, &in.rays, offsets.data(), &hits, call.stream()); });
    return py::make_tuple(offsets_for(call, offsets),
                          PyHits{t.finished(), primitive.finished(), instance.finished(),
                                 uv.finished(), normal.finished(), py::none()});
}
