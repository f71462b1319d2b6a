#include "renderer/radiosity/transport/link_transmittance.h"

#include "accel/bvh/traversal/any_tracer.h"
#include "core/device/parallel_for.h"
#include "core/device/vectorized_copy.h"
#include "renderer/radiosity/transport/point_kernel.h"
#include "renderer/radiosity/transport/transmittance.h"
#include "renderer/shading/sampler.h"

TL_DEVICE_BEGIN

namespace {

/// Target node of a link, by binary search of the rows.
TL_D std::uint32_t target_of(const LinkRows& rows, std::uint32_t link) {
    std::uint32_t first = 0, count = static_cast<std::uint32_t>(rows.begin.size) - 1;
    while (count > 0) {
        std::uint32_t half = count / 2;
        bool is_after = rows.begin[first + half + 1] <= link;
        first = is_after ? first + half + 1 : first;
        count = is_after ? count - half - 1 : half;
    }
    return first;
}

template <class Tracer>
struct FindTransmittance {
    static constexpr std::uint32_t kSegments = 8;  ///< segments traced per link
    /// Weight of an occluded segment: so small that it matters only if all segments are occluded.
    static constexpr float kHidden = 1e-4f;

    Tracer tracer;
    SceneView scene;
    DiffusePointsView points;
    LinkRows rows;
    View<PackedTransmittance> out;

    TL_D void operator()(std::uint32_t link) const {
        std::uint32_t target = target_of(rows, link), source = rows.links[link].source;
        // Traced from the node of lower index, so that both directions have the same transmittance.
        std::uint32_t first = target < source ? target : source;
        std::uint32_t second = target < source ? source : target;
        OctreeNode a = load_vectorized(points.tree.nodes[first]);
        OctreeNode b = load_vectorized(points.tree.nodes[second]);
        vec3 sum(0);
        float weights = 0;
        for (std::uint32_t k = 0; k < kSegments; ++k) {
            std::uint32_t random = hash_bits(hash_bits(first) + second * kSegments + k);
            std::uint32_t i = a.first + random % a.count();
            std::uint32_t j = b.first + (random >> 16) % b.count();
            float light = point_kernel(load_vectorized(points.tree.points[i]),
                                       load_vectorized(points.tree.points[j]));
            if (!(light > 0)) continue;
            Crossing crossing =
                cross(tracer, scene, points.starts[i], Media{points.media[i]}, points.starts[j]);
            float weight = crossing.is_occluded ? kHidden * light : light;
            sum += weight * crossing.transmittance;
            weights += weight;
        }
        // Nodes none of whose segments face each other exchange hardly any light.
        out[link] = PackedTransmittance(weights > 0 ? sum / weights : vec3(1));
    }
};

void find_all(Scratch& scratch, const DiffusePointsView& points, const SceneView& scene,
              const LinkRows& rows, DeviceArray<PackedTransmittance>& out) {
    auto& stream = scratch.stream();
    auto n = static_cast<std::uint32_t>(rows.links.size);
    out.resize_discard(stream, n);
    visit_any_tracer(scene.tree, [&](auto tracer) {
        using Tracer = decltype(tracer);
        const FindTransmittance<Tracer> find{tracer, seen_by<Tracer>(scene), points, rows,
                                             out.view()};
        parallel_for(stream, "transmittance of links", n, find, 32);
    });
}

LinkRows scaled(Scratch& scratch, const LinkRows& rows,
                View<const PackedTransmittance> transmittance, int colour) {
    auto links = scratch.take<NodeLink>(rows.links.size);
    View<const NodeLink> from = rows.links;
    parallel_for(
        scratch.stream(), "links of a colour", static_cast<std::uint32_t>(links.size),
        TL_LAMBDA(std::uint32_t i) {
            NodeLink link = from[i];
            links[i] = {link.source, link.weight * transmittance[i][colour]};
        });
    return {rows.begin, links, rows.order};
}

}  // namespace

void LinkTransmittance::find(Scratch& scratch, const DiffusePointsView& points,
                             const SceneView& scene, const LinkTable& links,
                             const LinkRows& partial) {
    find_all(scratch, points, scene, links.far, far_);
    find_all(scratch, points, scene, links.near, near_);
    find_all(scratch, points, scene, partial, partial_);
    is_found_ = true;
}

void LinkTransmittance::clear() {
    far_ = {};
    near_ = {};
    partial_ = {};
    is_found_ = false;
}

LinkTable LinkTransmittance::of_colour(Scratch& scratch, const LinkTable& links, int colour) {
    return {scaled(scratch, links.far, far_.view(), colour),
            scaled(scratch, links.near, near_.view(), colour)};
}

TL_DEVICE_END
