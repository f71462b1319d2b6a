// Derivative of the shading normal along the surface at a hit.
#pragma once

#include "renderer/shading/surface_variation.h"

TL_DEVICE_BEGIN

/// Derivative of the shading normal along the surface at a hit. On triangles from vertex normals,
/// on patches from finite differences, on all else isotropic by curvature_of.
class NormalVariation {
  public:
    TL_HD NormalVariation(const SceneView& scene, const Hit& hit, const Surface& s) {
        PrimitiveKind kind = kind_of(scene, hit);
        if (kind == PrimitiveKind::patch) {
            vary_as_patch(scene, hit);
            return;
        }
        if (kind != PrimitiveKind::triangle && kind != PrimitiveKind::instance) {
            curvature_ = curvature_of(scene, hit);
            return;
        }
        Corners c = corners_of(scene, hit);
        vec3 e1 = c.positions[1] - c.positions[0], e2 = c.positions[2] - c.positions[0];
        vec3 mean =
            fused_mean(1 - hit.u - hit.v, c.normals[0], hit.u, c.normals[1], hit.v, c.normals[2]);
        float length = fused_length(mean);
        if (!(length > 1e-6f) || !find_coordinates(e1, e2)) return;
        float side = fused_dot(mean, s.normal) < 0 ? -1.0f : 1.0f;
        with_u_ = turning(s.normal, c.normals[1] - c.normals[0], side / length);
        with_v_ = turning(s.normal, c.normals[2] - c.normals[0], side / length);
    }
    /// Change of the unit normal, on its side, over the small tangent offset `way`.
    [[nodiscard]] TL_HD vec3 along(vec3 way) const {
        return fused_mean(curvature_, way, fused_dot(to_u_, way), with_u_, fused_dot(to_v_, way),
                          with_v_);
    }

  private:
    /// Finds the gradients of the coordinates that grow along `along_u` and `along_v` (edges or
    /// derivatives). Returns false where these are parallel.
    TL_HD bool find_coordinates(vec3 along_u, vec3 along_v) {
        vec3 across = fused_cross(along_u, along_v);
        float squared = fused_dot(across, across);
        if (!(squared > 0)) return false;
        to_u_ = fused_cross(along_v, across) / squared;
        to_v_ = fused_cross(across, along_u) / squared;
        return true;
    }
    /// Finite differences of the normal over small steps to both sides.
    TL_HD void vary_as_patch(const SceneView& scene, const Hit& hit) {
        constexpr float kStep = 1e-2f;
        PatchSurface here = patch_at(scene, hit, hit.u, hit.v);
        if (!find_coordinates(here.du, here.dv)) return;
        for (int k = 0; k < 2; ++k) {
            float at = k == 0 ? hit.u : hit.v;
            float from = maximum(at - kStep, 0.0f), to = minimum(at + kStep, 1.0f);
            vec3 before = patch_at(scene, hit, k == 0 ? from : hit.u, k == 1 ? from : hit.v).normal;
            vec3 after = patch_at(scene, hit, k == 0 ? to : hit.u, k == 1 ? to : hit.v).normal;
            (k == 0 ? with_u_ : with_v_) = turning(here.normal, after - before, 1 / (to - from));
        }
    }
    [[nodiscard]] TL_HD static vec3 turning(vec3 normal, vec3 change, float scale) {
        return product(scale, fused(-fused_dot(normal, change), normal, change));
    }

    float curvature_ = 0;
    vec3 to_u_{0}, to_v_{0};  // gradients of the barycentric or patch coordinates along the surface
    vec3 with_u_{0}, with_v_{0};  // derivatives of the normal by these coordinates
};

TL_DEVICE_END
