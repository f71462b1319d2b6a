#include "renderer/scene/loaders/points/column_names.h"

#include <algorithm>
#include <initializer_list>

#include "core/base/files.h"
#include "renderer/scene/loaders/points/text_row.h"
#include "renderer/scene/loaders/words.h"

namespace tl {
namespace {

/// The plain names of one number of a point, the most certain first.
struct ColumnAliases {
    int value;  ///< as PointColumn
    std::initializer_list<std::string_view> names;
};

const ColumnAliases kColumnAliases[] = {
    {0,
     {"x", "xcoord", "xcoordinate", "coordx", "xpos", "posx", "positionx", "pointx", "pointsx",
      "points0", "easting", "east", "e"}},
    {1,
     {"y", "ycoord", "ycoordinate", "coordy", "ypos", "posy", "positiony", "pointy", "pointsy",
      "points1", "northing", "north", "n"}},
    {2,
     {"z", "zcoord", "zcoordinate", "coordz", "zpos", "posz", "positionz", "pointz", "pointsz",
      "points2", "elevation", "elev", "height", "altitude", "alt", "h"}},
    {3,
     {"intensity", "intensities", "reflectance", "reflectivity", "amplitude", "remission", "grey",
      "gray", "int", "i"}},
    {4, {"red", "r", "rf", "colorr", "colorred", "colourr", "colourred", "diffusered", "rgb0"}},
    {5,
     {"green", "g", "gf", "colorg", "colorgreen", "colourg", "colourgreen", "diffusegreen",
      "rgb1"}},
    {6, {"blue", "b", "bf", "colorb", "colorblue", "colourb", "colourblue", "diffuseblue", "rgb2"}},
    {7, {"nx", "normalx", "xnormal", "normx", "normalsx", "normals0"}},
    {8, {"ny", "normaly", "ynormal", "normy", "normalsy", "normals1", "j"}},
    {9, {"nz", "normalz", "znormal", "normz", "normalsz", "normals2", "k"}},
    {10, {"rgb", "rgba", "packedrgb"}},
    {11, {"emissionred", "emissionr"}},
    {12, {"emissiongreen", "emissiong"}},
    {13, {"emissionblue", "emissionb"}},
    {14, {"emission"}},
};

/// A name of several columns.
struct ColumnGroup {
    std::string_view name;
    std::initializer_list<const char*> members;
};

const ColumnGroup kColumnGroups[] = {
    {"xyz", {"x", "y", "z"}},
    {"rgb", {"r", "g", "b"}},
    {"rgba", {"r", "g", "b", "a"}},
    {"normal", {"nx", "ny", "nz"}},
    {"normals", {"nx", "ny", "nz"}},
    {"nxnynz", {"nx", "ny", "nz"}},
    {"xyzrgb", {"x", "y", "z", "r", "g", "b"}},
    {"xyzi", {"x", "y", "z", "i"}},
    {"xyzirgb", {"x", "y", "z", "i", "r", "g", "b"}},
};

/// Lower-case letters and digits of a name up to a unit in brackets: "Normal_X" is "normalx",
/// "Z [m]" is "z".
std::string plain_name(std::string_view name) {
    name = name.substr(0, name.find_first_of("([", 1));
    std::string plain;
    for (char c : lower_case(name))
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) plain += c;
    return plain;
}

/// The value of a plain name; -1 for none. `rank` is its index among the aliases.
struct ColumnMeaning {
    int value = -1;
    std::size_t rank = 0;
};

ColumnMeaning meaning_of(std::string_view plain) {
    constexpr std::string_view kScalar = "scalar";  // starts the names of CloudCompare's fields
    bool is_field = plain.starts_with(kScalar);
    while (plain.starts_with(kScalar)) plain.remove_prefix(kScalar.size());
    constexpr std::size_t kLast = 100;
    for (auto& aliases : kColumnAliases) {
        auto found = std::ranges::find(aliases.names, plain);
        bool may_be_field = aliases.value == 3 || aliases.value >= 11;
        if (found == aliases.names.end() || (is_field && !may_be_field)) continue;
        return {aliases.value, static_cast<std::size_t>(found - aliases.names.begin())};
    }
    return is_field ? ColumnMeaning{3, kLast} : ColumnMeaning{};
}

/// The columns that have each value; -1 for none.
struct ColumnChoice {
    int column[PointColumns::kValues];
    std::size_t rank[PointColumns::kValues] = {};

    explicit ColumnChoice(const std::vector<std::string>& names) {
        std::ranges::fill(column, -1);
        for (std::size_t k = 0; k < names.size(); ++k) {
            auto [value, place] = meaning_of(plain_name(names[k]));
            if (value < 0 || (column[value] >= 0 && rank[value] <= place)) continue;
            column[value] = static_cast<int>(k);
            rank[value] = place;
        }
        take_vector(names);
        drop_parts(4);
        drop_parts(7);
        drop_parts(11);
        if (column[4] >= 0) column[10] = -1;
        if (column[11] >= 0) column[14] = -1;
    }
    [[nodiscard]] bool has_place() const {
        return std::all_of(column, column + 3, [](int k) { return k >= 0; });
    }

