// A scene as a file that can be edited and saved: what it was opened as, its changes, and cameras
// to return to.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "renderer/scene/scene_edits.h"

namespace tl {

/// A camera to return to.
struct Bookmark {
    static constexpr int kMost = 99;

    int number = 1;      ///< 1 to kMost
    std::string name{};  ///< for people; may be empty
    Camera camera{};

    bool operator==(const Bookmark&) const = default;
};
using Bookmarks = std::vector<Bookmark>;  ///< by rising numbers, each once

/// The bookmark of a number; null where there is none.
[[nodiscard]] const Bookmark* find_bookmark(const Bookmarks& bookmarks, int number);
/// Puts a bookmark in place of the one with its number, or among the others.
void set_bookmark(Bookmarks& bookmarks, const Bookmark& bookmark);

using SettingTexts = std::map<std::string, std::map<std::string, std::string>>;

struct SceneDocument {
    EditedScene edited;
    Bookmarks bookmarks{};
    /// The scene without any change: an absolute path, "model:NAME" or "generate:...". It is the
    /// file itself unless that names another one as its `scene`.
    std::string base{};
    SettingTexts base_settings{};  ///< of the base's file
    std::string base_name{};       ///< the base's title
    bool default_lights = true;    ///< lights are added where the base has none
    std::string path{};            ///< of the file that was opened; "" where there is none

    [[nodiscard]] const std::shared_ptr<Scene>& scene() const { return edited.scene(); }
};

/// What a scene file keeps of somebody's work on the scene.
struct SceneWork {
    SceneEdits edits{};
    Bookmarks bookmarks{};
    bool operator==(const SceneWork&) const = default;
};
[[nodiscard]] inline SceneWork work_of(const SceneDocument& document) {
    return {document.edited.edits(), document.bookmarks};
}

}  // namespace tl
