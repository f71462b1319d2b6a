// Writer of a binary glTF 2.0 file (.glb): its lists of JSON objects and its one buffer.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "core/base/math.h"

namespace tl {

using Json = nlohmann::ordered_json;

/// Number that JSON spells with the fewest digits that identify `value` as a float. Numbers that
/// are no floats are unchanged.
[[nodiscard]] double json_number(double value);
[[nodiscard]] Json json_numbers(std::span<const float> values);
[[nodiscard]] inline Json json_numbers(const vec3& v) {
    return json_numbers(std::span(&v.x, 3));
}

/// One of the file's lists. Its elements are kept as text, which takes a tenth of their memory.
class GltfList {
  public:
    /// Appends an element; returns its index. Invalid UTF-8 in its strings is replaced.
    int add(const Json& element);
    [[nodiscard]] int size() const { return size_; }
    [[nodiscard]] const std::string& text() const { return text_; }

  private:
    std::string text_;
    int size_ = 0;
};

/// Use of an accessor.
enum class AccessorUse {
    positions,  ///< vertex positions, with the bounds that the format requires
    vertices,   ///< other vertex attributes
    times,      ///< animation times, with bounds
    values,     ///< animation values
};

class GlbWriter {
  public:
    GltfList nodes, meshes, materials, textures, images, samplers, cameras, lights;
    GltfList channels, channel_samplers;  ///< lists of the one animation

    /// Lists an extension as used by the file.
    void use(const char* extension) { extensions_.insert(extension); }

    /// Appends rows of `per_row` floats; returns the accessor. Throws UserError where the file
    /// would exceed the format's size limit.
    int add_rows(std::span<const float> values, int per_row, AccessorUse use);
    int add_vectors(std::span<const vec3> values, AccessorUse use);
    /// Appends indices, in 16 bits where they fit; returns the accessor.
    int add_indices(std::span<const std::uint32_t> indices);
    /// Appends the bytes of a PNG file as an image; returns its index.
    int add_png(const std::string& name, std::string_view bytes);

    /// Writes the file with one scene of these root nodes; an old file stays until the new one is
    /// complete. Returns its size in bytes. Throws UserError.
    std::size_t write(const std::string& path, Json scene) const;

  private:
    /// Appends bytes as a buffer view; `target` 0 for none.
    int add_view(std::string_view bytes, int target);
    [[nodiscard]] std::string json_text(const Json& scene) const;

    std::string buffer_;
    GltfList views_, accessors_;
    std::set<std::string> extensions_;
};

}  // namespace tl
