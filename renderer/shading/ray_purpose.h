// Purposes of rays, for tracers that record them.
#pragma once

#include <cstdint>

#include "core/base/macros.h"

namespace tl {

enum class RayPurpose : std::uint32_t {
    camera,
    secondary,    ///< reflected, refracted, or through a surface that is not real
    shadow,       ///< towards a light; another one behind each tinted glass
    behind_hole,  ///< continues any of these behind a hole in a surface
};
inline constexpr std::uint32_t kRayPurposes = 4;

}  // namespace tl

TL_DEVICE_BEGIN

/// Reports the purpose of the thread's next rays to `tracer`. Tracers without a member for this
/// ignore it, so that their kernels do not change.
template <class Tracer>
TL_D inline void announce([[maybe_unused]] const Tracer& tracer,
                          [[maybe_unused]] RayPurpose purpose) {
    if constexpr (requires { tracer.announce(purpose); }) tracer.announce(purpose);
}

TL_DEVICE_END
