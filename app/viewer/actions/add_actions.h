// Additions to the scene: shapes, models from files, lights, and what is around. New objects stand
// at the camera's target and are as large as a tenth of its distance.
#pragma once

#include <string>

#include "renderer/scene/scene.h"

namespace tl {

struct ViewerModel;

/// `id`: of a shape (shapes.h), or "sphere".
void add_shape(ViewerModel& model, const std::string& id);
void add_light(ViewerModel& model, LightKind kind);
/// Adds a model file, scaled so that its longest side has that size.
void add_model_file(ViewerModel& model, const std::string& path);
void ask_for_model(ViewerModel& model);
/// Asks for the picture of an environment map.
void ask_for_environment(ViewerModel& model);
/// Replaces the background and the environment map by an even sky.
void add_sky(ViewerModel& model);

}  // namespace tl
