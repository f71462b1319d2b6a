// Radius of photons by their local density, and the two tables of the grid: each photon is found
// within its own radius.
#include <algorithm>
#include <cmath>
#include <random>

#include "core/device/team.h"
#include "renderer/photon/gather/gather_kernels.h"
#include "renderer/photon/gather/radius_by_density.h"
#include "renderer/photon/photon_config.h"
#include "tests/device_test.h"

namespace tl::TL_DEVICE_NAME {
namespace {

/// Photons on the plane y = 0: caustics evenly on a disc of radius `caustic`, others on one of
/// radius 1.
std::vector<Photon> photons_on_discs(std::size_t n_caustic, float caustic, std::size_t n_other) {
    std::mt19937 engine(3);
    std::uniform_real_distribution<float> uniform(0, 1);
    std::vector<Photon> photons;
    for (std::size_t i = 0; i < n_caustic + n_other; ++i) {
        bool is_caustic = i < n_caustic;
        float r = (is_caustic ? caustic : 1) * std::sqrt(uniform(engine));
        float angle = 2 * kPi * uniform(engine);
        photons.push_back({{r * std::cos(angle), 0, r * std::sin(angle)},
                           pack_direction<16>({0, -1, 0}),
                           vec3(1),
                           Photon::surface_of({0, 1, 0}, 2, is_caustic)});
    }
    return photons;
}

/// A list on the device, in a random order.
struct Listed {
    DeviceArray<Photon> photons;
    DeviceArray<std::uint32_t> ids, count;
    std::uint32_t n;

