// Settings of the section "film": tone mapping and denoising of a film, as displayed and saved.
#pragma once

#include "renderer/denoise/denoiser.h"
#include "renderer/film/film.h"

namespace tl {

struct DisplayConfig {
    ToneMap tone_map;
    DenoiseConfig denoise;

    [[nodiscard]] Settings settings() {
        Settings all = tone_map.settings();
        for (auto& setting : denoise.settings()) all.push_back(setting);
        return all;
    }
};

}  // namespace tl
