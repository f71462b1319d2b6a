// Radiosity between all pairs of points (mode `direct`), with one visibility bit per pair. The
// reference for the other modes.
#include <bit>

#include "core/base/bits.h"
#include "core/device/block.h"
#include "core/device/stage_timer.h"
#include "core/operators/operators.h"
#include "renderer/radiosity/transport/light_transport.h"
#include "renderer/radiosity/transport/packed_transmittance.h"
#include "renderer/radiosity/transport/pair_visibility.h"
#include "renderer/radiosity/transport/point_kernel.h"
#include "renderer/radiosity/transport/transmittance.h"

TL_DEVICE_BEGIN

namespace {

constexpr std::uint32_t kMostDirectPoints = 100'000;
constexpr std::uint32_t kWordBits = 32;

/// Visibility bits of all pairs. Bit k of word w of point i: whether it exchanges light with point
/// 32 w + k. Word w of all points is contiguous, as neighbouring threads read it.
struct PairBits {
    View<std::uint32_t> words;
    std::uint32_t n;  ///< number of points

    [[nodiscard]] TL_D std::uint32_t& word(std::uint32_t w, std::uint32_t i) const {
        return words[std::size_t(w) * n + i];
    }
    TL_D void set(std::uint32_t i, std::uint32_t j) const {
        atomic_or(&word(j / kWordBits, i), 1u << j % kWordBits);
    }
};

/// Tests the visibility between a point and up to kPartners points of higher index.
template <class Visibility>
struct FindPairs {
    static constexpr std::uint32_t kPartners = 1024;

    Visibility visibility;
    View<const Surfel> points;
    PairBits bits;
    View<std::uint32_t> n_rays;  ///< of each point

    TL_D void operator()(std::uint32_t item) const {
        auto n = static_cast<std::uint32_t>(points.size);
        std::uint32_t i = item % n, first = item / n * kPartners;
        std::uint32_t end = first + kPartners < n ? first + kPartners : n;
        Surfel own = load_vectorized(points[i]);
        std::uint32_t rays = 0;
        for (std::uint32_t j = first > i ? first : i + 1; j < end; ++j) {
            if (!(point_kernel(own, load_vectorized(points[j])) > 0)) continue;
            ++rays;
            if (!visibility.sees(i, j)) continue;
            bits.set(i, j);
            bits.set(j, i);
        }
        if (rays > 0) atomic_add(&n_rays[i], rays);
    }
};

template <class Visibility>
void find_pairs(Stream& stream, const FindPairs<Visibility>& find) {
    auto n = static_cast<std::uint32_t>(find.points.size);
    std::uint32_t n_parts = (n + find.kPartners - 1) / find.kPartners;
    parallel_for<Visibility::kResidentBlocks>(
        stream, "pairs", n * n_parts, TL_LAMBDA(std::uint32_t item) { find(item); }, 16);
}

/// The transmittances between a point and those points of a word that it exchanges light with.
template <class Tracer>
struct FindPairTransmittance {
    Tracer tracer;
    SceneView scene;
    DiffusePointsView points;
    PairBits bits;
    View<PackedTransmittance> out;  ///< pair (i, j) at n j + i

    TL_D void operator()(std::uint32_t item) const {
        std::uint32_t i = item % bits.n, w = item / bits.n;
        for (std::uint32_t word = bits.word(w, i); word; word &= word - 1) {
            std::uint32_t j = w * kWordBits + static_cast<std::uint32_t>(lowest_bit(word));
            if (j < i) continue;  // found with i and j exchanged
            PackedTransmittance found(
                cross(tracer, scene, points.starts[i], Media{points.media[i]}, points.starts[j])
                    .transmittance);
            out[std::size_t(j) * bits.n + i] = found;
            out[std::size_t(i) * bits.n + j] = found;
        }
    }
};

/// Sums the irradiance of a block of points over all sources, word by word in shared memory.
struct SumPairs {
    static constexpr int kThreads = 128;
    struct Shared {
        Surfel points[kWordBits];
        vec3 powers[kWordBits];
    };
    View<const Surfel> points;
    PairBits bits;
    View<const PackedTransmittance> transmittance;  ///< pair (i, j) at n j + i; empty: 1
    View<const vec3> radiosity;
    View<vec3> irradiance;

