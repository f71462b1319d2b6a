// Cells of the splats of an emissive surface: the parts of discs from which they emit.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "renderer/scene/scene.h"

namespace tl {

/// The cell of a splat: the part of its disc where its power, the squared distance from the centre
/// minus the squared radius, is below that of all overlapping splats that face the same side.
struct EmissiveCell {
    static constexpr std::size_t kMostBordering = 12;

    std::uint32_t splat;
    float area = 0;  ///< m^2; 0: other cells cover the disc
    /// The smallest rectangle in the plane of the disc that holds the cell: a corner and two edges,
    /// right-handed about the normal.
    vec3 corner{0}, edge_u{0}, edge_v{0};
    std::uint32_t n_bordering = 0;
    std::array<std::uint32_t, kMostBordering> neighbours{};

    /// Splats whose cells border on it, those of the longest borders first. If the area is 0,
    /// splats that own parts of the disc.
    [[nodiscard]] std::span<const std::uint32_t> bordering() const {
        return {neighbours.data(), n_bordering};
    }
};

/// Cells of all splats that emit, and of those that overlap them, in the order of the splats.
/// `emits`: whether each splat emits. Time is about linear in the number of cells.
[[nodiscard]] std::vector<EmissiveCell> emissive_cells(std::span<const Splat> splats,
                                                       const std::vector<bool>& emits);

}  // namespace tl
