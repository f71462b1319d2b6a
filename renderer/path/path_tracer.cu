// The path tracer, the reference for all other renderers: all light that reaches the camera, by
// any number of bounces (Kajiya 1986, "The rendering equation").
#include "renderer/path/path_trace.h"
#include "renderer/renderer.h"

TL_DEVICE_BEGIN

namespace {

class PathTracer final : public Renderer {
  public:
    void render(const FrameContext& context) override {
        StageTimer::Scope stage(context.timer, "trace and shade", StageKind::trace);
        const Frame& frame = context.frame;
        FilmView film = context.film.view();
        SceneView scene = context.scene.view();
        // Light behind glass is found by paths that are refracted on their way.
        scene.glass_passes_light = false;
        scene.texture_filter = config_.texture_filter;
        CameraRays camera(frame.camera, film.extent, frame.sampling);
        RayCone cone = pixel_cone(glm::length(camera.step_y), frame.sample);
        PathTracerFrame path_frame{
            {scene, frame.sampling.pattern, frame.seed, frame.sample, PackedCone::of(cone)},
            config_};
        trace_paths(context.stream(), {path_frame, camera, film});
    }

    Settings settings() override { return config_.settings(); }

  private:
    PathConfig config_;
};

}  // namespace

std::unique_ptr<Renderer> make_path_renderer() {
    return std::make_unique<PathTracer>();
}

TL_DEVICE_END
