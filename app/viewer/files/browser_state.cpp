#include "app/viewer/files/browser_state.h"

#include <algorithm>
#include <filesystem>
#include <ranges>
#include <utility>

#include "app/viewer/viewer_model.h"
#include "core/base/files.h"
#include "core/base/paths.h"
#include "renderer/scene/loaders/scene_paths.h"

namespace tl {
namespace {

namespace fs = std::filesystem;

/// The part of a typed path before its last name: "../meshes/bu" -> "../meshes/".
std::string folder_part(const std::string& typed) {
    return typed.substr(0, typed.find_last_of('/') + 1);
}

std::string typed_name(const FolderEntry& entry) {
    return entry.name + (entry.is_folder ? "/" : "");
}

/// The typed name without its folder, if that is the one on show: "/meshes/bu" -> "bu" in /meshes.
std::string typed_in_list(const BrowserState& browser) {
    auto folder = folder_part(browser.typed);
    if (folder.empty()) return browser.typed;
    std::error_code unknown;
    bool on_show =
        is_file_name(browser.typed) &&
        fs::equivalent(path_of(folder, browser.listing.path), browser.listing.path, unknown);
    bool named = folder.size() < browser.typed.size();
    return on_show && named ? browser.typed.substr(folder.size()) : browser.typed;
}

/// Chooses the first format with this ending, unless the chosen one has it; returns whether one
/// has.
bool follow_ending(BrowserState& browser, const std::string& ending) {
    auto& formats = browser.request.formats;
    if (formats[browser.format].extension == ending) return true;
    auto known = std::ranges::find(formats, ending, &BrowserFormat::extension);
    if (known == formats.end()) return false;
    browser.format = static_cast<std::size_t>(known - formats.begin());
    return true;
}

std::string ending_of(const std::string& path) {
    return lower_case(fs::path(path).extension().string());
}

/// The longest text that all begin with.
std::string common_start(const std::vector<std::string>& texts) {
    std::string start = texts.front();
    for (auto& text : texts) {
        auto differs = std::ranges::mismatch(start, text).in1;
        start.erase(differs, start.end());
    }
    return start;
}

}  // namespace

std::string path_of(const std::string& typed, const std::string& folder) {
    if (!is_file_name(typed)) return typed;
    return (fs::path(folder) / with_home(typed)).lexically_normal().string();
}

void ask_for_file(BrowserState& browser, BrowserRequest request, const std::string& folder) {
    browser = {};
    browser.request = std::move(request);
    browser.listing = list_folder(folder, browser.request.extensions);
    // A remembered folder may no longer exist.
    if (!browser.listing.error.empty())
        browser.listing = list_folder(".", browser.request.extensions);
    browser.typed = browser.request.suggested_name;
    browser.format = browser.request.format;
    browser.open = true;
}

void choose_format(BrowserState& browser, std::size_t format) {
    auto& formats = browser.request.formats;
    browser.format = std::min(format, formats.size() - 1);
    browser.fault.clear();
    browser.to_replace.clear();
    if (browser.typed.empty() || browser.typed.ends_with('/')) return;
    auto& endings = browser.request.extensions;
    fs::path typed(browser.typed);
    if (std::ranges::find(endings, ending_of(browser.typed)) != endings.end())
        typed.replace_extension();
    browser.typed = typed.string() + formats[browser.format].extension;
}

void close_browser(BrowserState& browser) {
    browser.open = false;
    browser.request.choose = nullptr;
    browser.request.beside = nullptr;
}

void enter_folder(BrowserState& browser, const std::string& folder) {
    browser.listing =
        list_folder(path_of(folder, browser.listing.path), browser.request.extensions);
    browser.typed = browser.request.suggested_name;
    browser.selected = BrowserState::kNone;
    browser.fault.clear();
    browser.to_replace.clear();
    browser.takes_focus = true;
}

void select_entry(BrowserState& browser, int by) {
    auto& entries = browser.listing.entries;
    if (entries.empty()) return;
    int last = static_cast<int>(entries.size()) - 1;
    bool none = browser.selected == BrowserState::kNone;
    browser.selected = none ? (by > 0 ? 0 : last) : std::clamp(browser.selected + by, 0, last);
    browser.typed = typed_name(entries[static_cast<std::size_t>(browser.selected)]);
    browser.reveals = true;
    browser.fault.clear();
    browser.to_replace.clear();
}

void follow_typed(BrowserState& browser) {
    browser.fault.clear();
    browser.to_replace.clear();
    browser.selected = BrowserState::kNone;
    if (browser.typed.empty()) return;
    if (!browser.request.formats.empty()) (void)follow_ending(browser, ending_of(browser.typed));
    auto& entries = browser.listing.entries;
    auto name = typed_in_list(browser);
    // A name to save under need not be one of the list.
    auto fits = [&](auto& entry) {
        return browser.request.saves ? entry.name == name : typed_name(entry).starts_with(name);
    };
    auto found = std::ranges::find_if(entries, fits);
    if (found == entries.end() && !browser.request.saves) {
        auto typed = lower_case(name);
        found = std::ranges::find_if(entries, [&](auto& entry) {
            return lower_case(entry.name).find(typed) != std::string::npos;
        });
    }
    if (found == entries.end()) return;
    browser.selected = static_cast<int>(found - entries.begin());
    browser.reveals = true;
}

std::string completed(const BrowserState& browser) {
    auto& typed = browser.typed;
    std::vector<std::string> fitting;
    for (auto& name : browser.request.names)
        if (name.starts_with(typed)) fitting.push_back(name);
    if (typed.empty()) fitting.clear();
    auto before = folder_part(typed);
    auto listing = before.empty() ? browser.listing
                                  : list_folder(path_of(before, browser.listing.path),
                                                browser.request.extensions);
    for (auto& entry : listing.entries)
        if (auto text = before + typed_name(entry); text.starts_with(typed))
            fitting.push_back(text);
    if (typed == "~") fitting = {"~/"};
    return fitting.empty() ? typed : common_start(fitting);
}

namespace {

/// Path with the ending of the chosen format, or of the first one; a known ending chooses its
/// format.
std::string with_ending(BrowserState& browser, const std::string& path) {
    auto& request = browser.request;
    auto ending = ending_of(path);
    if (!request.formats.empty() && !follow_ending(browser, ending))
        return path + request.formats[browser.format].extension;
    auto& endings = request.extensions;
    bool known = endings.empty() || std::ranges::find(endings, ending) != endings.end();
    return known ? path : path + endings.front();
}

/// Finds why a file cannot be saved at this path, or which one would be replaced unasked; returns
/// whether it may be written.
bool may_save(BrowserState& browser, const std::string& path) {
    std::error_code unknown;
    auto folder = fs::path(path).parent_path();
    if (!fs::is_directory(folder, unknown)) {
        browser.fault = "There is no folder " + folder.string() + ".";
        return false;
    }
    auto replaced = path;
    if (auto& beside = browser.request.beside; beside && !fs::exists(path, unknown))
        replaced = beside(path);
    if (!fs::exists(replaced, unknown) || browser.to_replace == path) return true;
    browser.to_replace = path;
    browser.fault = replaced + " exists. Press Enter or Replace to replace it.";
    return false;
}

/// The path that Enter takes: what is typed or, where no file has that name, the selected row.
std::string path_to_open(const BrowserState& browser) {
    auto path = path_of(browser.typed, browser.listing.path);
    std::error_code unknown;
    bool taken = !is_file_name(path) || fs::exists(path, unknown);
    if (taken || browser.selected == BrowserState::kNone) return path;
    auto& entry = browser.listing.entries[static_cast<std::size_t>(browser.selected)];
    return path_of(entry.name, browser.listing.path);
}

}  // namespace

void choose_typed(ViewerModel& model) {
    auto& browser = model.view.browser;
    if (!browser.open || browser.typed.empty()) return;
    auto path = browser.request.saves ? path_of(browser.typed, browser.listing.path)
                                      : path_to_open(browser);
    std::error_code unknown;
    if (is_file_name(path) && fs::is_directory(path, unknown)) {
        enter_folder(browser, path);
        return;
    }
    browser.takes_focus = true;
    if (browser.request.saves) {
        path = with_ending(browser, path);
        if (!may_save(browser, path)) return;
    } else if (is_file_name(path) && !fs::exists(path, unknown)) {
        browser.fault = "There is no file " + path + ".";
        return;
    }
    // The request may open the browser again.
    auto choose = std::move(browser.request.choose);
    close_browser(browser);
    choose(model, path);
}

}  // namespace tl
