// Closest hits by Embree, from the same triangles and spheres. Plain C++: nvcc does not see Embree.
#pragma once

#include <memory>
#include <vector>

#include "accel/primitives.h"

namespace tl::test {

class EmbreeOracle {
  public:
    EmbreeOracle(const std::vector<vec3>& positions, const std::vector<glm::uvec3>& triangles);
    ~EmbreeOracle();
    /// Nearest hits in Embree's robust mode, `primitive` being the triangle's index.
    [[nodiscard]] std::vector<Hit> closest(const std::vector<Ray>& rays) const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace tl::test
