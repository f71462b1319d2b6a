// An editable scene file: the scene as opened, its changes, and bookmarked cameras.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "renderer/scene/scene_edits.h"

namespace tl {

/// A stored camera view.
struct Bookmark {
    static constexpr int kMost = 99;

    int number = 1;      ///< 1 to kMost
    std::string name{};  ///< for people; may be empty
    Camera camera{};

    bool operator==(const Bookmark&) const = default;
};
using Bookmarks = std::vector<Bookmark>;  ///< sorted by number, each once

/// The bookmark of a number; null where there is none.
[[nodiscard]] const Bookmark* find_bookmark(const Bookmarks& bookmarks, int number);
/// Replaces the bookmark of the same number, or inserts a new one.
void set_bookmark(Bookmarks& bookmarks, const Bookmark& bookmark);

using SettingTexts = std::map<std::string, std::map<std::string, std::string>>;

struct SceneDocument {
    EditedScene edited;
    Bookmarks bookmarks{};
    /// The scene without any change: an absolute path, "model:NAME" or "generate:...". It is the
    /// file itself unless that names another one as its `scene`.
    std::string base{};
    SettingTexts base_settings{};  ///< settings in the base's file
    std::string base_name{};       ///< title of the base
    ItemMarks base_marks{};        ///< names and marks in the base's file
    bool default_lights = true;    ///< lights are added where the base has none
    std::string path{};            ///< path of the opened file; "" where there is none

    [[nodiscard]] const std::shared_ptr<Scene>& scene() const { return edited.scene(); }
};

/// A user's work on a scene, as a scene file stores it.
struct SceneWork {
    SceneEdits edits{};
    Bookmarks bookmarks{};
    bool operator==(const SceneWork&) const = default;
};
[[nodiscard]] inline SceneWork work_of(const SceneDocument& document) {
    return {document.edited.edits(), document.bookmarks};
}

}  // namespace tl
