// Sections of settings: one of each renderer and each tree builder, and those that every session
// has. Scene files, flags, panels and reports all use these lists.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/display_config.h"
#include "renderer/renderer.h"
#include "renderer/scene/live/scene_tree.h"

namespace tl {

enum class SectionKind { renderer, builder, tree, film, sampling };
inline constexpr SectionKind kSectionKinds[] = {SectionKind::renderer, SectionKind::builder,
                                                SectionKind::tree, SectionKind::film,
                                                SectionKind::sampling};

/// One section, bound to the Config whose settings it lists.
struct SettingsSection {
    SectionKind kind;
    std::string id;     ///< in files and flags: "whitted", "lbvh", "tree"
    std::string title;  ///< for people
    Settings settings;
};
using SettingsSections = std::vector<SettingsSection>;

/// The section of an object, which must outlive it.
[[nodiscard]] SettingsSection section_of(const std::string& id, Renderer& renderer);
[[nodiscard]] SettingsSection section_of(const std::string& id, TreeBuilder& builder);
[[nodiscard]] SettingsSection section_of(SceneTreeConfig& tree);
[[nodiscard]] SettingsSection section_of(DisplayConfig& film);
[[nodiscard]] SettingsSection section_of(SamplingConfig& sampling);

/// The section `id`, or null.
[[nodiscard]] SettingsSection* find_section(SettingsSections& sections, const std::string& id);

/// A section as it is declared, without an object.
struct DeclaredSection {
    SectionKind kind;
    std::string id;
    std::string title;
    const SettingTable* settings;
};

/// The sections of all renderers and builders, and those that every session has.
[[nodiscard]] const std::vector<DeclaredSection>& declared_sections();
/// The section `id`, or null.
[[nodiscard]] const DeclaredSection* find_declared_section(const std::string& id);
/// The declaration of a setting; throws a UserError that lists the known sections or settings.
[[nodiscard]] const SettingDeclaration& find_declared(const std::string& section,
                                                      const std::string& id);
/// Whether the setting is a former one, whose value is ignored; then writes a warning, once a run.
[[nodiscard]] bool ignores_retired(const std::string& section, const std::string& id);
/// The same for the setting whose flag is `name`, "whitted-packets".
[[nodiscard]] bool ignores_retired_flag(std::string_view name);
/// Calls use(section, declaration) for each declared setting.
template <class Use>
void for_each_declared(const Use& use) {
    for (auto& section : declared_sections())
        for (auto& setting : section.settings->all()) use(section, setting);
}
/// The setting whose flag is `name`, "whitted-max-depth"; null for an unknown one. Sets `section`
/// to its section.
[[nodiscard]] const SettingDeclaration* find_by_flag(std::string_view name,
                                                     const DeclaredSection*& section);

}  // namespace tl
