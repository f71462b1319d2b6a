// The stages of Kajiya's method.
#include "renderer/bezier/kajiya_stages.h"

#include <algorithm>

#include "accel/bvh/traversal/skip_tracer.h"
#include "accel/patch/bernstein_roots.h"
#include "accel/patch/certified.h"
#include "accel/patch/laguerre.h"
#include "accel/patch/pieces.h"
#include "core/device/atomics.h"
#include "core/device/parallel_for.h"
#include "core/operators/operators.h"

TL_DEVICE_BEGIN

namespace {

constexpr std::uint32_t kStageGrain = 64;
/// Most roots stored per pair.
constexpr std::uint32_t kMostRoots = kResultantDegree;

/// The name of a stage in the timing table, for each kind of rays.
struct StageNames {
    const char* of_kind[3];
    [[nodiscard]] const char* of(RayKind kind) const { return of_kind[static_cast<int>(kind)]; }
};
constexpr StageNames kTraverse{{"primary traverse", "shadow traverse", "reflection traverse"}};
constexpr StageNames kScan{{"primary scan", "shadow scan", "reflection scan"}};
constexpr StageNames kRearrange{{"primary rearrange", "shadow rearrange", "reflection rearrange"}};
constexpr StageNames kBezout{{"primary bezout", "shadow bezout", "reflection bezout"}};
constexpr StageNames kLaguerre{{"primary laguerre", "shadow laguerre", "reflection laguerre"}};
constexpr StageNames kRealRoots{
    {"primary real roots", "shadow real roots", "reflection real roots"}};
constexpr StageNames kGcd{{"primary gcd", "shadow gcd", "reflection gcd"}};
/// Stage of all counting on request, as in the other modes.
constexpr const char* kCompare = "compare";
constexpr StageNames kPoints{{"primary 3D points", "shadow 3D points", "reflection 3D points"}};

/// The closest intersection of a pair.
struct PairHit {
    float t, u, v;
};

/// Pairs [begin, begin + size) of all pairs; structure-of-arrays buffers for `capacity` pairs.
struct PairBatch {
    std::uint32_t begin = 0, size = 0, capacity;
    View<std::uint32_t> ray, patch;
    View<double> polynomial;  ///< coefficient k of pair p at k * capacity + p; then roots
    View<double> u, v;        ///< common roots, in the same layout
    View<std::uint32_t> n_roots, n_iterations;
    View<PairHit> hits;

    static constexpr std::size_t kBytes = 4 * sizeof(std::uint32_t) + sizeof(PairHit) +
                                          (kResultantDegree + 1 + 2 * kMostRoots) * sizeof(double);

    PairBatch(Scratch& scratch, std::uint32_t capacity)
        : capacity(capacity),
          ray(scratch.take<std::uint32_t>(capacity)),
          patch(scratch.take<std::uint32_t>(capacity)),
          polynomial(scratch.take<double>(std::size_t(capacity) * (kResultantDegree + 1))),
          u(scratch.take<double>(std::size_t(capacity) * kMostRoots)),
          v(scratch.take<double>(std::size_t(capacity) * kMostRoots)),
          n_roots(scratch.take<std::uint32_t>(capacity)),
          n_iterations(scratch.take<std::uint32_t>(capacity)),
          hits(scratch.take<PairHit>(capacity)) {}
    [[nodiscard]] TL_HD std::size_t at(std::uint32_t k, std::uint32_t pair) const {
        return std::size_t(k) * capacity + pair;
    }
};

/// Lists the patches in leaves: counts them, and writes those of the batch.
struct ListPatches {
    View<const std::uint32_t> order;
    std::uint32_t ray;
    std::uint32_t next;  ///< index of the next pair
    std::uint32_t begin, end;
    View<std::uint32_t> rays, patches;

    TL_D void operator()(std::uint32_t first, std::uint32_t count) {
        for (std::uint32_t place = first; place < first + count; ++place, ++next) {
            if (next < begin || next >= end) continue;
            rays[next - begin] = ray;
            patches[next - begin] = order[place];
        }
    }
};

/// Kinds of a resultant's roots, in the order in which they are found.
struct RootOrder {
    std::uint32_t n = 0;     ///< number of roots, with one of two conjugates
    std::uint32_t real = 0;  ///< bit k: whether the k-th root is real
};

/// Input of all stages.
struct PairSource {
    PatchTree tree;
    View<const Ray> rays;
    View<Hit> hits;
    PicturePlanes picture;  ///< without columns: each ray's planes are computed from the ray
    View<float> limits;     ///< limits of t, before any batch has found hits

