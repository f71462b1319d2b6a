#include "renderer/settings_sections.h"

#include <algorithm>
#include <map>
#include <ranges>

#include "accel/parallel/error.h"
#include "accel/parallel/text.h"
#include "renderer/scene/toml/toml_scene.h"

namespace tl {
namespace {

/// The title of an id in a table; the id itself if the table lacks it.
std::string title_of(const auto& table, const std::string& id) {
    for (auto& row : table)
        if (row.id == id) return row.title;
    return id;
}

// Sections whose default values are those that the objects have now.
SettingsSection declared(const std::string& id, Renderer& renderer) {
    return {SectionKind::renderer, id, title_of(renderers(), id), renderer.settings()};
}

SettingsSection declared(const std::string& id, TreeBuilder& builder) {
    return {SectionKind::builder, id, title_of(tree_builders(), id), builder.settings()};
}

SettingsSection declared(SceneTreeConfig& tree) {
    return {SectionKind::tree, "tree", "Trees", tree.settings()};
}

SettingsSection declared(DisplayConfig& film) {
    return {SectionKind::film, "film", "Film", film.settings()};
}

SettingsSection declared(SamplingConfig& sampling) {
    return {SectionKind::sampling, "sampling", "Sampling", sampling.settings()};
}

/// The default values of newly made objects, by section and setting.
using DefaultTexts = std::map<std::string, std::map<std::string, std::string>>;
const DefaultTexts& default_texts() {
    static const auto all = [] {
        DefaultTexts texts;
        AllSettings fresh;
        for (auto& section : fresh.sections())
            for (auto& setting : section.settings)
                texts[section.id][setting.id] = setting.default_text;
        return texts;
    }();
    return all;
}

/// The section with the default values of a newly made object, whatever is set now. Settings that
/// none of the tables' objects has keep their declared defaults.
SettingsSection with_defaults(SettingsSection section) {
    auto known = default_texts().find(section.id);
    if (known == default_texts().end()) return section;
    for (auto& setting : section.settings) {
        auto text = known->second.find(setting.id);
        if (text != known->second.end()) setting.default_text = text->second;
    }
    return section;
}

}  // namespace

SettingsSection section_of(const std::string& id, Renderer& renderer) {
    return with_defaults(declared(id, renderer));
}

SettingsSection section_of(const std::string& id, TreeBuilder& builder) {
    return with_defaults(declared(id, builder));
}

SettingsSection section_of(SceneTreeConfig& tree) {
    return with_defaults(declared(tree));
}

SettingsSection section_of(DisplayConfig& film) {
    return with_defaults(declared(film));
}

SettingsSection section_of(SamplingConfig& sampling) {
    return with_defaults(declared(sampling));
}

SettingsSection* find_section(SettingsSections& sections, const std::string& id) {
    auto found = std::ranges::find(sections, id, &SettingsSection::id);
    return found == sections.end() ? nullptr : &*found;
}

bool is_settings_section(const std::string& id) {
    static AllSettings all;
    return find_section(all.sections(), id) != nullptr;
}

AllSettings::AllSettings() {
    for (auto& row : renderers()) {
        renderers_.push_back(row.make_cpu());
        sections_.push_back(declared(row.id, *renderers_.back()));
    }
    for (auto& row : tree_builders()) {
        builders_.push_back(row.make_cpu());
        sections_.push_back(declared(row.id, *builders_.back()));
    }
    sections_.push_back(declared(tree_));
    sections_.push_back(declared(film_));
    sections_.push_back(declared(sampling_));
}

Setting& AllSettings::find(const std::string& section, const std::string& id) {
    if (auto* known = find_section(sections_, section))
        return find_setting(known->settings, id, section);
    auto ids = std::views::transform(sections_, &SettingsSection::id);
    throw UserError("no settings are called '" + section + "'; known: " + joined(ids));
}

}  // namespace tl
