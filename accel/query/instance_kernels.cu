#include "accel/query/instance_tree.h"
#include "core/device/parallel_for.h"

TL_DEVICE_BEGIN

void place_instances(Stream& stream, View<const PlacedInstance> placed, View<Box> boxes,
                     View<InstanceData> data, View<InstancedShapes> shapes) {
    parallel_for(
        stream, "place instances", static_cast<std::uint32_t>(placed.size),
        TL_LAMBDA(std::uint32_t i) {
            const PlacedInstance& p = placed[i];
            InstanceData instance{};
            instance.world_to_object = p.world_to_object;
            instance.nodes = p.tree.nodes;
            instance.primitives = p.primitives;
            Box box;
            if (p.tree.header && p.tree.header->n_valid > 0) {
                instance.root = p.tree.header->root;
                const BvhNode& root = p.tree.nodes[instance.root];
                for (int side = 0; side < 2; ++side)
                    if (!root.child(side).is_missing() && root.box(side).lo.x < kInfinity)
                        box.extend(root.box(side));
            }
            float sum = 0;
            for (const auto& row : p.world_to_object.rows) sum += row.x + row.y + row.z + row.w;
            bool is_usable = !box.empty() && fabsf(sum) < kInfinity;
            boxes[i] = is_usable ? p.object_to_world.box(box) : Box{};
            data[i] = instance;
            shapes[i] = {p.world_to_object, p.place_of, p.primitives, p.kind, {}};
        });
}

void gather_instances(Stream& stream, View<const TreeHeader> header,
                      View<const std::uint32_t> order, View<Primitive> primitives) {
    parallel_for(
        stream, "gather instances", static_cast<std::uint32_t>(order.size),
        TL_LAMBDA(std::uint32_t place) {
            if (place >= header[0].n_places) return;
            Primitive p{};
            p.id = order[place];
            p.kind = Primitive::kInstance;
            primitives[place] = p;
        });
}

TL_DEVICE_END
