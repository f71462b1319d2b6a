// A square of cloth that falls on a ball, simulated by extended position-based dynamics with small
// steps (Macklin et al. 2019, "Small steps in physics simulation"), without self-collision.
#pragma once

#include <vector>

#include "core/base/math.h"

namespace tl {

class ClothSimulation {
  public:
    struct Config {
        int n_cells = 64;       ///< along an edge
        float side = 3.4f;      ///< m
        float height = 2.6f;    ///< m above the ground at the start
        vec3 ball{0, 1, 0};     ///< centre
        float ball_radius = 1;  ///< m, plus the thickness of the cloth
        float friction = 0.5f;  ///< Coulomb friction of cloth on the ball
        float bending = 0.08f;  ///< fraction of each bend that a step removes
        float drag = 0.5f;      ///< fraction of the speed lost to air drag in a second
    };
    explicit ClothSimulation(const Config& config);

    void advance(float seconds);
    /// A point of the smooth surface (uniform bicubic B-spline) of the cloth, u and v from 0 to 1.
    [[nodiscard]] vec3 at(float u, float v) const;

  private:
    void step();
    /// Moves two particles towards a given distance by a fraction of the error.
    void hold(int column, int row, int to_column, int to_row, float length, float share);
    void collide();
    [[nodiscard]] std::size_t index(int column, int row) const {
        return static_cast<std::size_t>(row) * static_cast<std::size_t>(config_.n_cells + 1) +
               static_cast<std::size_t>(column);
    }
    [[nodiscard]] vec3 control_point(int column, int row) const;

    Config config_;
    std::vector<vec3> positions_, before_, velocities_;
};

}  // namespace tl
