// Ray-patch intersection that misses no root, after Toth 1985 and the Bernstein form of Kajiya
// 1982. The cells of a piece are pruned, proved to hold one root, clipped, or cut in two
// (accel/patch/cell_proof.h). Cells are searched nearest first, in single precision with an error
// bound. Roots are polished in double precision on the patch itself, and only this decides whether
// they lie on it. Cells that single precision cannot decide, as near double roots at a silhouette
// or at a collapsed edge, are searched in double.
#pragma once

#include "accel/patch/cell_search.h"
#include "accel/patch/flat_piece.h"
#include "accel/patch/patch_ray.h"
#include "accel/patch/root_sinks.h"

TL_DEVICE_BEGIN

/// A ray as the search of patches uses it.
struct PatchRay {
    vec3 origin;
    float t_min;
    vec3 direction;
    PatchPosition on_patch;  ///< start point if on a patch

    [[nodiscard]] TL_HD RayPlanes<float> planes() const { return {origin, direction}; }
    /// The largest magnitude of the origin's coordinates.
    [[nodiscard]] TL_HD float origin_reach() const {
        vec3 size = glm::abs(origin);
        return maximum(size.x, maximum(size.y, size.z));
    }
};

/// A coordinate of the patch, or its weight, at (u, v), in double precision.
TL_HD inline Jet<double> exact_jet(const float* at, double u, double v) {
    Net<double> net;
    for (int k = 0; k < PatchPoints::kCount; ++k) net.at[k] = double(at[k]);
    return jet_at(net, u, v);
}

/// A patch in a ray's plane coordinates, evaluated at one point in double precision.
struct ExactPlace {
    Jet<double> a, b, way, weight;

    TL_HD ExactPlace(const PatchPoints& points, const PatchWeights* weights,
                     const RayPlanes<double>& planes, double u, double v)
        : weight{1, 0, 0} {
        Jet<double> c[3];
        for (int k = 0; k < 3; ++k) c[k] = exact_jet(planes.coordinate(points, k), u, v);
        if (weights) weight = exact_jet(weights->at, u, v);
        for (int k = 0; k < 3; ++k) {
            c[k].value -= planes.origin[k] * weight.value;
            c[k].du -= planes.origin[k] * weight.du;
            c[k].dv -= planes.origin[k] * weight.dv;
        }
        way = c[2];
        a = along(c[0], planes.slope_a);
        b = along(c[1], planes.slope_b);
    }

  private:
    [[nodiscard]] TL_HD Jet<double> along(const Jet<double>& c, double slope) const {
        return {c.value - slope * way.value, c.du - slope * way.du, c.dv - slope * way.dv};
    }
};

/// Newton's method in double precision on the patch itself, from a start near a cell's only root,
/// until a step is smaller than `small_step`. False if it does not converge.
TL_HD TL_NO_INLINE inline bool polish_root(const PatchPoints& points, const PatchWeights* weights,
                                           const RayPlanes<double>& planes, double small_step,
                                           PatchRoot& root) {
    constexpr int kSteps = 8;
    for (int step = 0; step < kSteps; ++step) {
        ExactPlace p(points, weights, planes, root.u, root.v);
        double inverse = 1 / (p.a.du * p.b.dv - p.a.dv * p.b.du);
        double du = inverse * (p.b.value * p.a.dv - p.a.value * p.b.dv);
        double dv = inverse * (p.a.value * p.b.du - p.b.value * p.a.du);
        double moved = greatest(magnitude(du), magnitude(dv));
        if (!(moved < 1)) return false;
        root.u += du;
        root.v += dv;
        if (moved >= small_step) continue;
        double way = p.way.value + du * p.way.du + dv * p.way.dv;
        double weight = p.weight.value + du * p.weight.du + dv * p.weight.dv;
        root.t = way / (planes.speed * weight);
        return true;
    }
    return false;
}

/// Searches one piece for one ray. `Sink` has three members: t_max(), beyond which no root counts;
/// add(root), which takes a root within the patch and the ray's range and returns whether to stop;
/// and count_steps(n), for cells examined and Newton steps.
template <class Sink>
struct CertifiedSearch {
    const PatchesView& patches;
    const PatchPiece& piece;
    const PatchRay& ray;
    Sink& sink;

