// Sorts directed edges by a hash of their ends, and counts those of each.
#include "accel/query/mesh_boundary.h"

#include "core/device/parallel_for.h"
#include "core/operators/operators.h"

TL_DEVICE_BEGIN

namespace {

/// Mixes a word into a hash (the finaliser of splitmix64, Steele et al. 2014).
TL_HD std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
    hash ^= word + 0x9e3779b97f4a7c15ull;
    hash = (hash ^ hash >> 30) * 0xbf58476d1ce4e5b9ull;
    hash = (hash ^ hash >> 27) * 0x94d049bb133111ebull;
    return hash ^ hash >> 31;
}
TL_HD std::uint64_t hash_of(vec3 p) {
    // 0 and -0 are the same coordinate.
    auto bits = [](float x) { return static_cast<std::uint64_t>(bits_of_float(x + 0.0f)); };
    return mixed(mixed(1, bits(p.x) | bits(p.y) << 32), bits(p.z));
}

/// Keys of edges: the lowest bit is the direction, the others are a hash of both ends. The values
/// are 3 slots + the number of the edge.
struct EdgeKeys {
    static constexpr std::uint64_t kNone = ~std::uint64_t{0};

    ShapesView triangles;
    View<const std::uint32_t> place_of;
    View<std::uint64_t> keys;
    View<std::uint32_t> values;

    TL_D void write(std::uint32_t i) const {
        const std::uint32_t slot = place_of[i];
        if (slot == ~0u) {  // left out of the tree
            for (std::uint32_t k = 0; k < 3; ++k) keys[3 * i + k] = kNone;
            return;
        }
        const glm::uvec3 face = triangles.face(i);
        const std::uint64_t a = hash_of(triangles.positions.vector(face.x)),
                            b = hash_of(triangles.positions.vector(face.y)),
                            c = hash_of(triangles.positions.vector(face.z));
        write_edge(i, slot, 0, a, b);
        write_edge(i, slot, 1, b, c);
        write_edge(i, slot, 2, c, a);
    }

  private:
    TL_D void write_edge(std::uint32_t i, std::uint32_t slot, std::uint32_t k, std::uint64_t from,
                         std::uint64_t to) const {
        const bool is_back = to < from;
        const std::uint64_t both = is_back ? mixed(to, from) : mixed(from, to);
        keys[3 * i + k] = both << 1 | (is_back ? 1u : 0u);
        values[3 * i + k] = 3 * slot + k;
    }
};

/// Writes the weight of an edge to the first of the sorted edges that have its ends.
struct EdgeCounter {
    View<const std::uint64_t> keys;
    View<const std::uint32_t> values;
    View<vec3> weights;

    TL_D void count(std::uint32_t i) const {
        const std::uint64_t key = keys[i];
        if (key == EdgeKeys::kNone || (i > 0 && keys[i - 1] >> 1 == key >> 1)) return;
        std::int64_t sum = 0;
        for (std::size_t k = i; k < keys.size && keys[k] >> 1 == key >> 1; ++k)
            sum += keys[k] & 1u ? -1 : 1;
        if (sum != 0)
            (&weights[values[i] / 3].x)[values[i] % 3] = static_cast<float>(sum < 0 ? -sum : sum);
    }
};

}  // namespace

void find_boundary_edges(Scratch& scratch, const ShapeTreeView& tree, View<vec3> weights) {
    Scratch::Scope scope(scratch);
    auto& stream = scratch.stream();
    stream.device().fill_zero(stream, weights.data, weights.size * sizeof(vec3));
    const std::uint32_t n = tree.triangles.count;
    auto take = [&] {
        return Pairs<std::uint64_t>{scratch.take<std::uint64_t>(std::size_t{3} * n),
                                    scratch.take<std::uint32_t>(std::size_t{3} * n)};
    };
    const auto edges = take(), spare = take();
    const EdgeKeys maker{tree.triangles, tree.place_of, edges.keys, edges.values};
    parallel_for(
        stream, "keys of edges", n, TL_LAMBDA(std::uint32_t i) { maker.write(i); });
    const auto sorted = sort_pairs<std::uint64_t>(scratch, edges, spare);
    const EdgeCounter counter{sorted.keys, sorted.values, weights};
    parallel_for(
        stream, "boundary edges", 3 * n, TL_LAMBDA(std::uint32_t i) { counter.count(i); });
}

TL_DEVICE_END
