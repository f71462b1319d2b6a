// Hash tree after Merkle 1987, "A digital signature based on a conventional encryption function":
// the hash of a node is that of its children's hashes.
#include "renderer/radiosity/transport/node_names.h"

#include "core/device/parallel_for.h"
#include "core/device/vectorized_copy.h"

TL_DEVICE_BEGIN

namespace {

constexpr std::uint64_t kOfLeaves = 1, kOfNodes = 2;

TL_D std::uint64_t hash_with_vector(std::uint64_t hash, vec3 v) {
    hash = hash_with(hash, std::uint64_t(bits_of_float(v.x)) << 32 | bits_of_float(v.y));
    return hash_with(hash, std::uint64_t(bits_of_float(v.z)));
}

TL_D std::uint64_t name_of_leaf(const DiffusePointsView& points, const OctreeNode& leaf) {
    std::uint64_t hash = kOfLeaves;
    for (std::uint32_t i = leaf.first; i < leaf.end; ++i) {
        Surfel point = load_vectorized(points.tree.points[i]);
        hash = hash_with_vector(hash, point.position);
        hash = hash_with_vector(hash, point.normal);
        hash = hash_with_vector(hash, points.starts[i]);
        hash = hash_with(hash, std::uint64_t(bits_of_float(point.area)));
    }
    return hash;
}

}  // namespace

void name_nodes(Stream& stream, const DiffusePointsView& points, const OctreeHeader& header,
                View<std::uint64_t> names) {
    for (int l = header.n_levels() - 1; l >= 0; --l) {
        std::uint32_t first = header.level_begin[l];
        parallel_for(
            stream, "names of nodes", header.level_begin[l + 1] - first,
            TL_LAMBDA(std::uint32_t i) {
                std::uint32_t k = first + i;
                OctreeNode node = load_vectorized(points.tree.nodes[k]);
                std::uint64_t hash = node.is_leaf() ? name_of_leaf(points, node) : kOfNodes;
                for (std::uint32_t c = node.first_child; c < node.end_child; ++c)
                    hash = hash_with(hash, names[c]);
                names[k] = hash;
            });
    }
}

TL_DEVICE_END
