#include "accel/query/listed_hits.h"

#include "accel/query/each_hit.h"
#include "accel/query/patch_hits.h"

TL_DEVICE_BEGIN

namespace {

/// Tests a ray with triangles, boxes or spheres.
struct PlainShapes {
    static constexpr bool kFindsTwice = false;
    ShapeKind kind;
    PrimitiveRay<true> watertight;

    TL_D PlainShapes(const ShapeTreeView& tree, const Ray& ray)
        : kind(tree.kind), watertight(ray) {}
    TL_D static std::uint32_t shape_of(const Primitive& p) { return p.id; }
    template <class TMax, class Found>
    TL_D bool visit(const Primitive& p, const Ray& ray, TMax&& t_max, Found&& found) const {
        Hit hit;
        return !meets(p, ray, t_max(), hit) || found(hit);
    }

  private:
    TL_D bool meets(const Primitive& p, const Ray& ray, float t_max, Hit& hit) const {
        if (kind == ShapeKind::boxes) return BoxRay(ray).meets(p, ray, t_max, hit);
        return watertight.meets(p, ray, t_max, hit);
    }
};

/// Hits by their distance and then by their primitive.
struct HitKey {
    std::uint64_t bits;

    /// Distances are not negative: their bits are ordered as they are.
    TL_HD static HitKey of(const Hit& hit) {
        return {std::uint64_t(bits_of_float(hit.t)) << 32 | hit.primitive};
    }
    [[nodiscard]] TL_HD std::uint32_t primitive() const { return static_cast<std::uint32_t>(bits); }
};

/// Moves the root of a heap of n keys down until no child is larger.
TL_D void sink_down(HitKey* keys, std::size_t root, std::size_t n) {
    const HitKey key = keys[root];
    for (std::size_t child = 2 * root + 1; child < n; child = 2 * root + 1) {
        if (child + 1 < n && keys[child + 1].bits > keys[child].bits) ++child;
        if (keys[child].bits <= key.bits) break;
        keys[root] = keys[child];
        root = child;
    }
    keys[root] = key;
}

/// Sorts by heapsort, which takes no memory beside the list.
TL_D void sort_keys(HitKey* keys, std::size_t n) {
    for (std::size_t root = n / 2; root-- > 0;) sink_down(keys, root, n);
    for (std::size_t last = n; last-- > 1;) {
        const HitKey largest = keys[0];
        keys[0] = keys[last];
        keys[last] = largest;
        sink_down(keys, 0, last);
    }
}

/// Lists the hits of a ray.
struct ListHits {
    ShapeTreeView tree;
    HitWriter<ShapeNormals> writer;
    ListOffsets offsets;
    HitKey* keys;

    TL_D void operator()(std::uint32_t i) const {
        const Ray ray = writer.rays.ray(i);
        const std::uint64_t first = offsets[i], room = offsets[i + 1] - first;
        std::uint64_t n = 0;
        for_each_hit<PlainShapes>(
            tree, ray, mask_of(writer.rays, i), [&] { return ray.t_max; },
            [&](const Hit& hit) {
                if (n < room) keys[first + n++] = HitKey::of(hit);
                return n < room;
            });
        sort_keys(keys + first, n);
        const PlainShapes shapes(tree, ray);
        for (std::uint64_t k = 0; k < room; ++k)
            writer.write(first + k, i, k < n ? hit_of(shapes, ray, keys[first + k]) : Hit{});
    }

  private:
    /// Tests the shape again, for the parameters that its key does not hold.
    TL_D Hit hit_of(const PlainShapes& shapes, const Ray& ray, const HitKey& key) const {
        const Primitive p = load_words(tree.tree.primitives + tree.place_of[key.primitive()]);
        Hit found;
        shapes.visit(
            p, ray, [&] { return ray.t_max; },
            [&](const Hit& hit) {
                found = hit;
                return true;
            });
        return found;
    }
};

}  // namespace

void find_closest_masked(Stream& stream, const ShapeTreeView& tree, const StridedRays& rays,
                         const HitsOut& out) {
    write_closest<PlainShapes>(stream, tree, HitWriter<ShapeNormals>{{{tree}}, rays, out});
}

void find_occluded_masked(Stream& stream, const ShapeTreeView& tree, const StridedRays& rays,
                          std::uint8_t* occluded) {
    write_occluded<PlainShapes>(stream, tree, rays, occluded);
}

void count_hits(Scratch& scratch, const ShapeTreeView& tree, const StridedRays& rays,
                std::uint32_t* counts) {
    parallel_for(
        scratch.stream(), "count hits", rays.count,
        TL_LAMBDA(std::uint32_t i) {
            Ray ray = rays.ray(i);
            std::uint32_t n = 0;
            for_each_hit<PlainShapes>(
                tree, ray, mask_of(rays, i), [&] { return ray.t_max; },
                [&](const Hit&) { return ++n > 0; });
            counts[i] = n;
        },
        64);
}

void list_hits(Scratch& scratch, const ShapeTreeView& tree, const StridedRays& rays,
               const HitLists& lists, const HitsOut& out) {
    Scratch::Scope scope(scratch);
    auto keys = scratch.take<HitKey>(lists.size);
    const ListHits list{tree, HitWriter<ShapeNormals>{{{tree}}, rays, out}, lists.offsets,
                        keys.data};
    parallel_for(
        scratch.stream(), "list hits", rays.count, TL_LAMBDA(std::uint32_t i) { list(i); }, 64);
}

void find_all_hits(Scratch& scratch, const ShapeTreeView& tree, const StridedRays& rays, int k,
                   const HitsOut& out, std::uint32_t* counts) {
    if (tree.kind == ShapeKind::patches)
        return find_all_on_patches(scratch, tree, rays, k, out, counts);
    write_all_hits<PlainShapes>(scratch, tree, HitWriter<ShapeNormals>{{{tree}}, rays, out}, k,
                                counts);
}

TL_DEVICE_END
