#include "renderer/scene/export/export_nodes.h"

#include <algorithm>
#include <cmath>
#include <glm/gtc/quaternion.hpp>

#include "renderer/scene/gltf_extras.h"

namespace tl {
namespace {

using glm::dmat3;
using glm::dmat4;
using glm::dvec3;

Json vector_json(const dvec3& v) {
    return {json_number(v.x), json_number(v.y), json_number(v.z)};
}

/// Whether the columns are at right angles, so that the matrix is a rotation after a scale.
bool has_no_shear(const dmat3& m) {
    constexpr double kRounding = 1e-5;  // of matrices of floats
    for (int i = 0; i < 3; ++i) {
        const dvec3 &a = m[i], &b = m[(i + 1) % 3];
        if (std::abs(glm::dot(a, b)) > kRounding * glm::length(a) * glm::length(b)) return false;
    }
    // Programs that decompose the matrix divide by the lengths of its columns.
    return glm::determinant(m) != 0;
}

/// Rotates the columns of `m`, and those of `v` alike, two at a time until they are orthogonal
/// (one-sided Jacobi; Hestenes 1958): m = m' v'^T for the final ones.
void make_orthogonal(dmat3& m, dmat3& v) {
    constexpr int kMostSweeps = 30;
    constexpr double kSmall = 1e-15;
    v = dmat3(1);
    for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
        bool turned = false;
        for (auto [p, q] : {std::pair{0, 1}, std::pair{0, 2}, std::pair{1, 2}}) {
            double a = glm::dot(m[p], m[p]), b = glm::dot(m[q], m[q]), c = glm::dot(m[p], m[q]);
            if (std::abs(c) <= kSmall * std::sqrt(a * b) || c == 0) continue;
            turned = true;
            double zeta = (b - a) / (2 * c);
            double t = (zeta < 0 ? -1 : 1) / (std::abs(zeta) + std::sqrt(1 + zeta * zeta));
            double cosine = 1 / std::sqrt(1 + t * t), sine = cosine * t;
            for (dmat3* matrix : {&m, &v}) {
                dvec3 x = (*matrix)[p], y = (*matrix)[q];
                (*matrix)[p] = cosine * x - sine * y;
                (*matrix)[q] = sine * x + cosine * y;
            }
        }
        if (!turned) return;
    }
}

/// A unit vector at right angles to another one.
dvec3 across(dvec3 v) {
    return glm::normalize(glm::cross(v, std::abs(v.x) < 0.5 ? dvec3(1, 0, 0) : dvec3(0, 1, 0)));
}

/// Splits orthogonal columns into a rotation and a scale, their lengths. One length is negative
/// where the columns are left-handed. A column without a length gets the remaining direction.
dvec3 split_scale(const dmat3& columns, dmat3& rotation) {
    dvec3 scale(glm::length(columns[0]), glm::length(columns[1]), glm::length(columns[2]));
    int order[3] = {0, 1, 2};
    std::ranges::sort(order, [&](int a, int b) { return scale[a] > scale[b]; });
    auto [first, second, third] = order;
    rotation = dmat3(1);
    if (!(scale[first] > 0)) return dvec3(0);
    double least = 1e-12 * scale[first];
    rotation[first] = columns[first] / scale[first];
    rotation[second] =
        scale[second] > least ? columns[second] / scale[second] : across(rotation[first]);
    bool is_cyclic = (first + 1) % 3 == second;
    dvec3 last = glm::cross(rotation[first], rotation[second]);
    rotation[third] = is_cyclic ? last : -last;
    if (glm::dot(rotation[third], columns[third]) < 0) scale[third] = -scale[third];
    return scale;
}

}  // namespace

Json mesh_node(int mesh, const char* shape) {
    Json node{{"mesh", mesh}};
    if (shape) node["extras"][kGltfShape] = shape;
    return node;
}

Json rotation_json(const glm::dvec4& q) {
    return {json_number(q.x), json_number(q.y), json_number(q.z), json_number(q.w)};
}

Json rotation_json(const dmat3& matrix) {
    glm::dquat q = glm::normalize(glm::quat_cast(matrix));
    return rotation_json(glm::dvec4(q.x, q.y, q.z, q.w));
}

int add_placed(GlbWriter& file, const dmat4& matrix, Json node) {
    const dmat3 linear(matrix);
    const dvec3 place(matrix[3]);
    if (linear == dmat3(linear[0][0])) {
        if (place != dvec3(0)) node["translation"] = vector_json(place);
        if (linear[0][0] != 1) node["scale"] = vector_json(dvec3(linear[0][0]));
        return file.nodes.add(node);
    }
    if (has_no_shear(linear)) {
        Json numbers = Json::array();
        for (int column = 0; column < 4; ++column)
            for (int row = 0; row < 4; ++row) numbers.push_back(json_number(matrix[column][row]));
        node["matrix"] = std::move(numbers);
        return file.nodes.add(node);
    }
    dmat3 columns = linear, inner, outer;
    make_orthogonal(columns, inner);
    dvec3 scale = split_scale(columns, outer);
    node["rotation"] = rotation_json(glm::transpose(inner));
    int child = file.nodes.add(node);
    return file.nodes.add({{"translation", vector_json(place)},
                           {"rotation", rotation_json(outer)},
                           {"scale", vector_json(scale)},
                           {"children", Json::array({child})}});
}

}  // namespace tl
