#include "renderer/scene/scene_kernels.h"

#include "accel/parallel/parallel_for.h"

TL_DEVICE_BEGIN

void primitive_boxes(Stream& stream, SceneView scene, View<Box> boxes) {
    parallel_for(
        stream, "primitive boxes", static_cast<std::uint32_t>(boxes.size),
        TL_LAMBDA(std::uint32_t i) {
            Box box;
            if (i < scene.n_triangles) {
                glm::uvec3 t = scene.triangles[i];
                for (int k = 0; k < 3; ++k) box.extend(scene.positions[t[k]]);
            } else {
                SphereData s = scene.spheres[i - scene.n_triangles];
                box.lo = s.center - s.radius;
                box.hi = s.center + s.radius;
            }
            boxes[i] = box;
        });
}

void gather_primitives(Stream& stream, SceneView scene, View<const std::uint32_t> order,
                       View<const TreeHeader> header, View<Primitive> primitives) {
    parallel_for(
        stream, "gather primitives", static_cast<std::uint32_t>(order.size),
        TL_LAMBDA(std::uint32_t place) {
            if (place >= header[0].n_places) return;
            std::uint32_t id = order[place];
            Primitive p{};
            p.id = id;
            if (id < scene.n_triangles) {
                glm::uvec3 t = scene.triangles[id];
                p.kind = Primitive::kTriangle;
                p.vertex = scene.positions[t.x];
                p.edge1 = scene.positions[t.y] - p.vertex;
                p.edge2 = scene.positions[t.z] - p.vertex;
            } else if (id < scene.n_triangles + scene.n_spheres) {
                SphereData s = scene.spheres[id - scene.n_triangles];
                p.kind = Primitive::kSphere;
                p.vertex = s.center;
                p.edge1 = vec3(s.radius, 0, 0);
            } else {
                p.kind = Primitive::kInstance;
                p.id = id - scene.n_triangles - scene.n_spheres;
            }
            primitives[place] = p;
        });
}

TL_DEVICE_END
