#include "renderer/aov/aov_text.h"

#include <cmath>
#include <cstdio>

namespace tl {
namespace {

/// "0.6, 0.8, 0", three digits each.
std::string text_of_parts(vec3 v, std::size_t n) {
    std::string text;
    for (std::size_t c = 0; c < n; ++c) {
        char number[32];
        std::snprintf(number, sizeof number, "%s%.3g", c == 0 ? "" : ", ",
                      static_cast<double>(v[static_cast<int>(c)]));
        text += number;
    }
    return text;
}

}  // namespace

std::string key_of_colors(AovChannel channel, vec3 bottom, vec3 top) {
    switch (channel) {
        case AovChannel::depth:
        case AovChannel::node_visits:
        case AovChannel::primitive_tests:
        case AovChannel::bounces:
            return "";
        case AovChannel::position:
            return "red x, green y, blue z from (" + text_of_parts(bottom, 3) + ") to (" +
                   text_of_parts(top, 3) + ")";
        case AovChannel::normal:
        case AovChannel::shading_normal:
            return "red x, green y, blue z from -1 to 1";
        case AovChannel::uv:
            return "red u, green v, repeating from 0 to 1";
        case AovChannel::albedo:
            return "the colours themselves";
        default:
            return "a colour for every number, black for none";
    }
}

std::string text_of_value(AovChannel channel, vec3 value,
                          const std::vector<std::string>& material_names) {
    auto& row = aov_row(channel);
    if (row.kind == AovKind::number) {
        auto id = static_cast<std::size_t>(value.x);
        if (id == 0) return "none";
        auto number = std::to_string(id);
        bool named = channel == AovChannel::material && id <= material_names.size();
        return named ? number + " (" + material_names[id - 1] + ")" : number;
    }
    if (std::isinf(value.x)) return "nothing";
    if (row.components.size() == 1) return text_of_parts(value, 1);
    std::string text = "(";
    text += text_of_parts(value, row.components.size());
    return text += ")";
}

}  // namespace tl
