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

    TL_D PlainShapes(ShapeKind of, const Ray& ray) : kind(of), watertight(ray) {}
    TL_D PlainShapes(const ShapeTreeView& tree, const Ray& ray) : PlainShapes(tree.kind, ray) {}
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

/// The hit on a primitive that the ray is known to hit.
TL_D Hit hit_on(const PlainShapes& shapes, const Primitive& p, const Ray& ray) {
    Hit found;
    shapes.visit(
        p, ray, [&] { return ray.t_max; },
        [&](const Hit& hit) {
            found = hit;
            return true;
        });
    return found;
}

/// All hits on the shapes of a tree of instances, by one traversal of both levels. A mark on the
/// stack ends an instance.
struct InstanceHits {
    static constexpr bool kFindsTwice = false;
    RayTree tree;

    template <class TMax, class Found>
    TL_D void visit(const StridedRays&, std::uint32_t, const Ray& ray, TMax&& t_max,
                    Found&& found) const {
        const TreeView& top = tree.shapes.tree;
        if (!is_finite(ray) || top.bvh2.header->n_valid == 0) return;
        Level level = world(ray);
        TraversalStack stack;
        Traversal way(NodeRef::inner(top.bvh2.header->root), stack);
        while (!way.done()) {
            NodeRef next = NodeRef::missing();
            if (way.ref.bits == kLeave.bits) {
                level = world(ray);
            } else if (!way.ref.is_leaf()) {
                const BvhNode node = load_words(level.nodes + way.ref.bits);
                next = Bvh2Nodes<true>::template descend<false>(node, level.slabs, ray.t_min,
                                                                minimum(t_max(), FLT_MAX), way);
            } else if (level.instance == Hit::kNone) {
                // Leaves of the top level hold one instance. A full stack has no room for the mark.
                if (!way.is_full()) {
                    way.push(kLeave);
                    const std::uint32_t id = level.primitives[way.ref.first()].id;
                    level = inside(ray, id);
                    next = NodeRef::inner(top.instances[id].root);
                }
            } else if (!visit_leaf(level, way.ref, t_max, found)) {
                return;
            }
            way.go_on(next);
        }
        way.report(top.bvh2.header);
    }
    [[nodiscard]] TL_D Hit hit_again(const Ray& ray, std::uint32_t instance,
                                     std::uint32_t primitive) const {
        const InstancedShapes& of = tree.instances[instance];
        const Ray within = tree.shapes.tree.instances[instance].enter(ray);
        const Primitive p = load_words(of.primitives + of.place_of[primitive]);
        Hit found = hit_on(PlainShapes(static_cast<ShapeKind>(of.kind), within), p, within);
        found.instance = instance;
        return found;
    }

  private:
    static constexpr NodeRef kLeave{NodeRef::kLeafBit | NodeRef::kFirstMask};

    struct Level {
        const BvhNode* nodes;
        const Primitive* primitives;
        Ray ray;
        SlabRay<true> slabs;
        PlainShapes shapes;
        std::uint32_t instance;
    };
    TL_D Level world(const Ray& ray) const {
        const TreeView& top = tree.shapes.tree;
        return {top.bvh2.nodes,
                top.primitives,
                ray,
                SlabRay<true>(ray),
                PlainShapes(ShapeKind::triangles, ray),
                Hit::kNone};
    }
    TL_D Level inside(const Ray& ray, std::uint32_t id) const {
        const InstanceData& instance = tree.shapes.tree.instances[id];
        const Ray within = instance.enter(ray);
        const auto kind = static_cast<ShapeKind>(tree.instances[id].kind);
        return {instance.nodes,        instance.primitives,       within,
                SlabRay<true>(within), PlainShapes(kind, within), id};
    }
    template <class TMax, class Found>
    TL_D static bool visit_leaf(const Level& level, NodeRef leaf, TMax&& t_max, Found&& found) {
        for (std::uint32_t k = 0; k < leaf.count(); ++k) {
            const Primitive p = load_words(level.primitives + leaf.first() + k);
            bool goes_on = level.shapes.visit(p, level.ray, t_max, [&](Hit hit) {
                hit.instance = level.instance;
                return found(hit);
            });
            if (!goes_on) return false;
        }
        return true;
    }
};

/// All hits on the plain shapes of a tree.
struct PlainHits : TreeHits<PlainShapes> {
    /// The hit on a shape that the ray is known to hit.
    [[nodiscard]] TL_D Hit hit_again(const Ray& ray, std::uint32_t, std::uint32_t primitive) const {
        const Primitive p = load_words(tree.tree.primitives + tree.place_of[primitive]);
        return hit_on(PlainShapes(tree, ray), p, ray);
    }
};

