// Sections of settings: one of the renderer, one of the tree builder, and those that every session
// has. Scene files, flags, panels and reports all use these lists.
#pragma once

#include <memory>
#include <string>
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

/// The section of an object, which must outlive it. The default values are those of a newly made
/// object, whatever this one has been set to.
[[nodiscard]] SettingsSection section_of(const std::string& id, Renderer& renderer);
[[nodiscard]] SettingsSection section_of(const std::string& id, TreeBuilder& builder);
[[nodiscard]] SettingsSection section_of(SceneTreeConfig& tree);
[[nodiscard]] SettingsSection section_of(DisplayConfig& film);
[[nodiscard]] SettingsSection section_of(SamplingConfig& sampling);

/// The section `id`, or null.
[[nodiscard]] SettingsSection* find_section(SettingsSections& sections, const std::string& id);

/// All sections, bound to newly made objects that it owns: they list all settings and the
/// default values.
class AllSettings {
  public:
    AllSettings();
    AllSettings(const AllSettings&) = delete;
    AllSettings& operator=(const AllSettings&) = delete;

    [[nodiscard]] SettingsSections& sections() { return sections_; }
    /// The setting; throws a UserError that lists the known ones.
    [[nodiscard]] Setting& find(const std::string& section, const std::string& id);

  private:
    std::vector<std::unique_ptr<Renderer>> renderers_;
    std::vector<std::unique_ptr<TreeBuilder>> builders_;
    SceneTreeConfig tree_;
    DisplayConfig film_;
    SamplingConfig sampling_;
    SettingsSections sections_;
};

}  // namespace tl
