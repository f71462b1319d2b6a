// Importance sampling of photon emission, learned from the photons that arrive. Guided numbers have
// the stated density, and most of them go where photons were counted. Numbers stay unguided where
// many photons arrive anyway.
#include <cmath>

#include "core/device/atomics.h"
#include "core/device/parallel_for.h"
#include "renderer/photon/trace/photon_guide.h"
#include "renderer/shading/sampler.h"
#include "tests/device_test.h"

namespace tl::TL_DEVICE_NAME {
namespace {

/// Numbers drawn in a pass.
constexpr std::uint32_t kNumbers = 1u << 17;

struct Moved {
    EmissionNumbers numbers;
    float weight;
};

/// Warps random numbers by the guide, source 0 being the only one.
std::vector<Moved> moved_by(Stream& stream, const PhotonGuide& guide, std::uint32_t seed) {
    DeviceArray<Moved> moved(stream, kNumbers);
    auto to = moved.view();
    PhotonGuide given = guide;
    parallel_for(
        stream, "move numbers", kNumbers, TL_LAMBDA(std::uint32_t i) {
            auto number = [&](std::uint32_t k) {
                return to_unit_float(hash_bits(hash_bits(i + seed * kNumbers) + k));
            };
            Moved m{
                {{number(0), number(1)}, {number(2), number(3)}, {number(4), number(5)}, number(6)},
                0};
            given.move_source(m.numbers);
            m.weight = given.move_ray(0, {}, m.numbers);
            to[i] = m;
        });
    return moved.download(stream);
}

/// Whether a photon that was emitted with these numbers arrives: on a face, through a small window,
/// in a cone.
bool arrives(const EmissionNumbers& n) {
    return n.source.y > 0.25f && n.source.y < 0.8f && std::abs(n.place.x - 0.3f) < 0.08f &&
           std::abs(n.place.y - 0.6f) < 0.05f && glm::length(n.direction - vec2(0.7f)) < 0.3f;
}
double share_that_arrives() {
    return 0.55 * 0.16 * 0.1 * double(kPi) * 0.09;
}

/// Records the numbers of photons that arrive, as trace_photons does.
void learn(Stream& stream, LearnedGuide& guide, std::uint32_t seed,
           bool (*found)(const EmissionNumbers&)) {
    auto moved = moved_by(stream, guide.guide(), seed);
    GuideRecord record = guide.record(stream, 1);
    std::vector<Moved> arrived;
    for (const Moved& m : moved)
        if (found(m.numbers)) arrived.push_back(m);
    DeviceArray<Moved> counted(stream, std::span<const Moved>(arrived));
    auto from = counted.view();
    parallel_for(
        stream, "count numbers", static_cast<std::uint32_t>(arrived.size()),
        TL_LAMBDA(std::uint32_t i) {
            auto parts = static_cast<std::uint32_t>(from[i].weight * GuideRecord::kOne + 0.5f);
            atomic_add(&record.counts->source.at(from[i].numbers.source), parts);
            atomic_add(&record.counts->direction[0].at(from[i].numbers.direction), parts);
            atomic_add(&record.counts->place[0].at(from[i].numbers.place), parts);
        });
    guide.learn(stream, kNumbers, 1);
    stream.synchronize();
}

}  // namespace
}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(PhotonGuide, KnowsWhereFewArriveAndSendsMostThere) {
    LearnedGuide guide;
    EXPECT_FALSE(guide.has_learned());
    double before = 0;
    for (std::uint32_t pass = 0; pass < 4; ++pass) {
        learn(stream, guide, pass, arrives);
        auto moved = moved_by(stream, guide.guide(), 100 + pass);
        double weights = 0, arrived = 0, n = 0;
        for (const Moved& m : moved) {
            for (vec2 pair : {m.numbers.source, m.numbers.place, m.numbers.direction}) {
                ASSERT_TRUE(pair.x >= 0 && pair.x < 1 && pair.y >= 0 && pair.y < 1);
            }
            ASSERT_GT(m.weight, 0);
            ASSERT_LE(m.weight, 5.001f) << "a fifth is sent everywhere";
            weights += double(m.weight);
            if (!arrives(m.numbers)) continue;
            arrived += double(m.weight);
            ++n;
        }
        // Weights are 1 / density. Their mean over all numbers is the volume of the unit cube, and
        // over a region that region's volume.
        EXPECT_NEAR(weights / kNumbers, 1, 0.02) << "pass " << pass;
        EXPECT_NEAR(arrived / kNumbers / share_that_arrives(), 1, 0.1) << "pass " << pass;
        EXPECT_GT(n / kNumbers, pass == 0 ? 0.1 : 0.35) << "pass " << pass;
        EXPECT_GT(n, before) << "what it has learned stays";
        before = n * 0.95;
    }
}

TL_DEVICE_TEST(PhotonGuide, LeavesNumbersAloneWhereManyArrive) {
    LearnedGuide guide;
    auto half = [](const EmissionNumbers& n) { return n.place.x < 0.5f; };
    learn(stream, guide, 0, half);
    EXPECT_TRUE(guide.has_learned());
    for (const Moved& m : moved_by(stream, guide.guide(), 7)) ASSERT_EQ(m.weight, 1);
    guide.forget();
    EXPECT_FALSE(guide.has_learned());
    learn(stream, guide, 1, arrives);
    float least = 1;
    for (const Moved& m : moved_by(stream, guide.guide(), 7)) least = std::min(least, m.weight);
    EXPECT_LT(least, 0.01f) << "what was forgotten does not count";
}
