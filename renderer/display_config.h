// Settings of the section "film": tone mapping and denoising of a film, as displayed and saved.
#pragma once

#include "renderer/denoise/denoiser.h"
#include "renderer/film/film.h"

namespace tl {

struct DisplayConfig {
    ToneMap tone_map{.tone_operator = ToneOperator::neutral};
    DenoiseConfig denoise;

    [[nodiscard]] static const SettingsOf<DisplayConfig>& declared_settings() {
        static const auto all =
            SettingsOf<DisplayConfig>{}
                .with(&DisplayConfig::tone_map, ToneMap::declared_settings())
                .with(&DisplayConfig::denoise, DenoiseConfig::declared_settings());
        return all;
    }
    [[nodiscard]] Settings settings() { return declared_settings().of(*this); }
};

}  // namespace tl
