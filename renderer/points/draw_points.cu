#include "renderer/points/draw_points.h"

#include "core/device/block.h"
#include "renderer/images/srgb.h"
#include "renderer/shading/sampler.h"

TL_DEVICE_BEGIN

namespace {

/// The drawn part of a batch, and the precision needed.
struct BatchPlan {
    std::uint32_t first, end;  ///< range of points of the batch
    bool is_fine;              ///< coordinates need all their bits
    bool is_wide;              ///< points may cover more than a pixel
};

/// A batch in camera coordinates: a point's position is start + its grid coordinates times three
/// edges.
struct BatchView {
    vec3 start, edges[3];  ///< x and y times the distance, in pixels; z: the distance

    TL_D BatchView(const PointBatch& batch, const PointCamera& camera) {
        auto seen = [&](vec3 v) {
            return vec3(glm::dot(v, camera.across), glm::dot(v, camera.down),
                        glm::dot(v, camera.forward));
        };
        start = seen(batch.lo - camera.eye);
        for (int axis = 0; axis < 3; ++axis) {
            vec3 edge(0);
            edge[axis] = batch.step[axis];
            edges[axis] = seen(edge);
        }
    }
    /// Position of a point at the given grid coordinates, in steps from the corner.
    TL_D vec3 at(float x, float y, float z) const {
        return fused(z, edges[2], fused(y, edges[1], fused(x, edges[0], start)));
    }
};

struct DrawPass {
    static constexpr int kThreads = 128;
    static constexpr float kMostPixels = 32;  ///< radius of points on the screen
    PointBatchesView points;
    PointCamera camera;
    PointShare share;
    View<std::uint64_t> nearest;

    struct Shared {
        BatchPlan plan;
    };
    TL_D void operator()(const Block<kThreads>& block, Shared& shared) const {
        const PointBatch& batch = points.batches[block.index];
        BatchView view(batch, camera);
        if (block.rank == 0) shared.plan = plan(batch, view);
        block.sync();
        BatchPlan plan = shared.plan;
        std::uint32_t first = block.index * PointBatch::kMostPoints;
        for (std::uint32_t i = plan.first + block.rank; i < plan.end; i += block.size) {
            vec3 place = place_of(view, first + i, plan.is_fine);
            if (!(place.z > 0)) continue;
            if (plan.is_wide)
                draw_wide(place, batch.radius, first + i);
            else
                draw_pixel(place, first + i);
        }
    }

  private:
    TL_D vec3 place_of(const BatchView& view, std::uint32_t i, bool is_fine) const {
        std::uint32_t high = points.high[i];
        // The middle of the interval that the upper bits leave open.
        float low[3] = {512, 512, 512};
        if (is_fine) {
            std::uint32_t bits = points.low[i];
            for (int axis = 0; axis < 3; ++axis)
                low[axis] = static_cast<float>(bits >> (10 * (2 - axis)) & 1023) + 0.5f;
        }
        float steps[3];
        for (int axis = 0; axis < 3; ++axis) {
            auto upper = static_cast<float>(high >> (10 * (2 - axis)) & 1023);
            steps[axis] = fmaf(upper, 1024.0f, low[axis]);
        }
        return view.at(steps[0], steps[1], steps[2]);
    }

    TL_D void set(std::uint32_t pixel, float distance, std::uint32_t number) const {
        std::uint64_t point = NearestPoint::packed(distance, number);
        // Most points are hidden, and a read costs less than an atomic operation.
        if (point < load_racing(&nearest[pixel])) atomic_min(&nearest[pixel], point);
    }

    TL_D void draw_pixel(vec3 place, std::uint32_t number) const {
        float x = place.x / place.z, y = place.y / place.z;
        auto width = static_cast<float>(camera.extent.width);
        auto height = static_cast<float>(camera.extent.height);
        if (!(x >= 0 && x < width && y >= 0 && y < height)) return;
        auto row = static_cast<std::uint32_t>(y), column = static_cast<std::uint32_t>(x);
        set(row * static_cast<std::uint32_t>(camera.extent.width) + column, place.z, number);
    }

    /// Draws a point as a sphere.
    TL_D void draw_wide(vec3 place, float radius, std::uint32_t number) const {
        float x = place.x / place.z, y = place.y / place.z;
        float size = share.size * radius;
        float r = minimum(size * camera.pixels_per_angle / place.z, kMostPixels);
        if (!(r > 0.5f)) return draw_pixel(place, number);
        auto end = [](float at, int most) {
            return static_cast<int>(minimum(maximum(at, 0.0f), static_cast<float>(most)));
        };
        int x0 = end(ceilf(x - r - 0.5f), camera.extent.width);
        int x1 = end(floorf(x + r - 0.5f) + 1, camera.extent.width);
        int y0 = end(ceilf(y - r - 0.5f), camera.extent.height);
        int y1 = end(floorf(y + r - 0.5f) + 1, camera.extent.height);
        for (int row = y0; row < y1; ++row)
            for (int column = x0; column < x1; ++column) {
                float dx = (static_cast<float>(column) + 0.5f - x) / r;
                float dy = (static_cast<float>(row) + 0.5f - y) / r;
                float rest = 1 - dx * dx - dy * dy;
                if (rest < 0) continue;
                float distance = fmaf(-size, sqrtf(rest), place.z);
                // Parts of a sphere behind the eye count as the nearest possible.
                set(static_cast<std::uint32_t>(row * camera.extent.width + column),
                    maximum(distance, 1e-6f * place.z), number);
            }
    }

