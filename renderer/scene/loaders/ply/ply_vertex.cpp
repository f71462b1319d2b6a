#include "renderer/scene/loaders/ply/ply_vertex.h"

#include <algorithm>
#include <string>

#include "core/base/files.h"
#include "renderer/scene/loaders/vertex_colors.h"

namespace tl {
namespace {

/// Whether a property is a colour 0xRRGGBB in the bits of a number, as those of PCL are, with or
/// without alpha before it.
bool is_packed_color(const PlyProperty& property) {
    bool has_bits = property.type == PlyType::f32 || property.type == PlyType::u32 ||
                    property.type == PlyType::i32;
    return has_bits && !property.is_list && (property.name == "rgb" || property.name == "rgba");
}

}  // namespace

int PlyVertex::value_of(std::string_view name) {
    constexpr std::string_view kNames[kValues][3] = {
        {"x"},
        {"y"},
        {"z"},
        {"nx", "normal_x"},
        {"ny", "normal_y"},
        {"nz", "normal_z"},
        {"s", "u", "texture_u"},
        {"t", "v", "texture_v"},
        {"red", "r", "diffuse_red"},
        {"green", "g", "diffuse_green"},
        {"blue", "b", "diffuse_blue"},
        {"radius"},
        {"area"},
        {"f_dc_0"},
        {"f_dc_1"},
        {"f_dc_2"},
        {"opacity"},
        {"scale_0"},
        {"scale_1"},
        {"scale_2"},
        {"rot_0"},
        {"rot_1"},
        {"rot_2"},
        {"rot_3"},
        {"intensity", "reflectance", "scalar_intensity"},
        {"emission_red", "emission_r", "scalar_emission_red"},
        {"emission_green", "emission_g", "scalar_emission_green"},
        {"emission_blue", "emission_b", "scalar_emission_blue"},
        {"emission", "scalar_emission"},
        {"radiosity_red"},
        {"radiosity_green"},
        {"radiosity_blue"}};
    std::string lower = lower_case(name);
    for (int i = 0; i < kValues; ++i)
        for (auto& known : kNames[i])
            if (known == lower) return i;
    return -1;
}

double full_scale_of_color(PlyType type) {
    constexpr double kScales[] = {127, 255, 32767, 65535, 1, 1, 1, 1};
    return kScales[static_cast<int>(type)];
}

bool has_ply_colors(const PlyElement& element) {
    bool given[3] = {};
    for (auto& property : element.properties) {
        int part = property.is_list ? -1 : PlyVertex::value_of(property.name) - PlyVertex::kColor;
        if (part >= 0 && part < 3) given[part] = true;
    }
    return given[0] && given[1] && given[2];
}

PlyVertexLayout::PlyVertexLayout(const PlyElement& element) : colors_(has_ply_colors(element)) {
    for (auto& property : element.properties) {
        int target = property.is_list ? -1 : PlyVertex::value_of(property.name);
        if (target >= 0 && given_[target]) target = -1;  // the first of a name holds
        if (target >= 0) given_[target] = true;
        if (!colors_ && is_packed_color(property)) {
            target = kPackedColor;
            packed_colors_ = true;
        }
        bool is_color = target >= PlyVertex::kColor && target < PlyVertex::kColor + 3;
        parts_.push_back({target, is_color ? full_scale_of_color(property.type) : 1});
        bool is_wide = property.type == PlyType::u16 || property.type == PlyType::i16;
        if (is_color && is_wide) full_scale_ = parts_.back().scale;
        wide_colors_ = wide_colors_ || (is_color && is_wide);
    }
}

bool PlyVertexLayout::has(int first, int n) const {
    return std::all_of(given_ + first, given_ + first + n, [](bool given) { return given; });
}

void PlyVertexLayout::widen(std::span<vec3> colors) const {
    if (!wide_colors_) return;
    float most = 0;
    for (vec3 color : colors) most = std::max({most, color.x, color.y, color.z});
    auto factor = static_cast<float>(full_scale_ / 255);
    if (most * factor > 1.0001f) return;  // of 255 that was rounded
    for (vec3& color : colors) color *= factor;
}

vec3 PlyVertexLayout::color_of(const PlyVertex& vertex) const {
    return packed_colors_ ? unpacked_color(vertex.packed_color) : vertex.triple(PlyVertex::kColor);
}

}  // namespace tl
