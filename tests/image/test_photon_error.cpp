// The photon mapper's estimate of its error, against errors that are known.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/image/light_scenes.h"
#include "tests/image/picture.h"
#include "tests/sanitized.h"

namespace tl {
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

/// What an estimate says and what is true.
struct Estimate {
    double share_within;    ///< of the pixels: off by less than twice the estimated error
    double mean_error;      ///< of all pixels, as a part of their mean
    double mean_estimated;  ///< the same
};

/// After each number of samples, how errors compare with `truth` (luminance) in the pixels that
/// `counts` tells of.
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
                double own = double(errors->false_color()->value(errors->stream(), x, y)) *
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

TEST(PhotonError, Probe) {
    Device& device = *devices().front();
    std::vector<std::uint32_t> samples{4, 16, 64, 256};
    auto print = [&](const char* name, const std::vector<Estimate>& all) {
        for (std::size_t i = 0; i < all.size(); ++i)
            std::printf("%s %u: within %.3f, error %.4f, estimated %.4f\n", name, samples[i],
                        all[i].share_within, all[i].mean_error, all[i].mean_estimated);
        std::fflush(stdout);
    };
    auto any = [](int, int) { return true; };
    {
        auto scene = std::make_shared<Scene>();
        scene->materials = {diffuse(0.5f)};
        scene->spheres = {{{0, 0, 0}, 1, 0}};
        scene->lights = {point_light({0.45f, 0.3f, -0.2f}, float(kPi))};
        scene->camera = {{-0.1f, 0.1f, 0.2f}, {0.3f, 1, -1}, {0, 1, 0}, 100};
        scene->settings["photon"] = {{"photons", "1"}, {"max-depth", "1"}};
        auto direct = session_of(device, scene, {48, 48}, "picture");
        add_samples(*direct, 1024);
        std::vector<double> truth;
        for (vec3 pixel : direct->film().radiance(direct->stream()).rgb)
            truth.push_back(luminance(pixel) + 0.5);
        scene->settings["photon"] = {{"photons", "5000"}, {"max-depth", "64"}};
        print("sphere", estimates(device, scene, {48, 48}, samples, truth, any));
    }
    {
        auto scene = test::colored_cube(0);
        std::vector<double> truth;
        for (vec3 pixel : test::render_radiance(device, scene, {32, 32}, 8192).rgb)
            truth.push_back(luminance(pixel));
        for (const char* radius : {"0.2", "0.4", "0.8"}) {
            scene->settings["photon"] = {{"photons", "4000"}, {"radius", radius}};
            std::printf("radius %s\n", radius);
            print("cube, all", estimates(device, scene, {32, 32}, samples, truth, any));
            print("cube, middle",
                  estimates(device, scene, {32, 32}, samples, truth, [](int x, int y) {
                      return std::min(x, y) >= 8 && std::max(x, y) < 24;
                  }));
        }
    }
    {
        // A caustic of a glass sphere.
        auto scene = std::make_shared<Scene>();
        Material glass;
        glass.kind = MaterialKind::dielectric;
        glass.specular = vec3(0);
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
        constexpr int kRings = 2'000'000, kBins = 1000;
        constexpr double kReach = 0.9, n = 1.5;
        std::vector<double> flux(kBins);
        for (int i = 0; i < kRings; ++i) {
            double h = (i + 0.5) / kRings, a = std::asin(h), b = std::asin(h / n);
            double rs = std::sin(a - b) / std::sin(a + b), rp = std::tan(a - b) / std::tan(a + b);
            double passes = 1 - (rs * rs + rp * rp) / 2;
            double turned = 2 * (a - b), exit = 2 * b - a;
            if (std::cos(turned) <= 0) continue;
            double at = std::abs(std::sin(exit) - (1.4 - std::cos(exit)) * std::tan(turned));
            auto bin = std::size_t(at / kReach * kBins);
            if (bin < kBins) flux[bin] += passes * passes * 2 * double(kPi) * h / kRings;
        }
        std::vector<double> truth(64 * 64);
        constexpr int kSub = 8;
        for (int y = 0; y < 64 * kSub; ++y)
            for (int x = 0; x < 64 * kSub; ++x) {
                double u = (x + 0.5) / (64 * kSub) * 1.2 - 0.6,
                       v = (y + 0.5) / (64 * kSub) * 1.2 - 0.6;
                auto bin = std::size_t(std::sqrt(u * u + v * v) / kReach * kBins);
                double r0 = double(bin) / kBins * kReach, r1 = double(bin + 1) / kBins * kReach;
                double area = double(kPi) * (r1 * r1 - r0 * r0);
                truth[std::size_t(y / kSub * 64 + x / kSub)] +=
                    flux[bin] / area * 0.5 / double(kPi) / (kSub * kSub);
            }
        for (const char* radius : {"0.05", "0.1", "0.2"}) {
            scene->settings["photon"] = {{"photons", "50000"}, {"radius", radius}};
            std::printf("radius %s\n", radius);
            print("lens", estimates(device, scene, {64, 64}, samples, truth, any));
        }
    }
}

}  // namespace
}  // namespace tl
