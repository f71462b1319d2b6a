// Irradiance estimates by the renderer's own code. Photons that are uniformly random in a plane
// give an unbiased estimate; the search by histograms finds as many as it should.
#include <random>

#include "renderer/photon/thesis/photon_estimate.h"
#include "tests/device_test.h"
#include "tests/long_test.h"
#include "tests/sanitized.h"

namespace tl::TL_DEVICE_NAME {
namespace {

std::vector<Photon> photons_in_plane(std::size_t n, float size, unsigned seed) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<float> uniform(-size / 2, size / 2);
    std::vector<Photon> photons(n);
    for (auto& photon : photons) {
        photon.position = {uniform(engine), 0.5f, uniform(engine)};
        photon.direction = 0;
        photon.power = vec3(1, 2, 3);
        photon.surface = Photon::surface_of({0, 1, 0}, 2, false);
    }
    return photons;
}

}  // namespace
}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(PhotonEstimate, PhotonsOfAPlaneTellTheirDensityWithoutBias) {
    TL_LONG_TEST();
    constexpr unsigned kSeed = 7;
    constexpr float kReach = test::kSanitized ? 0.2f : 0.05f;
    SCOPED_TRACE("seed " + std::to_string(kSeed));
    // Plane of 2 m; query points are chosen within 1.6 m, away from its edges.
    std::size_t n = test::kSanitized ? 20'000 : 400'000;
    std::size_t n_places = test::kSanitized ? 500 : 40'000;
    auto host = photons_in_plane(n, 2, kSeed), places = photons_in_plane(n_places, 1.6f, kSeed + 1);
    DeviceArray<Photon> photons(stream, std::span<const Photon>(host));
    auto n_32 = static_cast<std::uint32_t>(n), n_places_32 = static_cast<std::uint32_t>(n_places);
    DeviceArray<std::uint32_t> count(stream, std::span<const std::uint32_t>(&n_32, 1));
    DeviceArray<std::uint32_t> n_at(stream, std::span<const std::uint32_t>(&n_places_32, 1));
    PhotonTree tree;
    tree.build(scratch, photons.view(), count.data());
    double density = double(n) / 4;
    for (int k : {10, 50, 120}) {
        std::vector<Photon> by_list;
        for (PhotonSearch search : {PhotonSearch::nearest, PhotonSearch::histogram}) {
            DeviceArray<Photon> at(stream, std::span<const Photon>(places));
            estimate_irradiance(scratch, tree.view(), {search, k, kReach, 64}, {}, at.view(),
                                n_at.data());
            auto found = at.download(stream);
            if (by_list.empty()) by_list = found;
            double sum = 0, area = 0;
            std::size_t n_other = 0;
            for (std::size_t i = 0; i < n_places; ++i) {
                sum += double(found[i].power.y) / double(n_places);
                area += kPi * double(float_of_bits(found[i].direction)) / double(n_places);
                if (found[i].direction != by_list[i].direction) ++n_other;
            }
            std::string what =
                std::to_string(k) + (search == PhotonSearch::nearest ? " nearest" : " histogram");
            EXPECT_NEAR(sum / (2 * density), 1, test::kSanitized ? 0.1 : 0.003) << what;
            // On average, the search area is the one that holds k photons.
            EXPECT_NEAR(area * density / k, 1, test::kSanitized ? 0.1 : 0.005) << what;
            // Photons at the same distance, to the last bit, may be counted or not.
            EXPECT_LE(n_other, n_places / 1000 + 2) << what;
        }
    }
}
