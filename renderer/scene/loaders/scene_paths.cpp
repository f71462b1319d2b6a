#include "renderer/scene/loaders/scene_paths.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/near_match.h"
#include "core/base/one_line.h"
#include "renderer/scene/loaders/data_files.h"

namespace tl {
namespace {

namespace fs = std::filesystem;

/// A folder of files that scenes share, and the prefix of their names.
struct SharedFolder {
    std::string_view prefix;
    const char* what;  ///< "the model"
    fs::path (*path)();
    std::string (*advice)();  ///< in the error for a missing file
};

std::string advice_on_models() {
    auto tool = find_data_file("tools/fetch-models");
    return tool.empty() ? "put it there" : "run " + tool;
}
std::string advice_on_own_folders() {
    return "`treelight info` names the program's folders";
}
const SharedFolder shared_folders[] = {
    {"model:", "model", model_folder, advice_on_models},
    {"asset:", "asset", [] { return fs::path(find_data_file("assets")); }, advice_on_own_folders},
    {"scene:", "scene", [] { return fs::path(find_data_file("scenes")); }, advice_on_own_folders}};

const SharedFolder* shared_folder_of(const std::string& name) {
    auto* found = std::ranges::find_if(
        shared_folders, [&](auto& folder) { return name.starts_with(folder.prefix); });
    return found == std::end(shared_folders) ? nullptr : found;
}

/// Whether there is such a file; one that appears later is a change of the scene.
bool is_file(const fs::path& path, const ReadContext& context) {
    context.note(path.string());
    std::error_code error;
    return fs::is_regular_file(path, error);
}

FolderNames names_in(const fs::path& folder) {
    FolderNames names;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        std::string name = entry->path().filename().string();
        auto [place, is_new] = names.try_emplace(lower_case(name), name);
        if (!is_new && name < place->second) place->second = name;
    }
    return names;
}

/// The entry of `folder` that equals `name` ignoring case; empty if there is none. Of several, the
/// first in byte order, so that the choice does not depend on the file system.
fs::path find_entry_ignoring_case(const fs::path& folder, const std::string& name,
                                  const SceneAccess* access) {
    std::optional<FolderNames> unkept;
    if (!access) unkept = names_in(folder);
    const FolderNames& names = unkept ? *unkept : access->names_in(folder);
    auto found = names.find(lower_case(name));
    return found == names.end() ? fs::path{} : folder / found->second;
}

/// The file of a shared folder that `name` means: the one of that name, or the only one that has it
/// before its ending; empty where there is none.
fs::path shared_file(const fs::path& place, const std::string& name, const ReadContext& context) {
    fs::path path = place / name, only;
    if (is_file(path, context)) return path;
    std::string stem = path.filename().string() + ".";
    for (auto& [key, file] : names_in(path.parent_path())) {
        if (!file.starts_with(stem)) continue;
        if (!only.empty()) return {};
        only = path.parent_path() / file;
    }
    return !only.empty() && is_file(only, context) ? only : fs::path{};
}

/// "; did you mean 'scene:cornell-box.toml'?" with a file of a shared folder; "" where none is
/// near.
std::string shared_suggestion(const SharedFolder& shared, const std::string& name) {
    const fs::path wanted(name);
    std::vector<std::string> known;
    for (auto& [key, file] : names_in(shared.path() / wanted.parent_path())) {
        known.push_back(file);
        known.push_back(fs::path(file).stem().string());
    }
    std::ranges::sort(known);
    auto near = near_match(wanted.filename().string(), known);
    if (near.empty()) return "";
    std::string text = "; did you mean '";
    text.append(shared.prefix).append((wanted.parent_path() / near).string());
    return text.append("'?");
}

/// The path `relative` in `folder`, each of its parts found ignoring case.
fs::path find_ignoring_case(const fs::path& folder, const fs::path& relative,
                            const ReadContext& context) {
    fs::path place = folder;
    for (auto& part : relative) {
        if (part == "." || part == "..") {
            place /= part;
            continue;
        }
        place = find_entry_ignoring_case(place, part.string(), context.access);
        if (place.empty()) return {};
    }
    return is_file(place, context) ? place : fs::path{};
}

const char* environment(const char* name) {
    const char* value = std::getenv(name);
    return value && *value ? value : nullptr;
}

struct Found {
    fs::path path;
    bool is_outside = false;  ///< there is a file, but it may not be read
};

/// Searches as find_referenced_file does.
Found search(const std::string& name, const std::vector<fs::path>& folders,
             const ReadContext& context) {
    std::string slashed = name;
    std::replace(slashed.begin(), slashed.end(), '\\', '/');
    // "C:/textures/a.png" is not an absolute path here, but its basename may exist.
    std::string basename = slashed.substr(slashed.find_last_of('/') + 1);
    Found found;
    constexpr std::size_t kLongestPath = 4096;  // Linux takes no longer ones
    if (basename.empty() || name.size() > kLongestPath) return found;
    if (name.find('\0') != std::string::npos) return found;  // the system would cut it off there
    auto accepts = [&](const fs::path& candidate) {
        if (candidate.empty() || !is_file(candidate, context)) return false;
        if (!may_read(candidate, context)) {
            found.is_outside = true;
            return false;
        }
        found = {candidate};
        return true;
    };
    for (auto& folder : folders)
        for (auto& spelling : {name, slashed, basename})
            if (accepts(folder / spelling)) return found;
    for (auto& folder : folders) {
        fs::path relative = slashed;
        if (relative.is_relative() && accepts(find_ignoring_case(folder, relative, context)))
            return found;
        if (accepts(find_ignoring_case(folder, basename, context))) return found;
    }
    return found;
}

}  // namespace

