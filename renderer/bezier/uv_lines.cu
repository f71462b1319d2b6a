#include "renderer/bezier/uv_lines.h"

#include "core/device/parallel_for.h"

TL_DEVICE_BEGIN

namespace {

constexpr float kDarkest = 0.2f;  // fraction of the light that remains on a line
/// Distance between lines, in pixels, below which they fade.
constexpr float kCrowded = 4;

/// Change of a parameter across a pixel, given its changes along x and y.
TL_HD float per_pixel(float by_x, float by_y) {
    return sqrtf(by_x * by_x + by_y * by_y);
}

/// The fraction of a pixel that lines at t = k / n cover: a tent with a mean width of one pixel.
TL_HD float line_coverage(float t, int n, float per_pixel) {
    auto lines = static_cast<float>(n);
    float off = magnitude(t * lines - floorf(t * lines + 0.5f));
    float spacing = 1 / (lines * per_pixel);  // pixels
    float coverage = maximum(1 - off * spacing, 0.0f) * minimum(spacing / kCrowded, 1.0f);
    return coverage > 0 ? coverage : 0;  // 0 for NaN, where the surface has no tangents
}

}  // namespace

void darken_uv_lines(Stream& stream, const SceneView& scene, const CameraRays& camera, vec2 offset,
                     int n_lines, const PicturePart& part, View<const Hit> hits,
                     View<PathRay> paths) {
    parallel_for(
        stream, "uv lines", part.size, TL_LAMBDA(std::uint32_t i) {
            std::uint32_t x, y;
            const Hit hit = hits[i];
            if (!part.pixel(i, x, y) || !hit.found()) return;
            if (kind_of(scene, hit) != PrimitiveKind::patch) return;
            PatchSurface s = patch_at(scene, hit, hit.u, hit.v);
            // Offsets to the intersections of the neighbouring pixels' rays with the tangent plane
            // (Igehy 1999, "Tracing ray differentials").
            vec3 along = camera.corner + (static_cast<float>(x) + offset.x) * camera.step_x +
                         (static_cast<float>(y) + offset.y) * camera.step_y;
            float scale = glm::length(s.position - camera.origin) / glm::length(along);
            float facing = glm::dot(s.normal, along);
            vec3 step_x =
                scale * (camera.step_x - along * (glm::dot(s.normal, camera.step_x) / facing));
            vec3 step_y =
                scale * (camera.step_y - along * (glm::dot(s.normal, camera.step_y) / facing));
            // The same offsets in u and v, by least squares.
            float uu = glm::dot(s.du, s.du), uv = glm::dot(s.du, s.dv), vv = glm::dot(s.dv, s.dv);
            vec3 to_u = vv * s.du - uv * s.dv, to_v = uu * s.dv - uv * s.du;
            float inverse = 1 / (uu * vv - uv * uv);
            float u = per_pixel(inverse * glm::dot(to_u, step_x), inverse * glm::dot(to_u, step_y));
            float v = per_pixel(inverse * glm::dot(to_v, step_x), inverse * glm::dot(to_v, step_y));
            float coverage =
                maximum(line_coverage(hit.u, n_lines, u), line_coverage(hit.v, n_lines, v));
            paths[i].throughput *= 1 - (1 - kDarkest) * coverage;
        });
}

TL_DEVICE_END
