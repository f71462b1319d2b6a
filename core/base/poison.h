// A switch for tests: new memory of every device holds bytes of 0xff instead of zeros or old
// contents. Floats are then NaN and indices out of range, so that code which reads uninitialised
// memory gives different results.
#pragma once

namespace tl {

inline constexpr int kPoison = 0xff;

/// Whether the environment variable TREELIGHT_POISON_MEMORY is set; it is read once.
[[nodiscard]] bool poisons_memory();

}  // namespace tl
