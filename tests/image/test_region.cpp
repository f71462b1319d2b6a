// Samples limited to a rectangle of the picture: its pixels are those of the whole picture.
#include <gtest/gtest.h>

#include "renderer/scene/loaders/loader.h"
#include "session/add_samples.h"
#include "session/render_region.h"
#include "tests/image/picture.h"
#include "tests/source_path.h"

namespace tl::region_tests {
namespace {

constexpr Extent kSize{50, 37};
constexpr FilmRegion kRegion{13, 9, 38, 30};

std::unique_ptr<Session> session_of(Device& device, const std::string& renderer) {
    auto session = std::make_unique<Session>(device);
    session->set_scene(std::make_shared<Scene>(load_scene(source_path("scenes/cornell-box.toml"))));
    session->set_renderer(renderer);
    session->settings().set("radiosity", "points", "600");
    session->settings().set("photon", "photons", "5000");
    session->resize(kSize);
    return session;
}

void add_frames(Session& session, int count) {
    for (int i = 0; i < count; ++i) {
        session.begin_frame();
        ASSERT_TRUE(session.render_frame());
        session.end_frame();
    }
}

std::vector<vec3> pixels_in(Session& session) {
    return session.film().radiance(session.stream()).rgb;
}

bool holds(const FilmRegion& region, std::size_t i) {
    auto width = static_cast<std::size_t>(kSize.width);
    return region.holds(static_cast<std::uint32_t>(i % width),
                        static_cast<std::uint32_t>(i / width));
}

/// Renderers whose pixels have a region.
std::vector<std::string> divisible_renderers() {
    std::vector<std::string> ids;
    for (auto& id : test::picture_renderers()) {
        auto session = session_of(*devices()[0], id);
        if (region_fault(*session).empty()) ids.push_back(id);
    }
    return ids;
}

TEST(Region, HasThePixelsOfTheWholePicture) {
    for (auto* device : devices())
        for (auto& renderer : divisible_renderers()) {
            auto whole = session_of(*device, renderer), part = session_of(*device, renderer);
            add_frames(*whole, 3);
            part->set_region(kRegion);
            add_frames(*part, 3);
            auto expected = pixels_in(*whole), found = pixels_in(*part);
            // Packets of rays add up light in an order that depends on the pixels around.
            float tolerance = renderer == "whitted" ? 1e-5f : 0;
            for (std::size_t i = 0; i < found.size(); ++i)
                for (int c = 0; c < 3; ++c)
                    ASSERT_NEAR(found[i][c], holds(kRegion, i) ? expected[i][c] : 0, tolerance)
                        << renderer << " on " << device->id() << ", pixel " << i;
        }
}

/// Planes of all auxiliary pictures after three samples.
std::vector<ImagePlane> layers_in(Device& device, const FilmRegion& region) {
    auto session = session_of(device, "path");
    session->set_region(region);
    AovBuffers layers;
    layers.resize(session->stream(), kSize, parse_aov_set("all"));
    add_samples(
        *session, 3, layers, [] { return false; }, [] {});
    return layers.planes(session->stream());
}

/// A plane's values as numbers.
std::vector<double> values_of(const ImagePlane& plane) {
    return std::visit(
        [](const auto& values) { return std::vector<double>(values.begin(), values.end()); },
        plane.pixels);
}

TEST(Region, HasTheAuxiliaryPicturesOfTheWholePicture) {
    for (auto* device : devices()) {
        auto whole = layers_in(*device, {}), part = layers_in(*device, kRegion);
        ASSERT_EQ(part.size(), whole.size());
        for (std::size_t p = 0; p < part.size(); ++p) {
            auto expected = values_of(whole[p]), found = values_of(part[p]);
            // Pixels without samples are as those whose rays hit nothing.
            double none = part[p].name == "depth.Z" ? kInfinity : 0;
            for (std::size_t i = 0; i < found.size(); ++i)
                ASSERT_EQ(found[i], holds(kRegion, i) ? expected[i] : none)
                    << part[p].name << " on " << device->id() << ", pixel " << i;
        }
    }
}

TEST(Region, KeepsTheOtherPixelsOfThePictureBefore) {
    for (auto* device : devices()) {
        auto session = session_of(*device, "path");
        add_frames(*session, 2);
        auto before = pixels_in(*session);
        session->set_region(kRegion);
        session->settings().set("path", "max-depth", "1");
        add_frames(*session, 4);
        auto other = session_of(*device, "path");
        other->settings().set("path", "max-depth", "1");
        add_frames(*other, 4);
        auto changed = pixels_in(*other), found = pixels_in(*session);
        for (std::size_t i = 0; i < found.size(); ++i)
            ASSERT_EQ(found[i], holds(kRegion, i) ? changed[i] : before[i]) << "pixel " << i;
        // Without a region, the picture is that of all pixels again.
        session->set_region({});
        add_frames(*session, 4);
        EXPECT_EQ(pixels_in(*session), changed);
    }
}

TEST(Region, IsFinishedWhenItsOwnPixelsAre) {
    auto session = session_of(*devices()[0], "path");
    session->settings().set("sampling", "error", "0.05");
    add_frames(*session, 2);
    session->set_region({20, 30, 24, 34});
    for (int i = 0; i < 4096 && !(session->samples() > 0 && session->finished()); ++i) {
        add_frames(*session, 1);
        session->stream().synchronize();
    }
    EXPECT_TRUE(session->finished());
    EXPECT_LE(session->inspection().unfinished_pixels().value_or(1), 0u);
    EXPECT_GT(session->film().mean_samples(session->stream()), 2);
}

TEST(Region, IsSharedByDevices) {
    auto* cpu = devices()[0];
    auto alone = session_of(*cpu, "path"), split = session_of(*cpu, "path");
    split->split_over({cpu, cpu});
    for (auto* session : {alone.get(), split.get()}) {
        add_frames(*session, 1);
        session->set_region(kRegion);
        add_frames(*session, 2);
    }
    EXPECT_EQ(pixels_in(*split), pixels_in(*alone));
}

TEST(Region, IsRefusedWhereItsPixelsNeedTheOthers) {
    auto numbers = session_of(*devices()[0], "heat-map");
    EXPECT_NE(region_fault(*numbers), "");
    auto contrast = session_of(*devices()[0], "photon");
    contrast->settings().set("photon", "mode", "progressive");
    contrast->settings().set("photon", "contrast-samples", "8");
    EXPECT_NE(region_fault(*contrast), "");
}

}  // namespace
}  // namespace tl::region_tests
