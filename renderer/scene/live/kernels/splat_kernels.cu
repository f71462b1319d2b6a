// Lists of overlapping splats, and fits of their fields of normals.
#include "core/base/fused.h"
#include "core/device/parallel_for.h"
#include "renderer/scene/live/live_splats.h"

TL_DEVICE_BEGIN

namespace {

/// Least cosine between the normals of blended splats. Below it they belong to the other side of a
/// sheet, or lie beyond an edge.
constexpr float kLeastCosine = 0.5f;

/// The nearest splats found so far, sorted by distance.
struct NearestFirst {
    static constexpr std::uint32_t kMost = SplatsView::kNeighbours;
    std::uint32_t n = 0;
    std::uint32_t indices[kMost];
    float squares[kMost];

    TL_D void offer(std::uint32_t index, float square) {
        // Ties are broken by the lower index, whatever the order of a search.
        auto is_before = [&](std::uint32_t k) {
            return square < squares[k] || (square == squares[k] && index < indices[k]);
        };
        if (n == kMost && !is_before(n - 1)) return;
        std::uint32_t at = n < kMost ? n++ : n - 1;
        for (; at > 0 && is_before(at - 1); --at) {
            indices[at] = indices[at - 1];
            squares[at] = squares[at - 1];
        }
        indices[at] = index;
        squares[at] = square;
    }
};

/// Axes of a splat's plane (Duff et al. 2017, "Building an orthonormal basis, revisited").
struct PlaneAxes {
    vec3 x, y;
    TL_D explicit PlaneAxes(vec3 n) {
        float sign = copysignf(1.0f, n.z), a = -1 / (sign + n.z), b = n.x * n.y * a;
        x = vec3(1 + sign * n.x * n.x * a, sign * b, -sign * n.x);
        y = vec3(b, sign + n.y * n.y * a, -n.y);
    }
};

/// Normal equations of the symmetric 2x2 matrix that maps offsets in the plane to changes of the
/// normal, by least squares.
struct BendSums {
    float xx = 0, xy = 0, yy = 0;         ///< products of offsets
    float x_tx = 0, cross = 0, y_ty = 0;  ///< products of offsets and changes

    TL_D void add(float x, float y, float turn_x, float turn_y) {
        xx += x * x, xy += x * y, yy += y * y;
        x_tx += x * turn_x, cross += y * turn_x + x * turn_y, y_ty += y * turn_y;
    }
    /// The entries xx, xy and yy of the matrix; 0 where the offsets do not determine it.
    TL_D vec3 solve() const {
        float both = xx + yy;
        // Regularisation for offsets that all lie on a line.
        float a = xx + 1e-4f * both, c = yy + 1e-4f * both, b = xy;
        // Rows: (a, b, 0), (b, both, b), (0, b, c).
        float determinant = a * (both * c - b * b) - b * b * c;
        if (!(determinant > 1e-6f * both * both * both)) return vec3(0);
        float inverse = 1 / determinant;
        return inverse * vec3(x_tx * (both * c - b * b) - b * (cross * c - b * y_ty),
                              a * (cross * c - b * y_ty) - b * x_tx * c,
                              a * (both * y_ty - b * cross) - b * b * y_ty + b * b * x_tx);
    }
};

TL_D void bend_of(const SplatFit& fit, const NearestFirst& list, SplatData& s) {
    constexpr float kSteepest = 1;  // largest change of the normal at the rim that is trusted
    PlaneAxes axes(s.normal);
    BendSums sums;
    for (std::uint32_t k = 0; k < list.n; ++k) {
        const SplatData& other = fit.splats[list.indices[k]];
        vec3 way = (other.center - s.center) / s.radius, turn = other.normal - s.normal;
        sums.add(glm::dot(way, axes.x), glm::dot(way, axes.y), glm::dot(turn, axes.x),
                 glm::dot(turn, axes.y));
    }
    vec3 m = sums.solve();
    float steepest = fmaxf(fabsf(m.x), fmaxf(fabsf(m.y), fabsf(m.z)));
    m *= fminf(1.0f, kSteepest / fmaxf(steepest, 1e-30f)) / s.radius;
    auto entry = [&](int i, int j) {
        return m.x * axes.x[i] * axes.x[j] + m.z * axes.y[i] * axes.y[j] +
               m.y * (axes.x[i] * axes.y[j] + axes.y[i] * axes.x[j]);
    };
    s.bend[0] = entry(0, 0), s.bend[1] = entry(0, 1), s.bend[2] = entry(0, 2);
    s.bend[3] = entry(1, 1), s.bend[4] = entry(1, 2), s.bend[5] = entry(2, 2);
}

}  // namespace

void fit_splats(Stream& stream, const SplatFit& given) {
    SplatFit fit = given;
    auto n = static_cast<std::uint32_t>(fit.nearest.size / SplatFit::kCandidates);
    parallel_for(
        stream, "fit splats", n, TL_LAMBDA(std::uint32_t place) {
            std::uint32_t i = fit.first + place;
            SplatData s = fit.splats[i];
            NearestFirst list;
            for (int k = 0; k < SplatFit::kCandidates; ++k) {
                std::uint32_t j = fit.nearest[std::size_t(SplatFit::kCandidates) * place +
                                              static_cast<std::size_t>(k)];
                if (j >= fit.splats.size || j == i) continue;
                vec3 center = fit.splats[j].center, normal = fit.splats[j].normal;
                vec3 way = center - s.center;
                float square = fused_dot(way, way);
                float reach = s.radius + fit.splats[j].radius;
                if (square < reach * reach && fused_dot(normal, s.normal) > kLeastCosine)
                    list.offer(j, square / (fit.splats[j].radius * fit.splats[j].radius));
            }
            for (std::uint32_t k = 0; k < SplatsView::kNeighbours; ++k)
                fit.neighbours[std::size_t(SplatsView::kNeighbours) * i + k] =
                    k < list.n ? list.indices[k] : SplatsView::kNone;
            bend_of(fit, list, s);
            for (int k = 0; k < 6; ++k) fit.splats[i].bend[k] = s.bend[k];
        });
}

TL_DEVICE_END
