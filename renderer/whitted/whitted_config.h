// The settings of the Whitted tracer.
#pragma once

#include "core/base/settings.h"
#include "renderer/optics/fresnel.h"
#include "renderer/scene/live/scene_view.h"
#include "renderer/shading/camera_rays.h"

namespace tl {

/// Scheduling of rays; all pipelines render the same picture, to float rounding.
enum class WhittedPipeline : int {
    single_kernel,  ///< one thread traces a pixel's rays depth first, with their throughput
    wavefront,      ///< queues of rays, bounce by bounce, with their throughput
    post_order,     ///< shade trees of the wavefront, walked per pixel with explicit stacks
    by_level,       ///< shade trees of the wavefront, evaluated from the last bounce up
};
[[nodiscard]] constexpr auto names_of(WhittedPipeline) {
    return std::to_array<EnumName<WhittedPipeline>>(
        {{WhittedPipeline::single_kernel, "single-kernel"},
         {WhittedPipeline::wavefront, "wavefront"},
         {WhittedPipeline::post_order, "post-order"},
         {WhittedPipeline::by_level, "by-level"}});
}

struct WhittedConfig {
    static constexpr int kMaxDepth = 32;

    WhittedPipeline pipeline = WhittedPipeline::single_kernel;
    int max_depth = 5;
    int light_samples = 1;
    float ambient = 0;
    float cutoff = 0.001f;
    bool shadows = true;
    bool glass_shadows = true;
    bool gloss = true;
    bool phong_gloss = false;
    FresnelModel fresnel = FresnelModel::exact;
    TextureFilter texture_filter = TextureFilter::mip;
    bool smooth_terminator = true;

    [[nodiscard]] static const SettingsOf<WhittedConfig>& declared_settings();
    [[nodiscard]] Settings settings() { return declared_settings().of(*this); }
};

}  // namespace tl