    TL_D void operator()(const Block<kThreads>& block, Shared& shared) const {
        constexpr auto kOwn = kThreads / static_cast<int>(Block<kThreads>::size);
        auto n = static_cast<std::uint32_t>(points.size);
        std::uint32_t first = block.index * kThreads + block.rank;
        vec3 sums[kOwn];
        for (vec3& sum : sums) sum = vec3(0);
        for (std::uint32_t w = 0; w * kWordBits < n; ++w) {
            block.sync();
            for (std::uint32_t k = block.rank; k < kWordBits; k += block.size) {
                std::uint32_t j = w * kWordBits + k;
                if (j >= n) break;
                shared.points[k] = points[j];
                shared.powers[k] = points[j].area * radiosity[j];
            }
            block.sync();
            for (int own = 0; own < kOwn; ++own) {
                std::uint32_t i = first + static_cast<std::uint32_t>(own) * block.size;
                if (i >= n) break;
                std::uint32_t word = bits.word(w, i);
                if (word) sums[own] += of_word(points[i], word, shared, w, i);
            }
        }
        for (int own = 0; own < kOwn; ++own) {
            std::uint32_t i = first + static_cast<std::uint32_t>(own) * block.size;
            if (i < n) irradiance[i] = sums[own];
        }
    }
    /// Irradiance of point i by the points of word w whose bits are set in `word`.
    [[nodiscard]] TL_D vec3 of_word(const Surfel& own, std::uint32_t word, const Shared& shared,
                                    std::uint32_t w, std::uint32_t i) const {
        vec3 sum(0);
        for (; word; word &= word - 1) {
            int k = lowest_bit(word);
            vec3 light = point_kernel(shared.points[k], own) * shared.powers[k];
            if (!transmittance.empty()) {
                std::size_t j = w * kWordBits + static_cast<std::uint32_t>(k);
                light *= transmittance[j * points.size + i].unpacked();
            }
            sum += light;
        }
        return sum;
    }
};

class DirectTransport final : public LightTransport {
  public:
    void link(Scratch& scratch, StageTimer& timer, const DiffusePointsView& points,
              const OctreeHeader&, const SceneView& scene, std::span<const ScenePart>,
              const RadiosityConfig& config) override {
        auto& stream = scratch.stream();
        n_ = static_cast<std::uint32_t>(points.starts.size);
        if (n_ > kMostDirectPoints)
            throw UserError(
                "radiosity: mode direct takes at most " + std::to_string(kMostDirectPoints) +
                " points, and there are " + std::to_string(n_) +
                " sides of surfaces that light reaches: take fewer points, or mode fmm");
        if (n_ == 0) return;
        std::size_t n_words = std::size_t{(n_ + kWordBits - 1) / kWordBits} * n_;
        if (n_words > words_.capacity())
            require_memory(stream.device(), n_words * sizeof(std::uint32_t),
                           "radiosity: a bit for each pair of points",
                           "take fewer points, or mode fmm");
        words_.resize_discard(stream, n_words);
        words_.fill_zero(stream);
        n_rays_.resize_discard(stream, n_);
        n_rays_.fill_zero(stream);
        StageTimer::Scope stage(timer, "pairs that see each other");
        View<const Surfel> surfels = points.tree.points;
        visit_visibility(config.visibility, points, scene, largest_area(scratch, surfels),
                         [&](const auto& visibility) {
                             using Visibility = std::remove_cvref_t<decltype(visibility)>;
                             find_pairs(stream, FindPairs<Visibility>{visibility, surfels, bits(),
                                                                      n_rays_.view()});
                         });
        work_ = {};
        if (config.visibility != PointVisibility::none)
            for (std::uint32_t n : n_rays_.download(stream)) work_.rays += n;
        for (std::uint32_t word : words_.download(stream))
            work_.terms += static_cast<std::uint64_t>(std::popcount(word));
        find_transmittance(stream, points, scene);
    }

