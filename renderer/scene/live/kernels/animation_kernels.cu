// Exploding triangles, travelling waves, rigid motion and motion from frame to frame. An explosion
// of zero distance and angle leaves the vertices unchanged bit for bit, since translation and
// rotation are computed as offsets that are added to them.
#include "core/base/random.h"
#include "core/device/parallel_for.h"
#include "renderer/scene/live/animation.h"

TL_DEVICE_BEGIN

namespace {

constexpr float kNearest = 0.35f;  // shortest flight, as a fraction of the farthest

/// Rodrigues' formula: the change of `v` when it is turned about the unit `axis`.
TL_HD vec3 turn(vec3 v, vec3 axis, float sine, float one_minus_cosine) {
    vec3 across = glm::cross(axis, v);
    return sine * across + one_minus_cosine * glm::cross(axis, across);
}

/// A direction uniform on the unit sphere (Archimedes' theorem).
TL_HD vec3 random_direction(std::uint32_t a, std::uint32_t b) {
    float z = 1 - 2 * to_unit_float(a), angle = 2 * kPi * to_unit_float(b);
    float radius = sqrtf(maximum(0.0f, 1 - z * z));
    return {radius * cosf(angle), radius * sinf(angle), z};
}

TL_HD vec3 unit_or_zero(vec3 v) {
    float length = glm::length(v);
    return length > 0 ? v / length : vec3(0);
}

}  // namespace

void explode(Stream& stream, const Explosion& at, const VertexMotion& vertices) {
    Explosion e = at;
    VertexMotion v = vertices;
    float sine = std::sin(e.angle), one_minus_cosine = 1 - std::cos(e.angle);
    parallel_for(
        stream, "explode", static_cast<std::uint32_t>(v.positions.size / 3),
        TL_LAMBDA(std::uint32_t triangle) {
            std::size_t first = std::size_t(3) * triangle;
            vec3 corners[3];
            for (int k = 0; k < 3; ++k) corners[k] = v.rest_positions[first + k];
            vec3 middle = (corners[0] + corners[1] + corners[2]) / 3.0f;
            Philox4 random = philox4x32(triangle, 0, 0, 0, 0, 0);
            vec3 axis = random_direction(random.v[0], random.v[1]);
            vec3 out = middle - e.center;
            float length = glm::length(out);
            vec3 way = length > 0 && length < kInfinity ? out / length : axis;
            float share = kNearest + (1 - kNearest) * to_unit_float(random.v[2]);
            vec3 flight = way * (e.distance * share);
            for (int k = 0; k < 3; ++k) {
                vec3 turned = turn(corners[k] - middle, axis, sine, one_minus_cosine);
                v.positions[first + k] = corners[k] + (flight + turned);
                vec3 normal = v.rest_normals[first + k];
                v.normals[first + k] = normal + turn(normal, axis, sine, one_minus_cosine);
            }
        });
}

void wave(Stream& stream, const WaveSum& waves, const VertexMotion& vertices) {
    WaveSum w = waves;
    VertexMotion v = vertices;
    parallel_for(
        stream, "wave", static_cast<std::uint32_t>(v.positions.size), TL_LAMBDA(std::uint32_t i) {
            vec3 p = v.rest_positions[i], normal = v.rest_normals[i];
            float height = 0;
            vec3 slope(0);
            for (int k = 0; k < WaveSum::kWaves; ++k) {
                float angle = glm::dot(w.wave_vector[k], p) - w.shift[k];
                height += w.amplitude[k] * sinf(angle);
                slope += w.wave_vector[k] * (w.amplitude[k] * cosf(angle));
            }
            v.positions[i] = p + w.lift * height;
            v.normals[i] = unit_or_zero(normal - slope * glm::dot(w.lift, normal));
        });
}

void move_rigidly(Stream& stream, const RigidBatch& batch, const VertexMotion& vertices) {
    RigidBatch b = batch;
    VertexMotion v = vertices;
    parallel_for(
        stream, "move rigidly", static_cast<std::uint32_t>(v.rest_positions.size),
        TL_LAMBDA(std::uint32_t i) {
            int mesh = 0;
            while (i >= b.meshes[mesh].end) ++mesh;
            const RigidBatch::Placed& placed = b.meshes[mesh];
            std::uint32_t target = i + placed.shift;
            v.positions[target] = placed.points * vec4(v.rest_positions[i], 1);
            v.normals[target] = unit_or_zero(placed.normals * v.rest_normals[i]);
        });
}

void blend_frames(Stream& stream, const FramePair& at, const VertexMotion& vertices) {
    FramePair pair = at;
    VertexMotion v = vertices;
    parallel_for(
        stream, "blend frames", static_cast<std::uint32_t>(v.positions.size),
        TL_LAMBDA(std::uint32_t i) {
            std::size_t from = pair.from * v.positions.size + i;
            std::size_t to = pair.to * v.positions.size + i;
            v.positions[i] = glm::mix(v.rest_positions[from], v.rest_positions[to], pair.weight);
            v.normals[i] =
                unit_or_zero(glm::mix(v.rest_normals[from], v.rest_normals[to], pair.weight));
        });
}

TL_DEVICE_END
