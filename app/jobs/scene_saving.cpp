#include "app/jobs/scene_saving.h"

#include <filesystem>
#include <optional>

#include "core/base/error.h"
#include "core/base/files.h"
#include "renderer/scene/toml/toml_writer.h"

namespace tl {
namespace {

const std::string* find_text(const SettingTexts& texts, const std::string& section,
                             const std::string& id) {
    auto found = texts.find(section);
    if (found == texts.end()) return nullptr;
    auto value = found->second.find(id);
    return value == found->second.end() ? nullptr : &value->second;
}

/// Returns the settings that differ from the base. `value_of` returns a value, or none for the
/// base's own.
template <class ValueOf>
SettingTexts differing_settings(const SettingTexts& base, ValueOf value_of) {
    SettingTexts texts;
    for_each_declared([&](const DeclaredSection& section, const SettingDeclaration& setting) {
        // The same value may have been written in another way.
        auto* own = find_text(base, section.id, setting.id);
        auto before = own ? setting.canonical(*own) : setting.default_text;
        std::optional<std::string> value = value_of(section.id, setting.id);
        if (!value) return;
        auto now = setting.canonical(*value);
        // Another tone curve may be remembered, or be the default, where the file is opened.
        bool remembered = section.id == "film" && setting.id == "tone";
        if (now != before || remembered) texts[section.id][setting.id] = now;
    });
    return texts;
}

}  // namespace

SettingTexts settings_to_save(Session& session, const SettingTexts& base) {
    auto in_use = session.settings().sections();
    auto texts = differing_settings(
        base, [&](const std::string& section, const std::string& id) -> std::optional<std::string> {
            if (auto* found = find_section(in_use, section))
                return find_setting(found->settings, id, section).text();
            return session.settings().requested(section, id);
        });
    texts["render"] = {{"renderer", session.renderer_id()},
                       {"builder", session.builder_id()},
                       {"required", "true"}};
    return texts;
}

SettingTexts settings_to_save(const Scene& scene, const SettingTexts& base) {
    auto texts = differing_settings(
        base, [&](const std::string& section, const std::string& id) -> std::optional<std::string> {
            auto* text = find_text(scene.settings, section, id);
            return text ? std::optional(*text) : std::nullopt;
        });
    auto render = scene.settings.find("render");
    if (render != scene.settings.end()) texts["render"] = render->second;
    return texts;
}

std::vector<std::string> save_scene(const SceneDocument& document, const Camera& camera,
                                    const SettingTexts& settings, const std::string& path) {
    if (lower_case(std::filesystem::path(path).extension().string()) != ".toml")
        throw UserError("'" + path + "': scenes are saved as scene files; name it .toml");
    if (!document.scene()) throw UserError("this scene was not opened from a file or a generator");
    write_file(path, scene_file_text(document, camera, settings, path));
    std::vector<std::string> warnings;
    for (auto& file : files_outside(document, path))
        // The advice comes first, since the status line cuts long messages.
        warnings.push_back(path + " opens only with --allow-outside, or saved beside '" + file +
                           "' or above: that lies outside of its folder");
    return warnings;
}

}  // namespace tl
