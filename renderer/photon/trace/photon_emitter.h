// Emits and traces the photons of a frame's sample, for all modes that keep photon maps.
#pragma once

#include "renderer/frame_context.h"
#include "renderer/photon/photon_config.h"
#include "renderer/photon/trace/trace_photons.h"

TL_DEVICE_BEGIN

/// Key of a photon pass: all inputs on which its photons depend. The view is none of them, so
/// photons of a still scene serve all views.
struct PassKey {
    std::uint32_t scene = 0, lights = 0, settings = 0, pass = 0;
    std::uint64_t seed = 0;
    float radius = 0;  ///< search radius of the map that holds the photons

    PassKey() = default;
    PassKey(const FrameContext& context, float radius)
        : scene(context.versions.scene),
          lights(context.versions.lights),
          settings(context.versions.settings),
          pass(context.frame.sample),
          seed(context.frame.seed),
          radius(radius) {}
    bool operator==(const PassKey&) const = default;
    /// Whether `next` is the pass after this one, of the same scene.
    [[nodiscard]] bool is_followed_by(PassKey next) const {
        if (next.pass != pass + 1) return false;
        next.pass = pass;
        next.radius = radius;
        return *this == next;
    }
};

/// Whether the scene has specular surfaces and emitters for which a PhotonBeam is known.
[[nodiscard]] bool may_have_beams(const Scene& scene);

/// Photon emission, with the guide that is learned from pass to pass.
class PhotonEmitter {
  public:
    /// Traces the photons of the frame's sample into `list`. `own`: constant of the caller,
    /// XORed into the seed. Returns the largest id that photons may have. `of_all_light`:
    /// with_direct and chooses_lobes of PhotonPass; `kernel`: as in PhotonPass. Waits only for
    /// devices that share the pass.
    std::uint32_t trace(const FrameContext& context, const SceneView& scene,
                        const PhotonConfig& config, std::uint64_t own, bool of_all_light,
                        const PhotonList& list, const BeamKernel& kernel = {});

    /// Whether the newest pass is not the successor of the one before.
    [[nodiscard]] bool is_first() const { return is_first_; }

  private:
    DeviceArray<Box> bounds_;  // one entry
    LearnedGuide guide_;
    PassKey newest_;
    bool is_first_ = true;
};

TL_DEVICE_END
