// The settings of the Bezier backend.
#pragma once

#include "core/base/settings.h"
#include "renderer/false_color/color_scale.h"

namespace tl {

/// Intersection method of a ray with a patch.
enum class BezierMode : int {
    certified,    ///< never misses (accel/patch/certified.h)
    kajiya,       ///< resultant of degree 18, all complex roots (Lahabar 2010)
    kajiya_real,  ///< the same, only roots in [0, 1], by Bernstein form
    newton,       ///< Newton's iteration from the centre of a piece
    clipping,     ///< Bezier clipping
};
[[nodiscard]] constexpr auto names_of(BezierMode) {
    return std::to_array<EnumName<BezierMode>>({{BezierMode::certified, "certified"},
                                                {BezierMode::kajiya, "kajiya"},
                                                {BezierMode::kajiya_real, "kajiya-real"},
                                                {BezierMode::newton, "newton"},
                                                {BezierMode::clipping, "clipping"}});
}

/// Planes that represent a camera ray in Kajiya's method.
enum class BezierPlanes : int {
    picture,  ///< one per column and one per row of the picture, computed once a frame
    ray,      ///< two per ray, computed from its direction as for all other rays
};
[[nodiscard]] constexpr auto names_of(BezierPlanes) {
    return std::to_array<EnumName<BezierPlanes>>(
        {{BezierPlanes::picture, "picture"}, {BezierPlanes::ray, "ray"}});
}

/// Quantity shown by the picture.
enum class BezierShow : int {
    picture,
    misses,      ///< camera rays for which the mode and the certified method differ
    iterations,  ///< steps of the root finder for a camera ray
    tests,       ///< pairs of a camera ray with a patch or a piece
};
[[nodiscard]] constexpr auto names_of(BezierShow) {
    return std::to_array<EnumName<BezierShow>>({{BezierShow::picture, "picture"},
                                                {BezierShow::misses, "misses"},
                                                {BezierShow::iterations, "iterations"},
                                                {BezierShow::tests, "tests"}});
}

struct BezierConfig {
    BezierShow show = BezierShow::picture;
    BezierMode mode = BezierMode::certified;
    BezierPlanes planes = BezierPlanes::picture;
    int max_depth = 1;
    float ambient = 0;
    bool shadows = true;
    bool gloss = true;
    bool phong_gloss = false;
    bool compare = false;
    int pair_memory = 512;   ///< MB
    int uv_lines = 0;        ///< lines per side of a patch; 0: none
    ColorScaleConfig scale;  ///< of iterations and tests

    [[nodiscard]] static const SettingsOf<BezierConfig>& declared_settings();
    [[nodiscard]] Settings settings() { return declared_settings().of(*this); }
    [[nodiscard]] bool eliminates() const {
        return mode == BezierMode::kajiya || mode == BezierMode::kajiya_real;
    }
};

}  // namespace tl
