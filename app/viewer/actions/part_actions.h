// Actions on single parts of the scene: they are selected, named, hidden, deleted and duplicated,
// as steps that can be undone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/viewer/viewer_document.h"

namespace tl {

struct ViewerModel;

/// The selected part, which keys act on: a light, an object, a cloud, else a material.
[[nodiscard]] std::optional<ItemId> selected_part(const ViewerModel& model);
/// Title of a part in the outliner: its name, or "sphere 3".
[[nodiscard]] std::string part_title(const EditedScene& edited, const ItemId& id);
/// A part with its material, if it has one.
[[nodiscard]] Selection selection_with(const EditedScene& edited, const ItemId& id);
/// `name`, or `name` with a number where a part of the kind has that name.
[[nodiscard]] std::string unused_name(const EditedScene& edited, ItemKind kind,
                                      const std::string& name);

void rename_part(ViewerModel& model, const ItemId& id, const std::string& name);
void show_part(ViewerModel& model, const ItemId& id, bool shown);
/// Deletes a part, and the material that was added with it if nothing else has that. Materials in
/// use are refused.
void delete_part(ViewerModel& model, const ItemId& id);
/// Duplicates an object, a light or a material, and selects the copy, which stands a little to the
/// side. Says why other parts cannot be duplicated.
void duplicate_part(ViewerModel& model, const ItemId& id);
/// Opens the field for the part's name in the outliner.
void start_renaming(ViewerModel& model, const ItemId& id);

}  // namespace tl
