// What rays are traced for, told to tracers that record them.
#pragma once

#include <cstdint>

#include "accel/parallel/macros.h"

namespace tl {

enum class RayPurpose : std::uint32_t {
    camera,
    secondary,    ///< reflected, refracted, or passing a surface that does not count
    shadow,       ///< towards a light; behind tinted glass once more
    behind_hole,  ///< the rest of any of these behind a hole in a surface
};
inline constexpr std::uint32_t kRayPurposes = 4;

}  // namespace tl

TL_DEVICE_BEGIN

/// The next rays of the thread that go to `tracer` are of this kind. Tracers that do not ask for it
/// are not told, and their kernels stay as they are.
template <class Tracer>
TL_D inline void announce([[maybe_unused]] const Tracer& tracer,
                          [[maybe_unused]] RayPurpose purpose) {
    if constexpr (requires { tracer.announce(purpose); }) tracer.announce(purpose);
}

TL_DEVICE_END
