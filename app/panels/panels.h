// The user interface: each panel shows a part of the viewer's state and calls actions; panels
// contain no algorithms. All functions draw between ImGui's NewFrame and Render.
#pragma once

#include <string>
#include <vector>

#include "app/viewer/viewer_interface.h"
#include "core/base/settings.h"

namespace tl {

class Messages;
struct PanelView;
struct PixelView;
struct ViewerModel;

/// Draws everything: side panel, status line, overlays, dialogs. `scale` is the interface scale.
void draw_interface(ViewerModel& model, float scale);

/// The sections of the side panel that do not belong to a solver.
[[nodiscard]] std::vector<PanelSection> panel_sections();
void draw_scene_panel(ViewerModel& model);
void draw_outliner_panel(ViewerModel& model);  ///< the scene's parts as a tree
void draw_camera_panel(ViewerModel& model);
/// Draws the editor of the selected material.
void draw_material(ViewerModel& model);
void draw_bookmarks_panel(ViewerModel& model);
void draw_examples_panel(ViewerModel& model);  ///< scenes of the gallery, to be opened
void draw_object_panel(ViewerModel& model);    ///< what was clicked: its position and its material
/// Draws the choice of the handles that the picture shows for the selection.
void draw_gizmo_choice(ViewerModel& model);
void draw_lights_panel(ViewerModel& model);
void draw_environment_panel(ViewerModel& model);
void draw_renderer_panel(ViewerModel& model);  ///< device, renderer and its settings
void draw_builder_panel(ViewerModel& model);   ///< tree builder, its settings and those of trees
void draw_compare_panel(ViewerModel& model);   ///< side B and error figures against side A
void draw_film_panel(ViewerModel& model);
void draw_timing_panel(ViewerModel& model);
void draw_points_panel(ViewerModel& model);  ///< points that the renderer has stored
/// light transport between points, and links of groups
void draw_exchange_panel(ViewerModel& model);
void draw_tree_panel(ViewerModel& model);
void draw_pixel_panel(ViewerModel& model);        ///< what lies under the cursor
void draw_pixel_tree_panel(ViewerModel& model);   ///< rays of the pixel under the cursor
void draw_tree_views_panel(ViewerModel& model);   ///< heat map, boxes
void draw_patch_views_panel(ViewerModel& model);  ///< control net, uv lines
void draw_sequence_panel(ViewerModel& model);     ///< renders a sequence of pictures into files
[[nodiscard]] std::vector<ViewerCommand> sequence_commands();

// Widgets of sections that the search finds one by one, in the order of the sections:
[[nodiscard]] std::vector<PanelWidget> camera_widgets();
[[nodiscard]] std::vector<PanelWidget> bookmark_widgets();
[[nodiscard]] std::vector<PanelWidget> object_widgets();
[[nodiscard]] std::vector<PanelWidget> gizmo_widgets();     ///< of the selection's handles
[[nodiscard]] std::vector<PanelWidget> material_widgets();  ///< of the selected material
[[nodiscard]] std::vector<PanelWidget> light_widgets();     ///< of the selected light
[[nodiscard]] std::vector<PanelWidget> environment_widgets();
[[nodiscard]] std::vector<PanelWidget> patch_view_widgets();
[[nodiscard]] std::vector<PanelWidget> renderer_widgets();
[[nodiscard]] std::vector<PanelWidget> point_widgets();
[[nodiscard]] std::vector<PanelWidget> exchange_widgets();
[[nodiscard]] std::vector<PanelWidget> builder_widgets();
[[nodiscard]] std::vector<PanelWidget> tree_view_widgets();
[[nodiscard]] std::vector<PanelWidget> tree_quality_widgets();
[[nodiscard]] std::vector<PanelWidget> film_widgets();
[[nodiscard]] std::vector<PanelWidget> histogram_widgets();
[[nodiscard]] std::vector<PanelWidget> sequence_widgets();
[[nodiscard]] std::vector<PanelWidget> compare_widgets();

/// Draws whether a pixel of the picture is pinned, with a button that unpins it.
void draw_pin(PixelView& pixel);
void draw_histogram_panel(ViewerModel& model);  ///< histogram of the picture's values

void draw_side_panel(ViewerModel& model, float scale);
/// Draws a tab at the picture's edge that shows the hidden interface.
void draw_way_back(ViewerModel& model, float scale);
/// Draws the menus over the whole window.
void draw_menu_bar(ViewerModel& model);
/// Whether a menu or a list of choices is open.
[[nodiscard]] bool menu_is_open();
/// Draws an entry of a submenu, with its picture if it has one; returns whether it was chosen.
[[nodiscard]] bool draw_menu_entry(const MenuEntry& entry);

// The search over all settings, on top of the panel:
void draw_search_field(ViewerModel& model);
void draw_search_results(ViewerModel& model);
/// Whether a text contains all words of the search, ignoring case.
[[nodiscard]] bool matches_search(const std::string& search, const std::string& text);
/// Text that the search matches for a setting: its id, help and choices, and its section.
[[nodiscard]] std::string searched_text(const std::string& section, const std::string& title,
                                        const SettingDeclaration& setting);

// Drawn over the picture:
void draw_picture_overlay(ViewerModel& model, float scale);  ///< two sides, legend
/// Draws what a click in the picture will set, and the camera's pivot; clipped by the caller.
void draw_picking(const ViewerModel& model, float scale);
/// Draws the handles of the selected object; clipped by the caller.
void draw_gizmo(const ViewerModel& model, float scale);
/// Draws the timeline of scenes that move, below the picture: play, pause, time and speed.
void draw_motion_bar(ViewerModel& model, float scale);
/// Corner of the picture that something covers: all below `top` and left of `right`.
struct Corner {
    float right = 0, top = 0;
};
/// Draws legends of false colours; returns the covered corner.
Corner draw_legend(ViewerModel& model, float scale);
/// Draws notes on a picture that looks broken but is not.
void draw_notes(ViewerModel& model, float scale);
void draw_first_hint(ViewerModel& model, float scale);  ///< the most useful keys
void draw_status_bar(ViewerModel& model, float scale);
void draw_message_log(ViewerModel& model, float scale);
void draw_help_overlay(ViewerModel& model, float scale);
void draw_about(ViewerModel& model, float scale);  ///< version, device, licences
void draw_file_browser(ViewerModel& model, float scale);
void draw_error_dialog(Messages& messages, float scale);
/// Draws the question whether to save edits that an action would discard.
void draw_unsaved_dialog(ViewerModel& model, float scale);

}  // namespace tl
