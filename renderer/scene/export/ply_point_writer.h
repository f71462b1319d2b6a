// Writes points as a binary PLY.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/files.h"
#include "core/base/math.h"

namespace tl {

/// A file of little-endian numbers, with x y z nx ny nz red green blue area and further floats for
/// each point. It appears when it is complete. All members throw UserError.
class PlyPointWriter {
  public:
    /// `offset` is added to positions, which are doubles then, unless it is 0. `further`: names of
    /// more properties, floats.
    PlyPointWriter(const std::string& path, std::size_t n, const glm::dvec3& offset,
                   std::span<const char* const> further = {});
    /// `srgb`: red in the lowest byte. `area`: m^2. `further`: the values of the further
    /// properties.
    void add(vec3 position, vec3 normal, std::uint32_t srgb, float area,
             std::span<const float> further = {});
    /// Returns the file's size in bytes.
    std::size_t finish();

  private:
    void flush();

    FileWriter file_;
    glm::dvec3 offset_;
    std::string bytes_;
    std::size_t n_bytes_ = 0;
};

}  // namespace tl
