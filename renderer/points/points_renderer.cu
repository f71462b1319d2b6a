// The renderer `points`: rasterises point clouds and the vertices of meshes, without rays.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/device/fitting_array.h"
#include "core/device/stage_timer.h"
#include "core/operators/operators.h"
#include "renderer/false_color/color_map.h"
#include "renderer/film/film.h"
#include "renderer/points/draw_points.h"
#include "renderer/renderer.h"
#include "renderer/scene/live/live_scene.h"

TL_DEVICE_BEGIN

namespace {

class PointsRenderer final : public Renderer, public FalseColor {
  public:
    void prepare(const FrameContext& context) override {
        n_points_ = count_points(context.scene.description()).all();
        // All parts of this view have been drawn once it has as many samples.
        drawn_ = context.frame.sample >= n_parts();
    }

    [[nodiscard]] bool is_done() const override { return drawn_; }

    void render(const FrameContext& context) override {
        auto& stream = context.stream();
        const Frame& frame = context.frame;
        FilmView out = context.film.view();
        if (ramp_.empty()) ramp_.assign(stream, heat_colors());
        if (packed_scene_ != context.versions.scene) pack(context);
        resize_fitting(nearest_, stream, out.extent.pixels());
        extent_ = out.extent;
        {
            StageTimer::Scope stage(context.timer, "draw points", StageKind::trace);
            // A picture that one frame can draw is redrawn in every frame, so that its cost can be
            // seen.
            std::uint32_t n = n_parts(), part = n == 1 ? 0 : frame.sample;
            if (n == 1 || frame.sample == 0)
                fill<std::uint64_t>(stream, nearest_.view(), NearestPoint::kNone);
            PointShare share{part, n, config_.size, config_.per_pixel};
            if (n == 1 || frame.sample < n)
                draw_points(stream, points_.view(), PointCamera(frame.camera, out.extent), share,
                            nearest_.view());
        }
        StageTimer::Scope stage(context.timer, "shade points", StageKind::trace);
        look_ = look(frame.camera, context.scene.bounds_at_rest());
        heights_.resize_discard(stream,
                                config_.color == PointColor::height ? out.extent.pixels() : 0);
        shade_points(stream, points_.view(), look_, nearest_.view(), ramp_.view(), out,
                     heights_.view());
    }

    FalseColor* false_color() override { return this; }

    FalseColorScale scale(Stream& stream) override {
        FalseColorScale scale;
        scale.title = std::to_string(points_.counts.all()) + " points";
        if (config_.color == PointColor::own) {
            scale.key = "the colours of points, darker beside nearer ones";
        } else if (config_.color == PointColor::batch) {
            scale.key = "a colour for each batch of points that is drawn together";
        } else {
            scale.title += ": height, m";
            scale.bottom = look_.lowest;
            scale.top = look_.highest;
            measure_heights(stream, scale);
        }
        return scale;
    }

    /// Height of the pixel's point where heights are shown, else its distance along the view.
    float value(Stream& stream, int x, int y) override {
        std::uint64_t point = nearest_at(stream, x, y);
        if (point == NearestPoint::kNone) return 0;
        if (config_.color != PointColor::height) return NearestPoint::distance(point);
        return position(stream, NearestPoint::number(point))[look_.up];
    }

    std::string text(Stream& stream, int x, int y) override {
        std::uint64_t point = nearest_at(stream, x, y);
        if (point == NearestPoint::kNone) return "no point";
        std::uint32_t i = NearestPoint::number(point), number = 0;
        stream.device().download(stream, &number, points_.numbers.data() + i, sizeof number);
        auto& counts = points_.counts;
        bool is_vertex = number >= counts.spheres + counts.splats;
        std::uint32_t before = is_vertex                  ? counts.spheres + counts.splats
                               : number >= counts.spheres ? counts.spheres
                                                          : 0;
        vec3 p = position(stream, i);
        char text[120];
        std::snprintf(text, sizeof text, "%s %u at (%.6g, %.6g, %.6g), %.6g m away",
                      is_vertex ? "vertex" : "point", number - before + 1, double(p.x), double(p.y),
                      double(p.z), double(NearestPoint::distance(point)));
        return text;
    }

