// Processing of one ray of a level: classify its hit, write the rays that it spawns, and sum
// radiance or build the shade tree. `kPatches`: whether the scene has patches.
#pragma once

#include "core/device/atomics.h"
#include "core/device/vectorized_copy.h"
#include "renderer/whitted/shade_tree.h"

TL_DEVICE_BEGIN

/// Input of every level's kernels.
template <bool kPatches>
struct LevelPass {
    WhittedFrame frame;
    WaveLevel level;
    WaveLevel next;
    WavefrontCounts* counts;

    [[nodiscard]] TL_D SceneView scene() const { return seen_with<kPatches>(frame.scene); }
    [[nodiscard]] TL_D bool has_ray(std::uint32_t i) const {
        return i < counts->n_rays[level.index] && level.rays[i].pixel != kNoPixel;
    }
    TL_D void classify(std::uint32_t i) const {
        HitClass c;
        if (has_ray(i)) {
            const PathRay ray = load_vectorized(level.rays[i]);
            Hit hit = level.hits[i];
            if (hit.found()) {
                SceneView seen = scene();
                PathHit h = path_hit(seen, ray, hit);
                std::uint32_t n = branches_of(seen, frame, ray, h).count;
                c = n ? HitClass::of_children(n) : HitClass::of_leaf();
            } else if (!misses_look_alike(frame.scene)) {
                c = HitClass::of_leaf();
            }
        }
        level.classes[i] = c.bits;
    }
    /// Writes the spawned rays to the next level, after its first `before` rays. Returns false, and
    /// writes none, if the capacity is exceeded.
    TL_D bool write_children(const PathRay& from, const PathHit& h, const Branches& branches,
                             std::uint32_t before) const {
        if (before + branches.count <= next.capacity) {
            for (std::uint32_t k = 0; k < branches.count; ++k)
                store_vectorized(next.rays[before + k], bounced_ray(from, h, branches.rays[k]));
            return true;
        }
        if (before < next.capacity) next.rays[before].pixel = kNoPixel;
        return false;
    }
    /// Updates the counters; run by one thread after the bounce.
    TL_D void finish(bool count_all_leaves) const {
        if (level.capacity == 0) return;
        HitClass total{level.scan[level.capacity - 1] + level.classes[level.capacity - 1]};
        std::uint32_t n = total.n_children();
        std::uint32_t* n_rays = &counts->n_rays[level.index + 1];
        *n_rays = n < next.capacity ? n : next.capacity;
        std::uint32_t* wanted = &counts->wanted[level.index + 1];
        *wanted = *wanted > n ? *wanted : n;
        counts->n_leaves = total.n_leaves() + (count_all_leaves ? counts->n_leaves : 0);
    }
};

// --- rays that carry their weight ---------------------------------------------------------------

template <bool kPatches>
struct ForwardPass {
    LevelPass<kPatches> at;
    View<vec4> values;  ///< radiance of the level's rays, times throughput; w counts rays
    View<std::uint32_t> leaves, overflows;

    TL_D void bounce(std::uint32_t i) const {
        if (!at.has_ray(i)) return;
        const PathRay ray = load_vectorized(at.level.rays[i]);
        HitClass c{at.level.classes[i]}, before{at.level.scan[i]};
        if (c.n_leaves()) {
            leaves[before.n_leaves()] = i;
        } else if (c.n_children() == 0) {
            values[i] =
                vec4(ray.throughput * background_radiance(at.frame.scene, ray.direction), 1);
        } else {
            SceneView scene = at.scene();
            PathHit h = path_hit(scene, ray, at.level.hits[i]);
            values[i] =
                vec4(ray.throughput * h.transmittance * h.emitted(scene, at.level.hits[i]), 1);
            Branches branches = branches_of(scene, at.frame, ray, h);
            if (!at.write_children(ray, h, branches, before.n_children()))
                overflows[atomic_add(&at.counts->n_overflows, 1u)] = i;
        }
    }
    /// The rays of one pixel are adjacent; the first one's thread adds them all, in order.
    TL_D void accumulate(const FilmView& film, std::uint32_t i) const {
        if (!at.has_ray(i)) return;
        std::uint32_t pixel = at.level.rays[i].pixel;
        if (i > 0 && at.level.rays[i - 1].pixel == pixel) return;
        vec4 sum = values[i];
        std::uint32_t n = at.counts->n_rays[at.level.index];
        for (std::uint32_t j = i + 1; j < n && at.level.rays[j].pixel == pixel; ++j)
            sum += values[j];
        bool first = at.level.index == 0;
        film.add(pixel, at.frame.sample, vec3(sum), first);
        film.ray_count[pixel] += static_cast<std::uint32_t>(sum.w);
    }
};

