#include "renderer/scene/loaders/scene_paths.h"

#include <algorithm>
#include <cstdlib>

#include "accel/parallel/error.h"
#include "accel/parallel/files.h"

namespace tl {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kModelPrefix = "model:";

bool is_file(const fs::path& path) {
    std::error_code error;
    return fs::is_regular_file(path, error);
}

/// The entry of `folder` that equals `name` ignoring case; empty if there is none. Of several, the
/// first in byte order, so that the choice does not depend on the file system.
fs::path find_entry_ignoring_case(const fs::path& folder, const std::string& name) {
    std::error_code error;
    std::string wanted = lower_case(name);
    fs::path found;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        fs::path candidate = entry->path();
        if (lower_case(candidate.filename().string()) == wanted &&
            (found.empty() || candidate < found))
            found = candidate;
    }
    return found;
}

/// The path `relative` in `folder`, each of its parts found ignoring case.
fs::path find_ignoring_case(const fs::path& folder, const fs::path& relative) {
    fs::path place = folder;
    for (auto& part : relative) {
        if (part == "." || part == "..") {
            place /= part;
            continue;
        }
        place = find_entry_ignoring_case(place, part.string());
        if (place.empty()) return {};
    }
    return is_file(place) ? place : fs::path{};
}

const char* environment(const char* name) {
    const char* value = std::getenv(name);
    return value && *value ? value : nullptr;
}

}  // namespace

fs::path model_folder() {
    if (auto* folder = environment("TREELIGHT_MODELS")) return folder;
    if (auto* cache = environment("XDG_CACHE_HOME")) return fs::path(cache) / "treelight/models";
    auto* home = environment("HOME");
    return fs::path(home ? home : ".") / ".cache/treelight/models";
}

bool is_model_name(const std::string& name) {
    return name.starts_with(kModelPrefix);
}

fs::path resolve_file(const std::string& name, const fs::path& folder) {
    if (is_model_name(name)) {
        fs::path path = model_folder() / name.substr(kModelPrefix.size());
        if (!is_file(path))
            throw UserError("the model '" + name + "' is not in " + model_folder().string() +
                            "; run tools/fetch-models");
        return path;
    }
    fs::path path = folder / name;
    std::error_code error;
    if (fs::exists(path, error)) (void)regular_file_size(path);  // tells what else it is
    if (!is_file(path))
        throw UserError("no file '" + path.string() + "'; relative paths start at the scene file");
    return path;
}

fs::path find_referenced_file(const std::string& name, const std::vector<fs::path>& folders) {
    constexpr std::size_t kLongestPath = 4096;  // Linux takes no longer ones
    if (name.size() > kLongestPath) return {};
    std::string slashed = name;
    std::replace(slashed.begin(), slashed.end(), '\\', '/');
    // "C:/textures/a.png" is not an absolute path here, but its basename may exist.
    std::string basename = slashed.substr(slashed.find_last_of('/') + 1);
    if (basename.empty()) return {};
    for (auto& folder : folders)
        for (auto& spelling : {name, slashed, basename})
            if (is_file(folder / spelling)) return folder / spelling;
    for (auto& folder : folders) {
        fs::path relative = slashed;
        if (relative.is_relative())
            if (auto found = find_ignoring_case(folder, relative); !found.empty()) return found;
        if (auto found = find_ignoring_case(folder, basename); !found.empty()) return found;
    }
    return {};
}

}  // namespace tl
