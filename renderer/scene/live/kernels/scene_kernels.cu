#include "renderer/scene/live/kernels/scene_kernels.h"

#include "accel/bvh/passes/refit_nodes.h"

TL_DEVICE_BEGIN

namespace {

/// Reads primitive `id` and returns its box: invalid if a coordinate is NaN, and for instances.
TL_HD Box read_primitive(const SceneView& scene, std::uint32_t id, Primitive& p) {
    Box box;
    p.id = id;
    p.slack = 0;
    if (id < scene.n_triangles) {
        glm::uvec3 t = scene.triangles[id];
        vec3 a = scene.positions[t.x], b = scene.positions[t.y], c = scene.positions[t.z];
        p = triangle_primitive(id, a, b, c, scene.tree.robust);
        vec3 sum = a + b + c;
        if (sum.x + sum.y + sum.z != sum.x + sum.y + sum.z) return box;
        box.extend(a);
        box.extend(b);
        box.extend(c);
    } else if (id < scene.n_triangles + scene.n_spheres) {
        SphereData s = scene.spheres[id - scene.n_triangles];
        p.kind = Primitive::kSphere;
        p.vertex = s.center;
        p.edge1 = vec3(s.radius, 0, 0);
        p.edge2 = vec3(0);
        box.lo = s.center - s.radius;
        box.hi = s.center + s.radius;
    } else if (id < scene.n_simple()) {
        const SplatData& s = scene.splats.splats[id - scene.n_triangles - scene.n_spheres];
        p = splat_primitive(id, s.center, s.normal, s.radius);
        box = splat_box(s.center, s.normal, s.radius);
    } else {
        id -= scene.n_simple();
        bool is_piece = id < scene.n_pieces;
        p.kind = is_piece ? Primitive::kPatch : Primitive::kInstance;
        p.id = is_piece ? id : id - scene.n_pieces;
        p.vertex = p.edge1 = p.edge2 = vec3(0);
        if (is_piece) box = scene.piece_boxes[id];
    }
    return box;
}

struct GatheredLeaves {
    SceneView scene;
    View<const Box> boxes;
    View<const std::uint32_t> order;
    View<Primitive> primitives;

    TL_D Box operator()(std::uint32_t first, std::uint32_t count) const {
        Box box;
        for (std::uint32_t place = first; place < first + count; ++place) {
            Primitive p;
            std::uint32_t id = order[place];
            Box b = read_primitive(scene, id, p);
            if (p.kind == Primitive::kInstance) b = boxes[id];
            primitives[place] = p;
            if (b.is_valid()) box.extend(b);
        }
        return box;
    }
};

}  // namespace

void primitive_boxes(Stream& stream, SceneView scene, View<Box> boxes) {
    parallel_for(
        stream, "primitive boxes", static_cast<std::uint32_t>(boxes.size),
        TL_LAMBDA(std::uint32_t i) {
            Primitive p;
            boxes[i] = read_primitive(scene, i, p);
        });
}

void gather_primitives(Stream& stream, SceneView scene, View<const std::uint32_t> order,
                       View<const TreeHeader> header, View<Primitive> primitives) {
    parallel_for(
        stream, "gather primitives", static_cast<std::uint32_t>(order.size),
        TL_LAMBDA(std::uint32_t place) {
            if (place >= header[0].n_places) return;
            Primitive p;
            read_primitive(scene, order[place], p);
            primitives[place] = p;
        });
}

void gather_gaussians(Stream& stream, View<const Primitive> gaussians,
                      View<const std::uint32_t> order, View<const TreeHeader> header,
                      View<Primitive> in_leaves) {
    parallel_for(
        stream, "gather Gaussians", static_cast<std::uint32_t>(order.size),
        TL_LAMBDA(std::uint32_t place) {
            if (place < header[0].n_places) in_leaves[place] = gaussians[order[place]];
        });
}

void refit_and_gather(Stream& stream, SceneView scene, View<const Box> boxes, const RefitView& tree,
                      View<const std::uint32_t> order, View<Primitive> primitives) {
    refit_nodes(stream, tree, GatheredLeaves{scene, boxes, order, primitives});
}

TL_DEVICE_END
