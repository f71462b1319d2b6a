#include "renderer/scene/loaders/obj/obj_colors.h"

#include <charconv>

#include "renderer/scene/loaders/vertex_colors.h"
#include "renderer/scene/loaders/words.h"

namespace tl {

void ObjColors::add(std::size_t vertex, vec3 color) {
    colors_.push_back(color);
    vertex_of_color_.push_back(static_cast<std::uint32_t>(vertex));
}

ObjColors::Rest ObjColors::add_packed(std::string_view digits, std::size_t n_vertices) {
    constexpr std::size_t kDigits = 8;
    if (blocks_.empty() || blocks_.back().end_vertex != n_vertices)
        blocks_.push_back({packed_.size(), n_vertices});
    for (auto word = next_word(digits); !word.empty(); word = next_word(digits))
        for (; !word.empty(); word.remove_prefix(kDigits)) {
            std::uint32_t color = 0;
            auto* end = word.data() + kDigits;
            if (word.size() < kDigits || std::from_chars(word.data(), end, color, 16).ptr != end)
                return Rest::no_color;
            if (packed_.size() - blocks_.back().first == n_vertices)
                return Rest::more_than_vertices;
            packed_.push_back(color);
        }
    return Rest::nothing;
}

std::vector<vec3> ObjColors::take(std::size_t n_vertices) {
    if (colors_.empty() && packed_.empty()) return {};
    std::vector<vec3> colors(n_vertices, vec3(1));
    decode_vertex_colors(colors_);
    for (std::size_t i = 0; i < colors_.size(); ++i) colors[vertex_of_color_[i]] = colors_[i];
    std::size_t end = packed_.size();
    for (auto block = blocks_.rbegin(); block != blocks_.rend(); end = (block++)->first)
        for (std::size_t i = block->first; i < end; ++i) {
            vec3& color = colors[block->end_vertex - end + i];
            color = unpacked_color(packed_[i]);
            decode_vertex_colors({&color, 1});
        }
    return colors;
}

}  // namespace tl
