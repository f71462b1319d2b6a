// The heat map: colours, counts and scale, on every device of the machine.
#include <gtest/gtest.h>

#include "renderer/false_color/color_map.h"
#include "renderer/scene/loaders/loader.h"
#include "tests/image/picture.h"

namespace tl::heat_map_tests {
namespace {

constexpr Extent kSmall{24, 16};

float lightness_of(vec3 linear) {
    vec3 lms(glm::dot(linear, vec3(0.4122214708f, 0.5363325363f, 0.0514459929f)),
             glm::dot(linear, vec3(0.2119034982f, 0.6806995451f, 0.1073969566f)),
             glm::dot(linear, vec3(0.0883024619f, 0.2817188376f, 0.6299787005f)));
    for (int c = 0; c < 3; ++c) lms[c] = std::cbrt(lms[c]);
    return glm::dot(lms, vec3(0.2104542553f, 0.7936177850f, -0.0040720468f));
}

/// Two triangles with disjoint boxes, left and right of the middle, both in the camera's view.
std::shared_ptr<Scene> two_triangles() {
    auto scene = std::make_shared<Scene>();
    scene->materials = {Material{}};
    Mesh mesh;
    mesh.positions = {{-3, -1, 0}, {-1, -1, 0}, {-1, 1, 0}, {1, -1, 0}, {3, -1, 0}, {1, 1, 0}};
    mesh.triangles = {{0, 1, 2}, {3, 4, 5}};
    mesh.material_of_triangle = {0, 0};
    scene->meshes = {mesh};
    scene->camera = {{0, 0, 8}, {0, 0, 0}, {0, 1, 0}, 40};
    Light light;
    light.position = vec3(0, 3, 8);
    light.radiance = vec3(1);
    scene->lights = {light};
    return scene;
}

void frame_of(Session& session) {
    session.begin_frame();
    session.render_frame();
    session.end_frame();
}

/// A session with the heat map of `two_triangles`, each of them a leaf of its own.
std::unique_ptr<Session> heat_map_session(Device& device, const std::string& count) {
    auto session = std::make_unique<Session>(device);
    session->set_renderer("heat-map");
    session->settings().set("heat-map", "count", count);
    session->settings().set("tree", "max-leaf-size", "1");
    session->settings().set("tree", "layout", "bvh2");
    session->set_scene(two_triangles());
    session->resize(kSmall);
    frame_of(*session);
    return session;
}

TEST(HeatColors, LightnessRisesInEqualStepsWithinTheGamut) {
    auto& colors = heat_colors();
    float step = (lightness_of(colors.back()) - lightness_of(colors.front())) / 255;
    EXPECT_GT(step, 0.8f / 255);
    for (std::size_t i = 1; i < colors.size(); ++i) {
        EXPECT_NEAR(lightness_of(colors[i]) - lightness_of(colors[i - 1]), step, 0.05f * step);
        for (int c = 0; c < 3; ++c) {
            EXPECT_GE(colors[i][c], 0);
            EXPECT_LE(colors[i][c], 1);
        }
    }
}

TEST(HeatMap, CountsNodesAndTestsOfTheCameraRay) {
    // One node has both leaves: every ray visits it, and tests a triangle if it hits its box.
    for (Device* device : devices()) {
        auto visits = heat_map_session(*device, "visits");
        auto scale = visits->renderer().false_color()->scale(visits->stream());
        EXPECT_EQ(scale.minimum, 1) << device->name();
        EXPECT_EQ(scale.mean, 1);
        EXPECT_EQ(scale.maximum, 1);
        EXPECT_EQ(scale.top, 1);
        auto tests = heat_map_session(*device, "tests");
        auto& stream = tests->stream();
        scale = tests->renderer().false_color()->scale(stream);
        EXPECT_EQ(scale.minimum, 0);
        EXPECT_EQ(scale.maximum, 1);
        EXPECT_EQ(tests->renderer().false_color()->value(stream, 0, 0), 0);
        EXPECT_EQ(tests->renderer().false_color()->value(stream, 12, 8), 0);
        float sum = 0;
        for (int y = 0; y < kSmall.height; ++y)
            for (int x = 0; x < kSmall.width; ++x)
                sum += tests->renderer().false_color()->value(stream, x, y);
        EXPECT_GT(sum, 0);
        EXPECT_FLOAT_EQ(scale.mean, sum / static_cast<float>(kSmall.pixels()));
        auto both = heat_map_session(*device, "both");
        EXPECT_FLOAT_EQ(both->renderer().false_color()->scale(both->stream()).mean, 1 + scale.mean);
    }
}

TEST(HeatMap, ValuesAreMeansOverTheSamples) {
    for (Device* device : devices()) {
        auto session = heat_map_session(*device, "tests");
        for (int i = 1; i < 4; ++i) frame_of(*session);
        float sum = 0;
        for (int y = 0; y < kSmall.height; ++y)
            for (int x = 0; x < kSmall.width; ++x) {
                float value = session->renderer().false_color()->value(session->stream(), x, y);
                EXPECT_EQ(value * 4, std::round(value * 4));
                sum += value;
            }
        auto scale = session->renderer().false_color()->scale(session->stream());
        EXPECT_FLOAT_EQ(scale.mean, sum / static_cast<float>(kSmall.pixels()));
        EXPECT_LE(scale.maximum, 1);
    }
}

TEST(HeatMap, ShadowRaysCountWhenAsked) {
    for (Device* device : devices()) {
        auto session = heat_map_session(*device, "visits");
        auto rays = session->film().rays_of_frame(session->scratch());
        EXPECT_EQ(rays, static_cast<std::uint64_t>(kSmall.pixels()));
        session->settings().set("heat-map", "shadows", "true");
        frame_of(*session);
        EXPECT_GT(session->film().rays_of_frame(session->scratch()), rays);
        auto scale = session->renderer().false_color()->scale(session->stream());
        EXPECT_EQ(scale.minimum, 1);
        EXPECT_EQ(scale.maximum, 2);
    }
}

TEST(HeatMap, ThePictureShowsTheColourOfTheValueWhateverTheExposure) {
    for (Device* device : devices()) {
        auto session = heat_map_session(*device, "visits");
        session->settings().set("heat-map", "scale", "2");
        session->settings().set("film", "exposure", "3");
        session->settings().set("film", "tone", "aces");
        frame_of(*session);
        auto picture =
            session->film().picture(session->scratch(), session->display().shown_tone_map());
        vec3 expected = heat_color_srgb(0.5f) * 255.0f;
        for (int c = 0; c < 3; ++c)
            EXPECT_NEAR(picture.rgba[static_cast<std::size_t>(c)], expected[c], 0.51f);
        session->set_renderer("whitted");
        EXPECT_EQ(session->display().shown_tone_map().exposure, 3);
    }
}

TEST(HeatMap, TheScaleFollowsThePercentileOrTheMaximumOrTheSetting) {
    for (Device* device : devices()) {
        Session session(*device);
        session.set_renderer("heat-map");
        session.set_scene(std::make_shared<Scene>(load_scene("generate:terrain,triangles=2000")));
        session.resize({64, 48});
        auto scale_with = [&](const char* id, const char* value) {
            session.settings().set("heat-map", id, value);
            frame_of(session);
            return session.renderer().false_color()->scale(session.stream());
        };
        auto most = scale_with("percentile", "100");
        EXPECT_EQ(most.top, most.maximum);
        std::vector<float> values;
        for (int y = 0; y < 48; ++y)
            for (int x = 0; x < 64; ++x)
                values.push_back(session.renderer().false_color()->value(session.stream(), x, y));
        std::sort(values.begin(), values.end());
        float ninety = values[values.size() * 9 / 10 - 1];
        auto less = scale_with("percentile", "90");
        EXPECT_GE(less.top, ninety);
        EXPECT_LE(less.top, ninety * 1.0625f + 1);  // a bin of the histogram is a 16th wide
        EXPECT_LT(less.top, most.maximum);
        EXPECT_EQ(scale_with("scale", "17").top, 17);
    }
}

TEST(HeatMap, SteadyFramesAllocateNothing) {
    for (Device* device : devices()) {
        auto session = heat_map_session(*device, "both");
        for (int i = 0; i < 3; ++i) frame_of(*session);
        auto before = device->memory_stats().allocation_count;
        for (int i = 0; i < 5; ++i) frame_of(*session);
        EXPECT_EQ(device->memory_stats().allocation_count, before);
    }
}

}  // namespace
}  // namespace tl::heat_map_tests
