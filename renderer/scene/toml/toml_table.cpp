#include "renderer/scene/toml/toml_table.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "accel/parallel/error.h"
#include "renderer/scene/limits.h"

namespace tl {
namespace {

const char* type_name(const toml::node& node) {
    switch (node.type()) {
        case toml::node_type::table:
            return "a table";
        case toml::node_type::array:
            return "an array";
        case toml::node_type::string:
            return "a string";
        case toml::node_type::integer:
            return "an integer";
        case toml::node_type::floating_point:
            return "a number";
        case toml::node_type::boolean:
            return "true or false";
        default:
            return "a date or time";
    }
}

std::string number_text(double value) {
    char buffer[32];
    auto [end, status] = std::to_chars(buffer, buffer + sizeof buffer, value);
    return {buffer, end};
}

}  // namespace

std::string at(const std::string& file, const toml::source_region& region,
               const std::string& what) {
    return file + ":" + std::to_string(region.begin.line) + ": " + what;
}

TomlTable::TomlTable(const toml::table& table, std::string title, const std::string& file)
    : table_(table), title_(std::move(title)), file_(file) {}

const toml::node* TomlTable::find(const char* key) {
    if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.emplace_back(key);
    return table_.get(key);
}

void TomlTable::fail(const char* key, const std::string& what) const {
    auto* node = table_.get(key);
    throw UserError(at(file_, node ? node->source() : table_.source(), what));
}

double TomlTable::finite_number(const toml::node& node, const std::string& name, double minimum,
                                double maximum) const {
    auto fail_here = [&](const std::string& what) {
        throw UserError(at(file_, node.source(), name + what));
    };
    if (!node.is_number()) fail_here(std::string(" is ") + type_name(node) + "; it wants a number");
    double value = *node.value<double>();
    if (!std::isfinite(value)) fail_here(" is not finite");
    if (value < minimum || value > maximum)
        fail_here(" is " + number_text(value) + "; it wants " + number_text(minimum) + " to " +
                  number_text(maximum));
    return value;
}

double TomlTable::number(const char* key, double fallback, double minimum, double maximum) {
    auto* node = find(key);
    return node ? finite_number(*node, title_ + " " + key, minimum, maximum) : fallback;
}

bool TomlTable::flag(const char* key, bool fallback) {
    auto* node = find(key);
    if (node && !node->is_boolean())
        fail(key, title_ + " " + key + " is " + type_name(*node) + "; it wants true or false");
    return node ? *node->value<bool>() : fallback;
}

std::string TomlTable::text(const char* key, const std::string& fallback) {
    auto* node = find(key);
    if (node && !node->is_string())
        fail(key, title_ + " " + key + " is " + type_name(*node) + "; it wants a string");
    return node ? *node->value<std::string>() : fallback;
}

void TomlTable::read_row(const toml::node& row, const std::string& name, float* values,
                         std::size_t length, double minimum, double maximum) const {
    auto* array = row.as_array();
    if (!array || array->size() != length)
        throw UserError(
            at(file_, row.source(),
               name + " is " +
                   (array ? "an array of " + std::to_string(array->size()) : type_name(row)) +
                   "; it wants " + std::to_string(length) + " numbers"));
    for (std::size_t k = 0; k < length; ++k)
        values[k] = static_cast<float>(finite_number((*array)[k], name, minimum, maximum));
}

vec3 TomlTable::vector(const char* key, vec3 fallback) {
    auto* node = find(key);
    vec3 value = fallback;
    if (node)
        read_row(*node, title_ + " " + key, &value.x, 3, -kLargestCoordinate, kLargestCoordinate);
    return value;
}

vec2 TomlTable::pair(const char* key, vec2 fallback, double minimum, double maximum) {
    auto* node = find(key);
    if (!node) return fallback;
    if (node->is_number()) return vec2(static_cast<float>(number(key, 0, minimum, maximum)));
    vec2 value;
    read_row(*node, title_ + " " + key, &value.x, 2, minimum, maximum);
    return value;
}

vec3 TomlTable::color(const char* key, vec3 fallback, double minimum, double maximum) {
    auto* node = find(key);
    if (!node) return fallback;
    if (node->is_number()) return vec3(static_cast<float>(number(key, 0, minimum, maximum)));
    vec3 value;
    read_row(*node, title_ + " " + key, &value.x, 3, minimum, maximum);
    return value;
}

const toml::array* TomlTable::rows(const char* key) {
    auto* node = find(key);
    if (node && !node->is_array())
        fail(key, title_ + " " + key + " is " + type_name(*node) + "; it wants an array of arrays");
    return node ? node->as_array() : nullptr;
}

std::vector<vec3> TomlTable::vectors3(const char* key) {
    std::vector<vec3> values;
    if (auto* array = rows(key))
        for (auto& row : *array)
            read_row(row, title_ + " " + key, &values.emplace_back().x, 3, -kLargestCoordinate,
                     kLargestCoordinate);
    return values;
}

std::vector<vec2> TomlTable::vectors2(const char* key) {
    std::vector<vec2> values;
    if (auto* array = rows(key))
        for (auto& row : *array)
            read_row(row, title_ + " " + key, &values.emplace_back().x, 2, -kLargestCoordinate,
                     kLargestCoordinate);
    return values;
}

mat4 TomlTable::affine(const char* key) {
    mat4 m(1);
    auto* array = rows(key);
    if (!array) return m;
    if (array->size() != 3)
        fail(key, title_ + " " + key + " has " + std::to_string(array->size()) +
                      " rows; it wants three of four numbers");
    for (int row = 0; row < 3; ++row) {
        float values[4];
        read_row((*array)[static_cast<std::size_t>(row)], title_ + " " + key, values, 4,
                 -kLargestCoordinate, kLargestCoordinate);
        for (int column = 0; column < 4; ++column) m[column][row] = values[column];
    }
    return m;
}

std::vector<std::uint32_t> TomlTable::indices(const char* key, std::size_t length,
                                              std::size_t limit) {
    std::vector<std::uint32_t> values;
    auto* array = rows(key);
    if (!array) return values;
    for (auto& row : *array) {
        std::string name = title_ + " " + key;
        auto* entries = row.as_array();
        if (!entries || entries->size() != length)
            throw UserError(at(file_, row.source(),
                               name + " wants arrays of " + std::to_string(length) + " indices"));
        for (auto& entry : *entries) {
            auto index = entry.value_exact<std::int64_t>();
            if (!index)
                throw UserError(at(file_, entry.source(),
                                   name + " has " + type_name(entry) + "; it wants indices"));
            if (*index < 0 || *index >= static_cast<std::int64_t>(limit))
                throw UserError(at(file_, entry.source(),
                                   name + " has index " + std::to_string(*index) + "; there are " +
                                       std::to_string(limit) + " positions, from 0"));
            values.push_back(static_cast<std::uint32_t>(*index));
        }
    }
    return values;
}

void TomlTable::require(const char* key) {
    if (!find(key)) fail(key, title_ + " needs '" + key + "'");
}

void TomlTable::warn_about_unknown_keys(std::vector<std::string>& warnings) const {
    std::string known;
    for (auto& key : known_) known += (known.empty() ? "" : ", ") + key;
    for (auto& [key, node] : table_) {
        (void)node;
        if (std::find(known_.begin(), known_.end(), key.str()) != known_.end()) continue;
        warnings.push_back(at(file_, key.source(),
                              "unknown key '" + std::string(key.str()) + "' in " + title_ +
                                  " is ignored; known: " + known));
    }
}

}  // namespace tl