    Listed(Stream& stream, const std::vector<Photon>& given, unsigned order)
        : n(static_cast<std::uint32_t>(given.size())) {
        std::vector<std::uint32_t> shuffled(n);
        for (std::uint32_t i = 0; i < n; ++i) shuffled[i] = i;
        std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(order));
        std::vector<Photon> listed;
        for (std::uint32_t i : shuffled) listed.push_back(given[i]);
        photons.assign(stream, std::span<const Photon>(listed));
        ids.assign(stream, std::span<const std::uint32_t>(shuffled));
        count.assign(stream, std::span<const std::uint32_t>(&n, 1));
    }
    [[nodiscard]] PhotonList list() { return {photons.view(), ids.view(), count.data()}; }
};

constexpr float kUsual = PhotonConfig::kCausticShare;

float ratio_found(Scratch& scratch, const std::vector<Photon>& photons, float radius,
                  unsigned order = 1, bool caustics = true) {
    Listed listed(scratch.stream(), photons, order);
    RadiusByDensity found;
    found.find(scratch, listed.list(), listed.n, caustics, radius, caustics ? kUsual : 1);
    float ratio = 0;
    scratch.stream().device().download(scratch.stream(), &ratio, found.ratio(), sizeof ratio);
    return ratio;
}

}  // namespace
}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(RadiusByDensity, HoldsAHundredAndFiftyPhotonsWhereTheyLieEvenly) {
    constexpr float kRadius = 0.5f, kDisc = 0.4f;
    for (std::size_t n : {2'000u, 20'000u, 200'000u}) {
        auto photons = photons_on_discs(n, kDisc, 10'000);
        float expected = kDisc * std::sqrt(150.0f / static_cast<float>(n)) / kRadius;
        float ratio = ratio_found(scratch, photons, kRadius);
        EXPECT_NEAR(ratio / expected, 1, 0.1) << n << " photons";
        EXPECT_EQ(ratio, ratio_found(scratch, photons, kRadius, 2)) << "the order does not matter";
        EXPECT_NEAR(ratio_found(scratch, photons, 1, 1, false) / std::sqrt(150.0f / 10'000), 1, 0.1)
            << "of the others";
    }
}

TL_DEVICE_TEST(RadiusByDensity, IsHalfOfTheOthersAtMost) {
    EXPECT_EQ(ratio_found(scratch, photons_on_discs(0, 1, 0), 0.1f), kUsual) << "no photons";
    EXPECT_EQ(ratio_found(scratch, photons_on_discs(0, 1, 5'000), 0.1f), kUsual) << "no caustics";
    EXPECT_EQ(ratio_found(scratch, photons_on_discs(30, 1, 0), 0.1f), kUsual) << "too few";
    EXPECT_EQ(ratio_found(scratch, photons_on_discs(5'000, 1, 0), 0.1f), kUsual) << "far apart";
    EXPECT_GE(ratio_found(scratch, photons_on_discs(5'000, 0, 0), 0.1f), 0.02f) << "in one place";
}

TL_DEVICE_TEST(PhotonGrid, FindsCausticsAndOthersWithinTheRadiusOfEach) {
    constexpr float kRadius = 0.11f, kIndirectShare = 0.8f, kShare = 0.24f;
    for (auto [n_caustic, n_other] :
         {std::pair{3'000u, 3'000u}, std::pair{3'000u, 0u}, std::pair{0u, 3'000u}}) {
        auto photons = photons_on_discs(n_caustic, 0.7f, n_other);
        Listed listed(stream, photons, 1);
        RadiusByDensity indirect, caustic;
        indirect.set(stream, kIndirectShare);
        caustic.set(stream, kShare);
        PhotonGrid grid;
        grid.build(scratch, listed.list(), {listed.n, listed.n, listed.n}, kRadius / kIndirectShare,
                   {indirect.ratio(), caustic.ratio()});
        const NearPhotons near{grid.view(), grid.caustic_view(), 12};
        constexpr std::uint32_t kPlaces = 200;
        std::vector<vec3> places;
        for (std::uint32_t i = 0; i < kPlaces; ++i)
            places.push_back(photons[i * 7 % photons.size()].position + vec3(0.01f, 0, 0));
        DeviceArray<vec3> at(stream, std::span<const vec3>(places));
        DeviceArray<std::uint32_t> found(stream, kPlaces), wide(stream, kPlaces);
        auto given = at.view();
        auto n_found = found.view(), n_wide = wide.view();
        for_each_team(
            stream, "near photons", kPlaces, TL_LAMBDA(const Team& team, std::uint32_t i) {
                std::uint32_t n = 0, m = 0;
                near.for_each(team, given[i], vec3(0, 1, 0), 0,
                              [&](std::uint32_t, vec3, std::uint32_t, float, float) { ++n; });
                near.for_each_within(
                    team, 3 * kRadius / kIndirectShare, given[i], vec3(0, 1, 0), 0,
                    [&](std::uint32_t, vec3, std::uint32_t, float, float) { ++m; });
                n = team.sum(n);
                m = team.sum(m);
                if (Team::rank() != 0) return;
                n_found[i] = n;
                n_wide[i] = m;
            });
        auto counts = found.download(stream), wide_counts = wide.download(stream);
        for (std::uint32_t i = 0; i < kPlaces; ++i) {
            std::uint32_t expected = 0, expected_wide = 0;
            for (const Photon& photon : photons) {
                float reach = Photon::is_caustic(photon.surface) ? kShare / kIndirectShare * kRadius
                                                                 : kRadius;
                float distance = glm::length(photon.position - places[i]);
                if (distance < reach) ++expected;
                if (distance < 3 * reach) ++expected_wide;
            }
            ASSERT_NEAR(counts[i], expected, 1) << "place " << i;
            ASSERT_NEAR(wide_counts[i], expected_wide, 1) << "place " << i;
        }
    }
}

namespace tl::TL_DEVICE_NAME {
namespace {

/// Counts the photons around a gather point; teams leave points with many candidates to wide teams.
struct CountNear {
    NearPhotons near;
    View<const vec3> places;
    View<std::uint32_t> counts, n_calls;

    template <class AnyTeam>
    TL_D bool operator()(const AnyTeam& team, std::uint32_t i) const {
        std::uint32_t n = 0;
        auto use = [&](std::uint32_t, vec3, std::uint32_t, float, float) { ++n; };
        if (AnyTeam::rank() == 0) ++n_calls[i];
        if (!near.for_each(team, places[i], vec3(0, 1, 0), 0, use, kMostCandidates<AnyTeam>))
            return false;
        n = team.sum(n);
        if (AnyTeam::rank() == 0) counts[i] = n;
        return true;
    }
};

/// The same at every second gather point, from the `first` on.
struct CountEvery {
    CountNear count;
    std::uint32_t first;

    template <class AnyTeam>
    TL_D bool operator()(const AnyTeam& team, std::uint32_t i) const {
        return count(team, 2 * i + first);
    }
};

}  // namespace
}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(PhotonGather, WideTeamsTakeTheDensePlaces) {
    constexpr float kRadius = 0.1f;
    constexpr std::uint32_t kPhotons = 60'000, kPlaces = 300;
    auto photons = photons_on_discs(0, 1, kPhotons);
    // Every second photon lies in the same small disc.
    for (std::uint32_t i = 0; i < kPhotons; i += 2) photons[i].position *= 0.01f;
    Listed listed(stream, photons, 1);
    RadiusByDensity indirect, caustic;
    indirect.set(stream, 1);
    caustic.set(stream, 1);
    PhotonGrid grid;
    grid.build(scratch, listed.list(), {listed.n, listed.n, listed.n}, kRadius,
               {indirect.ratio(), caustic.ratio()});
    std::vector<vec3> places;
    for (std::uint32_t i = 0; i < kPlaces; ++i) places.push_back(photons[i].position);
    DeviceArray<vec3> at(stream, std::span<const vec3>(places));
    DeviceArray<std::uint32_t> found(stream, kPlaces), calls(stream, kPlaces);
    DeviceArray<std::uint32_t> entries(stream, kPlaces);
    DeviceArray<WaveCounts> lengths(stream, 1);
    calls.fill_zero(stream);
    lengths.fill_zero(stream);
    // Even positions are taken as Lambertian points, odd ones as others.
    WaveCounts* n = lengths.data();
    std::uint32_t half = kPlaces / 2;
    stream.device().upload(stream, &n->n_lambertian, &half, sizeof half);
    stream.device().upload(stream, &n->n_others, &half, sizeof half);
    const CountNear count{
        {grid.view(), grid.caustic_view(), 12}, at.view(), found.view(), calls.view()};
    const CountEvery even{count, 0}, odd{count, 1};
    const DensePoints dense{entries.view(), &n->n_dense};
    for_each_gather_point(stream, &n->n_lambertian, kPlaces, even, dense.leave_lambertian());
    for_each_gather_point(stream, &n->n_others, kPlaces, odd, dense.leave_others());
    for_each_dense_point(stream, kPlaces, dense, even, odd);
    auto counts = found.download(stream), n_calls = calls.download(stream);
    bool leaves = stream.device().kind() == DeviceKind::cuda;
    std::uint32_t n_left = 0;
    for (std::uint32_t i = 0; i < kPlaces; ++i) {
        std::uint32_t expected = 0;
        for (const Photon& photon : photons)
            expected += glm::length(photon.position - places[i]) < kRadius ? 1 : 0;
        ASSERT_NEAR(counts[i], expected, 1) << "place " << i;
        n_left += n_calls[i] - 1;
        if (expected > kMostCandidates<Team>) {
            ASSERT_EQ(n_calls[i], leaves ? 2 : 1) << "place " << i;
        }
    }
    WaveCounts::Dense left = lengths.download(stream)[0].n_dense;
    EXPECT_EQ(left.lambertian + left.others, n_left);
    EXPECT_LT(n_left, kPlaces) << "there are places with few photons, too";
}

namespace tl::TL_DEVICE_NAME {
namespace {

/// Ellipse of these radii in the plane y = 0, rotated by `angle`: the footprint of a photon.
PhotonShape ellipse(float greater, float less, float angle) {
    vec3 along(std::cos(angle), 0, std::sin(angle)), across(-along.z, 0, along.x);
    return {along / greater, 2 / (kPi * greater * less), across / less, greater};
}

/// Sum of the kernels that contain each query point.
std::vector<float> kernels_at(Scratch& scratch, const std::vector<Photon>& photons,
                              const std::vector<PhotonShape>& shapes, float radius,
                              const std::vector<vec3>& places, unsigned order) {
    auto& stream = scratch.stream();
    Listed listed(stream, photons, order);
    std::vector<PhotonShape> shuffled;
    for (std::uint32_t id : listed.ids.download(stream)) shuffled.push_back(shapes[id]);
    DeviceArray<PhotonShape> shaped(stream, std::span<const PhotonShape>(shuffled));
    PhotonList list = listed.list();
    list.shapes = shaped.view();
    RadiusByDensity indirect, caustic;
    indirect.set(stream, 1);
    caustic.set(stream, kUsual);
    PhotonGrid grid;
    grid.build(scratch, list, {listed.n, listed.n, listed.n}, radius,
               {indirect.ratio(), caustic.ratio()});
    const NearPhotons near{grid.view(), grid.caustic_view(), 12};
    DeviceArray<vec3> at(stream, std::span<const vec3>(places));
    DeviceArray<float> sums(stream, places.size());
    auto given = at.view();
    auto found = sums.view();
    for_each_team(
        stream, "kernels of photons", static_cast<std::uint32_t>(places.size()),
        TL_LAMBDA(const Team& team, std::uint32_t i) {
            float sum = 0;
            near.for_each(
                team, given[i], vec3(0, 1, 0), 0,
                [&](std::uint32_t, vec3, std::uint32_t, float weight, float) { sum += weight; });
            sum = team.sum(sum);
            if (Team::rank() == 0) found[i] = sum;
        });
    return sums.download(stream);
}

}  // namespace
}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(PhotonGrid, FindsKernelsOfAllSizesThatReachAPlace) {
    // Radii from below the smallest table's to the largest are compared with a sum over all. A few
    // photons have no shape, and others are no caustics.
    constexpr float kRadius = 0.2f;
    constexpr std::uint32_t kCaustics = 2'000, kOthers = 500;
    auto photons = photons_on_discs(kCaustics, 1, kOthers);
    std::mt19937 engine(11);
    std::uniform_real_distribution<float> uniform(0, 1);
    std::vector<PhotonShape> shapes(photons.size());
    for (std::uint32_t i = 0; i < kCaustics; ++i) {
        float greater = kRadius * std::pow(2.0f, -9 * uniform(engine));
        if (i % 50 != 0)
            shapes[i] =
                ellipse(greater, greater * (0.1f + 0.9f * uniform(engine)), kPi * uniform(engine));
    }
    std::vector<vec3> places;
    for (std::uint32_t i = 0; i < 300; ++i) {
        // Inside a kernel of any size.
        const PhotonShape& shape = shapes[i * 7];
        float reach = shape.reach > 0 ? shape.reach : kUsual * kRadius;
        float angle = 2 * kPi * uniform(engine);
        places.push_back(photons[i * 7].position +
                         0.6f * reach * vec3(std::cos(angle), 0, std::sin(angle)));
    }
    auto found = kernels_at(scratch, photons, shapes, kRadius, places, 1);
    EXPECT_EQ(found, kernels_at(scratch, photons, shapes, kRadius, places, 2))
        << "the order of the list does not matter";
    for (std::size_t k = 0; k < places.size(); ++k) {
        double expected = 0;
        for (std::size_t i = 0; i < photons.size(); ++i) {
            vec3 offset = photons[i].position - places[k];
            PhotonShape shape = shapes[i];
            if (!(shape.reach > 0))
                shape = PhotonShape::disc({0, 1, 0}, i < kCaustics ? kUsual * kRadius : kRadius);
            double u = double(glm::dot(shape.u, offset)), v = double(glm::dot(shape.v, offset));
            expected += std::max(1 - u * u - v * v, 0.0) * double(shape.density);
        }
        // Tolerance: rounding of floats, for offsets that are small beside the coordinates.
        ASSERT_NEAR(double(found[k]) / expected, 1, 1e-3) << "place " << k;
    }
}
