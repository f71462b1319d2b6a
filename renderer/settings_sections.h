// Settings come in sections: one of the renderer, one of the tree builder, and those that every
// session has. Scene files, flags, panels and reports all go by these lists.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "renderer/renderer.h"

namespace tl {

enum class SectionKind { renderer, builder, tree, film, sampling };

/// One section, bound to the Config that its settings are of.
struct SettingsSection {
    SectionKind kind;
    std::string id;     ///< in files and flags: "whitted", "lbvh", "tree"
    std::string title;  ///< for people
    Settings settings;
};
using SettingsSections = std::vector<SettingsSection>;

/// What every session has beside a renderer and a builder.
struct CommonConfigs {
    SceneTreeConfig& tree;
    ToneMap& film;
    SamplingConfig& sampling;
};

/// The sections of a renderer, a builder and the rest, which must all outlive them.
[[nodiscard]] SettingsSections sections_in_use(const std::string& renderer_id, Renderer& renderer,
                                               const std::string& builder_id, TreeBuilder& builder,
                                               const CommonConfigs& common);

/// The section `id`, or null.
[[nodiscard]] SettingsSection* find_section(SettingsSections& sections, const std::string& id);

/// Every section that there is, of fresh objects that are its own: what can be set, and the
/// defaults.
class AllSettings {
  public:
    AllSettings();
    AllSettings(const AllSettings&) = delete;
    AllSettings& operator=(const AllSettings&) = delete;

    [[nodiscard]] SettingsSections& sections() { return sections_; }
    /// Throws UserError that lists what is known.
    [[nodiscard]] Setting& find(const std::string& section, const std::string& id);

  private:
    std::vector<std::unique_ptr<Renderer>> renderers_;
    std::vector<std::unique_ptr<TreeBuilder>> builders_;
    SceneTreeConfig tree_;
    ToneMap film_;
    SamplingConfig sampling_;
    SettingsSections sections_;
};

}  // namespace tl
