#include "renderer/scene/loaders/stl/stl_solid.h"

#include <algorithm>
#include <bit>

#include "renderer/scene/loaders/vertex_colors.h"

namespace tl {
namespace {

constexpr std::uint32_t kWhiteRgb = 0xFFFFFF;

std::uint64_t mixed_hash(std::uint64_t hash, std::uint64_t bits) {
    hash = (hash ^ bits) * 0x9E3779B97F4A7C15;
    return hash ^ hash >> 32;
}

}  // namespace

void StlSolid::add(const glm::dvec3 (&corners)[3], std::optional<std::uint32_t> color) {
    is_colored_ = is_colored_ || color;
    glm::uvec3 triangle;
    for (int k = 0; k < 3; ++k) triangle[k] = vertex(corners[k], color.value_or(kWhiteRgb));
    triangles_.push_back(triangle);
}

std::vector<vec3> StlSolid::colors() const {
    if (!is_colored_) return {};
    std::vector<vec3> colors(colors_.size());
    std::ranges::transform(colors_, colors.begin(), unpacked_color);
    return colors;
}

std::uint32_t StlSolid::vertex(const glm::dvec3& position, std::uint32_t color) {
    if (2 * positions_.size() >= slots_.size()) grow();
    // Adding 0 makes 0 of -0.
    std::uint32_t& slot = slots_[slot_of(position + 0.0, color)];
    if (slot == 0) {
        positions_.push_back(position + 0.0);
        colors_.push_back(color);
        slot = static_cast<std::uint32_t>(positions_.size());
    }
    return slot - 1;
}

/// The slot of a vertex, or the free one that it is to take.
std::size_t StlSolid::slot_of(const glm::dvec3& position, std::uint32_t color) const {
    std::uint64_t hash = color;
    for (int k = 0; k < 3; ++k) hash = mixed_hash(hash, std::bit_cast<std::uint64_t>(position[k]));
    std::size_t mask = slots_.size() - 1, at = hash & mask;
    for (; slots_[at] != 0; at = (at + 1) & mask) {
        std::size_t vertex = slots_[at] - 1;
        if (positions_[vertex] == position && colors_[vertex] == color) break;
    }
    return at;
}

/// Doubles the table, which is at most half full: a power of two.
void StlSolid::grow() {
    constexpr std::size_t kLeast = 8;
    slots_.assign(std::max(kLeast, 2 * slots_.size()), 0);
    for (std::size_t v = 0; v < positions_.size(); ++v)
        slots_[slot_of(positions_[v], colors_[v])] = static_cast<std::uint32_t>(v + 1);
}

}  // namespace tl