    /// Error bound of the coefficients, in roundings of the largest number they are computed from.
    static constexpr float kRoundings = 12;
    /// Parameter distance around the start within which a ray does not hit its own patch again.
    static constexpr float kInParameters = 1e-3f;
    /// Cells of a piece that are searched for one ray, in either precision: far more than needed
    /// near a silhouette, fewer than a patch has that is edge-on everywhere.
    static constexpr int kMostCells = 1 << 14;
    /// After a step this small the error, its square, is below double precision.
    static constexpr double kSmallStep = 1e-7;

    [[nodiscard]] TL_HD const PatchPoints& points() const { return patches.points[piece.patch]; }
    [[nodiscard]] TL_HD const PatchWeights* weights() const {
        return patches.weights ? patches.weights + piece.patch : nullptr;
    }
    [[nodiscard]] TL_HD float reach() const {
        return piece.reach + ray.origin_reach() * piece.heaviest;
    }

    /// Whether a whole cell lies beyond t_max or before t_min, for a ray with this speed along its
    /// axis that starts at t. False for rational patches, whose weights are not known here.
    template <class Real>
    [[nodiscard]] TL_HD bool is_outside(const Net<Real>& way, Real noise, Real speed,
                                        Real t) const {
        if (patches.weights) return false;
        Range<Real> r = range_of(way);
        Real nearest = speed > 0 ? r.lo : -r.hi, farthest = speed > 0 ? r.hi : -r.lo;
        Real size = magnitude(speed);
        return nearest > (Real(sink.t_max()) - t) * size + noise ||
               farthest < (Real(ray.t_min) - t) * size - noise;
    }
    /// Whether all of a part of the patch counts as the ray's start. If not, `holds_start` is set
    /// to whether a root in it, if it is the only one, is the start.
    [[nodiscard]] TL_HD bool is_at_start(const Cell<double>& part, bool& holds_start) const {
        constexpr double kDigits = 2e-5;  // rounding of the stored start parameters
        if (ray.on_patch.patch != piece.patch) return false;
        double u = double(ray.on_patch.u()), v = double(ray.on_patch.v()),
               near = double(kInParameters);
        holds_start = part.u1 - part.u0 > near && part.v1 - part.v0 > near &&
                      u > part.u0 - kDigits && u < part.u1 + kDigits && v > part.v0 - kDigits &&
                      v < part.v1 + kDigits;
        return u - part.u0 < near && part.u1 - u < near && v - part.v0 < near && part.v1 - v < near;
    }

    TL_HD bool add(const PatchRoot& found) const {
        constexpr double kOnEdge = 1e-9;  // for closed edges, and rounding of neighbouring patches
        if (!(found.u >= -kOnEdge && found.u <= 1 + kOnEdge && found.v >= -kOnEdge &&
              found.v <= 1 + kOnEdge))
            return false;
        PatchRoot root{found.t, clamped(found.u, 0.0, 1.0), clamped(found.v, 0.0, 1.0)};
        if (!(root.t > double(ray.t_min) && root.t < double(sink.t_max()))) return false;
        if (ray.on_patch.exists() && starts_at(root)) return false;
        return sink.add(root);
    }

    /// Whether a root is the ray's start: on the same patch by its parameters or, where these are
    /// crowded, as around a pole, by its distance; on another patch, if the start lies on the
    /// border of its own, by its distance.
    [[nodiscard]] TL_HD bool starts_at(const PatchRoot& root) const {
        constexpr float kInSpace = 1e-4f, kAcrossBorders = 1e-3f;  // relative to the patch's size
        float distance = static_cast<float>(root.t) * glm::length(ray.direction);
        if (distance <= 4 * 0x1p-24f * kRoundings * reach()) return true;
        float u = ray.on_patch.u(), v = ray.on_patch.v();
        if (ray.on_patch.patch == piece.patch)
            return (magnitude(static_cast<float>(root.u) - u) < kInParameters &&
                    magnitude(static_cast<float>(root.v) - v) < kInParameters) ||
                   distance < kInSpace * patch_size();
        float border = least(least(u, 1 - u), least(v, 1 - v));
        return border < kInParameters && distance < kAcrossBorders * patch_size();
    }
    /// Approximate size of the patch, from its diagonals.
    [[nodiscard]] TL_HD float patch_size() const {
        float size = 0;
        for (auto& at : points().of_axis)
            size += magnitude(at[15] - at[0]) + magnitude(at[12] - at[3]);
        return size / (2 * piece.heaviest);
    }

