#include "renderer/scene/generators/cloth_simulation.h"

#include <algorithm>
#include <cmath>

namespace tl {
namespace {

constexpr float kStep = 1.0f / 600;  // s
constexpr float kGravity = 9.81f;

/// B-spline weights of the four control points around a position `t` after the second one.
void spline_weights(float t, float (&weights)[4]) {
    float u = 1 - t;
    weights[0] = u * u * u / 6;
    weights[1] = (3 * t * t * t - 6 * t * t + 4) / 6;
    weights[2] = (3 * u * u * u - 6 * u * u + 4) / 6;
    weights[3] = t * t * t / 6;
}

}  // namespace

ClothSimulation::ClothSimulation(const Config& config) : config_(config) {
    int n = config.n_cells;
    for (int row = 0; row <= n; ++row)
        for (int column = 0; column <= n; ++column) {
            vec2 p = config.side *
                     (vec2(static_cast<float>(column), static_cast<float>(row)) / float(n) - 0.5f);
            positions_.emplace_back(config.ball.x + p.x, config.height, config.ball.z + p.y);
        }
    before_ = positions_;
    velocities_.assign(positions_.size(), vec3(0));
}

void ClothSimulation::advance(float seconds) {
    auto n_steps = static_cast<int>(std::lround(seconds / kStep));
    for (int i = 0; i < n_steps; ++i) step();
}

void ClothSimulation::step() {
    for (std::size_t i = 0; i < positions_.size(); ++i) {
        velocities_[i].y -= kGravity * kStep;
        before_[i] = positions_[i];
        positions_[i] += kStep * velocities_[i];
    }
    int n = config_.n_cells;
    float edge = config_.side / static_cast<float>(n), diagonal = std::sqrt(2.0f) * edge;
    for (int row = 0; row <= n; ++row)
        for (int column = 0; column <= n; ++column) {
            hold(column, row, column + 1, row, edge, 1);
            hold(column, row, column, row + 1, edge, 1);
            hold(column, row, column + 1, row + 1, diagonal, 0.5f);
            hold(column, row, column - 1, row + 1, diagonal, 0.5f);
            hold(column, row, column + 2, row, 2 * edge, config_.bending);
            hold(column, row, column, row + 2, 2 * edge, config_.bending);
        }
    collide();
    float kept = 1 - config_.drag * kStep;
    for (std::size_t i = 0; i < positions_.size(); ++i)
        velocities_[i] = (positions_[i] - before_[i]) * (kept / kStep);
}

void ClothSimulation::hold(int column, int row, int to_column, int to_row, float length,
                           float share) {
    int n = config_.n_cells;
    if (to_column < 0 || to_column > n || to_row > n) return;
    vec3 &a = positions_[index(column, row)], &b = positions_[index(to_column, to_row)];
    vec3 between = b - a;
    float distance = glm::length(between);
    if (!(distance > 0)) return;
    vec3 correction = between * (0.5f * share * (distance - length) / distance);
    a += correction;
    b -= correction;
}

void ClothSimulation::collide() {
    for (std::size_t i = 0; i < positions_.size(); ++i) {
        vec3 from = positions_[i] - config_.ball;
        float distance = glm::length(from), depth = config_.ball_radius - distance;
        if (!(depth > 0) || !(distance > 0)) continue;
        vec3 normal = from / distance;
        positions_[i] += depth * normal;
        vec3 slide = positions_[i] - before_[i];
        slide -= normal * glm::dot(slide, normal);
        float length = glm::length(slide);
        if (length > 0) positions_[i] -= slide * std::min(1.0f, config_.friction * depth / length);
    }
}

/// A control point; beyond the hem the cloth is extrapolated linearly.
vec3 ClothSimulation::control_point(int column, int row) const {
    int n = config_.n_cells;
    int inside_column = std::clamp(column, 0, n), inside_row = std::clamp(row, 0, n);
    vec3 p = positions_[index(inside_column, inside_row)];
    if (column == inside_column && row == inside_row) return p;
    return 2.0f * p - positions_[index(2 * inside_column - column, 2 * inside_row - row)];
}

vec3 ClothSimulation::at(float u, float v) const {
    auto n = static_cast<float>(config_.n_cells);
    float x = std::min(std::floor(u * n), n - 1), y = std::min(std::floor(v * n), n - 1);
    float along_x[4], along_y[4];
    spline_weights(u * n - x, along_x);
    spline_weights(v * n - y, along_y);
    vec3 sum(0);
    for (int j = 0; j < 4; ++j)
        for (int i = 0; i < 4; ++i)
            sum += along_x[i] * along_y[j] *
                   control_point(static_cast<int>(x) + i - 1, static_cast<int>(y) + j - 1);
    return sum;
}

}  // namespace tl
