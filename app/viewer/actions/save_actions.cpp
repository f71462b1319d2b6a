#include "app/viewer/actions/save_actions.h"

#include <algorithm>
#include <filesystem>

#include "app/jobs/open_folder.h"
#include "app/jobs/scene_saving.h"
#include "app/viewer/actions/compare_actions.h"
#include "app/viewer/actions/scene_actions.h"
#include "app/viewer/actions/viewer_actions.h"
#include "app/viewer/viewer_model.h"
#include "core/base/paths.h"

namespace tl {

void save_scene(ViewerModel& model, const AfterSaving& then) {
    if (model.document.saved_path.empty()) return ask_to_save(model, then);
    save_scene_as(model, model.document.saved_path, then);
}

void ask_to_save(ViewerModel& model, const AfterSaving& then) {
    namespace fs = std::filesystem;
    auto& document = model.document.scene;
    if (!document.scene())
        return model.status.messages.info("this scene was not opened from a file or a generator");
    // Beside the file that it refers to, which may then be read.
    std::string known =
        model.document.saved_path.empty() ? document.path : model.document.saved_path;
    fs::path folder = model.preferences.last_folder;
    std::string name = model.session.scene().name + "-edited.toml";
    if (!known.empty()) {
        auto file = absolute_path(known);
        folder = file.parent_path();
        name = file.stem().string() + (file == document.base ? "-edited.toml" : ".toml");
    }
    std::ranges::replace(name, '/', '-');
    ask_for_file(model.view.browser,
                 {.title = "Save the scene as",
                  .extensions = {".toml"},
                  .choose = [then](ViewerModel& m,
                                   const std::string& path) { save_scene_as(m, path, then); },
                  .saves = true,
                  .suggested_name = name},
                 folder.string());
}

void ask_to_save_picture(ViewerModel& model) {
    auto& preferences = model.preferences;
    auto format = find_picture_format(preferences.picture_format).value_or(PictureFormat::png);
    BrowserRequest request{.title = "Save the picture as",
                           .extensions = {},
                           .choose = {},
                           .suggested_name = picture_name(model) + row_of(format).extension};
    for (auto& row : kPictureFormats) {
        request.formats.push_back({row.title, row.extension, row.help});
        auto& listed = request.extensions;
        if (std::ranges::find(listed, row.extension) == listed.end())
            listed.emplace_back(row.extension);
    }
    request.saves = true;
    request.format = static_cast<std::size_t>(format);
    request.beside = [&model](const std::string& path) {
        bool linear = kPictureFormats[model.view.browser.format].is_linear;
        return linear && model.view.compare.second ? second_path(path) : std::string();
    };
    request.choose = [](ViewerModel& m, const std::string& path) {
        auto chosen = static_cast<PictureFormat>(m.view.browser.format);
        m.preferences.picture_format = row_of(chosen).id;
        m.preferences.picture_folder = std::filesystem::path(path).parent_path().string();
        take_screenshot(m, {chosen, path});
    };
    auto& folder = preferences.picture_folder;
    ask_for_file(model.view.browser, std::move(request),
                 folder.empty() ? model.options.screenshot_folder : folder);
}

void open_folder(ViewerModel& model, const std::string& path) {
    if (!model.options.opens_folders) return;
    try {
        open_folder_of(path);
        model.status.messages.info("opened the folder of " + path);
    } catch (const UserError& error) {
        model.status.messages.warning(error.what());
    }
}

void ask_for_compared_picture(ViewerModel& model) {
    BrowserRequest request{.title = "Open a picture for comparison",
                           .extensions = {".jpeg"},
                           .choose =
                               [](ViewerModel& m, const std::string& path) {
                                   m.preferences.picture_folder =
                                       std::filesystem::path(path).parent_path().string();
                                   SideChoices choices;
                                   choices.picture = path;
                                   compare_with(m, choices);
                               },
                           .suggested_name = ""};
    for (auto& row : kPictureFormats) {
        auto& listed = request.extensions;
        if (std::ranges::find(listed, row.extension) == listed.end())
            listed.emplace_back(row.extension);
    }
    auto& folder = model.preferences.picture_folder;
    ask_for_file(model.view.browser, std::move(request),
                 folder.empty() ? model.options.screenshot_folder : folder);
}

void save_scene_as(ViewerModel& model, const std::string& path, const AfterSaving& then) {
    auto save = [&model, path, then] {
        std::vector<std::string> warnings;
        auto& document = model.document.scene;
        bool ok = attempt(model.status.messages, "Cannot save the scene", [&] {
            auto settings = settings_to_save(model.session, document.base_settings);
            warnings = save_scene(document, model.view.camera.camera(), settings, path);
        });
        if (!ok) return;
        model.document.watch.changes.accept(path);
        model.document.saved_path = path;
        model.document.saved_work = work_of(document);
        model.preferences.remember_file(path);
        model.status.messages.wrote("saved as", absolute_path(path).string());
        for (auto& warning : warnings) model.status.messages.warning(warning);
        if (then) then(model);
    };
    edit_document(model, "saving " + path,
                  {.apply = save, .ends = Cancellation::nothing, .must_run = true});
}

}  // namespace tl
