// Actions that select, rename, hide, delete and duplicate single parts of the scene. All changes of
// the scene can be undone. They do nothing where the scene cannot be edited.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/viewer/viewer_document.h"

namespace tl {

struct ViewerModel;

/// The selected part, on which commands act: a light, else an object, else a cloud or Gaussians,
/// else a material. None where the scene cannot be edited.
[[nodiscard]] std::optional<ItemId> selected_part(const ViewerModel& model);
/// Title of a part in the outliner: its name, or its kind and number, "sphere 3".
[[nodiscard]] std::string part_title(const EditedScene& edited, const ItemId& id);
/// Selection of a part together with its material, if it has one; the first of several.
[[nodiscard]] Selection selection_with(const EditedScene& edited, const ItemId& id);
/// `name`, or `name` with the first free number, "name.001", where a part of the kind has it.
[[nodiscard]] std::string unused_name(const EditedScene& edited, ItemKind kind,
                                      const std::string& name);

/// Gives a part a name; an empty name changes nothing.
void rename_part(ViewerModel& model, const ItemId& id, const std::string& name);
/// Shows or hides a part.
void show_part(ViewerModel& model, const ItemId& id, bool shown);
/// Deletes a part, and the material that was added with it unless other parts have it. A material
/// in use is not deleted: a warning names a part that has it.
void delete_part(ViewerModel& model, const ItemId& id);
/// Duplicates an object, a light or a material, and selects the copy. Copies of objects and lights
/// stand a little to the side. Other parts give a warning, which says why they have no copies.
void duplicate_part(ViewerModel& model, const ItemId& id);
/// Shows the part in the outliner, and opens the field for its name there.
void start_renaming(ViewerModel& model, const ItemId& id);

}  // namespace tl
