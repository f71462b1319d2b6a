// Instance placement: transforms for rays and for shading, and boxes.
#include "core/device/parallel_for.h"
#include "renderer/scene/live/kernels/scene_kernels.h"
#include "renderer/scene/live/walk_motion.h"

TL_DEVICE_BEGIN

namespace {

/// Depth of the boxes in a mesh's tree that are transformed individually.
constexpr int kBoxLevels = 3;

/// The union of transformed boxes from the top levels of the mesh's tree, which for a rotated mesh
/// is tighter than the transformed box of the whole mesh.
TL_HD Box instance_box(const Bvh2View& tree, const AffineRows& to_world) {
    struct Pending {
        std::uint32_t node;
        int level;
    };
    Pending pending[kBoxLevels + 1] = {{tree.header->root, 1}};
    int n_pending = 1;
    Box box;
    while (n_pending > 0) {
        Pending at = pending[--n_pending];
        const BvhNode& node = tree.nodes[at.node];
        for (int side = 0; side < 2; ++side) {
            NodeRef child = node.child(side);
            if (child.is_missing()) continue;
            if (child.is_leaf() || at.level == kBoxLevels)
                box.extend(to_world.box(node.box(side)));
            else
                pending[n_pending++] = {child.node(), at.level + 1};
        }
    }
    return box;
}

}  // namespace

void update_instances(Stream& stream, InstanceUpdate update) {
    parallel_for(
        stream, "instance boxes", static_cast<std::uint32_t>(update.sources.size),
        TL_LAMBDA(std::uint32_t i) {
            const InstanceSource source = placed_at(update.sources[i], update.phase);
            const InstancedMesh mesh = update.meshes[source.mesh];
            InstanceData data{};
            data.world_to_object = source.world_to_object;
            data.nodes = mesh.tree.nodes;
            data.primitives = mesh.primitives;
            data.root = mesh.tree.header->root;
            data.is_identity = source.is_identity;
            update.data[i] = data;
            update.shading[i] = {source.object_to_world, mesh.first_triangle, source.material,
                                 source.first_light, 0};
            update.boxes[i] = instance_box(mesh.tree, source.object_to_world);
        });
}

TL_DEVICE_END
