#include "renderer/scene/toml/toml_lines.h"

#include <cmath>
#include <filesystem>

#include "core/base/console.h"
#include "core/base/one_line.h"
#include "core/base/paths.h"

namespace tl {

std::string toml_string(std::string_view text) {
    std::string result = "\"";
    for (char c : text) {
        auto code = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') result += '\\';
        if (code >= 0x20 && code != 0x7f)
            result += c;
        else
            result.append("\\u00").append(hex_text(code));
    }
    return result + "\"";
}

namespace {

std::string row_text(const auto& v) {
    std::string text = "[";
    text.append(number_text(v.x)).append(", ").append(number_text(v.y)).append(", ");
    return text.append(number_text(v.z)).append("]");
}

}  // namespace

std::string toml_vector(const vec3& v) {
    return row_text(v);
}

std::string toml_vector(const glm::dvec3& v) {
    return row_text(v);
}

std::string toml_place(vec3 place, const glm::dvec3& offset) {
    std::string text = "[";
    for (int axis = 0; axis < 3; ++axis) {
        if (axis > 0) text.append(", ");
        text.append(offset[axis] == 0 ? number_text(place[axis])
                                      : number_text(double(place[axis]) + offset[axis]));
    }
    return text.append("]");
}

std::string setting_value(const std::string& text) {
    bool is_flag = text == "true" || text == "false";
    auto number = number_in<double>(text);
    return is_flag || (number && std::isfinite(*number)) ? text : toml_string(text);
}

std::string toml_reference(const EditedScene& edited, const ItemId& id) {
    auto number = std::to_string(id.index);
    if (id.kind != ItemKind::mesh && id.kind != ItemKind::patches &&
        id.kind != ItemKind::material && id.kind != ItemKind::gaussians)
        return number;
    std::string name = edited.name_before(id);
    if (name.empty() || !is_utf8(name)) return number;
    for (std::uint32_t i = 0; i < edited.count(id.kind); ++i)
        if (i != id.index && edited.name_before({id.kind, i}) == name) return number;
    return toml_string(name);
}

std::string name_from(const std::string& path, const std::string& file) {
    return std::filesystem::path(file)
        .lexically_proximate(absolute_path(path).parent_path())
        .string();
}

}  // namespace tl