// --- shade trees --------------------------------------------------------------------------------

template <bool kPatches>
struct TreePass {
    LevelPass<kPatches> at;
    ShadeTreeView trees;
    std::uint32_t first_node;        ///< first node of the level
    std::uint32_t first_next_node;   ///< first node of the next level
    std::uint32_t first_reflection;  ///< base index of the level among reflections and refractions
    View<vec4> values;               ///< radiance of nodes; w counts rays

    TL_D void bounce(std::uint32_t i) const {
        if (i >= at.counts->n_rays[at.level.index]) return;
        trees.nodes[first_node + i] = at.has_ray(i) ? node_of(i) : ShadeNode{};
    }
    TL_D ShadeNode node_of(std::uint32_t i) const {
        const PathRay ray = load_vectorized(at.level.rays[i]);
        HitClass c{at.level.classes[i]}, before{at.level.scan[i]};
        if (c.n_leaves())
            return leaf(at.counts->n_leaves + before.n_leaves(), ray, at.level.hits[i]);
        if (c.n_children() == 0) return {};
        SceneView scene = at.scene();
        PathHit h = path_hit(scene, ray, at.level.hits[i]);
        Branches branches = branches_of(scene, at.frame, ray, h);
        if (!at.write_children(ray, h, branches, before.n_children())) {
            std::uint32_t k = atomic_add(&at.counts->n_overflows, 1u);
            auto place = static_cast<std::uint32_t>(trees.leaf_rays.size) - 1 - k;
            trees.overflows[k] = place;
            return leaf(place, ray, Hit{});
        }
        std::uint32_t child = first_next_node + before.n_children();
        if (branches.count == 1) {
            std::uint32_t place = first_reflection + before.n_children() - 2 * before.n_two();
            trees.reflections[place] = {h.transmittance * h.emitted(scene, at.level.hits[i]), child,
                                        branches.rays[0].weight, 0};
            return ShadeNode::of(ShadeNode::kReflection, place);
        }
        std::uint32_t place = first_reflection + before.n_two();
        trees.refractions[place] = {h.transmittance * h.emitted(scene, at.level.hits[i]),
                                    child,
                                    branches.rays[0].weight,
                                    0,
                                    branches.rays[1].weight,
                                    0};
        return ShadeNode::of(ShadeNode::kRefraction, place);
    }
    TL_D ShadeNode leaf(std::uint32_t place, const PathRay& ray, const Hit& hit) const {
        store_vectorized(trees.leaf_rays[place], ray);
        trees.leaf_hits[place] = hit;
        return ShadeNode::of(ShadeNode::kLeaf, place);
    }
    /// Computes a node's value from its children's, which must be known.
    TL_D void evaluate(View<const vec4> leaf_values, std::uint32_t i) const {
        if (i >= at.counts->n_rays[at.level.index]) return;
        ShadeNode node = trees.nodes[first_node + i];
        vec4 value;
        if (node.state() == ShadeNode::kMiss) {
            value = vec4(at.frame.scene.background, 1);
        } else if (node.state() == ShadeNode::kLeaf) {
            value = leaf_values[node.reference()];
        } else if (node.state() == ShadeNode::kReflection) {
            Reflection r = trees.reflections[node.reference()];
            value = vec4(r.emitted, 1) + vec4(r.weight, 1) * values[r.child];
        } else {
            Refraction r = trees.refractions[node.reference()];
            value = vec4(r.emitted, 1) + vec4(r.weight0, 1) * values[r.child] +
                    vec4(r.weight1, 1) * values[r.child + 1];
        }
        values[first_node + i] = value;
    }
};

TL_DEVICE_END
