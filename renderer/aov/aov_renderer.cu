// The renderer `aov`: one channel of the auxiliary pictures, sampled as `render --aov` does and
// shown as false colours.
#include "core/device/stage_timer.h"
#include "core/operators/operators.h"
#include "renderer/aov/aov_colors.h"
#include "renderer/aov/aov_config.h"
#include "renderer/aov/aov_samples.h"
#include "renderer/aov/aov_text.h"
#include "renderer/false_color/color_map.h"
#include "renderer/film/film.h"
#include "renderer/renderer.h"
#include "renderer/scene/live/live_scene.h"

TL_DEVICE_BEGIN

namespace {

class AovRenderer final : public Renderer, public FalseColor {
  public:
    void prepare(const FrameContext& context) override {
        if (channel() != AovChannel::material || named_scene_ == context.versions.scene) return;
        named_scene_ = context.versions.scene;
        material_names_.clear();
        for (auto& material : context.scene.description().materials)
            material_names_.push_back(material.name);
    }

    void render(const FrameContext& context) override {
        auto& stream = context.stream();
        const Frame& frame = context.frame;
        FilmView out = context.film.view();
        if (ramp_.empty()) ramp_.assign(stream, heat_colors());
        if (range_.empty()) {
            range_.resize_discard(stream, 1);
            range_.fill_zero(stream);
        }
        AovSet only;
        only.set(static_cast<std::size_t>(channel()));
        buffers_.resize(stream, out.extent, only);
        {
            StageTimer::Scope stage(context.timer, "trace and shade", StageKind::trace);
            add_aov_sample(stream, frame, context.scene.view(), buffers_.view());
            bool traces = aov_row(channel()).kind == AovKind::mean ||
                          aov_row(channel()).kind == AovKind::mean_of_hits || frame.sample == 0;
            fill(stream, View<std::uint32_t>(out.ray_count, out.extent.pixels()), traces ? 1u : 0u);
        }
        StageTimer::Scope stage(context.timer, "false colors");
        if (has_range(channel())) {
            float top = channel() == AovChannel::depth ? config_.far : 0;
            measure_aov(context.scratch, buffers_.view(), channel(), top, range_.view());
            if (leader_ && leader_->channel() == channel() && !leader_->range_.empty())
                share_aov_range(stream, leader_->range_.view(), range_.view());
        }
        color_aov(stream, buffers_.view(), channel(), range_.view(), ramp_.view(), out);
    }

    FalseColor* false_color() override { return this; }

    FalseColorScale scale(Stream& stream) override {
        FalseColorScale scale;
        scale.title = aov_row(channel()).id + ": " + aov_row(channel()).help;
        AovRange range{};
        if (has_range(channel()) && !range_.empty()) range = range_.download(stream)[0];
        scale.key = key_of_colors(channel(), range.bottom, range.top);
        scale.bottom = range.bottom.x;
        scale.top = range.top.x;
        scale.minimum = range.minimum.x;
        scale.mean = range.count > 0 ? range.sum / range.count : 0;
        scale.maximum = range.maximum.x;
        return scale;
    }

    float value(Stream& stream, int x, int y) override { return pixel(stream, x, y).x; }

    std::string text(Stream& stream, int x, int y) override {
        return text_of_value(channel(), pixel(stream, x, y), material_names_);
    }

    void share_scale(const FalseColor* other) override {
        leader_ = dynamic_cast<const AovRenderer*>(other);
    }

    Settings settings() override { return config_.settings(); }

  private:
    [[nodiscard]] AovChannel channel() const { return config_.channel; }

    /// A pixel's value; zero before the first frame of a channel and outside the picture.
    vec3 pixel(Stream& stream, int x, int y) {
        auto extent = buffers_.extent();
        bool inside = x >= 0 && y >= 0 && x < extent.width && y < extent.height;
        if (!inside || !buffers_.channels()[static_cast<std::size_t>(channel())]) return vec3(0);
        return buffers_.value(stream, channel(), x, y);
    }

    AovConfig config_;
    AovBuffers buffers_;
    DeviceArray<vec3> ramp_;
    DeviceArray<AovRange> range_;  // one element
    std::vector<std::string> material_names_;
    std::uint32_t named_scene_ = 0;        // version of the scene that the material names belong to
    const AovRenderer* leader_ = nullptr;  // renderer whose scale this one shares
};

}  // namespace

std::unique_ptr<Renderer> make_aov_renderer() {
    return std::make_unique<AovRenderer>();
}

TL_DEVICE_END
