// How the shading normal varies over the surface at a hit.
#pragma once

#include "renderer/shading/surface_variation.h"

TL_DEVICE_BEGIN

/// How the shading normal turns along the surface at a hit: of patches and splats the same in all
/// directions, by curvature_of.
class NormalVariation {
  public:
    TL_HD NormalVariation(const SceneView& scene, const Hit& hit, const Surface& s) {
        PrimitiveKind kind = kind_of(scene, hit);
        if (kind != PrimitiveKind::triangle && kind != PrimitiveKind::instance) {
            curvature_ = curvature_of(scene, hit);
            return;
        }
        Corners c = corners_of(scene, hit);
        vec3 e1 = c.positions[1] - c.positions[0], e2 = c.positions[2] - c.positions[0];
        vec3 across = fused_cross(e1, e2);
        vec3 mean =
            fused_mean(1 - hit.u - hit.v, c.normals[0], hit.u, c.normals[1], hit.v, c.normals[2]);
        float squared = fused_dot(across, across), length = fused_length(mean);
        if (!(squared > 0) || !(length > 1e-6f)) return;
        float side = fused_dot(mean, s.normal) < 0 ? -1.0f : 1.0f;
        to_u_ = fused_cross(e2, across) / squared;
        to_v_ = fused_cross(across, e1) / squared;
        with_u_ = turning(s.normal, c.normals[1] - c.normals[0], side / length);
        with_v_ = turning(s.normal, c.normals[2] - c.normals[0], side / length);
    }
    /// By how much the unit normal, on its side, differs at a small way along the surface.
    [[nodiscard]] TL_HD vec3 along(vec3 way) const {
        return fused_mean(curvature_, way, fused_dot(to_u_, way), with_u_, fused_dot(to_v_, way),
                          with_v_);
    }

  private:
    [[nodiscard]] TL_HD static vec3 turning(vec3 normal, vec3 change, float scale) {
        return product(scale, fused(-fused_dot(normal, change), normal, change));
    }

    float curvature_ = 0;
    vec3 to_u_{0}, to_v_{0};      // barycentric coordinates by ways
    vec3 with_u_{0}, with_v_{0};  // the normal by these
};

TL_DEVICE_END
