// Energy balance of photons: the power of a source is absorbed by surfaces or escapes, for each
// number of hit surfaces and each colour. The power of a pass's photons is compared with closed
// formulas, without density estimation.
#include <algorithm>
#include <array>
#include <cmath>

#include "renderer/photon/trace/trace_photons.h"
#include "renderer/scene/live/live_scene.h"
#include "tests/device_test.h"
#include "tests/image/light_scenes.h"
#include "tests/long_test.h"
#include "tests/sanitized.h"

namespace tl::TL_DEVICE_NAME {
namespace {

/// Photons that leave the source in a pass.
constexpr std::uint32_t kEmitted = test::kSanitized ? 10'000 : 20'000;

/// The photons of one pass.
std::vector<Photon> photons_of(Scratch& scratch, LiveScene& live, std::uint32_t n,
                               std::uint32_t max_depth, LearnedGuide* guide, std::uint32_t pass,
                               SamplePattern pattern) {
    auto& stream = scratch.stream();
    const Box around{vec3(-5), vec3(5)};
    DeviceArray<Box> box(stream, std::span<const Box>(&around, 1));
    Scratch::Scope scope(scratch);
    std::uint32_t capacity = n * max_depth;
    DeviceArray<std::uint32_t> count(stream, 1);
    DeviceArray<Photon> photons(stream, capacity);
    DeviceArray<std::uint32_t> ids(stream, capacity);
    trace_photons(scratch, {live.view(), pattern, 7, pass, n, max_depth, box.data()},
                  {photons.view(), ids.view(), count.data()}, guide);
    auto stored = photons.download(stream);
    stored.resize(count.download(stream)[0]);
    return stored;
}

/// Mean power, W, of a pass's photons after 2, 3, ... hit surfaces, and its standard error, from
/// independent passes.
struct Books {
    static constexpr int kMost = 6;
    std::array<glm::dvec3, kMost + 1> power{}, error{};
    double n_stored = 0;

    Books(Scratch& scratch, const Scene& scene, bool guided,
          SamplePattern pattern = SamplePattern::random) {
        constexpr int kPasses = test::kSanitized ? 2 : 24;
        LiveScene live(scratch.stream(), std::make_shared<Scene>(scene));
        live.set_builder(make_tree_builder("hploc", scratch.stream().device()));
        StageTimer timer(scratch.stream());
        live.update(scratch, timer);
        std::array<glm::dvec3, kMost + 1> squares{};
        LearnedGuide learned;
        LearnedGuide* guide = guided ? &learned : nullptr;
        for (int pass = 0; pass < kPasses; ++pass) {
            std::array<glm::dvec3, kMost + 1> sums{};
            for (const Photon& photon :
                 photons_of(scratch, live, kEmitted, kMost, guide, std::uint32_t(pass), pattern)) {
                sums.at(Photon::n_met(photon.surface)) += glm::dvec3(photon.power);
                n_stored += 1.0 / kPasses;
            }
            for (std::size_t k = 0; k <= kMost; ++k) {
                power[k] += sums[k] / double(kPasses);
                squares[k] += sums[k] * sums[k] / double(kPasses);
            }
        }
        for (std::size_t k = 0; k <= kMost; ++k)
            error[k] = glm::sqrt(glm::max(squares[k] - power[k] * power[k], glm::dvec3(0)) /
                                 double(kPasses - 1));
    }
    /// Within three standard errors, and the rounding of sums.
    void expect(int met, glm::dvec3 expected, const char* what) const {
        constexpr double kSigmas = test::kSanitized ? 30 : 3;
        auto k = static_cast<std::size_t>(met);
        for (int c = 0; c < 3; ++c)
            EXPECT_NEAR(power[k][c], expected[c], kSigmas * error[k][c] + 1e-5 * expected[c])
                << what << ": after " << met << " surfaces, channel " << c;
    }
};

/// One of two devices that share passes, whose photons the other never gets.
class HalfOfPhotons final : public PhotonShare {
  public:
    explicit HalfOfPhotons(std::uint32_t index) : index_(index) {}
    std::uint32_t index() const override { return index_; }
    std::uint32_t count() const override { return 2; }
    bool begin_pass(Stream&, std::uint64_t key) override {
        this->key = key;
        return true;
    }
    void gather(Stream&, const std::vector<SharedList>& lists, std::uint32_t,
                std::uint32_t*) override {
        n_lists = lists.size();
    }
    void complete(Stream&, const SharedList&, std::uint32_t) override {}
    void add(Stream&, std::uint32_t*, std::size_t) override {}

    std::uint64_t key = 0;
    std::size_t n_lists = 0;

