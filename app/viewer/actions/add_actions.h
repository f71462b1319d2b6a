// Actions that add shapes, model files, lights and an environment to the scene, as steps of undo.
// New objects stand at the camera's target; their size is a tenth of its distance from the eye.
#pragma once

#include <string>

#include "renderer/scene/scene.h"

namespace tl {

struct ViewerModel;

/// Adds a shape with a material of its own, and selects it. `id`: ShapeRow::id, or "sphere".
void add_shape(ViewerModel& model, const std::string& id);
/// Adds a light of a brightness that suits its distance, and selects it.
void add_light(ViewerModel& model, LightKind kind);
/// Adds a model file, scaled so that its longest side has the size of new objects.
void add_model_file(ViewerModel& model, const std::string& path);
/// Opens the file browser for a model file to add.
void ask_for_model(ViewerModel& model);
/// Opens the file browser for the picture of an environment map.
void ask_for_environment(ViewerModel& model);
/// Removes the environment map, and makes the background a uniform light blue.
void add_sky(ViewerModel& model);

}  // namespace tl