SceneAccess::SceneAccess(const fs::path& scene, bool allow_outside) : all_(allow_outside) {
    fs::path own = scene.parent_path();
    for (const fs::path& folder :
         {own.empty() ? fs::path(".") : own, model_folder(), fs::path(find_data_file("scenes")),
          fs::path(find_data_file("assets"))}) {
        std::error_code error;
        fs::path real = fs::canonical(folder, error);
        if (!error) folders_.push_back(std::move(real));
    }
}

bool SceneAccess::permits(const fs::path& file) const {
    if (all_) return true;
    std::error_code error;
    fs::path real = fs::canonical(file, error);
    auto holds = [&](const fs::path& folder) {
        return std::ranges::mismatch(folder, real).in1 == folder.end();
    };
    return !error && std::ranges::any_of(folders_, holds);
}

const FolderNames& SceneAccess::names_in(const fs::path& folder) const {
    constexpr std::size_t kMostFolders = 64;
    std::error_code error;
    std::string real = fs::canonical(folder, error).string();
    auto known = names_.find(real);
    if (known != names_.end()) return known->second;
    if (names_.size() == kMostFolders) names_.clear();
    return names_.insert_or_assign(real, tl::names_in(folder)).first->second;
}

bool may_read(const fs::path& file, const ReadContext& context) {
    if (context.access) return context.access->permits(file);
    return SceneAccess(model_folder() / "none", false).permits(file);
}

std::string outside_fault(const std::string& name) {
    std::string text = "'";
    text.append(one_line(name));
    return text.append("' lies outside of the scene's folder: --allow-outside permits it");
}

fs::path model_folder() {
    if (auto* folder = environment("TREELIGHT_MODELS")) return folder;
    if (auto* cache = environment("XDG_CACHE_HOME")) return fs::path(cache) / "treelight/models";
    auto* home = environment("HOME");
    return fs::path(home ? home : ".") / ".cache/treelight/models";
}

bool is_shared_name(const std::string& name) {
    return shared_folder_of(name) != nullptr;
}

bool is_file_name(const std::string& name) {
    return !name.starts_with(kGeneratePrefix) && !is_shared_name(name);
}

std::string shared_name_of(const std::string& name, const ReadContext& context) {
    if (name.empty() || fs::path(name).is_absolute() || !is_file_name(name)) return "";
    for (auto& folder : shared_folders)
        if (!shared_file(folder.path(), name, context).empty())
            return std::string(folder.prefix).append(name);
    return "";
}

std::vector<std::string> scene_names() {
    std::vector<std::string> names;
    const fs::path place = find_data_file("scenes");
    for (const char* folder : {"", "gallery"})
        for (auto& [key, file] : names_in(place / folder))
            if (fs::path(file).extension() == ".toml")
                names.push_back("scene:" + (fs::path(folder) / fs::path(file).stem()).string());
    std::ranges::sort(names);
    return names;
}

fs::path resolve_file(const std::string& name, const fs::path& folder, const ReadContext& context) {
    if (auto* shared = shared_folder_of(name)) {
        auto own_name = name.substr(shared->prefix.size());
        fs::path place = shared->path(), path = shared_file(place, own_name, context);
        if (path.empty()) {
            auto meant = shared_suggestion(*shared, own_name);
            throw UserError(std::string("the ") + shared->what + " '" + one_line(name) +
                            "' is not in " +
                            (place.empty() ? "any folder of the program" : place.string()) +
                            (meant.empty() ? "; " + shared->advice() : meant));
        }
        if (!may_read(path, context)) throw UserError(outside_fault(name));
        return path;
    }
    fs::path path = folder / name;
    std::error_code error;
    if (fs::exists(path, error))
        (void)regular_file_size(path, context);  // reports any other kind of file
    if (!is_file(path, context))
        throw UserError("no file '" + path.string() + "'; relative paths start at the scene file");
    if (!may_read(path, context)) throw UserError(outside_fault(name));
    return path;
}

fs::path find_referenced_file(const std::string& name, const std::vector<fs::path>& folders,
                              const ReadContext& context) {
    return search(name, folders, context).path;
}

fs::path referenced_file(const std::string& owner, const char* what, const std::string& name,
                         const std::vector<fs::path>& folders, const ReadContext& context) {
    Found found = search(name, folders, context);
    if (!found.path.empty()) return found.path;
    throw UserError(
        owner + ": " + what + " " +
        (found.is_outside ? outside_fault(name) : "'" + one_line(name) + "' not found"));
}

}  // namespace tl
