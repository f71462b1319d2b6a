// Nested and overlapping dielectrics, resolved by priorities (Schmidt & Budge 2002, "Simple nested
// dielectrics in ray traced images"): whether a surface refracts, and between which indices.
#pragma once

#include "renderer/scene/live/scene_view.h"

TL_DEVICE_BEGIN

/// Up to three dielectrics that contain a ray, by their medium numbers (MaterialData::medium) of 8
/// bits. The one that the ray entered last is in the lowest bits. A fourth drops the oldest.
struct Media {
    static constexpr int kBits = 24;
    static constexpr std::uint32_t kMask = (1u << kBits) - 1;
    std::uint32_t bits = 0;

    [[nodiscard]] TL_HD Media entered(std::uint32_t medium) const {
        return {(bits << 8 | medium) & kMask};
    }
    /// The media without the newest entry of `medium`.
    [[nodiscard]] TL_HD Media left(std::uint32_t medium) const {
        for (int at = 0; at < kBits; at += 8)
            if ((bits >> at & 255u) == medium) {
                std::uint32_t newer = bits & ((1u << at) - 1);
                return {newer | (bits >> (at + 8)) << at};
            }
        return *this;
    }
    /// The medium that fills the space: the newest of those of highest priority. 0: none.
    [[nodiscard]] TL_HD std::uint32_t current(const SceneView& scene) const {
        std::uint32_t best = 0;
        for (std::uint32_t rest = bits; rest; rest >>= 8) {
            std::uint32_t medium = rest & 255u;
            if (medium && (!best || scene.medium(medium).priority > scene.medium(best).priority))
                best = medium;
        }
        return best;
    }
};

/// The media that contain the camera.
TL_HD inline Media media_of_camera(const SceneView& scene) {
    return {scene.camera_media ? *scene.camera_media : 0u};
}
/// The media that contain a photon source; none before find_media_of_sources().
TL_HD inline Media media_of_source(const SceneView& scene, std::uint32_t source) {
    return {scene.source_media ? scene.source_media[source] : 0u};
}

/// A dielectric's surface at a ray's hit.
struct Interface {
    /// Whether light is refracted and reflected. If not, another dielectric fills both sides, and
    /// the ray continues straight. That dielectric has a higher priority, or the same and is newer.
    bool is_real;
    float eta;     ///< index of refraction on the ray's side, divided by that beyond; if real
    Media beyond;  ///< dielectrics that contain the ray behind the surface
};

/// The interface at a ray's hit on a dielectric of material `m`. `media` contain the ray, and
/// `here`, one of them or 0, fills the space on its side.
TL_HD inline Interface interface_at(const SceneView& scene, Media media, std::uint32_t here,
                                    const MaterialData& m, bool from_inside) {
    if (m.medium == 0) return {true, from_inside ? m.ior : 1 / m.ior, media};
    if (from_inside) {
        Media beyond = media.left(m.medium);
        std::uint32_t next = beyond.current(scene);
        // `here` is 0 inside a dielectric that was not found at the path's start, or was dropped.
        bool is_real = here == 0 || here == m.medium;
        return {is_real, m.ior / (next ? scene.medium(next).ior : 1.0f), beyond};
    }
    bool is_real = here == 0 || scene.medium(here).priority <= m.priority;
    return {is_real, (here ? scene.medium(here).ior : 1.0f) / m.ior, media.entered(m.medium)};
}
TL_HD inline Interface interface_at(const SceneView& scene, Media media, const MaterialData& m,
                                    bool from_inside) {
    return interface_at(scene, media, media.current(scene), m, from_inside);
}

/// The transmittance over `distance` in a medium that absorbs `absorption` per length (Beer-Lambert
/// law).
TL_HD inline vec3 absorbed(vec3 absorption, float distance) {
    return vec3(expf(-absorption.x * distance), expf(-absorption.y * distance),
                expf(-absorption.z * distance));
}
/// The transmittance over `distance` in the medium that fills the space among `media`. 1 over an
/// infinite distance, since no closed surface is that large.
TL_HD inline vec3 absorbed(const SceneView& scene, Media media, float distance) {
    std::uint32_t medium = media.current(scene);
    if (!medium || distance == kInfinity) return vec3(1);
    return absorbed(scene.medium(medium).absorption, distance);
}

TL_DEVICE_END