    /// Polishes a proved cell's root, in the patch's parameters; false if it moves too far.
    TL_HD bool polished(const Cell<double>& cell, double x, double y,
                        const RayPlanes<double>& planes, double small_step, PatchRoot& root) const {
        constexpr double kAstray = 0.1;  // in cell sizes: both are within a hundredth of the root
        double size_u = cell.u1 - cell.u0, size_v = cell.v1 - cell.v0;
        double u = cell.u0 + x * size_u, v = cell.v0 + y * size_v;
        root = {0, u, v};
        return polish_root(points(), weights(), planes, small_step, root) &&
               magnitude(root.u - u) < kAstray * size_u && magnitude(root.v - v) < kAstray * size_v;
    }
    TL_HD static Cell<double> part_of(const Cell<double>& whole, const Cell<double>& part) {
        double size_u = whole.u1 - whole.u0, size_v = whole.v1 - whole.v0;
        return {whole.u0 + part.u0 * size_u, whole.u0 + part.u1 * size_u,
                whole.v0 + part.v0 * size_v, whole.v0 + part.v1 * size_v};
    }

    /// The leaf callbacks of a search in double precision.
    struct DoubleLeaf {
        const CertifiedSearch& search;
        Cell<double> domain;  ///< part of the patch
        RayPlanes<double> planes;

        [[nodiscard]] TL_HD bool is_outside(const Net<double>& way, double noise) const {
            return search.is_outside(way, noise, planes.speed, 0.0);
        }
        [[nodiscard]] TL_HD bool is_at_start(const Cell<double>& cell, bool& holds_start) const {
            return search.is_at_start(part_of(domain, cell), holds_start);
        }
        TL_HD void count_steps(std::uint32_t n) const { search.sink.count_steps(n); }
        TL_HD bool unique(const Cell<double>& cell, double x, double y) const {
            PatchRoot root;
            if (!search.polished(part_of(domain, cell), x, y, planes, kSmallStep, root))
                return touches(root);
            return search.add(root);
        }
        /// The cell is too small for double precision and not proved empty: a tangential hit.
        TL_HD bool blurred(const Cell<double>& cell) const {
            Cell<double> part = part_of(domain, cell);
            return touches({0, (part.u0 + part.u1) / 2, (part.v0 + part.v1) / 2});
        }
        /// Accepts a point that is as near to the ray as a single-precision root would be.
        TL_HD bool touches(PatchRoot root) const {
            constexpr double kTouching = 1e-7;  // in units of the patch
            ExactPlace p(search.points(), search.weights(), planes, root.u, root.v);
            double off = greatest(magnitude(p.a.value), magnitude(p.b.value)) / p.weight.value;
            if (!(off <= kTouching * double(search.patch_size()))) return false;
            root.t = p.way.value / (planes.speed * p.weight.value);
            return search.add(root);
        }
    };

    [[nodiscard]] TL_HD Cell<double> domain() const {
        return {double(piece.u0), double(piece.u0 + piece.size_u), double(piece.v0),
                double(piece.v0 + piece.size_v)};
    }
    /// Searches a cell of the piece in double precision, among at most `cells_left` cells of it.
    TL_HD TL_NO_INLINE bool search_in_double(const Cell<double>& cell, int& cells_left) const {
        Cell<double> part = part_of(domain(), cell);
        DoubleLeaf leaf{*this, part, RayPlanes<double>(ray.origin, ray.direction)};
        RayNets<double> nets = restricted(leaf.planes.nets(points(), weights()), part);
        double noise = 0x1p-53 * double(kRoundings * reach());
        return search_cells<double>(nets, noise, leaf.planes.speed > 0, leaf, cells_left);
    }

