// Tone curves from scene-referred linear sRGB to display-referred linear sRGB.
#pragma once

#include "core/base/macros.h"
#include "core/base/math.h"
#include "renderer/film/film.h"

namespace tl {

/// Reinhard et al. 2002, "Photographic tone reproduction for digital images", equation 3.
TL_HD inline vec3 reinhard_curve(vec3 x) {
    return x / (1 + glm::dot(x, vec3(0.2126f, 0.7152f, 0.0722f)));
}

/// The ACES filmic curve as fitted by Narkowicz 2015.
TL_HD inline vec3 aces_curve(vec3 x) {
    return (x * (2.51f * x + 0.03f)) / (x * (2.43f * x + 0.59f) + 0.14f);
}

/// A row of a matrix times a colour.
TL_HD inline float mix_channels(float r, float g, float b, vec3 x) {
    return r * x.x + g * x.y + b * x.z;
}

/// The sigmoid of AgX for a channel: display values by log2 of the scene's, both in [0, 1].
/// Polynomial of degree 6 by Wrensch 2023 ("Minimal AgX implementation").
TL_HD inline float agx_sigmoid(float x) {
    float even = x * x;
    return ((15.5f * even - 40.14f * x + 31.96f) * even - 6.868f * x + 0.4298f) * even +
           0.1191f * x - 0.00232f;
}

/// AgX by Sobotka 2022, without a look: channels are mixed, compressed over 16.5 stops about middle
/// grey and unmixed, so that bright saturated colours become white. Matrices by Wrensch 2023.
TL_HD inline vec3 agx_curve(vec3 x) {
    constexpr float kDarkest = -12.47393f, kBrightest = 4.026069f;  // log2 of the scene's values
    constexpr float kGamma = 2.2f;
    vec3 mixed(mix_channels(0.842479062f, 0.0784336f, 0.0792237451f, x),
               mix_channels(0.0423282423f, 0.878468636f, 0.0791661275f, x),
               mix_channels(0.0423756549f, 0.0784336f, 0.879142974f, x));
    for (int c = 0; c < 3; ++c) {
        float stops = log2f(maximum(mixed[c], 1e-10f));
        stops = minimum(maximum(stops, kDarkest), kBrightest);
        mixed[c] = agx_sigmoid((stops - kDarkest) / (kBrightest - kDarkest));
    }
    vec3 display(mix_channels(1.196879005f, -0.0980208811f, -0.0990297441f, mixed),
                 mix_channels(-0.0528968518f, 1.15190313f, -0.0989611768f, mixed),
                 mix_channels(-0.0529716355f, -0.0980434501f, 1.151073673f, mixed));
    for (int c = 0; c < 3; ++c) display[c] = powf(maximum(display[c], 0.0f), kGamma);
    return display;
}

/// Khronos PBR Neutral (Khronos Group 2024): colours up to 0.76 stay but for the 4 % that
/// dielectrics reflect; brighter ones are compressed and fade to white.
TL_HD inline vec3 neutral_curve(vec3 x) {
    constexpr float kReflected = 0.04f, kStart = 0.8f - kReflected, kFading = 0.15f;
    float least = minimum(x.x, minimum(x.y, x.z));
    x -= vec3(least < 2 * kReflected ? least - 6.25f * least * least : kReflected);
    float peak = maximum(x.x, maximum(x.y, x.z));
    if (peak < kStart) return x;
    float rest = 1 - kStart, compressed = 1 - rest * rest / (peak + rest - kStart);
    float white = 1 - 1 / (kFading * (peak - compressed) + 1);
    return x * (compressed / peak * (1 - white)) + vec3(compressed * white);
}

/// Applies a curve to radiance times exposure.
TL_HD inline vec3 tone_curve(ToneOperator tone_operator, vec3 x) {
    switch (tone_operator) {
        case ToneOperator::reinhard:
            return reinhard_curve(x);
        case ToneOperator::aces:
            return aces_curve(x);
        case ToneOperator::agx:
            return agx_curve(x);
        case ToneOperator::neutral:
            return neutral_curve(x);
        case ToneOperator::linear:
            break;
    }
    return x;
}

}  // namespace tl
