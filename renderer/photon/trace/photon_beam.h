// Photon differentials: derivatives of a photon's ray by the two random numbers it was drawn by,
// times the mean distance between photons in these numbers. They are propagated through specular
// bounces (Igehy 1999, "Tracing ray differentials"; Schjoeth, Frisvad, Erleben & Sporring 2007,
// "Photon differentials"). At a surface the photon's power is spread over the ellipse between its
// neighbours, however strongly the light is focused there.
//
// Only emitters without an area, or without a position, have two numbers per ray. Others have no
// photon differentials.
#pragma once

#include "renderer/path/path_ray.h"
#include "renderer/photon/gather/normal_variation.h"
#include "renderer/photon/photon.h"
#include "renderer/shading/emission.h"

TL_DEVICE_BEGIN

/// Offsets to the neighbouring rays. All zeros where they are unknown.
struct alignas(16) PhotonBeam {
    vec3 offset[2]{vec3(0), vec3(0)};  ///< between the origins of neighbouring rays, m
    vec3 turn[2]{vec3(0), vec3(0)};    ///< between their directions
    vec3 wall{0};     ///< normal, on the ray's side, of the specular surface that the ray left last
    float above = 0;  ///< height of the ray's end above the plane of that surface, m

    [[nodiscard]] TL_D bool is_known() const { return offset[0] != vec3(0) || turn[0] != vec3(0); }

