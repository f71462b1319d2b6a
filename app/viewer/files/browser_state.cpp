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
    browser.open = true;
}

void close_browser(BrowserState& browser) {
    browser.open = false;
    browser.request.choose = nullptr;
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
    auto& entries = browser.listing.entries;
    auto found = std::ranges::find_if(
        entries, [&](auto& entry) { return typed_name(entry).starts_with(browser.typed); });
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

void choose_typed(ViewerModel& model) {
    auto& browser = model.view.browser;
    if (!browser.open || browser.typed.empty()) return;
    auto path = path_of(browser.typed, browser.listing.path);
    std::error_code unknown;
    if (is_file_name(path) && fs::is_directory(path, unknown)) {
        enter_folder(browser, path);
        return;
    }
    bool exists = !is_file_name(path) || fs::exists(path, unknown);
    browser.takes_focus = true;
    if (!browser.request.saves && !exists) {
        browser.fault = "There is no file " + path + ".";
        return;
    }
    if (browser.request.saves) {
        auto& endings = browser.request.extensions;
        if (std::ranges::find(endings, lower_case(fs::path(path).extension().string())) ==
                endings.end() &&
            !endings.empty())
            path += endings.front();
        if (!fs::is_directory(fs::path(path).parent_path(), unknown)) {
            browser.fault = "There is no folder " + fs::path(path).parent_path().string() + ".";
            return;
        }
        if (fs::exists(path, unknown) && browser.to_replace != path) {
            browser.to_replace = path;
            browser.fault = path + " exists. Press Enter or Replace to replace it.";
            return;
        }
    }
    // The request may open the browser again.
    auto choose = std::move(browser.request.choose);
    close_browser(browser);
    choose(model, path);
}

}  // namespace tl
