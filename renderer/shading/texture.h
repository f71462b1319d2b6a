// Texture lookup with a footprint: nearest, bilinear, or trilinear between mip maps (Williams 1983,
// "Pyramidal parametrics").
#pragma once

#include "core/base/fused.h"
#include "renderer/scene/live/scene_view.h"

/// Keeps code that few scenes need out of line on the CPU: inlined into every tracer's kernel, it
/// displaces the inlining of hot code (g++ 12: a tenth of the Cornell box's frame time).
#if defined(__CUDACC__)
#define TL_OUT_OF_LINE inline
#else
#define TL_OUT_OF_LINE inline __attribute__((noinline))
#endif

TL_DEVICE_BEGIN

/// A texture coordinate wrapped into [0, 1].
TL_HD inline float folded(float u, TextureWrap wrap) {
    if (wrap == TextureWrap::repeat) return u - floorf(u);
    if (wrap == TextureWrap::clamp) return minimum(maximum(u, 0.0f), 1.0f);
    float half = u / 2, there_and_back = 2 * (half - floorf(half));  // exact products
    return there_and_back > 1 ? 2 - there_and_back : there_and_back;
}

/// The wrapped index of texel i, from -1 to n, in a row of n.
TL_HD inline int texel_place(int i, int n, TextureWrap wrap) {
    if (i < 0) return wrap == TextureWrap::repeat ? n - 1 : 0;
    if (i >= n) return wrap == TextureWrap::repeat ? 0 : n - 1;
    return i;
}

TL_HD inline vec4 texel_at(const SceneView& scene, const TextureData& texture,
                           const MipLevel& level, int x, int y) {
    x = texel_place(x, level.width, texture.wrap_u);
    y = texel_place(y, level.height, texture.wrap_v);
    Texel t = scene.texels[level.first_texel + static_cast<std::uint64_t>(y) * level.width + x];
    return vec4(t.r, t.g, t.b, t.a) * (1.0f / 65535);
}

TL_HD inline vec4 nearest_texel(const SceneView& scene, const TextureData& texture, vec2 uv) {
    const MipLevel& level = scene.mip_levels[texture.first_level];
    float x = folded(uv.x, texture.wrap_u) * static_cast<float>(level.width);
    float y = (1 - folded(uv.y, texture.wrap_v)) * static_cast<float>(level.height);
    return texel_at(scene, texture, level, static_cast<int>(x), static_cast<int>(y));
}

TL_HD inline vec4 bilinear_texel(const SceneView& scene, const TextureData& texture, int number,
                                 vec2 uv) {
    const MipLevel& level =
        scene.mip_levels[texture.first_level + static_cast<std::uint32_t>(number)];
    float x = fmaf(folded(uv.x, texture.wrap_u), static_cast<float>(level.width), -0.5f);
    float y = fmaf(1 - folded(uv.y, texture.wrap_v), static_cast<float>(level.height), -0.5f);
    float x0 = floorf(x), y0 = floorf(y), wx = x - x0, wy = y - y0;
    int left = static_cast<int>(x0), above = static_cast<int>(y0);
    vec4 upper = fused_mix(texel_at(scene, texture, level, left, above),
                           texel_at(scene, texture, level, left + 1, above), wx);
    vec4 lower = fused_mix(texel_at(scene, texture, level, left, above + 1),
                           texel_at(scene, texture, level, left + 1, above + 1), wx);
    return fused_mix(upper, lower, wy);
}

/// The mip level whose texels have the size of the footprint, a length in texture coordinates;
/// below 0 where the footprint is smaller than the finest texel.
TL_HD inline float mip_level(const MipLevel& finest, float footprint) {
    float n_texels = static_cast<float>(finest.width) * static_cast<float>(finest.height);
    return 0.5f * log2f(footprint * footprint * n_texels);
}

/// The texture's value, in linear colours; (0, 0) is the lower left corner of the image.
/// `footprint`: the width of the lookup, in texture coordinates.
TL_HD TL_OUT_OF_LINE vec4 sample_texture(const SceneView& scene, int index, vec2 uv,
                                         float footprint) {
    const TextureData& texture = scene.textures[index];
    if (scene.texture_filter == TextureFilter::nearest) return nearest_texel(scene, texture, uv);
    float level = 0;
    if (scene.texture_filter == TextureFilter::mip) {
        float last = static_cast<float>(texture.n_levels - 1);
        level = mip_level(scene.mip_levels[texture.first_level], footprint);
        level = level > 0 ? minimum(level, last) : 0.0f;
    }
    int finer = static_cast<int>(level);
    float coarser = level - static_cast<float>(finer);
    vec4 value(0);
    // Not unrolled: kernels that shade paths would be larger by a fifth.
#pragma unroll 1
    for (int k = 0; k < 2; ++k) {
        vec4 at_level = bilinear_texel(scene, texture, finer + k, uv);
        value = k == 0 ? at_level : fused_mix(value, at_level, coarser);
        if (!(coarser > 0)) break;
    }
    return value;
}

/// Alpha of the finest mip level: averages in coarser ones are neither leaf nor gap. A pixel's
/// samples average surface and holes instead.
TL_HD inline float sample_alpha(const SceneView& scene, int index, vec2 uv) {
    const TextureData& texture = scene.textures[index];
    return scene.texture_filter == TextureFilter::nearest ? nearest_texel(scene, texture, uv).w
                                                          : bilinear_texel(scene, texture, 0, uv).w;
}

TL_DEVICE_END
