#include "renderer/scene/toml/toml_table.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/near_match.h"
#include "core/base/one_line.h"
#include "renderer/scene/toml/toml_limits.h"

namespace tl {
namespace {

std::string type_name(const toml::node& node) {
    // In the order of toml::node_type.
    constexpr const char* kNames[] = {
        "nothing",  "a table",       "an array",       "a string",       "an integer",
        "a number", "true or false", "a date or time", "a date or time", "a date or time"};
    return kNames[static_cast<std::size_t>(node.type())];
}

}  // namespace

std::string at(const std::string& file, const toml::source_region& region,
               const std::string& what) {
    bool known = region.begin.line > 0;
    return file + (known ? ":" + std::to_string(region.begin.line) : "") + ": " + escaped(what);
}

toml::table parse_toml(const std::string& text, const std::string& file) {
    check_toml_limits(text, file);
    try {
        return toml::parse(text, file);
    } catch (const toml::parse_error& error) {
        throw UserError(at(file, error.source(), std::string(error.description())));
    }
}

std::optional<std::string> scalar_text(const toml::node& node) {
    if (auto flag = node.value_exact<bool>()) return *flag ? "true" : "false";
    if (auto integer = node.value_exact<std::int64_t>()) return std::to_string(*integer);
    if (auto real = node.value_exact<double>()) return number_text(*real);
    return node.value_exact<std::string>();
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

void TomlTable::fail_at(const toml::node& node, const char* key, const std::string& what) const {
    throw UserError(at(file_, node.source(), name_of(key) + what));
}

template <class T>
const auto* TomlTable::find_typed(const char* key, const char* wanted) {
    auto* node = find(key);
    if (node && !node->is<T>())
        fail_at(*node, key, " is " + type_name(*node) + "; it wants " + wanted);
    return node ? node->as<T>() : nullptr;
}

const toml::table* TomlTable::find_table(const char* key, const std::string& fault) {
    auto* node = find(key);
    if (node && !node->is_table()) fail(key, fault);
    return node ? node->as_table() : nullptr;
}

double TomlTable::finite_number(const toml::node& node, const char* key, double minimum,
                                double maximum) const {
    if (!node.is_number()) fail_at(node, key, " is " + type_name(node) + "; it wants a number");
    double value = *node.value<double>();
    if (!std::isfinite(value)) fail_at(node, key, " is not finite");
    if (value < minimum || value > maximum)
        fail_at(node, key,
                " is " + number_text(value) + "; it wants " + number_text(minimum) + " to " +
                    number_text(maximum));
    return value;
}

double TomlTable::number(const char* key, double fallback, double minimum, double maximum) {
    auto* node = find(key);
    return node ? finite_number(*node, key, minimum, maximum) : fallback;
}

float TomlTable::real(const char* key, float fallback, double minimum, double maximum) {
    return static_cast<float>(number(key, double(fallback), minimum, maximum));
}

bool TomlTable::flag(const char* key, bool fallback) {
    auto* value = find_typed<bool>(key, "true or false");
    return value ? value->get() : fallback;
}

std::string TomlTable::text(const char* key, const std::string& fallback) {
    auto* value = find_typed<std::string>(key, "a string");
    return value ? value->get() : fallback;
}

const toml::array* TomlTable::find_rows(const char* key) {
    return find_typed<toml::array>(key, "an array of arrays");
}

const toml::array* TomlTable::find_pair(const char* key) {
    auto* array = find_typed<toml::array>(key, "the least and the greatest: [0.5, 2]");
    if (array && array->size() != 2)
        fail_at(*array, key,
                " has " + std::to_string(array->size()) +
                    " values; it wants the least and the greatest: [0.5, 2]");
    return array;
}

std::vector<double> TomlTable::numbers(const char* key, std::size_t length) {
    std::vector<double> values;
    auto* array = find_rows(key);
    if (!array) return values;
    values.resize(array->size() * length);
    for (std::size_t i = 0; i < array->size(); ++i)
        read_row((*array)[i], key, std::span(values).subspan(i * length, length),
                 -kLargestCoordinate, kLargestCoordinate);
    return values;
}

std::vector<std::string> TomlTable::texts(const char* key) {
    auto* node = find(key);
    auto* array = node ? node->as_array() : nullptr;
    if (!array) return node ? std::vector{text(key, "")} : std::vector<std::string>();
    if (array->empty()) fail_at(*array, key, " is empty; it wants one name or more");
    std::vector<std::string> values;
    for (auto& entry : *array) {
        if (!entry.is_string())
            fail_at(entry, key, " has " + type_name(entry) + "; it wants names");
        values.push_back(entry.as_string()->get());
    }
    return values;
}

template <class Number>
void TomlTable::read_row(const toml::node& row, const char* key, std::span<Number> values,
                         double minimum, double maximum) const {
    auto* array = row.as_array();
    if (!array || array->size() != values.size())
        fail_at(row, key,
                " is " + (array ? "an array of " + std::to_string(array->size()) : type_name(row)) +
                    "; it wants " + std::to_string(values.size()) + " numbers");
    for (std::size_t k = 0; k < values.size(); ++k)
        values[k] = static_cast<Number>(finite_number((*array)[k], key, minimum, maximum));
}

template void TomlTable::read_row(const toml::node&, const char*, std::span<float>, double,
                                  double) const;
template void TomlTable::read_row(const toml::node&, const char*, std::span<double>, double,
                                  double) const;

vec3 TomlTable::vector(const char* key, vec3 fallback) {
    auto* node = find(key);
    return node ? read_row<vec3>(*node, key, -kLargestCoordinate, kLargestCoordinate) : fallback;
}

glm::dvec3 TomlTable::wide_vector(const char* key) {
    auto* node = find(key);
    return node ? read_row<glm::dvec3>(*node, key, -kLargestCoordinate, kLargestCoordinate)
                : glm::dvec3(0);
}

vec3 TomlTable::place(const char* key, vec3 fallback, const glm::dvec3& offset) {
    return find(key) ? vec3(wide_vector(key) - offset) : fallback;
}

void TomlTable::read_camera(Camera& camera, const glm::dvec3& offset) {
    camera.eye = place("eye", camera.eye, offset);
    camera.target = place("target", camera.target, offset);
    camera.up = vector("up", camera.up);
    camera.vertical_fov = real("fov", camera.vertical_fov, kNarrowestFov, kWidestFov);
    camera.lens_radius = real("lens-radius", camera.lens_radius, 0, kLargestCoordinate);
    camera.focus_distance = real("focus-distance", camera.focus_distance, 0, kLargestCoordinate);
    if (auto fault = camera_fault(camera); !fault.empty())
        fail(glm::length(camera.up) > 0 ? "eye" : "up", title_ + " " + fault);
}

glm::dmat4 TomlTable::affine(const char* key) {
    glm::dmat4 m(1);
    auto* array = find_rows(key);
    if (!array) return m;
    if (array->size() != 3)
        fail_at(*array, key,
                " has " + std::to_string(array->size()) + " rows; it wants three of four numbers");
    for (int row = 0; row < 3; ++row) {
        auto values = read_row<glm::dvec4>((*array)[static_cast<std::size_t>(row)], key,
                                           -kLargestCoordinate, kLargestCoordinate);
        for (int column = 0; column < 4; ++column) m[column][row] = values[column];
    }
    return m;
}

std::vector<std::uint32_t> TomlTable::indices(const char* key, std::size_t length,
                                              std::size_t limit) {
    std::vector<std::uint32_t> values;
    auto* array = find_rows(key);
    if (!array) return values;
    for (auto& row : *array) {
        auto* entries = row.as_array();
        if (!entries || entries->size() != length)
            fail_at(row, key, " wants arrays of " + std::to_string(length) + " indices");
        for (auto& entry : *entries) {
            auto index = entry.value_exact<std::int64_t>();
            if (!index) fail_at(entry, key, " has " + type_name(entry) + "; it wants indices");
            if (*index < 0 || *index >= static_cast<std::int64_t>(limit))
                fail_at(entry, key,
                        " has index " + std::to_string(*index) + "; there are " +
                            std::to_string(limit) + " positions, from 0");
            values.push_back(static_cast<std::uint32_t>(*index));
        }
    }
    return values;
}

void TomlTable::require(const char* key) {
    if (!find(key)) fail(key, title_ + " needs '" + key + "'");
}

void TomlTable::warn_about_unknown_keys(Warnings& warnings) const {
    for (auto& [key, node] : table_) {
        (void)node;
        if (std::find(known_.begin(), known_.end(), key.str()) != known_.end()) continue;
        warnings.push_back(at(file_, key.source(),
                              "unknown key '" + std::string(key.str()) + "' in " + title_ +
                                  " is ignored" + known_names(key.str(), known_)));
    }
}

}  // namespace tl
