// Input of a renderer for one frame: the view, versions for invalidation of cached data, and the
// objects to work with.
#pragma once

#include <cstdint>

#include "core/device/array.h"
#include "renderer/scene/scene.h"
#include "renderer/shading/sampling_config.h"

namespace tl {

class Film;
class LiveScene;
class PhotonShare;
class StageTimer;

/// Parameters of one frame.
struct Frame {
    Camera camera;
    std::uint32_t sample = 0;  ///< samples of this view already in the film; 0 starts a new picture
    std::uint64_t seed = 0;    ///< same seed, same picture
    float time = 0;            ///< time in the scene's motion, seconds
    SamplingConfig sampling{};
};

/// Versions for invalidation. Each grows whenever its subject changes, and is never 0 in a session.
/// A renderer stores the versions that its data was made for, and rebuilds the data when they
/// differ. Frame::seed has no version: compare it.
struct Versions {
    std::uint32_t scene = 0;   ///< scene, device, or the time of an animated scene
    std::uint32_t lights = 0;  ///< lights and environment; the time of a scene whose lights move
    /// The tree, built or refitted: every frame under the policy "rebuild". Compare `scene` for
    /// data that depends on geometry only.
    std::uint32_t tree = 0;
    /// Any settings but the film's. Grows also when scene, device, builder or renderer is replaced
    /// and when the picture is restarted.
    std::uint32_t settings = 0;
    std::uint32_t view = 0;  ///< camera or size of the film

    bool operator==(const Versions&) const = default;
};

/// Inputs and resources of one frame. The caller owns everything; all work goes to one stream, that
/// of the scratch memory.
struct FrameContext {
    Frame frame;
    Versions versions;
    LiveScene& scene;  ///< its tree is up to date
    Film& film;
    Scratch& scratch;
    StageTimer& timer;
    /// Other devices that trace photons of the same pass; null: there are none.
    PhotonShare* photon_share = nullptr;

    [[nodiscard]] Stream& stream() const { return scratch.stream(); }
    /// Whether the frame is cancelled. The session checks before and after render(). Work on the
    /// CPU ends by itself with Cancelled. A renderer whose frame takes long should check
    /// between its stages. One that returns early may leave the film in any state.
    [[nodiscard]] bool cancelled() const { return stream().is_cancelled(); }
};

}  // namespace tl
