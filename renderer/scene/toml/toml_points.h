// Display of the points of a file that a [[mesh]] table names.
#pragma once

#include "renderer/scene/toml/toml_geometry.h"

namespace tl {

/// Shows the points added since `mark` as the table's `points` and `splat-error` say: splats as
/// spheres, or as fewer and larger splats. Warns where points have no normals to be splats.
void show_points(TomlContext& context, TomlTable& table, const SceneMark& mark);

}  // namespace tl
