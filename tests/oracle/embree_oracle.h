// Closest hits from Embree, for the same triangles. This header keeps Embree's headers from nvcc.
#pragma once

#include <memory>
#include <vector>

#include "accel/primitives.h"

namespace tl::test {

class EmbreeOracle {
  public:
    EmbreeOracle(const std::vector<vec3>& positions, const std::vector<glm::uvec3>& triangles);
    ~EmbreeOracle();
    /// Closest hits in Embree's robust mode; `primitive` is the triangle's index.
    [[nodiscard]] std::vector<Hit> closest(const std::vector<Ray>& rays) const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace tl::test