  private:
    /// Before j and k, i is a part of a normal.
    void take_vector(const std::vector<std::string>& names) {
        auto is = [&](int value, std::string_view name) {
            return column[value] >= 0 &&
                   plain_name(names[static_cast<std::size_t>(column[value])]) == name;
        };
        if (column[7] >= 0 || !is(3, "i") || !is(8, "j") || !is(9, "k")) return;
        column[7] = column[3];
        column[3] = -1;
    }
    /// Three columns are a colour, a normal or an emission only together.
    void drop_parts(int first) {
        if (std::any_of(column + first, column + first + 3, [](int k) { return k < 0; }))
            std::fill_n(column + first, 3, -1);
    }
};

/// The names with groups replaced by their members: all groups, or those of coordinates alone.
std::vector<std::string> ungrouped(const std::vector<std::string>& names, bool all) {
    std::vector<std::string> single;
    for (auto& name : names) {
        auto plain = plain_name(name);
        auto group = std::ranges::find(kColumnGroups, plain, &ColumnGroup::name);
        if (group == std::end(kColumnGroups) || (!all && !plain.starts_with("xyz")))
            single.push_back(name);
        else
            single.insert(single.end(), group->members.begin(), group->members.end());
    }
    return single;
}

/// The words of a heading; those in brackets belong to the name before them.
std::vector<std::string> names_in(std::string_view line, char separator) {
    std::vector<TextWord> words;
    split_row(line, {.separator = separator}, words);
    std::vector<std::string> names;
    for (auto& word : words) {
        bool is_unit =
            separator == ' ' && (word.text.starts_with('(') || word.text.starts_with('['));
        if (!is_unit || names.empty()) names.emplace_back(word.text);
    }
    while (!names.empty() && names.back().empty()) names.pop_back();
    return names;
}

}  // namespace

bool PointColumns::has(PointColumn kind) const {
    return std::ranges::find(columns, kind) != columns.end();
}

PointColumns PointColumns::of_count(std::size_t n) {
    constexpr std::size_t kMost = 10;
    PointColumns found;
    // A column that is left over from triples is an intensity, and stands before them.
    bool has_intensity = n >= kMost || n % 3 != 0;
    for (std::size_t k = 0; k < n; ++k) {
        std::size_t value = k < 3 || has_intensity ? k : k + 1;
        bool is_whole = k < 3 || value == 3 || k - (value - 4) % 3 + 2 < std::min(n, kMost);
        found.columns.push_back(is_whole && value < kMost ? static_cast<PointColumn>(value)
                                                          : PointColumn::passed);
    }
    return found;
}

std::optional<ColumnNames> ColumnNames::in(std::string_view line) {
    constexpr std::size_t kFewest = 3;
    ColumnNames found;
    for (char separator : {';', '\t', ',', ' '}) {
        if (separator != ' ' && line.find(separator) == std::string_view::npos) continue;
        found.separator_ = separator;
        found.names_ = names_in(line, separator);
        if (found.names_.size() >= kFewest || separator == ' ') break;
    }
    if (found.names_.size() > kMostWords) return {};
    found.starts_blank_ = line.starts_with(' ') || line.starts_with('\t');
    if (!ColumnChoice(ungrouped(found.names_, true)).has_place()) return {};
    return found;
}

bool ColumnNames::are_certain() const {
    auto single = ungrouped(names_, true);
    auto value_of = [](const std::string& name) { return meaning_of(plain_name(name)).value; };
    bool starts_with_place = std::all_of(single.begin(), single.begin() + 3, [&](auto& name) {
        return value_of(name) >= 0 && value_of(name) < 3;
    });
    return starts_with_place &&
           (single.size() == 3 || std::any_of(single.begin() + 3, single.end(),
                                              [&](auto& name) { return value_of(name) > 2; }));
}

std::optional<PointColumns> ColumnNames::columns(std::size_t n) const {
    auto single = ungrouped(names_, false);
    if (single.size() != n) single = ungrouped(names_, true);
    // A separator between the mark of a comment and the first name.
    if (single.size() == n + 1 && single[0].empty()) single.erase(single.begin());
    if (single.size() != n) return {};
    const ColumnChoice choice(single);
    PointColumns found;
    found.are_named = true;
    found.columns.assign(n, PointColumn::unused);
    for (int value = 0; value < PointColumns::kValues; ++value)
        if (int column = choice.column[value]; column >= 0)
            found.columns[static_cast<std::size_t>(column)] = static_cast<PointColumn>(value);
    for (std::size_t k = 0; k < n; ++k)
        if (found.columns[k] == PointColumn::unused)
            found.left_out.push_back(single[k].empty() ? "column " + std::to_string(k + 1)
                                                       : shown(single[k]));
    if (choice.column[4] >= 0)
        found.has_unit_colors =
            plain_name(single[static_cast<std::size_t>(choice.column[4])]) == "rf";
    return found;
}

}  // namespace tl
