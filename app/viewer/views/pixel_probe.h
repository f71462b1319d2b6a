// Probes a pixel: the film's value and the first hit of the ray through the pixel's centre.
#pragma once

#include <array>
#include <optional>

#include "session/session.h"

namespace tl {

struct ProbedPixel {
    int x = -1, y = -1;         ///< film pixel; negative: none
    vec3 radiance{0};           ///< mean of the samples, W/(sr m^2)
    std::uint32_t samples = 0;  ///< of this pixel
    /// Red, green and blue as the display shows the mean, 0 to 255.
    std::array<int, 3> displayed{};
    /// displayed_error() of the mean, without bias; none before the second sample.
    std::optional<float> error{};
    bool hit = false;             ///< the ray hits a surface; the members below are then valid
    float distance = 0;           ///< from the eye, in the scene's units
    vec3 position{0}, normal{0};  ///< position and unit shading normal at the hit
    vec3 albedo{0};               ///< albedo at the hit
    std::uint32_t material = 0;   ///< index in the scene
    std::uint32_t primitive = 0;  ///< number in the scene's order
    std::uint32_t instance = 0;   ///< index in the scene; of no instance: kNoInstance
    static constexpr std::uint32_t kNoInstance = UINT32_MAX;

    [[nodiscard]] bool inside() const { return x >= 0; }
};

/// Probes a pixel of the session's newest frame. Returns an empty probe outside of the picture and
/// before the first frame. Waits for the stream. `camera`: origin of the ray instead of the frame's
/// camera; the film's value then belongs to another ray.
[[nodiscard]] ProbedPixel probe_pixel(Session& session, int x, int y,
                                      const Camera* camera = nullptr);

}  // namespace tl
