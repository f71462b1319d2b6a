// Shading of a wavefront's leaves, in a kernel that also traces their shadow rays.
#pragma once

#include "accel/bvh/traversal/any_tracer.h"
#include "core/device/parallel_for.h"
#include "core/device/vectorized_copy.h"
#include "renderer/whitted/wavefront_kernels.h"

TL_DEVICE_BEGIN

template <bool kGloss, class Tracer>
TL_D void shade_leaf(const Tracer& tracer, const WhittedFrame& frame, const LeafPass& pass,
                     std::uint32_t j) {
    if (j >= *pass.count) return;
    std::uint32_t i = pass.list.empty() ? j : pass.list[j];
    PathRay ray = load_vectorized(pass.rays[i]);
    vec3 in_pixel = ray.throughput;
    ray.throughput = vec3(1);
    Hit hit;
    if (!pass.follow) hit = pass.hits[i];
    std::uint32_t n_rays = 0;
    vec3 radiance = follow_depth_first<kGloss>(tracer, frame, ray, in_pixel, n_rays,
                                               pass.follow ? nullptr : &hit);
    if (pass.weighted) radiance *= in_pixel;
    pass.values[i] = vec4(radiance, static_cast<float>(n_rays));
}

/// `kGloss`: whether the frame may have glossy surfaces, whose functions need more registers than a
/// limit of resident blocks would leave.
template <bool kGloss>
struct ShadePass {
    Stream& stream;
    const WhittedFrame& frame;
    const LeafPass& pass;
    std::uint32_t capacity;

    template <class Tracer>
    void operator()(Tracer tracer) const {
        WhittedFrame frame = this->frame;
        LeafPass pass = this->pass;
        parallel_for<kGloss ? 0 : kBlocksFor<Tracer>>(
            stream, pass.follow ? "follow what found no room" : "shade leaves", capacity,
            TL_LAMBDA(std::uint32_t j) {
                WhittedFrame seen = frame;
                seen.scene = seen_by<Tracer>(frame.scene);
                shade_leaf<kGloss>(tracer, seen, pass, j);
            },
            256);
    }
};

/// Runs the pass and returns true where the tree has a layout that is chosen automatically.
[[nodiscard]] bool shade_by_default_tracer(const ShadePass<false>& pass);
/// Runs the pass for trees of all layouts.
void shade_glossy_leaves(const ShadePass<true>& pass);

TL_DEVICE_END
