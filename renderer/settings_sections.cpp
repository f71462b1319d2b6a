#include "renderer/settings_sections.h"

#include <algorithm>

#include "accel/parallel/error.h"
#include "renderer/scene/toml/toml_scene.h"

namespace tl {
namespace {

/// The title that a table has for an id; of an object that is in no table, the id.
std::string title_of(const auto& table, const std::string& id) {
    for (auto& row : table)
        if (row.id == id) return row.title;
    return id;
}

void add_renderer(SettingsSections& sections, const std::string& id, Renderer& renderer) {
    sections.push_back({SectionKind::renderer, id, title_of(renderers(), id), renderer.settings()});
}

void add_builder(SettingsSections& sections, const std::string& id, TreeBuilder& builder) {
    sections.push_back(
        {SectionKind::builder, id, title_of(tree_builders(), id), builder.settings()});
}

void add_common(SettingsSections& sections, const CommonConfigs& common) {
    sections.push_back({SectionKind::tree, "tree", "Trees", common.tree.settings()});
    sections.push_back({SectionKind::film, "film", "Film", common.film.settings()});
    sections.push_back({SectionKind::sampling, "sampling", "Sampling", common.sampling.settings()});
}

}  // namespace

SettingsSections sections_in_use(const std::string& renderer_id, Renderer& renderer,
                                 const std::string& builder_id, TreeBuilder& builder,
                                 const CommonConfigs& common) {
    SettingsSections sections;
    add_renderer(sections, renderer_id, renderer);
    add_builder(sections, builder_id, builder);
    add_common(sections, common);
    return sections;
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
        add_renderer(sections_, row.id, *renderers_.back());
    }
    for (auto& row : tree_builders()) {
        builders_.push_back(row.make_cpu());
        add_builder(sections_, row.id, *builders_.back());
    }
    add_common(sections_, {tree_, film_, sampling_});
}

Setting& AllSettings::find(const std::string& section, const std::string& id) {
    if (auto* known = find_section(sections_, section))
        return find_setting(known->settings, id, section);
    std::string ids;
    for (auto& known : sections_) ids += (ids.empty() ? "" : ", ") + known.id;
    throw UserError("no settings are called '" + section + "'; known: " + ids);
}

}  // namespace tl