    /// The leaf callbacks of a search in single precision.
    struct SingleLeaf {
        const CertifiedSearch& search;
        RayPlanes<float> planes;
        float t;  ///< ray parameter of the planes' origin
        /// For all searches in double precision together: where a flat patch is edge-on, no cell is
        /// ever decided.
        int double_cells_left = kMostCells;

        [[nodiscard]] TL_HD bool is_outside(const Net<float>& way, float noise) const {
            return search.is_outside(way, noise, planes.speed, t);
        }
        [[nodiscard]] TL_HD bool is_at_start(const Cell<double>& cell, bool& holds_start) const {
            return search.is_at_start(part_of(search.domain(), cell), holds_start);
        }
        TL_HD void count_steps(std::uint32_t n) const { search.sink.count_steps(n); }
        TL_HD bool unique(const Cell<double>& cell, double x, double y) {
            PatchRoot root;
            RayPlanes<double> exact(search.ray.origin, search.ray.direction);
            if (!search.polished(part_of(search.domain(), cell), x, y, exact, kSmallStep, root))
                return search.search_in_double(cell, double_cells_left);
            return search.add(root);
        }
        TL_HD bool blurred(const Cell<double>& cell) {
            return search.search_in_double(cell, double_cells_left);
        }
    };

    TL_HD TL_NO_INLINE bool search_by_cutting(std::uint32_t number) const {
        // Works in the piece's frame, if it has one.
        vec3 origin = ray.origin, direction = ray.direction;
        float t = 0, noise;
        const PatchPoints* net;
        if (patches.frames) {
            FramedRay framed(patches.frames[number], origin, direction);
            origin = framed.origin;
            direction = framed.direction;
            t = framed.t;
            noise = 4 * framed.error;
            net = &patches.nets[number].points;
        } else {
            noise = 0x1p-24f * kRoundings * reach();
            net = patches.piece_points + number;
        }
        const PatchWeights* own = patches.piece_weights ? patches.piece_weights + number : nullptr;
        SingleLeaf leaf{*this, RayPlanes<float>(origin, direction), t};
        int cells_left = kMostCells;
        return search_cells<float>(leaf.planes.nets(*net, own), noise, leaf.planes.speed > 0, leaf,
                                   cells_left);
    }

    /// Searches a piece that is flat for this ray; if it is not flat, `decided` is set to false.
    TL_HD bool search_flat(std::uint32_t number, bool& decided) const {
        bool holds_start = false;
        float x, y;
        std::uint32_t n_steps = 0;
        decided = is_at_start(domain(), holds_start);
        if (decided) return false;
        CellProof proof =
            meet_flat_piece(patches.frames[number], patches.nets[number], ray.origin, ray.direction,
                            ray.t_min, sink.t_max(), holds_start, x, y, n_steps);
        sink.count_steps(n_steps);
        decided = proof == CellProof::empty;
        if (proof != CellProof::unique) return false;
        constexpr double kSmallFlatStep = 1e-5;  // flat pieces: its square is negligible, too
        PatchRoot root;
        RayPlanes<double> planes(ray.origin, ray.direction);
        decided = polished(domain(), double(x), double(y), planes, kSmallFlatStep, root);
        return decided && add(root);
    }

    TL_HD bool run(std::uint32_t number) const {
        bool decided = false;
        bool enough = patches.frames && search_flat(number, decided);
        return decided ? enough : search_by_cutting(number);
    }
};

/// Calls sink.add for each root of the ray on a piece, until it returns true.
template <class Sink>
TL_HD inline bool search_piece(const PatchesView& patches, std::uint32_t piece, const PatchRay& ray,
                               Sink& sink) {
    CertifiedSearch<Sink> search{patches, patches.pieces[piece], ray, sink};
    return search.run(piece);
}

TL_DEVICE_END