  private:
    std::uint32_t index_;
};

/// Sorted ids of the photons that a device stores in a pass.
std::vector<std::uint32_t> ids_of(Scratch& scratch, LiveScene& live, PhotonShare* share) {
    constexpr std::uint32_t kPhotons = 70'000, kDepth = 4;
    auto& stream = scratch.stream();
    const Box around{vec3(-5), vec3(5)};
    DeviceArray<Box> box(stream, std::span<const Box>(&around, 1));
    DeviceArray<std::uint32_t> count(stream, 1), ids(stream, kPhotons * kDepth);
    DeviceArray<Photon> photons(stream, kPhotons * kDepth);
    trace_photons(scratch, {live.view(), SamplePattern::sobol, 7, 0, kPhotons, kDepth, box.data()},
                  {photons.view(), ids.view(), count.data()}, nullptr, share);
    auto stored = ids.download(stream);
    stored.resize(count.download(stream)[0]);
    std::ranges::sort(stored);
    return stored;
}

const vec3 kAlbedo(0.3f, 0.5f, 0.8f), kIntensity(1, 2, 3);

/// Sphere of radius 1 seen from within, lit at its centre. Of its 2 x 90 x 180 fields, of two
/// triangles each, those down to `first_row` are left out.
Scene lit_sphere(int first_row) {
    Scene scene = *test::sphere_from_within(0);
    scene.materials[0].diffuse = kAlbedo;
    auto& mesh = scene.meshes[0];
    if (first_row > 0) {
        std::size_t n_gone = 360 * std::size_t(first_row) - 180;
        mesh.triangles.erase(mesh.triangles.begin(),
                             mesh.triangles.begin() + std::ptrdiff_t(n_gone));
        mesh.material_of_triangle.resize(mesh.triangles.size());
    }
    scene.lights = {test::point_light(vec3(0), 1)};
    scene.lights[0].radiance = kIntensity;
    return scene;
}

}  // namespace
}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(PhotonBooks, AClosedRoomKeepsWhatItsSurfacesReflect) {
    TL_LONG_TEST();
    // The power that hits the next surface is the albedo times the power that hit the one before.
    for (bool guided : {false, true})
        for (auto pattern : {SamplePattern::random, SamplePattern::sobol}) {
            Books books(scratch, lit_sphere(0), guided, pattern);
            glm::dvec3 left = 4 * double(kPi) * glm::dvec3(kIntensity);
            books.expect(1, glm::dvec3(0), "direct light is no photon's");
            for (int met = 2; met <= Books::kMost; ++met)
                books.expect(met, left *= glm::dvec3(kAlbedo), guided ? "guided" : "everywhere");
        }
}

TL_DEVICE_TEST(PhotonBooks, WhatIsNeitherStoredNorAbsorbedEscapesThroughTheHole) {
    // All points of a sphere have equal form factors: a hole of the fraction f of its area lets out
    // the fraction f of the light that each surface reflects.
    constexpr int kRows = 30;
    Books books(scratch, lit_sphere(kRows), false);
    double hole = (1 - std::cos(double(kPi) * kRows / 90)) / 2;
    glm::dvec3 emitted = 4 * double(kPi) * glm::dvec3(kIntensity), met = emitted * (1 - hole);
    glm::dvec3 absorbed = met * (1.0 - glm::dvec3(kAlbedo)), escaped = emitted * hole;
    for (int k = 2; k <= Books::kMost; ++k) {
        escaped += met * glm::dvec3(kAlbedo) * hole;
        met *= glm::dvec3(kAlbedo) * (1 - hole);
        books.expect(k, met, "a sphere with a hole");
        absorbed += books.power[std::size_t(k)] * (1.0 - glm::dvec3(kAlbedo));
    }
    // The last traced surface reflects power that is not followed further.
    glm::dvec3 left = met * glm::dvec3(kAlbedo);
    for (int c = 0; c < 3; ++c)
        EXPECT_NEAR((absorbed[c] + escaped[c] + left[c]) / emitted[c], 1,
                    test::kSanitized ? 0.05 : 0.003);
}

TL_DEVICE_TEST(PhotonBooks, RouletteKeepsThePowerOfThoseThatGoOn) {
    // One albedo for all colours is the fraction of photons that survive each surface. Survivors
    // keep the power with which they were emitted.
    Scene scene = lit_sphere(0);
    scene.materials[0].diffuse = vec3(0.5f);
    Books books(scratch, scene, false);
    // 1/2 + 1/4 + ... + 1/32
    EXPECT_NEAR(books.n_stored / (kEmitted * 31 / 32), 1, test::kSanitized ? 0.1 : 0.005);
    glm::dvec3 mean(0);
    for (auto& power : books.power) mean += power / books.n_stored;
    for (int c = 0; c < 3; ++c)
        EXPECT_NEAR(mean[c] * kEmitted / (4 * double(kPi) * double(kIntensity[c])), 1, 1e-4);
}

TL_DEVICE_TEST(PhotonBooks, ACausticCarriesWhatFresnelLetsThroughAGlassSphere) {
    // A beam of 1 W/m^2 fills a sphere of radius 1: of pi W, 0.83554 pass both interfaces, with
    // unpolarised light at each.
    Scene scene;
    Material glass;
    glass.kind = MaterialKind::dielectric;
    glass.specular = vec3(0);  // no reflections
    scene.materials = {test::diffuse(0.5f), glass};
    scene.meshes.emplace_back();
    test::add_parallelogram(scene.meshes[0], {-4, -1.4f, -4}, {0, 0, 8}, {8, 0, 0}, 0);
    scene.spheres = {{{0, 0, 0}, 1, 1}};
    Light sun;
    sun.kind = LightKind::directional;
    sun.direction = {0, -1, 0};
    scene.lights = {sun};
    for (bool guided : {false, true}) {
        Books books(scratch, scene, guided);
        books.expect(3, glm::dvec3(0.83554 * double(kPi)), guided ? "guided" : "everywhere");
        EXPECT_LT(books.error[3].x, test::kSanitized ? 0.3 : 0.03);
    }
}

TL_DEVICE_TEST(PhotonBooks, DevicesThatShareAPassTraceEachPhotonOnce) {
    LiveScene live(stream, std::make_shared<Scene>(lit_sphere(0)));
    live.set_builder(make_tree_builder("hploc", device));
    StageTimer timer(stream);
    live.update(scratch, timer);
    HalfOfPhotons first(0), second(1);
    auto all = ids_of(scratch, live, nullptr), together = ids_of(scratch, live, &first),
         rest = ids_of(scratch, live, &second);
    EXPECT_NEAR(double(together.size()) / double(all.size()), 0.5, 0.02);
    together.insert(together.end(), rest.begin(), rest.end());
    EXPECT_EQ(together, all);  // ids begin with the photon's number
    EXPECT_EQ(first.key, second.key);
    EXPECT_EQ(first.n_lists, 2u);
}