    void gather(Scratch& scratch, StageTimer&, const DiffusePointsView& points,
                View<const vec3> radiosity, View<vec3> irradiance,
                LightThroughGlass glass) override {
        View<const PackedTransmittance> transmittance;
        if (glass == LightThroughGlass::attenuated) transmittance = transmittance_.view();
        constexpr std::uint32_t kThreads = SumPairs::kThreads;
        launch_blocks<SumPairs::kThreads, SumPairs::Shared>(
            scratch.stream(), "sum over pairs", (n_ + kThreads - 1) / kThreads,
            SumPairs{points.tree.points, bits(), transmittance, radiosity, irradiance});
    }

    void find_visibilities(Stream& stream, const DiffusePointsView&,
                           View<const std::uint32_t> targets, View<float> weights) override {
        PairBits bits = this->bits();
        std::uint32_t n = n_;
        parallel_for(
            stream, "weights of pairs", static_cast<std::uint32_t>(targets.size),
            TL_LAMBDA(std::uint32_t t) {
                for (std::uint32_t j = 0; j < n; ++j) {
                    std::uint32_t word = bits.word(j / kWordBits, targets[t]);
                    weights[std::size_t(t) * n + j] = word >> j % kWordBits & 1u ? 1.0f : 0.0f;
                }
            },
            1);
    }

    std::vector<FrameCount> counts() override {
        return {{"pairs of points", std::uint64_t{n_} * n_, 0},
                {"pairs that exchange light", work_.terms, 0},
                {"visibility rays", work_.rays, 0}};
    }
    std::vector<LinkLevel> levels() const override { return {}; }
    TransportWork work() const override { return work_; }
    std::optional<GroupLinks> links_of(Scratch&, const DiffusePointsView&, std::uint32_t, int,
                                       bool) override {
        return {};
    }
    [[nodiscard]] std::size_t bytes() const override {
        return words_.bytes() + transmittance_.bytes() + n_rays_.bytes();
    }

  private:
    void find_transmittance(Stream& stream, const DiffusePointsView& points,
                            const SceneView& scene) {
        std::size_t n_pairs = points.media.empty() ? 0 : std::size_t{n_} * n_;
        if (n_pairs > transmittance_.capacity())
            require_memory(stream.device(), n_pairs * sizeof(PackedTransmittance),
                           "radiosity: the transmittance between all pairs of points",
                           "take fewer points, or mode fmm");
        transmittance_.resize_discard(stream, n_pairs);
        if (n_pairs == 0) return;
        visit_any_tracer(scene.tree, [&](auto tracer) {
            using Tracer = decltype(tracer);
            const FindPairTransmittance<Tracer> find{tracer, seen_by<Tracer>(scene), points, bits(),
                                                     transmittance_.view()};
            parallel_for(stream, "transmittance of pairs",
                         static_cast<std::uint32_t>(words_.size()), find, 32);
        });
    }
    [[nodiscard]] PairBits bits() { return {words_.view(), n_}; }

    DeviceArray<std::uint32_t> words_;
    DeviceArray<PackedTransmittance> transmittance_;  ///< pair (i, j) at n j + i
    DeviceArray<std::uint32_t> n_rays_;
    std::uint32_t n_ = 0;
    TransportWork work_;
};

}  // namespace

float largest_area(Scratch& scratch, View<const Surfel> points) {
    auto& stream = scratch.stream();
    Scratch::Scope scope(scratch);
    auto areas = scratch.take<float>(points.size), most = scratch.take<float>(1);
    parallel_for(
        stream, "areas", static_cast<std::uint32_t>(points.size),
        TL_LAMBDA(std::uint32_t i) { areas[i] = points[i].area; });
    reduce<float>(scratch, areas, most, Operator::maximum);
    float area = 0;
    stream.device().download(stream, &area, most.data, sizeof area);
    return area;
}

std::unique_ptr<LightTransport> make_all_pairs_transport() {
    return std::make_unique<DirectTransport>();
}

TL_DEVICE_END