    [[nodiscard]] TL_D Ray ray(std::uint32_t i) const {
        Ray ray = rays[i];
        ray.t_max = limits[i];
        return ray;
    }
    TL_D std::uint32_t list(std::uint32_t i, ListPatches list) const {
        std::uint32_t first = list.next;
        if (tree.skip.nodes)
            for_each_skip_leaf<true>(tree.skip, ray(i), list);
        else
            for_each_leaf(Bvh2Nodes<true>{tree.nodes}, ray(i), list);
        return list.next - first;
    }
    [[nodiscard]] TL_D PlanePair planes(std::uint32_t i) const {
        std::uint32_t x, y;
        if (picture.columns.empty() || !picture.part.pixel(i, x, y))
            return planes_of_ray(rays[i].origin, rays[i].direction);
        PlanePair p;
        for (int axis = 0; axis < 3; ++axis) {
            p.a[axis] = picture.columns[x][axis];
            p.b[axis] = picture.rows[y][axis];
            p.origin[axis] = double(picture.origin[axis]);
        }
        return p;
    }
    [[nodiscard]] TL_D const PatchPoints& points(std::uint32_t patch) const {
        return tree.patches.points[patch];
    }
    [[nodiscard]] TL_D const PatchWeights* weights(std::uint32_t patch) const {
        return tree.patches.weights ? tree.patches.weights + patch : nullptr;
    }
    template <PolynomialBasis kBasis>
    [[nodiscard]] TL_D Resultant resultant(const PairBatch& batch, std::uint32_t i) const {
        std::uint32_t patch = batch.patch[i];
        PlanePair p = planes(batch.ray[i]);
        return bezout_resultant(
            distance_polynomial<kBasis>(points(patch), weights(patch), p.a, p.origin),
            distance_polynomial<kBasis>(points(patch), weights(patch), p.b, p.origin));
    }
    template <PolynomialBasis kBasis>
    TL_D void bezout(const PairBatch& batch, std::uint32_t i) const {
        Resultant r = resultant<kBasis>(batch, i);
        TL_UNROLL for (std::uint32_t k = 0; k <= kMostRoots; ++k) batch.polynomial[batch.at(k, i)] =
            r.at[k];
    }
    /// Replaces the coefficients by the roots in [0, 1].
    template <bool kOnlyReal>
    TL_D void solve(const PairBatch& batch, std::uint32_t i) const {
        Resultant p;
        TL_UNROLL for (std::uint32_t k = 0; k <= kMostRoots; ++k) p.at[k] =
            batch.polynomial[batch.at(k, i)];
        std::uint32_t n = 0;
        auto found = [&](double v) {
            if (n < kMostRoots && is_parameter(v)) batch.polynomial[batch.at(n++, i)] = v;
        };
        int work = 0;
        if constexpr (kOnlyReal)
            work = find_real_roots_bernstein(p, found);
        else
            work = find_real_roots_laguerre(p, found);
        batch.n_roots[i] = n;
        batch.n_iterations[i] = static_cast<std::uint32_t>(work);
    }
    /// The roots of a pair in the order in which Laguerre's method finds them.
    [[nodiscard]] TL_D RootOrder root_order(const PairBatch& batch, std::uint32_t i) const {
        RootOrder order;
        find_roots_laguerre(
            resultant<PolynomialBasis::power>(batch, i),
            [&](ComplexNumber, bool real) { order.real |= std::uint32_t(real) << order.n++; });
        return order;
    }
    TL_D void gcd(const PairBatch& batch, std::uint32_t i) const {
        std::uint32_t n = batch.n_roots[i], n_common = 0;
        if (n > 0) {
            std::uint32_t patch = batch.patch[i];
            PlanePair p = planes(batch.ray[i]);
            constexpr auto kPower = PolynomialBasis::power;
            Bicubic a = distance_polynomial<kPower>(points(patch), weights(patch), p.a, p.origin);
            Bicubic b = distance_polynomial<kPower>(points(patch), weights(patch), p.b, p.origin);
            for (std::uint32_t k = 0; k < n; ++k) {
                double v = batch.polynomial[batch.at(k, i)];
                CommonRoots roots = common_roots(CubicsAt(a, b, v));
                for (int j = 0; j < roots.count && n_common < kMostRoots; ++j) {
                    if (!is_parameter(roots.u[j])) continue;
                    batch.u[batch.at(n_common, i)] = roots.u[j];
                    batch.v[batch.at(n_common, i)] = v;
                    ++n_common;
                }
            }
        }
        batch.n_roots[i] = n_common;
    }
    /// The closest intersection of a pair.
    TL_D PairHit point(const PairBatch& batch, std::uint32_t i) const;

