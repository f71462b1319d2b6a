#include "accel/parallel/files.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "accel/parallel/error.h"

namespace tl {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kModelPrefix = "model:";

bool is_file(const fs::path& path) {
    std::error_code error;
    return fs::is_regular_file(path, error);
}

/// The entry of `folder` that equals `name` but for case; empty when there is none. Of several, the
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

/// `relative` below `folder`, each of its parts found without regard to case.
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

fs::path resolve_file(const std::string& name, const fs::path& folder) {
    if (name.starts_with(kModelPrefix)) {
        fs::path path = model_folder() / name.substr(kModelPrefix.size());
        if (!is_file(path))
            throw UserError("the model '" + name + "' is not in " + model_folder().string() +
                            "; run tools/fetch-models");
        return path;
    }
    fs::path path = folder / name;
    std::error_code error;
    if (fs::is_directory(path, error))
        throw UserError("'" + path.string() + "' is a folder; name a file in it");
    if (!is_file(path))
        throw UserError("no file '" + path.string() + "'; relative paths start at the scene file");
    return path;
}

fs::path find_referenced_file(const std::string& name, const std::vector<fs::path>& folders) {
    std::string slashed = name;
    std::replace(slashed.begin(), slashed.end(), '\\', '/');
    // "C:/textures/a.png" is no absolute path here, but its basename is as good.
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

std::string read_file(const fs::path& path, std::size_t limit) {
    std::error_code error;
    auto status = fs::status(path, error);
    if (!fs::exists(status)) throw UserError(path.string() + ": no such file");
    if (fs::is_directory(status))
        throw UserError(path.string() + ": is a folder; name a file in it");
    if (!fs::is_regular_file(status)) throw UserError(path.string() + ": is not a regular file");
    auto size = fs::file_size(path, error);
    if (error) throw UserError(path.string() + ": cannot be read: " + error.message());
    if (size > limit)
        throw UserError(path.string() + ": has " + std::to_string(size >> 20) + " MiB; at most " +
                        std::to_string(limit >> 20) + " MiB are read");

    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (!file) throw UserError(path.string() + ": cannot be opened: " + std::strerror(errno));
    std::string bytes;
    try {
        bytes.resize(size);
    } catch (const std::exception&) {
        throw UserError(path.string() + ": has " + std::to_string(size >> 20) +
                        " MiB, more than there is memory");
    }
    file.read(bytes.data(), static_cast<std::streamsize>(size));
    if (file.bad()) throw UserError(path.string() + ": reading failed: " + std::strerror(errno));
    bytes.resize(static_cast<std::size_t>(file.gcount()));
    return bytes;
}

std::string read_text_file(const fs::path& path, std::size_t limit) {
    std::string text = read_file(path, limit);
    if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
    return text;
}

std::string_view trimmed(std::string_view text) {
    auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    return text;
}

std::string lower_case(std::string_view text) {
    std::string lower(text);
    for (auto& c : lower)
        if (c >= 'A' && c <= 'Z') c += 'a' - 'A';
    return lower;
}

}  // namespace tl
