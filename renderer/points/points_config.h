// The settings of the renderer of points.
#pragma once

#include "core/base/settings.h"

namespace tl {

/// Colour of points: their own, or false colours of their height or of their batch.
enum class PointColor : int { own, height, batch };
[[nodiscard]] constexpr auto names_of(PointColor) {
    return std::to_array<EnumName<PointColor>>(
        {{PointColor::own, "own"}, {PointColor::height, "height"}, {PointColor::batch, "batch"}});
}

struct PointsConfig {
    int budget = 0;
    float size = 1, per_pixel = 16, shading = 0.4f;
    PointColor color = PointColor::own;

    [[nodiscard]] static const SettingsOf<PointsConfig>& declared_settings();
    [[nodiscard]] Settings settings() { return declared_settings().of(*this); }
};

}  // namespace tl
