// The settings of the renderer of auxiliary pictures.
#pragma once

#include "core/base/settings.h"
#include "renderer/aov/aov_channels.h"

namespace tl {

struct AovConfig {
    AovChannel channel = AovChannel::depth;
    float far = 0;  ///< m

    [[nodiscard]] static const SettingsOf<AovConfig>& declared_settings();
    [[nodiscard]] Settings settings() { return declared_settings().of(*this); }
};

}  // namespace tl
