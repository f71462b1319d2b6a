// Colours of an OBJ's vertices: those beside a position (`v x y z r g b`), and those that ZBrush
// packs into comments, `#MRGB MMRRGGBBMMRRGGBB...`, of up to 64 vertices a line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/math.h"

namespace tl {

class ObjColors {
  public:
    /// Contents of a line of packed colours besides the colours.
    enum class Rest { nothing, no_color, more_than_vertices };

    /// The colour beside the position of a vertex.
    void add(std::size_t vertex, vec3 color);
    /// Adds the colours after "#MRGB" on a line, up to the first text that is no colour. Lines
    /// between which there are no vertices are one block: the colours of the last vertices of the
    /// `n_vertices` so far.
    Rest add_packed(std::string_view digits, std::size_t n_vertices);
    /// The colours of all vertices, linear, and white where there is none; empty if there are none.
    [[nodiscard]] std::vector<vec3> take(std::size_t n_vertices);

  private:
    /// packed_[first...] are the colours of as many vertices, the last ones before `end_vertex`.
    struct Block {
        std::size_t first, end_vertex;
    };

    std::vector<vec3> colors_;  // as the file has them
    std::vector<std::uint32_t> vertex_of_color_;
    std::vector<std::uint32_t> packed_;  // 0xMMRRGGBB, of all blocks
    std::vector<Block> blocks_;
};

}  // namespace tl
