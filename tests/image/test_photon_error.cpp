// Error estimate of the photon mapper against known errors.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/image/light_scenes.h"
#include "tests/image/picture.h"
#include "tests/long_test.h"
#include "tests/sanitized.h"

namespace tl::photon_error_tests {
namespace {

using test::diffuse;
using test::point_light;

double luminance(vec3 c) {
    return 0.2126 * double(c.x) + 0.7152 * double(c.y) + 0.0722 * double(c.z);
}

std::unique_ptr<Session> session_of(Device& device, const std::shared_ptr<Scene>& scene,
                                    Extent extent, const std::string& show) {
    auto session = std::make_unique<Session>(device);
    scene->settings["render"]["renderer"] = "photon";
    scene->settings["photon"]["show"] = show;
    session->set_scene(std::make_shared<Scene>(*scene));
    session->resize(extent);
    return session;
}

void add_samples(Session& session, std::uint32_t n) {
    while (session.samples() < n) {
        session.begin_frame();
        session.render_frame();
        session.end_frame();
    }
}

/// Estimated against true errors of a picture.
struct Estimate {
    double share_within;    ///< fraction of pixels whose error is below twice the estimate
    double mean_error;      ///< mean of all pixels' errors, relative to their mean radiance
    double mean_estimated;  ///< mean of the estimates, relative to the same
};

/// Compares estimated with true errors after each number of samples. `truth`: luminance of the
/// pixels. `counts(x, y)`: whether a pixel is compared.
template <class Counts>
std::vector<Estimate> estimates(Device& device, const std::shared_ptr<Scene>& scene, Extent extent,
                                const std::vector<std::uint32_t>& samples,
                                const std::vector<double>& truth, Counts&& counts) {
    auto picture = session_of(device, scene, extent, "picture");
    auto errors = session_of(device, scene, extent, "error");
    std::vector<Estimate> all;
    for (std::uint32_t n : samples) {
        add_samples(*picture, n);
        add_samples(*errors, n);
        auto image = picture->film().radiance(picture->stream());
        double mean = 0;
        for (vec3 pixel : image.rgb) mean += luminance(pixel) / double(image.rgb.size());
        double n_counted = 0, n_within = 0, error = 0, estimated = 0, light = 0;
        for (int y = 0; y < extent.height; ++y)
            for (int x = 0; x < extent.width; ++x) {
                if (!counts(x, y)) continue;
                auto i = std::size_t(y * extent.width + x);
                double seen = luminance(image.rgb[i]);
                double off = std::abs(seen - truth[i]);
                // The map shows parts of the pixel's light, or of a hundredth of the mean.
                double own =
                    double(errors->renderer().false_color()->value(errors->stream(), x, y)) *
                    std::max(seen, 0.01 * mean);
                n_counted += 1;
                n_within += off < 2 * own;
                error += off;
                estimated += own;
                light += truth[i];
            }
        all.push_back({n_within / n_counted, error / light, estimated / light});
    }
    return all;
}

/// Sanitizers allow a few passes only, whose values are not checked.
std::vector<std::uint32_t> sample_counts() {
    return test::kSanitized ? std::vector<std::uint32_t>{2} : std::vector<std::uint32_t>{4, 16, 64};
}

void expect_within(const std::vector<Estimate>& all, double least, const std::string& what) {
    for (std::size_t i = 0; i < all.size() && !test::kSanitized; ++i) {
        auto name = what + " after " + std::to_string(sample_counts()[i]) + " samples";
        EXPECT_GE(all[i].share_within, least) << name;
        // The estimate has the right magnitude, too.
        EXPECT_LT(all[i].mean_estimated, 3 * all[i].mean_error) << name;
        EXPECT_GT(all[i].mean_estimated, 0.6 * all[i].mean_error) << name;
    }
}

TEST(PhotonError, IsKnownWhereLightIsEven) {
    TL_LONG_TEST();
    // Within a sphere, reflected radiance is 1/2 everywhere: all error is noise.
    for (Device* device : devices()) {
        auto scene = std::make_shared<Scene>();
        scene->materials = {diffuse(0.5f)};
        scene->spheres = {{{0, 0, 0}, 1, 0}};
        scene->lights = {point_light({0.45f, 0.3f, -0.2f}, float(kPi))};
        scene->camera = {{-0.1f, 0.1f, 0.2f}, {0.3f, 1, -1}, {0, 1, 0}, 100};
        scene->settings["photon"] = {{"photons", "1"}, {"max-depth", "1"}};
        auto direct = session_of(*device, scene, {48, 48}, "picture");
        add_samples(*direct, test::kSanitized ? 4 : 1024);
        std::vector<double> truth;
        for (vec3 pixel : direct->film().radiance(direct->stream()).rgb)
            truth.push_back(luminance(pixel) + 0.5);
        scene->settings["photon"] = {{"photons", "5000"}, {"max-depth", "64"}};
        auto all = estimates(*device, scene, {48, 48}, sample_counts(), truth,
                             [](int, int) { return true; });
        expect_within(all, 0.9, device->name());
    }
}

TEST(PhotonError, IsKnownOnAFaceOfACube) {
    TL_LONG_TEST();
    for (Device* device : devices()) {
        auto scene = test::colored_cube(0);
        int spp = test::kSanitized ? 16 : 3072;
        std::vector<double> truth;
        for (vec3 pixel : test::render_radiance(*device, scene, {32, 32}, spp).rgb)
            truth.push_back(luminance(pixel));
        auto in_middle = [](int x, int y) { return std::min(x, y) >= 8 && std::max(x, y) < 24; };
        scene->settings["photon"] = {{"photons", "4000"}, {"radius", "0.4"}};
        expect_within(estimates(*device, scene, {32, 32}, sample_counts(), truth, in_middle), 0.9,
                      "middle, " + device->name());
        // Bias at edges is not estimated, over a strip as wide as the radius.
        scene->settings["photon"]["radius"] = "0.2";
        auto any = [](int, int) { return true; };
        expect_within(estimates(*device, scene, {32, 32}, sample_counts(), truth, any), 0.84,
                      "all, " + device->name());
    }
}

/// Luminance of a floor, 1.2 m across in 64 x 64 pixels, by Snell's law and Fresnel's equations. It
/// lies 1.4 m below the centre of a glass sphere of radius 1 and index 1.5 with the sun above.
std::vector<double> caustic_of_sphere() {
    constexpr int kRings = 1'000'000, kBins = 1000, kSub = 8;
    constexpr double kReach = 0.9, kIndex = 1.5, kPiD = 3.14159265358979323846;
    std::vector<double> flux(kBins);  // binned by the distance from the axis
    for (int i = 0; i < kRings; ++i) {
        double h = (i + 0.5) / kRings, a = std::asin(h), b = std::asin(h / kIndex);
        double rs = std::sin(a - b) / std::sin(a + b), rp = std::tan(a - b) / std::tan(a + b);
        double passes = 1 - (rs * rs + rp * rp) / 2;
        double turned = 2 * (a - b), exit = 2 * b - a;
        if (std::cos(turned) <= 0) continue;
        double at = std::abs(std::sin(exit) - (1.4 - std::cos(exit)) * std::tan(turned));
        auto bin = std::size_t(at / kReach * kBins);
        if (bin < kBins) flux[bin] += passes * passes * 2 * kPiD * h / kRings;
    }
    std::vector<double> luminance(64 * 64);
    for (int y = 0; y < 64 * kSub; ++y)
        for (int x = 0; x < 64 * kSub; ++x) {
            double u = (x + 0.5) / (64 * kSub) * 1.2 - 0.6, v = (y + 0.5) / (64 * kSub) * 1.2 - 0.6;
            auto bin = std::size_t(std::sqrt(u * u + v * v) / kReach * kBins);
            double inner = double(bin) / kBins * kReach, outer = double(bin + 1) / kBins * kReach;
            luminance[std::size_t(y / kSub * 64 + x / kSub)] +=
                flux[bin] / (kPiD * (outer * outer - inner * inner)) * 0.5 / kPiD / (kSub * kSub);
        }
    return luminance;
}

std::shared_ptr<Scene> glass_sphere_over_floor() {
    auto scene = std::make_shared<Scene>();
    Material glass;
    glass.kind = MaterialKind::dielectric;
    glass.specular = vec3(0);  // no reflections
    scene->materials = {diffuse(0.5f), glass};
    Mesh floor;
    test::add_parallelogram(floor, {-4, 0, -4}, {0, 0, 8}, {8, 0, 0}, 0);
    scene->meshes = {floor};
    scene->spheres = {{{0, 1.4f, 0}, 1, 1}};
    Light sun;
    sun.kind = LightKind::directional;
    sun.direction = {0, -1, 0};
    scene->lights = {sun};
    scene->camera = {{0, 0.3f, 0}, {0, 0, 0}, {0, 0, 1}, 2 * 63.43494882f};
    return scene;
}

TEST(PhotonError, IsKnownInACausticWhereMostOfItIsBias) {
    TL_LONG_TEST();
    auto truth = caustic_of_sphere();
    for (Device* device : devices()) {
        auto scene = glass_sphere_over_floor();
        scene->settings["photon"] = {
            {"photons", "50000"}, {"radius", "0.1"}, {"caustic-radius", "0.5"}};
        auto all = estimates(*device, scene, {64, 64}, sample_counts(), truth,
                             [](int, int) { return true; });
        expect_within(all, 0.85, device->name());
        auto session = session_of(*device, scene, {64, 64}, "error");
        add_samples(*session, 16);
        auto figures = session->inspection().picture_figures();
        ASSERT_EQ(figures.size(), 2u);
        EXPECT_GT(figures[1].share, 0.5) << device->name();
        EXPECT_NE(session->renderer().false_color()->scale(session->stream()).title.find("error"),
                  std::string::npos);
    }
}

TEST(PhotonError, EstimatingItLeavesThePictureAsItIs) {
    TL_LONG_TEST();
    for (Device* device : devices()) {
        auto scene = glass_sphere_over_floor();
        scene->settings["photon"] = {{"photons", "2000"}};
        auto plain = session_of(*device, scene, {32, 32}, "picture");
        scene->settings["photon"]["estimate-error"] = "true";
        auto estimated = session_of(*device, scene, {32, 32}, "picture");
        for (auto* session : {plain.get(), estimated.get()}) add_samples(*session, 3);
        auto a = plain->film().radiance(plain->stream());
        auto b = estimated->film().radiance(estimated->stream());
        for (std::size_t i = 0; i < a.rgb.size(); ++i)
            for (int c = 0; c < 3; ++c)  // sums may be grouped in another way
                EXPECT_NEAR(a.rgb[i][c], b.rgb[i][c], 1e-5f * (1 + a.rgb[i][c]));
        EXPECT_TRUE(plain->inspection().picture_figures().empty());
        EXPECT_EQ(estimated->inspection().picture_figures().size(), 2u);
    }
}

TEST(PhotonMaps, TellRadiusAndDensityOfPhotons) {
    TL_LONG_TEST();
    // Sphere from within: photons are distributed evenly but for noise.
    for (Device* device : devices()) {
        auto scene = std::make_shared<Scene>();
        scene->materials = {diffuse(0.5f)};
        scene->spheres = {{{0, 0, 0}, 1, 0}};
        scene->lights = {point_light(vec3(0), 1)};
        scene->camera = {{0.5f, -0.5f, 0.2f}, {1, 1, 1}, {0, 1, 0}, 100};
        scene->settings["photon"] = {
            {"photons", "20000"}, {"radius", "0.3"}, {"alpha", "1"}, {"max-depth", "64"}};
        auto radius = session_of(*device, scene, {24, 24}, "radius");
        add_samples(*radius, 2);
        EXPECT_FLOAT_EQ(radius->renderer().false_color()->value(radius->stream(), 5, 7), 0.3f);
        auto scale = radius->renderer().false_color()->scale(radius->stream());
        EXPECT_FLOAT_EQ(scale.minimum, 0.3f);
        EXPECT_FLOAT_EQ(scale.maximum, 0.3f);
        auto density = session_of(*device, scene, {24, 24}, "density");
        add_samples(*density, 4);
        auto n_stored = double(density->inspection().frame_counts().at(1).value);
        EXPECT_NEAR(double(density->renderer().false_color()->scale(density->stream()).mean) /
                        (n_stored / (4 * double(kPi))),
                    1, 0.03)
            << device->name();
    }
}

TEST(Adaptive, PhotonsStopWhereNoiseAndBiasAreSmall) {
    TL_LONG_TEST();
    if (test::kSanitized) GTEST_SKIP() << "takes many samples";
    constexpr double kError = 0.02;
    auto truth = caustic_of_sphere();
    for (Device* device : devices()) {
        auto scene = glass_sphere_over_floor();
        scene->settings["photon"] = {
            {"photons", "50000"}, {"radius", "0.1"}, {"caustic-radius", "0.5"}};
        scene->settings["sampling"]["error"] = "0.02";
        auto session = session_of(*device, scene, {64, 64}, "picture");
        int n_off = 0, n_done = 0;
        for (int i = 0; i < 96 && !session->finished(); ++i) {
            session->begin_frame();
            session->render_frame();
            session->end_frame();
            session->stream().synchronize();
        }
        ASSERT_TRUE(session->inspection().unfinished_pixels());
        auto most = double(session->samples());
        // The sharp rim has not converged, much of the floor has, so that samples are saved.
        EXPECT_LT(double(session->film().mean_samples(session->stream())), 0.9 * most);
        auto image = session->film().radiance(session->stream());
        auto film = session->film().view();
        std::vector<std::uint8_t> done(64 * 64);
        device->download(session->stream(), done.data(), film.done, done.size());
        for (std::size_t i = 0; i < done.size(); ++i) {
            if (!done[i]) continue;
            ++n_done;
            double seen = luminance(image.rgb[i]);
            n_off += std::abs(std::sqrt(seen) - std::sqrt(truth[i])) > 2 * kError;
        }
        EXPECT_GT(n_done, 64 * 64 / 3) << device->name();
        EXPECT_LT(n_off, n_done / 10) << device->name();
    }
}

}  // namespace
}  // namespace tl::photon_error_tests
