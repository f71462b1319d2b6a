// Options from which a session is created: those that commands and the library have in common.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "renderer/scene/scene_document.h"
#include "session/session.h"

namespace tl {

inline constexpr int kLargestExtent = 16384;  ///< maximum width and height of a picture
inline constexpr int kMostSamples = 1 << 20;  ///< per pixel
inline constexpr int kDefaultSamples = 64;    ///< per pixel
inline constexpr Extent kDefaultExtent{1280, 720};

/// An empty string selects the value of the scene file, else the default.
struct SessionOptions {
    std::string scene;
    std::string renderer, builder;
    std::string device = "auto";  ///< as find_devices() reads it
    Extent size = kDefaultExtent;
    std::uint64_t seed = 0;
    std::vector<float> eye, target, up;  ///< three numbers, or none for the scene's own camera
    float fov = 0;                       ///< degrees; 0 for the scene's own
    float lens_radius = -1, focus_distance = -1;  ///< negative for the scene's own
    std::string environment;     ///< file of a map instead of the scene's own, or ""
    bool allow_outside = false;  ///< let the scene name files outside of its folder
    float time = 0;              ///< of the scene's motion, seconds
    /// "whitted.max-depth" -> "5": declared settings, only those that were given.
    std::map<std::string, std::string> settings;
};

/// Numeric settings of the view, bound to the options: fov, lens-radius, focus-distance and time.
[[nodiscard]] Settings view_settings(SessionOptions& options);

/// Creates a session with the options' device, renderer, builder, seed and size, without a scene.
[[nodiscard]] std::unique_ptr<Session> make_empty_session(const SessionOptions& options);
/// Opens the scene that the options name, in a session created from them. `observer`: of reading
/// the scene and of copying it to the device.
SceneDocument open_document(Session& session, const SessionOptions& options,
                            const ReadObserver& observer = {});
/// Opens the scene and creates the session that the options describe. `observer`: as for
/// open_document().
[[nodiscard]] std::unique_ptr<Session> make_session(const SessionOptions& options,
                                                    const ReadObserver& observer = {});

/// Sets the camera's view from the options. Throws UsageError.
void apply_view(Camera& camera, const SessionOptions& options);
/// Applies renderer, builder, settings, camera and time to the session's scene: the options take
/// precedence over the scene's file. Throws UserError.
void apply_options(Session& session, const SessionOptions& options);

}  // namespace tl
