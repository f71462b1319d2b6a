#include "renderer/settings_sections.h"

#include <algorithm>
#include <ranges>

#include "core/base/error.h"
#include "core/base/near_match.h"
#include "core/base/text.h"
#include "renderer/scene/toml/toml_scene.h"

namespace tl {
namespace {

/// The title of an id in a table; the id itself if the table lacks it.
std::string title_of(const auto& table, const std::string& id) {
    for (auto& row : table)
        if (row.id == id) return row.title;
    return id;
}

/// A section without its settings, for the kinds that have a single one.
DeclaredSection section_of_kind(SectionKind kind) {
    switch (kind) {
        case SectionKind::tree:
            return {kind, "tree", "Trees", &SceneTreeConfig::declared_settings()};
        case SectionKind::film:
            return {kind, "film", "Film", &DisplayConfig::declared_settings()};
        default:
            return {kind, "sampling", "Sampling", &SamplingConfig::declared_settings()};
    }
}

template <class Config>
SettingsSection bound(SectionKind kind, Config& config) {
    auto declared = section_of_kind(kind);
    return {kind, declared.id, declared.title, config.settings()};
}

}  // namespace

SettingsSection section_of(const std::string& id, Renderer& renderer) {
    return {SectionKind::renderer, id, title_of(renderers(), id), renderer.settings()};
}

SettingsSection section_of(const std::string& id, TreeBuilder& builder) {
    return {SectionKind::builder, id, title_of(tree_builders(), id), builder.settings()};
}

SettingsSection section_of(SceneTreeConfig& tree) {
    return bound(SectionKind::tree, tree);
}

SettingsSection section_of(DisplayConfig& film) {
    return bound(SectionKind::film, film);
}

SettingsSection section_of(SamplingConfig& sampling) {
    return bound(SectionKind::sampling, sampling);
}

SettingsSection* find_section(SettingsSections& sections, const std::string& id) {
    auto found = std::ranges::find(sections, id, &SettingsSection::id);
    return found == sections.end() ? nullptr : &*found;
}

const std::vector<DeclaredSection>& declared_sections() {
    static const auto all = [] {
        std::vector<DeclaredSection> sections;
        for (auto& row : renderers())
            sections.push_back({SectionKind::renderer, row.id, row.title, row.settings});
        for (auto& row : tree_builders())
            sections.push_back({SectionKind::builder, row.id, row.title, row.settings});
        for (auto kind : {SectionKind::tree, SectionKind::film, SectionKind::sampling})
            sections.push_back(section_of_kind(kind));
        return sections;
    }();
    return all;
}

const DeclaredSection* find_declared_section(const std::string& id) {
    auto found = std::ranges::find(declared_sections(), id, &DeclaredSection::id);
    return found == declared_sections().end() ? nullptr : &*found;
}

const SettingDeclaration& find_declared(const std::string& section, const std::string& id) {
    if (auto* known = find_declared_section(section))
        return find_declaration(*known->settings, id, section);
    auto ids = std::views::transform(declared_sections(), &DeclaredSection::id);
    throw UserError("no settings are called '" + section + "'" + known_names(section, ids));
}

bool ignores_retired(const std::string& section, const std::string& id) {
    auto* known = find_declared_section(section);
    if (!known ||
        std::ranges::find(known->settings->retired(), id) == known->settings->retired().end())
        return false;
    warn_once("setting " + section + "." + id + " no longer exists; its value is ignored");
    return true;
}

bool ignores_retired_flag(std::string_view name) {
    return std::ranges::any_of(declared_sections(), [&](const DeclaredSection& section) {
        return std::ranges::any_of(section.settings->retired(), [&](const std::string& id) {
            return name == section.id + "-" + id && ignores_retired(section.id, id);
        });
    });
}

const SettingDeclaration* find_by_flag(std::string_view name, const DeclaredSection*& section) {
    const SettingDeclaration* found = nullptr;
    for_each_declared([&](const DeclaredSection& of, const SettingDeclaration& setting) {
        if (name != of.id + "-" + setting.id) return;
        section = &of;
        found = &setting;
    });
    return found;
}

bool is_settings_section(const std::string& id) {
    return find_declared_section(id) != nullptr;
}

}  // namespace tl
