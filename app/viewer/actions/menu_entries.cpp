#include "app/viewer/actions/menu_entries.h"

#include <filesystem>
#include <utility>

#include "app/jobs/format.h"
#include "app/viewer/actions/scene_opening.h"
#include "app/viewer/actions/viewer_actions.h"
#include "app/viewer/viewer_model.h"
#include "core/device/registry.h"
#include "renderer/scene/generators/generators.h"

namespace tl {
namespace {

/// A radio entry for each row of a table that the session's device can run.
template <class Rows>
std::vector<MenuEntry> row_entries(const ViewerModel& m, const Rows& rows, const std::string& used,
                                   void (*choose)(ViewerModel&, const std::string&)) {
    std::vector<MenuEntry> entries;
    for (auto& id : ids_on(m.session.device().kind(), rows)) {
        auto& row = find_row(rows, id, "row");
        entries.push_back({row.title, row.help + ".",
                           [choose, id](ViewerModel& model) { choose(model, id); }, id == used});
    }
    return entries;
}

}  // namespace

std::vector<MenuEntry> recent_files(const ViewerModel& m) {
    std::vector<MenuEntry> entries;
    for (auto& path : m.preferences.recent_files)
        entries.push_back({std::filesystem::path(path).filename().string() + "##" + path, path,
                           [path](ViewerModel& model) { open_scene(model, path); }});
    return entries;
}
std::vector<MenuEntry> generated_scenes(const ViewerModel&) {
    std::vector<MenuEntry> entries;
    for (auto& generator : generators()) {
        auto name = "generate:" + generator.id;
        entries.push_back(
            {generator.id,
             generator.help + ".\nThis takes the defaults; for others, open (Ctrl+O) " + name +
                 "," + (generator.keys.empty() ? "" : generator.keys.front()) + "=...",
             [name](ViewerModel& model) { open_scene(model, name); }});
    }
    return entries;
}

std::vector<MenuEntry> renderer_entries(const ViewerModel& m) {
    return row_entries(
        m, renderers(), m.session.renderer_id(),
        [](ViewerModel& model, const std::string& id) { choose_renderer(model, id); });
}
std::vector<MenuEntry> builder_entries(const ViewerModel& m) {
    return row_entries(m, tree_builders(), m.session.builder_id(), choose_builder);
}
std::vector<MenuEntry> device_entries(const ViewerModel& m) {
    std::vector<MenuEntry> entries;
    for (auto& choice : device_choices())
        entries.push_back({choice.title + "##" + choice.ids, "Compute on this device.",
                           [ids = choice.ids](ViewerModel& model) { choose_device(model, ids); },
                           choice.ids == ids_of(m.session.devices())});
    return entries;
}
std::vector<MenuEntry> tone_entries(const ViewerModel& m) {
    auto settings = m.session.settings().film();
    auto& tone = find_setting(settings, "tone", "film");
    std::vector<MenuEntry> entries;
    for (auto& choice : tone->choices)
        entries.push_back(
            {choice, tone->help + ".",
             [choice](ViewerModel& model) { change_setting(model, "film", "tone", choice); },
             choice == tone.text()});
    return entries;
}
std::vector<MenuEntry> scale_entries(const ViewerModel& m) {
    float used = m.options.ui_scale > 0 ? m.options.ui_scale : m.preferences.ui_scale;
    std::vector<MenuEntry> entries;
    for (float scale : {0.0f, 0.75f, 1.0f, 1.25f, 1.5f, 1.75f, 2.0f, 2.5f, 3.0f})
        entries.push_back(
            {scale == 0 ? "As the display" : formatted("%.0f %%", 100 * static_cast<double>(scale)),
             "Size of texts and widgets; kept for later starts.",
             [scale](ViewerModel& model) {
                 model.options.ui_scale = 0;  // the flag's
                 model.preferences.ui_scale = scale;
             },
             scale == used});
    return entries;
}
std::vector<MenuEntry> theme_entries(const ViewerModel& m) {
    std::vector<MenuEntry> entries;
    for (auto [id, title] : {std::pair{kDarkTheme, "Dark"}, {kLightTheme, "Light"}})
        entries.push_back({title, "Colours of the interface; kept for later starts.",
                           [id = id](ViewerModel& model) { model.preferences.theme = id; },
                           m.preferences.theme == id});
    return entries;
}

ViewerCommand submenu(std::string title, std::string help,
                      std::vector<MenuEntry> (*entries)(const ViewerModel&), const char* none) {
    ViewerCommand command{std::move(title), std::move(help), {}, nullptr};
    command.entries = entries;
    command.reason = none;
    return command;
}

}  // namespace tl