    /// Range of the batch's points to draw: none where it is outside the view.
    TL_D BatchPlan plan(const PointBatch& batch, const BatchView& view) const {
        constexpr float kSteps = 1 << PointBatch::kBits;
        BatchPlan plan{0, 0, true, share.size > 0 && batch.radius > 0};
        vec2 lo(kInfinity), hi(-kInfinity);
        float nearest_z = kInfinity;
        bool in_front = false;
        for (int corner = 0; corner < 8; ++corner) {
            vec3 place = view.at(corner & 1 ? kSteps : 0.0f, corner & 2 ? kSteps : 0.0f,
                                 corner & 4 ? kSteps : 0.0f);
            nearest_z = minimum(nearest_z, place.z);
            in_front = in_front || place.z > 0;
            vec2 pixel = vec2(place.x, place.y) / place.z;
            lo = glm::min(lo, pixel);
            hi = glm::max(hi, pixel);
        }
        if (!in_front) return plan;
        std::uint32_t n = batch.n;
        if (nearest_z > 0) {
            float r = 0;
            if (plan.is_wide) {
                r = minimum(share.size * batch.radius * camera.pixels_per_angle / nearest_z,
                            kMostPixels);
                plan.is_wide = r > 0.5f;
            }
            if (hi.x < -r || lo.x > static_cast<float>(camera.extent.width) + r) return plan;
            if (hi.y < -r || lo.y > static_cast<float>(camera.extent.height) + r) return plan;
            vec2 size = hi - lo;
            // A step of the upper bits is then below a sixteenth of a pixel.
            plan.is_fine = maximum(size.x, size.y) > 64;
            float most = share.per_pixel * (size.x + 1) * (size.y + 1);
            if (share.per_pixel > 0 && most < static_cast<float>(n))
                n = static_cast<std::uint32_t>(most);
        }
        plan.first = part_of(n, share.part);
        plan.end = part_of(n, share.part + 1);
        return plan;
    }
    /// Number of points in the first `part` parts of n points.
    TL_D std::uint32_t part_of(std::uint32_t n, std::uint32_t part) const {
        if (part >= share.n_parts) return n;
        return static_cast<std::uint32_t>(std::uint64_t(n) * part / share.n_parts);
    }
};

/// Eye-dome lighting: darkening of a pixel by nearer points around it (Boucheny 2009).
TL_D float light_left(View<const std::uint64_t> nearest, Extent extent, int x, int y,
                      float distance, float strength) {
    constexpr float kStrength = 300;  ///< scales `strength` so that 1 is strong
    float own = log2f(distance), sum = 0;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
            int nx = x + dx, ny = y + dy;
            if (nx < 0 || ny < 0 || nx >= extent.width || ny >= extent.height) continue;
            std::uint64_t other = nearest[static_cast<std::size_t>(ny) * extent.width + nx];
            if (other == NearestPoint::kNone) continue;
            sum += maximum(0.0f, own - log2f(NearestPoint::distance(other)));
        }
    return expf(-kStrength * strength * sum / 8);
}

TL_D vec3 own_color(std::uint32_t packed) {
    vec3 color;
    for (int c = 0; c < 3; ++c)
        color[c] = linear_from_srgb(static_cast<float>(packed >> (8 * c) & 255) / 255);
    return color;
}

TL_D vec3 color_of(const PointBatchesView& points, const PointLook& look, View<const vec3> ramp,
                   std::uint32_t i) {
    if (look.color == PointColor::own) return own_color(points.colors[i]);
    if (look.color == PointColor::batch)
        return own_color(hash_bits(i / PointBatch::kMostPoints + 1) | 0x404040);
    float share = (position_of(points, i)[look.up] - look.lowest) / (look.highest - look.lowest);
    share = minimum(maximum(share, 0.0f), 1.0f);
    return ramp[static_cast<std::size_t>(share * static_cast<float>(ramp.size - 1) + 0.5f)];
}

}  // namespace

void draw_points(Stream& stream, const PointBatchesView& points, const PointCamera& camera,
                 const PointShare& share, View<std::uint64_t> nearest) {
    launch_blocks<DrawPass::kThreads>(stream, "draw points",
                                      static_cast<std::uint32_t>(points.batches.size),
                                      DrawPass{points, camera, share, nearest});
}

void shade_points(Stream& stream, const PointBatchesView& points, const PointLook& look,
                  View<const std::uint64_t> nearest, View<const vec3> ramp, const FilmView& film,
                  View<float> heights) {
    FilmView out = film;
    PointBatchesView all = points;
    PointLook how = look;
    parallel_for(
        stream, "shade points", static_cast<std::uint32_t>(film.extent.pixels()),
        TL_LAMBDA(std::uint32_t pixel) {
            std::uint64_t point = nearest[pixel];
            vec3 color(0);
            if (!heights.empty())
                heights[pixel] = point == NearestPoint::kNone
                                     ? -kInfinity
                                     : position_of(all, NearestPoint::number(point))[how.up];
            if (point != NearestPoint::kNone) {
                auto width = static_cast<std::uint32_t>(out.extent.width);
                color = color_of(all, how, ramp, NearestPoint::number(point));
                if (how.shading > 0)
                    color *= light_left(nearest, out.extent, static_cast<int>(pixel % width),
                                        static_cast<int>(pixel / width),
                                        NearestPoint::distance(point), how.shading);
            }
            out.radiance_sum[pixel] = vec4(color, 1);
            out.ray_count[pixel] = 0;
        });
}

TL_DEVICE_END
