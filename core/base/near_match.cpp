#include "core/base/near_match.h"

#include <algorithm>
#include <filesystem>

namespace tl {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongest = 64;  // letters of a mistyped name

/// Edit distance in which transposed neighbouring letters count as one edit.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::vector<std::size_t>> cost(a.size() + 1,
                                               std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i)
        for (std::size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                cost[i][j] = i + j;
                continue;
            }
            std::size_t differs = a[i - 1] != b[j - 1] ? 1 : 0;
            cost[i][j] =
                std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + differs});
            bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
        }
    return cost.back().back();
}

/// Names in a folder; none where it is missing or has too many.
std::vector<std::string> names_in(const fs::path& folder) {
    constexpr std::size_t kMost = 5000;
    std::vector<std::string> names;
    std::error_code error;
    fs::directory_iterator entry(folder.empty() ? "." : folder, error), end;
    for (; !error && entry != end; entry.increment(error)) {
        if (names.size() == kMost) return {};
        names.push_back(entry->path().filename().string());
    }
    return names;
}

}  // namespace

std::string near_match(std::string_view mistyped, const std::vector<std::string>& names) {
    if (mistyped.size() > kLongest) return "";
    std::string nearest;
    std::size_t least = std::max<std::size_t>(mistyped.size() / 3, 1) + 1;
    for (auto& name : names) {
        auto [shorter, longer] = std::minmax({mistyped.size(), name.size()});
        if (longer - shorter >= least) continue;
        auto distance = edit_distance(mistyped, name);
        if (distance >= least) continue;
        least = distance;
        nearest = name;
    }
    return nearest;
}

std::string suggestion(std::string_view mistyped, const std::vector<std::string>& names) {
    auto name = near_match(mistyped, names);
    return name.empty() ? "" : "; did you mean '" + name + "'?";
}

std::string path_suggestion(const std::string& path) {
    fs::path found;
    std::error_code error;
    for (auto& part : fs::path(path)) {
        auto next = found / part;
        if (!fs::exists(next, error)) {
            auto name = near_match(part.string(), names_in(found));
            if (name.empty()) return "";
            next = found / name;
        }
        found = next;
    }
    bool is_file = fs::is_regular_file(found, error);
    return is_file ? "; did you mean '" + found.string() + "'?" : "";
}

}  // namespace tl
