// The vertices and indices of a glTF primitive, as they lie in accessors or compressed with Draco.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "renderer/scene/loaders/gltf/gltf_file.h"

namespace tl {

class GltfGeometry {
  public:
    /// Decodes a compressed primitive of `owner`, unless its accessors have data too. Throws
    /// UserError.
    GltfGeometry(const GltfFile& file, const tinygltf::Mesh& owner,
                 const tinygltf::Primitive& source);

    /// The number of vertices, of which corners() may leave some out.
    [[nodiscard]] std::size_t n_vertices() const;
    /// The rows of an attribute, with `per_row` numbers each; none if it is missing. Throws
    /// UserError.
    [[nodiscard]] std::vector<float> numbers(const char* attribute, int per_row) const;
    /// The rows of an accessor that has one for each vertex. Throws UserError.
    [[nodiscard]] std::vector<float> numbers(int accessor, int per_row) const;
    /// The rows of an attribute as vectors.
    [[nodiscard]] std::vector<vec3> vectors(const char* attribute) const;
    [[nodiscard]] std::vector<vec3> vectors(int accessor) const;
    /// The colours of the vertices, linear in [0, 1]; none if it has none. Throws UserError.
    [[nodiscard]] std::vector<vec3> colors() const;
    /// Whether the primitive was compressed; its corners are then those of single triangles.
    [[nodiscard]] bool is_decoded() const { return is_decoded_; }
    /// A warning where indices or positions are all 0 since they have no data; else null.
    [[nodiscard]] const char* missing_data() const;
    /// Whether corners are listed; else vertices are in order.
    [[nodiscard]] bool has_corners() const { return is_decoded_ || source_.indices >= 0; }
    /// The corners of triangles, or lines or points. Where they name few of the vertices, as those
    /// of many primitives that share a list do, they are renumbered, and numbers() gives only those
    /// rows from then on.
    [[nodiscard]] std::vector<std::uint32_t> corners();

  private:
    /// Numbers of a vertex's colour; 0: it has none.
    [[nodiscard]] int n_color_channels() const;
    [[nodiscard]] std::size_t n_decoded_vertices() const;
    void decode(const tinygltf::Mesh& owner, const tinygltf::Value& extension);

    const GltfFile& file_;
    const tinygltf::Primitive& source_;
    bool is_decoded_ = false;
    std::map<std::string, std::vector<float>> decoded_;  ///< decoded attributes by name
    std::vector<std::uint32_t> corners_;
    std::vector<std::uint32_t> rows_;  ///< vertices that numbers() returns, ascending; empty: all
};

}  // namespace tl