    /// Whether t is in [0, 1], ends included as in the certified method, within the error of roots.
    [[nodiscard]] TL_D static bool is_parameter(double t) {
        constexpr double kOnEdge = 1e-9;
        return t >= -kOnEdge && t <= 1 + kOnEdge;
    }
};

TL_D PairHit PairSource::point(const PairBatch& batch, std::uint32_t i) const {
    // A root is rejected if its point is farther from the ray than this fraction of the patch size.
    constexpr double kOff = 1e-4;
    std::uint32_t n = batch.n_roots[i];
    NearestRoot nearest;
    nearest.limit = -1;
    if (n > 0) {
        std::uint32_t patch = batch.patch[i];
        Ray own = ray(batch.ray[i]);
        nearest.limit = own.t_max;
        PatchRay patch_ray{own.origin, own.t_min, own.direction, own.on_patch};
        RayPlanes<double> shears(own.origin, own.direction);
        // The whole patch as one piece, so that the search applies its definition of a hit.
        PatchPiece whole{patch, 0, 0, 1, 1, 0, 1, 0};
        for (auto& axis : points(patch).of_axis)
            for (float coordinate : axis) whole.reach = maximum(whole.reach, fabsf(coordinate));
        if (const PatchWeights* w = weights(patch)) {
            whole.heaviest = 0;
            for (float weight : w->at) whole.heaviest = maximum(whole.heaviest, weight);
        }
        CertifiedSearch<NearestRoot> search{tree.patches, whole, patch_ray, nearest};
        for (std::uint32_t k = 0; k < n; ++k) {
            PatchRoot root{0, batch.u[batch.at(k, i)], batch.v[batch.at(k, i)]};
            ExactPlace place(points(patch), weights(patch), shears, root.u, root.v);
            double off =
                greatest(magnitude(place.a.value), magnitude(place.b.value)) / place.weight.value;
            if (!(off <= kOff * double(search.patch_size()))) continue;
            root.t = place.way.value / (shears.speed * place.weight.value);
            search.add(root);
        }
    }
    bool found = nearest.root.t < double(kInfinity);
    return {found ? nearest.limit : kInfinity, static_cast<float>(nearest.root.u),
            static_cast<float>(nearest.root.v)};
}

/// Adds a batch's counts to those of its kind of rays.
void add_counts(Scratch& scratch, const PairBatch& batch, View<KajiyaCounts> counts) {
    Scratch::Scope scope(scratch);
    auto& stream = scratch.stream();
    auto sums = scratch.take<std::uint32_t>(2);
    reduce<std::uint32_t>(scratch, {batch.n_roots.data, batch.size}, {sums.data, 1});
    reduce<std::uint32_t>(scratch, {batch.n_iterations.data, batch.size}, {sums.data + 1, 1});
    std::uint32_t n_pairs = batch.size;
    parallel_for(
        stream, "count roots", 1, TL_LAMBDA(std::uint32_t) {
            counts[0].n_pairs += n_pairs;
            counts[0].n_roots += sums[0];
            counts[0].n_iterations += sums[1];
        });
}

/// Adds the number of real roots among the k-th roots of a batch's pairs to the counts.
void count_real_roots(Scratch& scratch, const PairSource& source, const PairBatch& batch,
                      View<KajiyaCounts> counts) {
    Scratch::Scope scope(scratch);
    auto& stream = scratch.stream();
    auto orders = scratch.take<RootOrder>(batch.size);
    parallel_for(
        stream, "root order", batch.size,
        TL_LAMBDA(std::uint32_t i) { orders[i] = source.root_order(batch, i); }, kStageGrain);
    // Each thread sums many pairs, since all use atomics on the same few counters.
    constexpr std::uint32_t kPairsOfThread = 256;
    std::uint32_t n_pairs = batch.size, n_chunks = (n_pairs + kPairsOfThread - 1) / kPairsOfThread;
    parallel_for(
        stream, "count real roots", n_chunks * kMostRoots, TL_LAMBDA(std::uint32_t thread) {
            std::uint32_t k = thread / n_chunks, n_searched = 0, n_real = 0;
            for (std::uint32_t i = thread % n_chunks; i < n_pairs; i += n_chunks) {
                n_searched += orders[i].n > k;
                n_real += orders[i].real >> k & 1u;
            }
            if (n_searched) atomic_add(&counts[0].n_searched[k], n_searched);
            if (n_real) atomic_add(&counts[0].n_real[k], n_real);
        });
}

/// Adds the number of rays with pairs to the counts.
void count_rays_with_pairs(Scratch& scratch, View<const std::uint32_t> n_pairs,
                           View<KajiyaCounts> counts) {
    Scratch::Scope scope(scratch);
    auto& stream = scratch.stream();
    auto has_pairs = scratch.take<std::uint32_t>(n_pairs.size);
    auto sum = scratch.take<std::uint32_t>(1);
    parallel_for(
        stream, "rays with pairs", static_cast<std::uint32_t>(n_pairs.size),
        TL_LAMBDA(std::uint32_t i) { has_pairs[i] = n_pairs[i] > 0; });
    reduce<std::uint32_t>(scratch, has_pairs, sum);
    parallel_for(
        stream, "count rays", 1, TL_LAMBDA(std::uint32_t) { counts[0].n_rays += sum[0]; });
}

/// Computes the resultants of a batch's pairs, and their roots.
template <bool kOnlyReal>
void find_roots(Scratch& scratch, StageTimer& timer, RayKind kind, const PairSource& source,
                const PairBatch& batch, View<KajiyaCounts> counts) {
    auto& stream = scratch.stream();
    {
        constexpr auto kBasis = kOnlyReal ? PolynomialBasis::bernstein : PolynomialBasis::power;
        StageTimer::Scope stage(timer, kBezout.of(kind));
        parallel_for(
            stream, "bezout", batch.size,
            TL_LAMBDA(std::uint32_t i) { source.bezout<kBasis>(batch, i); }, kStageGrain);
    }
    StageTimer::Scope stage(timer, (kOnlyReal ? kRealRoots : kLaguerre).of(kind));
    parallel_for(
        stream, kOnlyReal ? "real roots" : "laguerre", batch.size,
        TL_LAMBDA(std::uint32_t i) { source.solve<kOnlyReal>(batch, i); }, kStageGrain);
    add_counts(scratch, batch, counts);
}

/// Updates the closest hits of the rays that have pairs in the batch.
void keep_nearest(Stream& stream, const PairSource& source, const PairBatch& batch,
                  View<const std::uint32_t> first, View<const std::uint32_t> count) {
    parallel_for(
        stream, "nearest points", static_cast<std::uint32_t>(first.size),
        TL_LAMBDA(std::uint32_t i) {
            std::uint32_t begin = first[i], end = begin + count[i];
            if (count[i] == 0 || end <= batch.begin || begin >= batch.begin + batch.size) return;
            begin = begin < batch.begin ? 0 : begin - batch.begin;
            end = end - batch.begin < batch.size ? end - batch.begin : batch.size;
            for (std::uint32_t pair = begin; pair < end; ++pair) {
                PairHit hit = batch.hits[pair];
                float limit = source.hits[i].found() ? source.hits[i].t : kInfinity;
                if (!(hit.t < limit)) continue;
                source.hits[i] = {hit.t, hit.u, hit.v,
                                  source.tree.patches.first_primitive + batch.patch[pair]};
            }
        });
}

/// Adds a batch's pairs and iterations to the rays that they belong to.
void add_work(Stream& stream, const PairBatch& batch, View<const std::uint32_t> first,
              View<const std::uint32_t> count, View<SearchCounts> work) {
    parallel_for(
        stream, "work of rays", static_cast<std::uint32_t>(work.size), TL_LAMBDA(std::uint32_t i) {
            for (std::uint32_t k = 0; k < count[i]; ++k) {
                std::uint32_t pair = first[i] + k - batch.begin;  // wraps around before the batch
                if (pair >= batch.size) continue;
                ++work[i].n_tests;
                work[i].n_steps += batch.n_iterations[pair];
            }
        });
}

}  // namespace

