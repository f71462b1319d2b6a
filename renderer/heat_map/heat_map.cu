// The traversal cost of rays in the current tree as false colours: per pixel, the mean over the
// samples of the counts of its primary ray (and of its shadow rays, if selected).
#include "core/device/stage_timer.h"
#include "renderer/false_color/false_color.h"
#include "renderer/false_color/heat_scale.h"
#include "renderer/film/film.h"
#include "renderer/heat_map/heat_map_pass.h"
#include "renderer/renderer.h"
#include "renderer/scene/live/live_scene.h"

TL_DEVICE_BEGIN

namespace {

class HeatMapRenderer final : public Renderer, public FalseColor {
  public:
    void render(const FrameContext& context) override {
        auto& stream = context.stream();
        const Frame& frame = context.frame;
        FilmView out = context.film.view();
        auto sums = scale_.sums(stream, out.extent, frame.sample);
        {
            StageTimer::Scope stage(context.timer, "trace and shade", StageKind::trace);
            SceneView scene = context.scene.view();
            CameraRays camera(frame.camera, out.extent, frame.sampling);
            HeatMapPass pass{
                stream, out,           scene,           camera,       PixelOrder(out.extent),
                sums,   config_.count, config_.shadows, frame.sample, frame.seed};
            if (!count_by_default_tracer(pass)) visit_any_tracer(scene.tree, pass);
        }
        StageTimer::Scope stage(context.timer, "false colors");
        scale_.show(context.scratch, config_.scale, leader_ ? &leader_->scale_ : nullptr, out);
    }

    FalseColor* false_color() override { return this; }

    FalseColorScale scale(Stream& stream) override {
        constexpr const char* kTitles[] = {"node visits", "primitive tests",
                                           "node visits + primitive tests"};
        std::string title = kTitles[static_cast<int>(config_.count)];
        title += config_.shadows ? " a pixel, shadow rays included" : " a camera ray";
        return scale_.read(stream, title);
    }

    float value(Stream& stream, int x, int y) override { return scale_.value(stream, x, y); }

    void share_scale(const FalseColor* other) override {
        leader_ = dynamic_cast<const HeatMapRenderer*>(other);
    }

    Settings settings() override { return config_.settings(); }

  private:
    HeatMapConfig config_;
    HeatScale scale_;
    const HeatMapRenderer* leader_ = nullptr;  // renderer whose scale this one shares
};

}  // namespace

std::unique_ptr<Renderer> make_heat_map_renderer() {
    return std::make_unique<HeatMapRenderer>();
}

TL_DEVICE_END
