// Solids of STL files: triangles, whose corners at the same position are joined here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/math.h"
#include "core/base/read_progress.h"

namespace tl {

/// A solid whose corners at the same position, and of one colour, are one vertex.
class StlSolid {
  public:
    explicit StlSolid(std::string name) : name_(std::move(name)) {}

    /// Appends a triangle. Its colour is 0xRRGGBB, white where others have one and it has none.
    void add(const glm::dvec3 (&corners)[3], std::optional<std::uint32_t> color = {});

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] const std::vector<glm::dvec3>& positions() const { return positions_; }
    /// Indices of positions.
    [[nodiscard]] const std::vector<glm::uvec3>& triangles() const { return triangles_; }
    /// Colours of the vertices, parts of 1 in sRGB; none where no triangle has one.
    [[nodiscard]] std::vector<vec3> colors() const;

  private:
    std::uint32_t vertex(const glm::dvec3& position, std::uint32_t color);
    [[nodiscard]] std::size_t slot_of(const glm::dvec3& position, std::uint32_t color) const;
    void grow();

    std::string name_;
    std::vector<glm::dvec3> positions_{};
    std::vector<std::uint32_t> colors_{};  ///< as many as positions
    std::vector<glm::uvec3> triangles_{};
    std::vector<std::uint32_t> slots_{};  ///< hash table of vertex indices, plus 1; 0: free
    bool is_colored_ = false;
};

struct StlFile {
    std::vector<StlSolid> solids{};       ///< solids that have triangles
    std::vector<std::string> warnings{};  ///< without the file's name
};

/// Sizes of a binary STL: of its header, of that with the count of triangles, and of a triangle.
inline constexpr std::size_t kStlHeader = 80, kStlStart = 84, kStlTriangle = 50;

/// Whether the bytes are those of a text STL; some binary ones begin with "solid" too.
[[nodiscard]] bool is_stl_text(std::string_view bytes);

/// Reads a text STL. Throws UserError with `path` and the line.
[[nodiscard]] StlFile read_stl_text(std::string_view text, const std::string& path,
                                    const ReadProgress& progress);

/// Reads a binary STL. Throws UserError with `path` and the byte.
[[nodiscard]] StlFile read_stl_bytes(std::string_view bytes, const std::string& path,
                                     const ReadProgress& progress);

}  // namespace tl