void find_patch_boxes(Stream& stream, const PatchesView& patches, View<Box> boxes) {
    parallel_for(
        stream, "patch boxes", static_cast<std::uint32_t>(boxes.size), TL_LAMBDA(std::uint32_t i) {
            PatchPiece whole{i, 0, 0, 1, 1, 0, 1, 0};
            PatchPoints points;
            PatchWeights weights;
            boxes[i] =
                make_piece(patches.points[i], patches.weights ? patches.weights + i : nullptr,
                           whole, points, patches.weights ? &weights : nullptr);
        });
}

void find_picture_planes(Stream& stream, const CameraRays& camera, vec2 offset,
                         const PicturePlanes& planes) {
    glm::dvec3 corner(camera.corner), step_x(camera.step_x), step_y(camera.step_y);
    glm::dvec2 shift(offset);
    auto n_columns = static_cast<std::uint32_t>(planes.columns.size);
    parallel_for(
        stream, "planes", n_columns + static_cast<std::uint32_t>(planes.rows.size),
        TL_LAMBDA(std::uint32_t i) {
            if (i < n_columns)
                planes.columns[i] =
                    glm::normalize(glm::cross(step_y, corner + (double(i) + shift.x) * step_x));
            else
                planes.rows[i - n_columns] = glm::normalize(
                    glm::cross(corner + (double(i - n_columns) + shift.y) * step_y, step_x));
        });
}