    /// Differentials of an emitted ray; `place` and `direction` are the numbers it was drawn by.
    /// `step`: mean spacing of photons in these numbers. One offset is lengthened and the other
    /// shortened, so that neighbours are equally far away along both.
    [[nodiscard]] TL_D static PhotonBeam of(const LightData& light, const Box& around, vec2 place,
                                            vec2 direction, vec3 ray_direction, float step) {
        PhotonBeam beam;
        if (light.kind == LightKind::directional) {
            const BoxFace face(around, ray_direction, place.x);
            vec3 size = around.hi - around.lo;
            beam.offset[0][face.u] = step * size[face.u] / face.share;
            beam.offset[1][face.v] = step * size[face.v];
            balance(beam.offset, ray_direction);
        } else if (light.kind == LightKind::point || light.kind == LightKind::spot) {
            // z along the axis and the angle around it are both uniform.
            bool is_spot = light.kind == LightKind::spot;
            vec3 axis = is_spot ? light.normal : vec3(0, 0, 1);
            float dz = is_spot ? 1 - light.cos_outer : 2.0f;
            float z = 1 - direction.x * dz, ring2 = maximum(1 - z * z, 1e-6f);
            vec3 away = fused(-z, axis, ray_direction);  // of length `ring`
            beam.turn[0] = step * dz * (z / ring2 * away - axis);
            beam.turn[1] = step * 2 * kPi * fused_cross(axis, away);
            balance(beam.turn, ray_direction);
        }
        return beam;
    }
    /// Propagates along the unit `direction` for `distance`, to a surface of unit `normal`.
    TL_D void arrive(vec3 direction, float distance, vec3 normal) {
        constexpr float kLeastCosine = 1e-3f;
        float cosine = fused_dot(direction, normal);
        above = distance * fused_dot(direction, wall);
        if (fabsf(cosine) < kLeastCosine) return forget();
        for (int k = 0; k < 2; ++k) {
            vec3 there = fused(distance, turn[k], offset[k]);
            offset[k] = fused(-fused_dot(there, normal) / cosine, direction, there);
        }
    }
    /// Propagates through a specular bounce at the hit; `from`: the ray that arrived.
    TL_D void bounce(const SceneView& scene, const PathRay& from, const Hit& hit, const PathHit& h,
                     const BouncedRay& bounced) {
        const MaterialData& m = *h.surface.material;
        bool mirrors = bounced.branch == 0;
        float eta = 1;
        wall = vec3(0);
        if (!mirrors) {
            Interface face = interface_at(scene, from.media(), m, h.from_inside);
            if (!face.is_real) return;
            eta = face.eta;
        }
        const NormalVariation variation(scene, hit, h.surface);
        vec3 n = h.normal;
        float side = fused_dot(h.surface.normal, n) < 0 ? -1.0f : 1.0f;
        float cos_in = fused_dot(from.direction, n), cos_out = fused_dot(bounced.direction, n);
        if (!(fabsf(cos_out) > 1e-3f)) return forget();
        wall = cos_out < 0 ? -n : n;
        // The continued direction is eta D - mu N.
        float mu = mirrors ? 2 * cos_in : eta * cos_in - cos_out;
        float slope = mirrors ? 2 : eta - eta * eta * cos_in / cos_out;
        for (int k = 0; k < 2; ++k) {
            vec3 bend = side * variation.along(offset[k]);
            float d_cos = fused_dot(turn[k], n) + fused_dot(from.direction, bend);
            turn[k] = eta * turn[k] - (mu * bend + slope * d_cos * n);
        }
    }
    /// Kernel ellipse of a photon that has arrived at a surface of unit `normal`.
    [[nodiscard]] TL_D PhotonShape shape(vec3 normal, const BeamKernel& kernel) const {
        const NormalFrame frame(normal);
        vec2 a(fused_dot(offset[0], frame.x), fused_dot(offset[0], frame.y));
        vec2 b(fused_dot(offset[1], frame.x), fused_dot(offset[1], frame.y));
        keep_before(vec2(fused_dot(wall, frame.x), fused_dot(wall, frame.y)), kernel, a, b);
        // Principal axes of the matrix a a^T + b b^T.
        float xx = a.x * a.x + b.x * b.x, xy = a.x * a.y + b.x * b.y, yy = a.y * a.y + b.y * b.y;
        float mean = (xx + yy) / 2, difference = (xx - yy) / 2;
        float root = sqrtf(difference * difference + xy * xy);
        vec2 axis = difference > 0 ? vec2(difference + root, xy) : vec2(xy, root - difference);
        float length = glm::length(axis);
        axis = length > 0 ? axis / length : vec2(1, 0);
        // Uses the area: the difference of both terms would be lost to rounding.
        float square = mean + root, area = a.x * b.y - a.y * b.x;
        float greater = kernel.radius(square);
        float less = kernel.radius(square > 0 ? area * area / square : 0.0f);
        return {(axis.x * frame.x + axis.y * frame.y) / greater, 2 / (kPi * greater * less),
                (axis.x * frame.y - axis.y * frame.x) / less, greater};
    }
    TL_D void forget() { *this = {}; }
    /// Widens the distance to neighbours where only the fraction `share` of the photons continues.
    TL_D void thin_out(float share) {
        if (!is_known()) return;
        float scale = 1 / sqrtf(share);
        for (int k = 0; k < 2; ++k) {
            offset[k] *= scale;
            turn[k] *= scale;
        }
    }

  private:
    /// Shrinks the ellipse so that it ends at the plane of the specular surface that the light left
    /// last. No light arrives beyond it.
    TL_D void keep_before(vec2 to_wall, const BeamKernel& kernel, vec2& a, vec2& b) const {
        float slope = glm::length(to_wall);
        if (!(slope > 1e-3f)) return;
        vec2 m = to_wall / slope;
        float along_a = glm::dot(a, m), along_b = glm::dot(b, m);
        float reach = kernel.spread * sqrtf(along_a * along_a + along_b * along_b);
        float most = maximum(above / slope, 0.0f);
        if (!(reach > most)) return;
        float lost = 1 - most / reach;
        a -= lost * along_a * m;
        b -= lost * along_b * m;
    }
    /// Scales both vectors to equal length, as projected along unit `direction`. Their area stays
    /// the same.
    TL_D static void balance(vec3 ways[2], vec3 direction) {
        float first = fused_length(fused_cross(ways[0], direction));
        float second = fused_length(fused_cross(ways[1], direction));
        if (!(first > 0) || !(second > 0)) return;
        float scale = sqrtf(second / first);
        ways[0] *= scale;
        ways[1] /= scale;
    }
};
static_assert(sizeof(PhotonBeam) == 64);

TL_DEVICE_END