    void share_scale(const FalseColor*) override {
        // Heights are relative to the scene, not to the picture.
    }

    Settings settings() override { return config_.settings(); }

  private:
    [[nodiscard]] std::uint32_t n_parts() const {
        if (config_.budget == 0 || n_points_ == 0) return 1;
        auto budget = static_cast<std::uint32_t>(config_.budget);
        return (n_points_ - 1) / budget + 1;
    }

    void pack(const FrameContext& context) {
        StageTimer::Scope stage(context.timer, "pack points", StageKind::scene);
        make_point_batches(context.scratch, context.scene.view(),
                           count_points(context.scene.description()),
                           context.scene.bounds_at_rest(), points_);
        packed_scene_ = context.versions.scene;
    }

    /// Heights are along the axis that is most upright for the camera.
    [[nodiscard]] PointLook look(const Camera& camera, const Box& bounds) const {
        PointLook look{config_.color, config_.shading};
        vec3 up = glm::abs(camera.up);
        look.up = up.x > up.y && up.x > up.z ? 0 : up.y >= up.z ? 1 : 2;
        if (bounds.empty()) return look;
        look.lowest = bounds.lo[look.up];
        look.highest = bounds.hi[look.up] > look.lowest ? bounds.hi[look.up] : look.lowest + 1;
        return look;
    }

    /// Sets minimum, mean and maximum over the pixels that show a point.
    void measure_heights(Stream& stream, FalseColorScale& scale) {
        double sum = 0;
        std::size_t n = 0;
        for (float height : heights_.download(stream)) {
            if (std::isinf(height)) continue;
            scale.minimum = n == 0 ? height : std::min(scale.minimum, height);
            scale.maximum = n == 0 ? height : std::max(scale.maximum, height);
            sum += double{height};
            ++n;
        }
        if (n > 0) scale.mean = static_cast<float>(sum / static_cast<double>(n));
    }

    [[nodiscard]] std::uint64_t nearest_at(Stream& stream, int x, int y) const {
        std::uint64_t point = NearestPoint::kNone;
        bool inside = x >= 0 && y >= 0 && x < extent_.width && y < extent_.height;
        if (!inside || nearest_.empty()) return point;
        std::ptrdiff_t at = std::ptrdiff_t{y} * extent_.width + x;
        stream.device().download(stream, &point, nearest_.data() + at, sizeof point);
        return point;
    }

    [[nodiscard]] vec3 position(Stream& stream, std::uint32_t i) const {
        PointBatch batch;
        std::uint32_t bits[2];
        auto& device = stream.device();
        std::uint32_t of = i / PointBatch::kMostPoints;
        device.download(stream, &batch, points_.batches.data() + of, sizeof batch);
        device.download(stream, &bits[0], points_.high.data() + i, sizeof bits[0]);
        device.download(stream, &bits[1], points_.low.data() + i, sizeof bits[1]);
        return position_in(batch, bits[0], bits[1]);
    }

    PointsConfig config_;
    PointBatches points_;
    DeviceArray<std::uint64_t> nearest_;  // NearestPoint of each pixel
    DeviceArray<float> heights_;          // height of each pixel's point where heights are shown
    DeviceArray<vec3> ramp_;
    PointLook look_;
    Extent extent_;
    std::uint32_t n_points_ = 0;
    bool drawn_ = false;
    std::uint32_t packed_scene_ = 0;  // version of the packed scene
};

}  // namespace

std::unique_ptr<Renderer> make_points_renderer() {
    return std::make_unique<PointsRenderer>();
}

TL_DEVICE_END
