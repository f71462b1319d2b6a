#include "app/viewer/files/preferences.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "accel/bvh/inspect/tree_boxes.h"
#include "app/viewer/panel_tabs.h"
#include "app/viewer/views/tree_view_state.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json_depth.h"
#include "core/base/paths.h"
#include "renderer/images/picture_formats.h"
#include "renderer/settings_sections.h"

namespace tl {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxRecentFiles = 10;
constexpr std::size_t kMostScenePictures = 200;
constexpr std::size_t kMaxCollapsed = 100;
constexpr int kLeastSide = 64, kMostSide = 16384;
constexpr int kFormat = 2;
constexpr std::size_t kLargestFile = std::size_t{1} << 20;

/// Reads values one by one; missing values keep their default, invalid ones are reported.
class Reader {
  public:
    explicit Reader(const nlohmann::json& json) : json_(json) {}
    template <class T, class Accept>
    void operator()(const char* key, T& value, Accept accept) {
        auto found = json_.find(key);
        if (found == json_.end()) return;
        try {
            T wanted = found->get<T>();
            if (accept(wanted)) {
                value = std::move(wanted);
                return;
            }
        } catch (const nlohmann::json::exception&) {
        }
        wrong_ += (wrong_.empty() ? "" : ", ") + std::string(key);
    }
    [[nodiscard]] const std::string& wrong() const { return wrong_; }

  private:
    const nlohmann::json& json_;
    std::string wrong_;
};

auto within(double low, double high) {
    return
        [=](auto value) { return std::isfinite(double(value)) && value >= low && value <= high; };
}

bool is_tone(const std::string& name) {
    if (name.empty()) return true;
    auto& choices = find_declared("film", "tone").choices;
    return std::ranges::find(choices, name) != choices.end();
}

/// Calls handle(key, value, accept) for all stored preferences; accept(value) returns whether a
/// value is valid.
template <class MaybeConstPreferences, class Handle>
void visit_preferences(MaybeConstPreferences& p, Handle&& handle) {
    auto any = [](const auto&) { return true; };
    auto side = within(kLeastSide, kMostSide);
    handle("picture-width", p.picture.width, side);
    handle("picture-height", p.picture.height, side);
    handle("panel", p.interface_visible, any);
    handle("panel-tab", p.panel_tab, [](auto& id) { return find_tab(id).has_value(); });
    handle("panel-width", p.panel_width, within(kNarrowestPanel, kWidestPanel));
    handle("collapsed-sections", p.collapsed_sections,
           [](auto& list) { return list.size() <= kMaxCollapsed; });
    handle("knows-keys", p.knows_keys, any);
    handle("ui-scale", p.ui_scale, [](float s) { return s == 0 || (s >= 0.5f && s <= 4); });
    handle("theme", p.theme, [](auto& id) { return id == kDarkTheme || id == kLightTheme; });
    handle("tone", p.tone, is_tone);
    handle("box-level", p.box_level, within(0, kMaxTreeBoxLevel));
    handle("point-size", p.point_size, within(1, double(PointView::kLargest)));
    handle("point-count", p.point_count, within(1, PointView::kMost));
    handle("points-by-value", p.points_by_value, any);
    handle("difference-gain", p.difference_gain, within(1, 1000));
    handle("coarse-motion", p.coarse_motion, any);
    handle("last-folder", p.last_folder, any);
    handle("picture-folder", p.picture_folder, any);
    handle("picture-format", p.picture_format,
           [](auto& id) { return find_picture_format(id).has_value(); });
    handle("recent-files", p.recent_files,
           [](auto& list) { return list.size() <= kMaxRecentFiles; });
    handle("scene-pictures", p.scene_pictures,
           [](auto& map) { return map.size() <= kMostScenePictures; });
}

std::string home_config() {
    const char* xdg = std::getenv("XDG_CONFIG_HOME");
    if (xdg && xdg[0] == '/') return xdg;
    const char* home = std::getenv("HOME");
    return home && home[0] == '/' ? std::string(home) + "/.config" : "";
}

}  // namespace

void Preferences::remember_file(const std::string& path) {
    std::error_code ignored;
    auto absolute = absolute_path(path);
    if (!fs::exists(absolute, ignored)) return;  // "generate:..." is not a file
    std::erase(recent_files, absolute.string());
    recent_files.insert(recent_files.begin(), absolute.string());
    if (recent_files.size() > kMaxRecentFiles) recent_files.resize(kMaxRecentFiles);
    last_folder = absolute.parent_path().string();
}

void Preferences::remember_picture(const std::string& scene, const std::string& picture) {
    std::error_code unknown;
    if (!fs::exists(scene, unknown)) return;  // "generate:..." is not a file
    scene_pictures[absolute_path(scene).string()] = absolute_path(picture).string();
    if (scene_pictures.size() <= kMostScenePictures) return;
    auto gone = std::ranges::find_if(
        scene_pictures, [&](auto& entry) { return !fs::exists(entry.second, unknown); });
    scene_pictures.erase(gone != scene_pictures.end() ? gone : scene_pictures.begin());
}

std::string preferences_path() {
    auto config = home_config();
    return config.empty() ? "" : config + "/treelight/viewer.json";
}

ReadPreferences read_preferences(const std::string& path) {
    ReadPreferences result;
    std::error_code unknown;
    if (fs::status(path, unknown).type() == fs::file_type::not_found) return result;
    nlohmann::json json;
    std::string fault = path + ": damaged";
    try {
        std::string text = read_text_file(path, {}, kLargestFile);
        if (json_depth(text) <= kDeepestJson) json = nlohmann::json::parse(text, nullptr, false);
    } catch (const UserError& error) {
        // Drops the advice of the error, which suits a file that the user has named.
        fault = error.what();
        fault.erase(std::min(fault.find("; ", path.size()), fault.size()));
    }
    if (!json.is_object()) {
        result.damaged = true;
        result.warning = fault +
                         ", so defaults are used and the file stays as it is; "
                         "`treelight view --reset-config` writes a new one";
        return result;
    }
    Reader reader(json);
    visit_preferences(result.preferences, reader);
    // Format 1 has the default of its time where no tone curve was chosen.
    if (json.value("format", nlohmann::json(kFormat)) == 1 && result.preferences.tone == "linear")
        result.preferences.tone.clear();
    if (!reader.wrong().empty())
        result.warning = path + ": invalid values, replaced by defaults: " + reader.wrong();
    return result;
}

void write_preferences(const std::string& path, const Preferences& p) {
    nlohmann::json json;
    json["format"] = kFormat;
    visit_preferences(p, [&](const char* key, auto& value, auto&&) { json[key] = value; });
    std::error_code status;
    fs::create_directories(fs::path(path).parent_path(), status);
    // File names need not be UTF-8: invalid bytes are replaced.
    write_file(path, json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

}  // namespace tl
