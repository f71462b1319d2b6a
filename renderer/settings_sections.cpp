#include "renderer/settings_sections.h"

#include <algorithm>
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

}  // namespace

SettingsSection section_of(const std::string& id, Renderer& renderer) {
    return {SectionKind::renderer, id, title_of(renderers(), id), renderer.settings()};
}

SettingsSection section_of(const std::string& id, TreeBuilder& builder) {
    return {SectionKind::builder, id, title_of(tree_builders(), id), builder.settings()};
}

SettingsSection section_of(SceneTreeConfig& tree) {
    return {SectionKind::tree, "tree", "Trees", tree.settings()};
}

SettingsSection section_of(DisplayConfig& film) {
    return {SectionKind::film, "film", "Film", film.settings()};
}

SettingsSection section_of(SamplingConfig& sampling) {
    return {SectionKind::sampling, "sampling", "Sampling", sampling.settings()};
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
        sections_.push_back(section_of(row.id, *renderers_.back()));
    }
    for (auto& row : tree_builders()) {
        builders_.push_back(row.make_cpu());
        sections_.push_back(section_of(row.id, *builders_.back()));
    }
    sections_.push_back(section_of(tree_));
    sections_.push_back(section_of(film_));
    sections_.push_back(section_of(sampling_));
}

Setting& AllSettings::find(const std::string& section, const std::string& id) {
    if (auto* known = find_section(sections_, section))
        return find_setting(known->settings, id, section);
    auto ids = std::views::transform(sections_, &SettingsSection::id);
    throw UserError("no settings are called '" + section + "'; known: " + joined(ids));
}

}  // namespace tl