/// Calls work(hits) for the kind of tree.
template <class Work>
void visit_hits(const RayTree& tree, const Work& work) {
    if (tree.instances)
        work(InstanceHits{tree});
    else
        work(PlainHits{{tree.shapes}});
}

/// Hits by their distance, then by instance and primitive.
struct HitKey {
    float t;
    std::uint32_t instance, primitive;

    [[nodiscard]] TL_HD bool before(const HitKey& other) const {
        if (t != other.t) return t < other.t;
        if (instance != other.instance) return instance < other.instance;
        return primitive < other.primitive;
    }
};

/// Moves the root of a heap of n keys down until no child is larger.
TL_D void sink_down(HitKey* keys, std::size_t root, std::size_t n) {
    const HitKey key = keys[root];
    for (std::size_t child = 2 * root + 1; child < n; child = 2 * root + 1) {
        if (child + 1 < n && keys[child].before(keys[child + 1])) ++child;
        if (!key.before(keys[child])) break;
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
template <class Hits>
struct ListHits {
    Hits hits;
    HitWriter<ShapeNormals> writer;
    ListOffsets offsets;
    HitKey* keys;

    TL_D void operator()(std::uint32_t i) const {
        const Ray ray = writer.rays.ray(i);
        const std::uint64_t first = offsets[i], room = offsets[i + 1] - first;
        std::uint64_t n = 0;
        hits.visit(
            writer.rays, i, ray, [&] { return ray.t_max; },
            [&](const Hit& hit) {
                if (n < room) keys[first + n++] = {hit.t, hit.instance, hit.primitive};
                return n < room;
            });
        sort_keys(keys + first, n);
        for (std::uint64_t k = 0; k < room; ++k) {
            const HitKey key = keys[first + k];
            writer.write(first + k, i,
                         k < n ? hits.hit_again(ray, key.instance, key.primitive) : Hit{});
        }
    }
};

template <class Hits>
void count(Stream& stream, const Hits& hits, const StridedRays& rays, std::uint32_t* counts) {
    parallel_for(
        stream, "count hits", rays.count,
        TL_LAMBDA(std::uint32_t i) {
            const Ray ray = rays.ray(i);
            std::uint32_t n = 0;
            hits.visit(
                rays, i, ray, [&] { return ray.t_max; }, [&](const Hit&) { return ++n > 0; });
            counts[i] = n;
        },
        64);
}

template <class Hits>
void list(Stream& stream, const ListHits<Hits>& lists) {
    parallel_for(
        stream, "list hits", lists.writer.rays.count, TL_LAMBDA(std::uint32_t i) { lists(i); }, 64);
}

}  // namespace

void find_closest_masked(Stream& stream, const ShapeTreeView& tree, const StridedRays& rays,
                         const HitsOut& out) {
    write_closest<PlainShapes>(stream, tree, HitWriter<ShapeNormals>{{{tree}}, rays, out});
}

void find_occluded_masked(Stream& stream, const ShapeTreeView& tree, const StridedRays& rays,
                          std::uint8_t* occluded) {
    write_occluded<PlainShapes>(stream, tree, rays, occluded);
}

void count_hits(Scratch& scratch, const RayTree& tree, const StridedRays& rays,
                std::uint32_t* counts) {
    visit_hits(tree, [&](const auto& hits) { count(scratch.stream(), hits, rays, counts); });
}

void list_hits(Scratch& scratch, const RayTree& tree, const StridedRays& rays,
               const HitLists& lists, const HitsOut& out) {
    Scratch::Scope scope(scratch);
    auto keys = scratch.take<HitKey>(lists.size);
    const HitWriter<ShapeNormals> writer{{tree}, rays, out};
    visit_hits(tree, [&](const auto& hits) {
        list(scratch.stream(), ListHits{hits, writer, lists.offsets, keys.data});
    });
}

void find_all_hits(Scratch& scratch, const RayTree& tree, const StridedRays& rays, int k,
                   const HitsOut& out, std::uint32_t* counts) {
    if (tree.shapes.kind == ShapeKind::patches)
        return find_all_on_patches(scratch, tree.shapes, rays, k, out, counts);
    visit_hits(tree, [&](const auto& hits) {
        write_all_hits(scratch, hits, HitWriter<ShapeNormals>{{tree}, rays, out}, k, counts);
    });
}

TL_DEVICE_END
