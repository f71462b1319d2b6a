#include "renderer/scene/export/moment.h"

#include "core/device/array.h"
#include "renderer/scene/instances.h"
#include "renderer/scene/live/animation.h"
#include "renderer/scene/live/walk_motion.h"

namespace tl {
namespace {

/// Moves vertices from their rest positions. `normals` has one for each vertex; 0 means none.
void move_vertices(const Animation& animation, std::span<const MeshFrame> frames,
                   const SimulatedSurface* simulation, double phase, float duration,
                   std::vector<vec3>& positions, std::vector<vec3>& normals) {
    auto stream = devices()[0]->create_stream();  // the CPU's
    Animator animator;
    std::vector<MovingMesh> mesh{{animation, 0, positions.size(), frames, simulation}};
    animator.set(*stream, std::move(mesh), positions, normals);
    DeviceArray<vec3> moved(*stream, std::span<const vec3>(positions));
    DeviceArray<vec3> turned(*stream, std::span<const vec3>(normals));
    animator.run(*stream, phase, duration, moved.view(), turned.view());
    positions = moved.download(*stream);
    normals = turned.download(*stream);
}

/// Gives each triangle three vertices of its own, as explosions move them.
void unshare_vertices(Mesh& mesh) {
    Mesh whole = std::move(mesh);
    mesh = {};
    mesh.name = whole.name;
    mesh.material_of_triangle = std::move(whole.material_of_triangle);
    auto append = [](auto& to, const auto& from, std::uint32_t index) {
        if (!from.empty()) to.push_back(from[index]);
    };
    for (auto triangle : whole.triangles) {
        auto first = static_cast<std::uint32_t>(mesh.positions.size());
        mesh.triangles.emplace_back(first, first + 1, first + 2);
        for (int k = 0; k < 3; ++k) {
            append(mesh.positions, whole.positions, triangle[k]);
            append(mesh.normals, whole.normals, triangle[k]);
            append(mesh.uvs, whole.uvs, triangle[k]);
            append(mesh.colors, whole.colors, triangle[k]);
        }
    }
}

}  // namespace

Mesh mesh_at(const Mesh& mesh, double phase, float duration) {
    Mesh moved;
    moved.name = mesh.name;
    moved.positions = mesh.positions;
    moved.normals = mesh.normals;
    moved.uvs = mesh.uvs;
    moved.colors = mesh.colors;
    moved.triangles = mesh.triangles;
    moved.material_of_triangle = mesh.material_of_triangle;
    if (mesh.animation.kind == AnimationKind::none || mesh.positions.empty()) return moved;
    if (mesh.animation.kind == AnimationKind::explode) unshare_vertices(moved);
    std::vector<vec3> normals = moved.normals;
    normals.resize(moved.positions.size(), vec3(0));
    move_vertices(mesh.animation, mesh.frames, mesh.simulation.get(), phase, duration,
                  moved.positions, normals);
    if (!moved.normals.empty()) moved.normals = std::move(normals);
    return moved;
}

PatchSet patches_at(const PatchSet& set, double phase, float duration) {
    PatchSet moved = set;
    moved.animation = {};
    moved.frames.clear();
    if (set.animation.kind == AnimationKind::none || set.points.empty()) return moved;
    std::vector<vec3> normals(set.points.size(), vec3(0));
    move_vertices(set.animation, set.frames, nullptr, phase, duration, moved.points, normals);
    return moved;
}

mat4 transform_at(const Instance& instance, double phase, float duration) {
    if (instance.walk.radius == 0) return instance.transform;
    InstanceSource source{};
    source.object_to_world = AffineRows::of(instance.transform);
    source.walk = cycle_of(instance.walk, duration);
    source = cpu::placed_at(source, static_cast<float>(phase));
    mat4 transform(1);
    for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 4; ++column)
            transform[column][row] = source.object_to_world.rows[row][column];
    return transform;
}

}  // namespace tl
