// Selects what is clicked and edits the scene: materials, lights, environment, transforms of
// objects.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <string>

#include "app/viewer/session_gate.h"
#include "app/viewer/viewer_document.h"
#include "app/viewer/views/overlay_lines.h"
#include "app/viewer/views/pixel_probe.h"

namespace tl {

struct ViewerModel;
struct ViewerView;

/// Whether the session's scene can be edited.
[[nodiscard]] bool can_edit(const ViewerModel& model);
/// Runs an edit of the scene's document through the gate. Drops it if another scene has been opened
/// by then, with a warning that begins with `what`.
void edit_document(ViewerModel& model, const std::string& what, SessionGate::Edit edit);
/// Prefix of the names of waiting scene edits, in the gate.
inline constexpr const char* kSceneEdit = "edit of the scene: ";
/// Edits the scene through the gate, as a step of this name. Of waiting edits of one name, the
/// newest counts. Errors are shown and change nothing.
void edit_scene(ViewerModel& model, const std::string& name,
                std::function<void(SceneEdits&)> change);
/// An edit of the scene whose name does not replace a waiting one.
struct SeparateEdit {
    std::string name;
    std::function<void(SceneEdits&)> change;
    bool takes_long = false;          ///< runs in the background
    bool shows = true;                ///< the picture changes
    std::function<void()> then = {};  ///< called when it has been made
};
void edit_scene(ViewerModel& model, SeparateEdit edit);
/// Edits one material, light, object or the environment, as edit_scene() does; `what` names the
/// part.
void edit_material(ViewerModel& model, std::uint32_t index, const std::string& what,
                   std::function<void(Material&)> change);
void edit_light(ViewerModel& model, std::uint32_t index, const std::string& what,
                std::function<void(Light&)> change);
void edit_object(ViewerModel& model, const ObjectId& id, const std::string& what,
                 std::function<void(Transform&)> change);
void edit_environment(ViewerModel& model, const std::string& what,
                      std::function<void(EnvironmentChoice&)> change);
/// Callback after an edit of the scene; the error is null on success.
using SceneEditDone = std::function<void(std::exception_ptr)>;
/// Makes an edit of the scene for the gate, for both sides of a comparison. A failed edit changes
/// nothing. Geometry edits, and those with `takes_long`, are prepared in the background.
[[nodiscard]] SessionGate::Edit scene_edit(ViewerModel& model, bool takes_long,
                                           std::function<void(SceneEdits&)> change,
                                           SceneEditDone done);
/// Replaces all edits, for both sides of a comparison. Only while the gate is open. Throws
/// UserError, and then changes nothing.
void apply_edits(ViewerModel& model, const SceneEdits& edits);

/// The document's scene, if it is the session's; else null.
[[nodiscard]] const EditedScene* editable_scene(const ViewerModel& model);
/// Editable object, material or light at a ray's hit. Numbers are those of `edited`, the document
/// of that scene; without it, indices of the scene's lists.
[[nodiscard]] Selection selection_of(const Scene& scene, const ProbedPixel& found,
                                     const EditedScene* edited = nullptr);
/// Disturbs a simulated surface at a click while the motion plays, as a drop does with water.
/// Returns whether a simulated surface was clicked.
bool disturb_clicked(ViewerModel& model, const Selection& clicked, const ProbedPixel& found);
/// "sphere 3", "mesh 0 'teapot'"; "" where only a material is selected.
[[nodiscard]] std::string selection_name(const ViewerModel& model);
/// Corners of the selection's bounds at rest; for an instance, those of its mesh under the
/// instance's transform.
[[nodiscard]] BoxCorners selection_corners(const EditedScene& edited, const Selection& selection);
/// Selects and says so. `reveals`: opens the panel at the object's section.
void select(ViewerModel& model, const Selection& selection, bool reveals = true);
/// Selects the object in the middle of the picture, as a click there would, with the next frame.
void select_in_middle(ViewerView& view);

}  // namespace tl
