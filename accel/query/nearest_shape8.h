// Search for the closest triangle of the CPU's 8-wide BVH: a node's eight boxes and a leaf's four
// triangles at a time.
#pragma once

#include "accel/bvh/traversal/bvh8_stacks.h"
#include "accel/query/nearest_shape.h"

TL_DEVICE_BEGIN

/// A point, as its distances to boxes and triangles need it.
class NearPoint8 {
  public:
    explicit NearPoint8(vec3 p) : point_(p) {
        for (int axis = 0; axis < 3; ++axis) {
            eight_[axis] = _mm256_set1_ps(p[axis]);
            four_[axis] = _mm_set1_ps(p[axis]);
        }
    }
    /// Returns a mask: bit i is set if child i's box is closer than the square `most`. `squares`
    /// receives the squared distances.
    TL_ALWAYS_INLINE unsigned near(const Bvh8Node& node, float most, __m256& squares) const {
        squares = _mm256_setzero_ps();
        for (int axis = 0; axis < 3; ++axis) {
            __m256 lo = _mm256_load_ps(node.planes[axis][0]);
            __m256 hi = _mm256_load_ps(node.planes[axis][1]);
            __m256 to = _mm256_min_ps(_mm256_max_ps(eight_[axis], lo), hi) - eight_[axis];
            squares = _mm256_fmadd_ps(to, to, squares);
        }
        return static_cast<unsigned>(
            _mm256_movemask_ps(_mm256_cmp_ps(squares, _mm256_set1_ps(most), _CMP_LT_OQ)));
    }
    /// Takes the triangles of a block that are closer.
    TL_ALWAYS_INLINE void test(const TreeView& tree, const PrimitiveBlock& block,
                               NearestShape& nearest) const {
        alignas(16) float squares[4];
        _mm_store_ps(squares, squares_to(block));
        for (std::uint32_t lane = 0; lane < block.count; ++lane) {
            const std::uint32_t place = block.first + lane;
            const bool other = block.others >> lane & 1u;
            float square =
                other ? square_to_shape<ShapeKind::triangles>(tree.primitives[place], point_)
                      : squares[lane];
            if (square < nearest.square) nearest = {square, place};
        }
    }

  private:
    struct Vec4 {
        __m128 x, y, z;
        TL_ALWAYS_INLINE static Vec4 load(const float (&from)[3][4]) {
            return {_mm_load_ps(from[0]), _mm_load_ps(from[1]), _mm_load_ps(from[2])};
        }
        TL_ALWAYS_INLINE friend Vec4 operator-(const Vec4& a, const Vec4& b) {
            return {a.x - b.x, a.y - b.y, a.z - b.z};
        }
        TL_ALWAYS_INLINE friend __m128 dot(const Vec4& a, const Vec4& b) {
            return _mm_fmadd_ps(a.x, b.x, _mm_fmadd_ps(a.y, b.y, a.z * b.z));
        }
        /// a + s v.
        TL_ALWAYS_INLINE friend Vec4 along(const Vec4& a, __m128 s, const Vec4& v) {
            return {_mm_fmadd_ps(s, v.x, a.x), _mm_fmadd_ps(s, v.y, a.y),
                    _mm_fmadd_ps(s, v.z, a.z)};
        }
    };
    /// square_to_triangle() of four triangles.
    [[nodiscard]] TL_ALWAYS_INLINE __m128 squares_to(const PrimitiveBlock& block) const {
        const __m128 zero = _mm_setzero_ps(), one = _mm_set1_ps(1), least = _mm_set1_ps(FLT_MIN);
        const Vec4 e1 = Vec4::load(block.edge1), e2 = Vec4::load(block.edge2);
        const Vec4 a = Vec4::load(block.vertex) - Vec4{four_[0], four_[1], four_[2]};
        const __m128 d1 = zero - dot(e1, a), d2 = zero - dot(e2, a);
        const __m128 e11 = dot(e1, e1), e12 = dot(e1, e2), e22 = dot(e2, e2);
        auto to_edge = [&](const Vec4& from, const Vec4& edge, __m128 way, __m128 square) {
            __m128 t = _mm_min_ps(_mm_max_ps(way / _mm_max_ps(square, least), zero), one);
            const Vec4 p = along(from, t, edge);
            return dot(p, p);
        };
        const Vec4 b = along(a, one, e1);
        const __m128 squares =
            _mm_min_ps(_mm_min_ps(to_edge(a, e1, d1, e11), to_edge(a, e2, d2, e22)),
                       to_edge(b, e2 - e1, d2 - d1 + (e11 - e12), e11 - e12 + (e22 - e12)));
        const __m128 u = e22 * d1 - e12 * d2, v = e11 * d2 - e12 * d1, area = e11 * e22 - e12 * e12;
        const __m128 inside =
            _mm_and_ps(_mm_cmpge_ps(_mm_min_ps(u, v), zero), _mm_cmple_ps(u + v, area));
        if (_mm_movemask_ps(inside) == 0) return squares;
        const __m128 inverse = one / _mm_max_ps(area, least);
        const Vec4 foot = along(along(a, u * inverse, e1), v * inverse, e2);
        return _mm_blendv_ps(squares, _mm_min_ps(squares, dot(foot, foot)), inside);
    }

    vec3 point_;
    __m256 eight_[3];
    __m128 four_[3];
};

/// nearest_shape() of the triangles of a tree of layout simd8.
inline NearestShape nearest_triangle8(const TreeView& tree, vec3 p, NearestShape nearest) {
    const NearPoint8 point(p);
    Bvh8Stack stack;
    std::uint32_t ref = 0;
    do {
        bool near = true;
        while (near && !(ref & WideRef::kLeafBit)) {
            const Bvh8Node& node = tree.bvh8.nodes[ref];
            __m256 squares;
            const unsigned children = point.near(node, nearest.square, squares);
            near = children != 0;
            if (near && !stack.keep_all_but_one(node, children, squares, ref))
                atomic_or(&tree.bvh8.header->errors, kTraversalStackFull);
        }
        if (near) point.test(tree, tree.bvh8.blocks[ref & ~WideRef::kLeafBit], nearest);
    } while (stack.pop(nearest.square, ref));
    return nearest;
}

TL_DEVICE_END
