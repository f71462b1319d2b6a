// Display of the points of a file that a [[mesh]] table names.
#pragma once

#include "renderer/scene/toml/toml_geometry.h"

namespace tl {

/// Gives all points added since `mark` the emission of the table's key, if present, in place of
/// that of their file. Throws UserError where there are no points.
void read_emission_of_points(TomlContext& context, TomlTable& table, const SceneMark& mark);

/// Shows the points added since `mark` as the table's `points` and `splat-error` say: splats as
/// spheres, or as fewer and larger splats. Warns where points have no normals to be splats.
void show_points(TomlContext& context, TomlTable& table, const SceneMark& mark);

}  // namespace tl
