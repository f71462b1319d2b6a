// The Whitted ray tracer: direct lighting, shadows, mirror reflection and refraction (Whitted 1980,
// "An improved illumination model for shaded display"), in the pipeline of the settings. Glossy
// surfaces distribute their rays (glossy_point.h).
#include "renderer/renderer.h"
#if !defined(__CUDACC__)
#include "renderer/whitted/packets.h"
#endif
#include "core/device/stage_timer.h"
#include "renderer/film/film.h"
#include "renderer/path/path_job.h"
#include "renderer/scene/live/live_scene.h"
#include "renderer/whitted/record_rays.h"
#include "renderer/whitted/single_kernel.h"
#include "renderer/whitted/wavefront_render.h"

TL_DEVICE_BEGIN

namespace {

class WhittedRenderer final : public Renderer, public PixelTreeSource, public RayRecorder {
  public:
    void render(const FrameContext& context) override {
        Scratch& scratch = context.scratch;
        WhittedJob job = job_of(context.frame, context.scene, context.film.view());
        if (config_.pipeline != WhittedPipeline::single_kernel)
            return render_wavefront(job, plan_, scratch, context.timer);
        StageTimer::Scope stage(context.timer, "trace and shade", StageKind::trace);
#if !defined(__CUDACC__)
        if (can_render_packets(job.frame)) return render_packets(context.stream(), job);
#endif
        TileLaunch launch;
        if (scratch.stream().device().kind() == DeviceKind::cuda)
            launch = tiles_.next(scratch, job.order);
        if (job.frame.gloss.any())
            render_single_kernel_glossy(scratch.stream(), job, launch);
        else if (job.frame.scene.textures || job.frame.scene.has_colors())
            render_single_kernel_textured(scratch.stream(), job, launch);
        else
            render_single_kernel_plain(scratch.stream(), job, launch);
    }

    Settings settings() override {
        return config_.settings();
    }

    PixelTreeSource* pixel_trees() override {
        return this;
    }

    RayRecorder* ray_recorder() override {
        return this;
    }

    RecordedRays record_rays(const Frame& frame, LiveScene& live, const FilmView& film,
                             Scratch& scratch, std::uint64_t most_bytes) override {
        return TL_DEVICE_NAME::record_rays(scratch, job_of(frame, live, film), most_bytes);
    }

    PixelTree pixel_tree(const Frame& frame, LiveScene& live, Extent picture, int x, int y,
                         Scratch& scratch) override {
        Scratch::Scope scope(scratch);
        PixelTree tree;
        FilmView film;
        film.extent = picture;
        WhittedJob job = job_of(frame, live, film);
        job.frame.config.pipeline = WhittedPipeline::by_level;
        job.camera.corner +=
            static_cast<float>(x) * job.camera.step_x + static_cast<float>(y) * job.camera.step_y;
        job.film = {scratch.take<vec4>(1).data, scratch.take<std::uint32_t>(1).data, {1, 1}};
        job.order = PixelOrder(Extent{1, 1});
        job.copy = &tree;
        WavefrontPlan plan;
        StageTimer timer(scratch.stream());
        render_wavefront(job, plan, scratch, timer);
        return tree;
    }

  private:
    [[nodiscard]] WhittedJob job_of(const Frame& frame, LiveScene& live,
                                    const FilmView& film) const {
        SceneView scene = live.view();
        scene.glass_passes_light = scene.glass_passes_light && config_.glass_shadows;
        scene.texture_filter = config_.texture_filter;
        CameraRays camera(frame.camera, film.extent, frame.sampling);
        Gloss gloss = gloss_in(live.description(), {config_.gloss, config_.phong_gloss});
        return {{path_frame(frame, scene, camera), config_, gloss},
                camera,
                PixelOrder(film.extent, film.tiles, film.n_tiles),
                film};
    }

    WhittedConfig config_;
    CostlyTiles tiles_;
    WavefrontPlan plan_;
};

}  // namespace

std::unique_ptr<Renderer> make_whitted_renderer() {
    return std::make_unique<WhittedRenderer>();
}

TL_DEVICE_END
