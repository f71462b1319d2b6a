// Geometry of a caller's own arrays, for trees that queries search: triangles, boxes, spheres and
// Bezier patches.
#pragma once

#include "accel/primitives.h"
#include "core/device/array.h"

namespace tl {

/// Vectors of float with any distance between them and between their components.
struct StridedFloats {
    const std::byte* data = nullptr;
    std::size_t step = 0;       ///< bytes from a vector to the next
    std::size_t component = 0;  ///< bytes from a component to the next

    /// Vectors without gaps.
    [[nodiscard]] static StridedFloats packed(const float* data, std::size_t n_components) {
        return {reinterpret_cast<const std::byte*>(data), n_components * sizeof(float),
                sizeof(float)};
    }
    [[nodiscard]] static StridedFloats of(View<const vec3> vectors) {
        return packed(vectors.data ? &vectors.data->x : nullptr, 3);
    }
    [[nodiscard]] bool is_packed(std::size_t n_components) const {
        return step == n_components * sizeof(float) && component == sizeof(float);
    }
    /// The same from vector `first` on.
    [[nodiscard]] StridedFloats from(std::size_t first) const {
        return {data ? data + first * step : nullptr, step, component};
    }
    [[nodiscard]] TL_HD float at(std::size_t i, std::size_t c = 0) const {
        return *reinterpret_cast<const float*>(data + i * step + c * component);
    }
    [[nodiscard]] TL_HD vec3 vector(std::size_t i) const {
        return vec3(at(i, 0), at(i, 1), at(i, 2));
    }
};

/// Beginnings of the lists of a search: that of query i is entry offsets[i] - first of an array.
struct ListOffsets {
    const std::uint64_t* offsets = nullptr;  ///< one more than queries
    std::uint64_t first = 0;

    [[nodiscard]] TL_HD std::uint64_t operator[](std::size_t i) const { return offsets[i] - first; }
};

enum class ShapeKind : int { triangles, boxes, spheres, patches };

/// Shapes in device memory.
struct ShapesView {
    ShapeKind kind = ShapeKind::triangles;
    std::uint32_t count = 0;
    StridedFloats positions;               ///< vertices, lower corners, centres, control points
    std::uint32_t n_positions = 0;         ///< of triangles: the number of vertices
    const std::uint32_t* faces = nullptr;  ///< 3 vertices of each triangle; null: 3 i to 3 i + 2
    StridedFloats upper;                   ///< of boxes: upper corners
    StridedFloats radii;                   ///< of spheres: one component
    StridedFloats weights;                 ///< of control points: one component, or no data
    const Box* piece_boxes = nullptr;      ///< of patches that are cut: `count` is that of pieces

    [[nodiscard]] TL_HD glm::uvec3 face(std::uint32_t i) const {
        if (!faces) return glm::uvec3(3 * i, 3 * i + 1, 3 * i + 2);
        return glm::uvec3(faces[3 * i], faces[3 * i + 1], faces[3 * i + 2]);
    }
};

}  // namespace tl

TL_DEVICE_BEGIN

/// Reads shape `id`, of patches piece `id`, into the form that leaves store: a box has its lower
/// corner as vertex and its upper one as edge1; other shapes are as Primitive says. Returns the
/// shape's box, invalid if a coordinate is NaN or infinite, or a face names no vertex.
TL_HD inline Box read_shape(const ShapesView& shapes, std::uint32_t id, bool robust, Primitive& p) {
    Box box;
    p = {};
    p.id = id;
    if (shapes.kind == ShapeKind::triangles) {
        const glm::uvec3 f = shapes.face(id);
        const std::uint32_t n = shapes.n_positions;
        p.kind = Primitive::kTriangle;
        if (f.x >= n || f.y >= n || f.z >= n) return box;
        vec3 a = shapes.positions.vector(f.x), b = shapes.positions.vector(f.y),
             c = shapes.positions.vector(f.z);
        p = triangle_primitive(id, a, b, c, robust);
        vec3 sum = a + b + c;
        if (sum.x + sum.y + sum.z != sum.x + sum.y + sum.z) return box;
        box.extend(a);
        box.extend(b);
        box.extend(c);
    } else if (shapes.kind == ShapeKind::boxes) {
        p.vertex = box.lo = shapes.positions.vector(id);
        p.edge1 = box.hi = shapes.upper.vector(id);
    } else if (shapes.kind == ShapeKind::patches) {
        p.kind = Primitive::kPatch;
        box = shapes.piece_boxes[id];
    } else {
        p.kind = Primitive::kSphere;
        p.vertex = shapes.positions.vector(id);
        p.edge1.x = shapes.radii.at(id);
        box.lo = p.vertex - p.edge1.x;
        box.hi = p.vertex + p.edge1.x;
    }
    return box;
}

/// A triangle's vertex and the edges from it, whether its tree is robust or not.
struct TriangleEdges {
    vec3 vertex, edge1, edge2;

    TL_HD explicit TriangleEdges(const Primitive& p)
        : vertex(p.vertex), edge1(p.edge1), edge2(p.edge2) {
        if (p.kind == Primitive::kWatertightTriangle) {
            edge1 -= vertex;
            edge2 -= vertex;
        }
    }
};

TL_DEVICE_END