void intersect_by_kajiya(Scratch& scratch, StageTimer& timer, const PatchTree& tree,
                         const KajiyaRays& job, bool only_real, std::size_t memory,
                         View<KajiyaCounts> counts) {
    auto& stream = scratch.stream();
    Scratch::Scope scope(scratch);
    auto n = static_cast<std::uint32_t>(job.rays.size);
    auto count = scratch.take<std::uint32_t>(n), first = scratch.take<std::uint32_t>(n);
    PairSource source{tree, job.rays, job.hits, job.picture ? *job.picture : PicturePlanes{},
                      scratch.take<float>(n)};
    {
        StageTimer::Scope stage(timer, kTraverse.of(job.kind));
        parallel_for(
            stream, "traverse", n,
            TL_LAMBDA(std::uint32_t i) {
                source.limits[i] = minimum(source.rays[i].t_max, source.hits[i].t);
                count[i] = source.list(i, {source.tree.order, i, 0, 0, 0, {}, {}});
            },
            kStageGrain);
    }
    std::uint32_t total = 0;
    {
        StageTimer::Scope stage(timer, kScan.of(job.kind));
        exclusive_scan<std::uint32_t>(scratch, count, first);
        auto sum = scratch.take<std::uint32_t>(1);
        exclusive_scan_tail<std::uint32_t>(stream, count, first, sum);
        stream.device().download(stream, &total, sum.data, sizeof total);
    }
    if (total == 0) return;
    if (job.in_detail) {
        StageTimer::Scope stage(timer, kCompare);
        count_rays_with_pairs(scratch, count, counts);
    }
    std::size_t room = std::max<std::size_t>(memory / PairBatch::kBytes, 1);
    PairBatch batch(scratch, static_cast<std::uint32_t>(std::min<std::size_t>(total, room)));
    for (std::uint32_t begin = 0; begin < total; begin += batch.size) {
        batch.begin = begin;
        batch.size = std::min(batch.capacity, total - begin);
        PairBatch b = batch;
        {
            StageTimer::Scope stage(timer, kRearrange.of(job.kind));
            parallel_for(
                stream, "rearrange", n,
                TL_LAMBDA(std::uint32_t i) {
                    std::uint32_t end = b.begin + b.size;
                    if (count[i] == 0 || first[i] + count[i] <= b.begin || first[i] >= end) return;
                    source.list(i, {source.tree.order, i, first[i], b.begin, end, b.ray, b.patch});
                },
                kStageGrain);
        }
        if (only_real)
            find_roots<true>(scratch, timer, job.kind, source, b, counts);
        else
            find_roots<false>(scratch, timer, job.kind, source, b, counts);
        {
            StageTimer::Scope stage(timer, kGcd.of(job.kind));
            parallel_for(
                stream, "gcd", b.size, TL_LAMBDA(std::uint32_t i) { source.gcd(b, i); },
                kStageGrain);
        }
        {
            StageTimer::Scope stage(timer, kPoints.of(job.kind));
            parallel_for(
                stream, "3D points", b.size,
                TL_LAMBDA(std::uint32_t i) { b.hits[i] = source.point(b, i); }, kStageGrain);
            keep_nearest(stream, source, b, first, count);
        }
        if (!job.work.empty()) add_work(stream, b, first, count, job.work);
        if (job.in_detail && !only_real) {
            StageTimer::Scope stage(timer, kCompare);
            count_real_roots(scratch, source, b, counts);
        }
    }
}

TL_DEVICE_END
