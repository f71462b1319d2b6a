// Selects what is clicked and edits the scene: materials, lights, environment, places of objects.
#pragma once

#include <exception>
#include <functional>

#include "app/viewer/viewer_model.h"
#include "app/viewer/views/overlay_lines.h"
#include "app/viewer/views/pixel_probe.h"

namespace tl {

/// Runs an edit of the scene's document through the gate. It is dropped, with a warning that begins
/// with `what`, where another scene has been opened by then.
void edit_document(ViewerModel& model, const std::string& what, SessionGate::Edit edit);
/// What the names of waiting edits of the scene begin with, in the gate.
inline constexpr const char* kSceneEdit = "edit of the scene: ";
/// Edits the scene through the gate, as a step of this name; of edits of one name that wait, the
/// newest counts. What cannot be done is shown as an error and changes nothing.
void edit_scene(ViewerModel& model, const std::string& name,
                std::function<void(SceneEdits&)> change);
/// The same for one material, light, object or the environment; `what` of it is changed.
void edit_material(ViewerModel& model, std::uint32_t index, const std::string& what,
                   std::function<void(Material&)> change);
void edit_light(ViewerModel& model, std::uint32_t index, const std::string& what,
                std::function<void(Light&)> change);
void edit_object(ViewerModel& model, const ObjectId& id, const std::string& what,
                 std::function<void(Transform&)> change);
void edit_environment(ViewerModel& model, const std::string& what,
                      std::function<void(EnvironmentChoice&)> change);
/// What is done after an edit of the scene; the error is null on success.
using SceneEditDone = std::function<void(std::exception_ptr)>;
/// An edit of the scene for the gate, for both sides of a comparison. What cannot be done changes
/// nothing. Other geometry goes to the device beside the interface, as does what `takes_long`.
[[nodiscard]] SessionGate::Edit scene_edit(ViewerModel& model, bool takes_long,
                                           std::function<void(SceneEdits&)> change,
                                           SceneEditDone done);
/// Replaces all edits, for both sides of a comparison. Only while the gate is open. Throws
/// UserError, and then changes nothing.
void apply_edits(ViewerModel& model, const SceneEdits& edits);

/// What a ray has met, as what can be edited.
[[nodiscard]] Selection selection_of(const Scene& scene, const ProbedPixel& found);
/// While the motion plays, a click on a surface that is simulated disturbs it there, as a drop does
/// with water. Returns whether that is what was clicked.
bool disturb_clicked(ViewerModel& model, const Selection& clicked, const ProbedPixel& found);
/// "sphere 3", "mesh 0 'teapot'"; "" where only a material is selected.
[[nodiscard]] std::string selection_name(const ViewerModel& model);
/// The corners of its bounds at rest; of an instance those of its mesh, where the instance is.
[[nodiscard]] BoxCorners selection_corners(const Scene& scene, const Selection& selection);
void select(ViewerModel& model, const Selection& selection);
/// Selects what is in the middle of the picture, as a click there would, with the next frame.
void select_in_middle(ViewerModel& model);

}  // namespace tl
