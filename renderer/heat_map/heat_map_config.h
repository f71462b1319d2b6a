// The settings of the heat map.
#pragma once

#include "core/base/settings.h"
#include "renderer/false_color/color_scale.h"

namespace tl {

/// Traversal work that is counted along a ray.
enum class Counted : int { visits, tests, both };
[[nodiscard]] constexpr auto names_of(Counted) {
    return std::to_array<EnumName<Counted>>(
        {{Counted::visits, "visits"}, {Counted::tests, "tests"}, {Counted::both, "both"}});
}

struct HeatMapConfig {
    Counted count = Counted::visits;
    ColorScaleConfig scale;
    bool shadows = false;

    [[nodiscard]] static const SettingsOf<HeatMapConfig>& declared_settings();
    [[nodiscard]] Settings settings() { return declared_settings().of(*this); }
};

}  // namespace tl
