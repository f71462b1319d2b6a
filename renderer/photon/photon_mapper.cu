// The photon mapper: light that has been scattered before it reaches a surface is estimated from
// photons that lie near, in one of several ways (photon_technique.h).
#include "renderer/film/film.h"
#include "renderer/photon/photon_config.h"
#include "renderer/photon/photon_technique.h"
#include "renderer/renderer.h"
#include "renderer/scene/live/live_scene.h"

TL_DEVICE_BEGIN

namespace {

std::unique_ptr<PhotonTechnique> make_technique(PhotonMode mode) {
    switch (mode) {
        case PhotonMode::progressive:
            return make_progressive_photons();
        case PhotonMode::vcm:
            return make_vcm();
    }
    return nullptr;
}

class PhotonMapper final : public Renderer {
  public:
    void render(const FrameContext& context) override {
        technique().render(context, config_, job_of(context));
    }

    Settings settings() override { return config_.settings(); }

    std::vector<FrameCount> counts(Stream& stream) override {
        return technique().counts(stream, config_);
    }

  private:
    /// That of the setting, with what it has kept.
    [[nodiscard]] PhotonTechnique& technique() {
        if (!technique_ || made_for_ != config_.mode) technique_ = make_technique(config_.mode);
        made_for_ = config_.mode;
        return *technique_;
    }
    [[nodiscard]] PathJob job_of(const FrameContext& context) const {
        const Frame& frame = context.frame;
        SceneView scene = context.scene.view();
        scene.glass_passes_light = false;
        scene.texture_filter = config_.texture_filter;
        FilmView film = context.film.view();
        CameraRays camera(frame.camera, film.extent, frame.sampling);
        RayCone cone = pixel_cone(glm::length(camera.step_y), frame.sample);
        PathLimits limits;
        limits.max_depth = config_.max_depth;
        limits.smooth_terminator = config_.smooth_terminator;
        return {{{scene, frame.sampling.pattern, frame.seed, frame.sample, PackedCone::of(cone)},
                 limits},
                camera,
                film};
    }

    PhotonConfig config_;
    std::unique_ptr<PhotonTechnique> technique_;
    PhotonMode made_for_{};
};

}  // namespace

std::unique_ptr<Renderer> make_photon_renderer() {
    return std::make_unique<PhotonMapper>();
}

TL_DEVICE_END
