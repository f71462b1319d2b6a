// The AOV renderer: colours, scale and labels, on every device of the machine.
#include <gtest/gtest.h>

#include "renderer/aov/aov_channels.h"
#include "renderer/false_color/color_map.h"
#include "tests/image/picture.h"
#include "tests/unit/temp_folder.h"

namespace tl::aov_renderer_tests {
namespace {

constexpr Extent kSize{32, 24};
constexpr int kMiddle = kSize.height / 2;
constexpr int kLeft = 8, kRight = 24;  // columns that show the near and the far square

/// A square across the view at z, with its middle at x: a unit wide, a unit high.
Mesh square(float x, float z, std::int32_t material) {
    Mesh mesh;
    for (vec2 corner : {vec2(-1, -1), vec2(1, -1), vec2(1, 1), vec2(-1, 1)}) {
        mesh.positions.emplace_back(x + corner.x, corner.y, z);
        mesh.uvs.push_back((corner + 1.0f) * 0.5f);
    }
    mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
    mesh.material_of_triangle = {material, material};
    return mesh;
}

/// A near square on the left and a far one on the right, of two materials, in empty space.
std::shared_ptr<Scene> two_squares() {
    auto scene = std::make_shared<Scene>();
    Material red, blue;
    red.name = "red";
    red.diffuse = vec3(0.75f, 0.25f, 0.25f);
    blue.name = "blue";
    blue.diffuse = vec3(0.25f, 0.25f, 0.75f);
    scene->materials = {red, blue};
    scene->meshes = {square(-1.1f, 1, 0), square(1.4f, -1, 1)};
    scene->camera = {{0, 0, 5}, {0, 0, 0}, {0, 1, 0}, 50};
    return scene;
}

void frame_of(Session& session) {
    session.begin_frame();
    session.render_frame();
    session.end_frame();
}

std::unique_ptr<Session> session_of(Device& device, const std::string& channel) {
    auto session = std::make_unique<Session>(device);
    session->set_renderer("aov");
    session->settings().set("aov", "channel", channel);
    session->set_scene(two_squares());
    session->resize(kSize);
    frame_of(*session);
    return session;
}

vec3 shown_at(Session& session, int x, int y) {
    auto picture = session.film().picture(session.scratch(), session.display().shown_tone_map());
    auto at = 4 * static_cast<std::size_t>(y * kSize.width + x);
    return {picture.rgba[at], picture.rgba[at + 1], picture.rgba[at + 2]};
}

void expect_shown(Session& session, int x, vec3 display) {
    vec3 shown = shown_at(session, x, kMiddle);
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(shown[c], display[c] * 255, 0.51f) << "column " << x;
}

std::string text_at(Session& session, int x) {
    return session.renderer().false_color()->text(session.stream(), x, kMiddle);
}

TEST(AovRenderer, DepthIsARampFromTheNearestToTheFarthest) {
    for (Device* device : devices()) {
        auto session = session_of(*device, "depth");
        auto scale = session->renderer().false_color()->scale(session->stream());
        EXPECT_EQ(scale.key, "");
        EXPECT_NEAR(scale.bottom, 4, 1e-5f);
        EXPECT_NEAR(scale.top, 6, 1e-5f);
        EXPECT_EQ(scale.minimum, scale.bottom);
        EXPECT_EQ(scale.maximum, scale.top);
        EXPECT_GT(scale.mean, 4.1f);  // both squares count, nothing else does
        EXPECT_LT(scale.mean, 5.9f);
        expect_shown(*session, kLeft, heat_color_srgb(0));
        expect_shown(*session, kRight, heat_color_srgb(1));
        EXPECT_EQ(shown_at(*session, 0, 0), vec3(0));
        EXPECT_EQ(text_at(*session, kLeft), "4");
        EXPECT_EQ(session->renderer().false_color()->text(session->stream(), 0, 0), "nothing");

        session->settings().set("aov", "far", "12");
        frame_of(*session);
        EXPECT_EQ(session->renderer().false_color()->scale(session->stream()).top, 12);
        expect_shown(*session, kRight, heat_color_srgb(0.25f));
    }
}

TEST(AovRenderer, VectorsAreRedGreenAndBlueWhateverTheExposure) {
    for (Device* device : devices()) {
        auto session = session_of(*device, "normal");
        session->settings().set("film", "exposure", "3");
        expect_shown(*session, kLeft, {0.5f, 0.5f, 1});
        EXPECT_EQ(text_at(*session, kLeft), "(0, 0, 1)");
        EXPECT_EQ(session->renderer().false_color()->scale(session->stream()).key,
                  "red x, green y, blue z from -1 to 1");
        EXPECT_EQ(shown_at(*session, 0, 0), vec3(0));

        session->settings().set("aov", "channel", "albedo");
        frame_of(*session);
        auto linear = session->film().radiance(session->stream());
        vec3 albedo = linear.rgb[kMiddle * kSize.width + kRight];
        EXPECT_EQ(albedo, vec3(0.25f, 0.25f, 0.75f));

        session->settings().set("aov", "channel", "uv");
        frame_of(*session);
        // The colours correspond to the numbers of the legend.
        float u = session->renderer().false_color()->value(session->stream(), kLeft, kMiddle);
        EXPECT_GT(u, 0.1f);
        EXPECT_LT(u, 0.9f);
        EXPECT_NEAR(shown_at(*session, kLeft, kMiddle).x, u * 255, 0.51f);
    }
}

TEST(AovRenderer, PositionsAreSharesOfThePicturesRange) {
    for (Device* device : devices()) {
        auto session = session_of(*device, "position");
        auto scale = session->renderer().false_color()->scale(session->stream());
        // Pixels' centres lie up to a pixel, 0.2, inside of the squares' outer edges.
        EXPECT_GE(scale.bottom, -2.1f);
        EXPECT_LT(scale.bottom, -1.9f);
        EXPECT_LE(scale.top, 2.4f);
        EXPECT_GT(scale.top, 2.1f);
        TL_EXPECT_CONTAINS(scale.key, ", 1)");  // z from -1 to 1
        EXPECT_EQ(shown_at(*session, kLeft, kMiddle).z, 255);
        EXPECT_EQ(shown_at(*session, kRight, kMiddle).z, 0);
        EXPECT_LT(shown_at(*session, kLeft, kMiddle).x, shown_at(*session, kRight, kMiddle).x);
    }
}

TEST(AovRenderer, NumbersHaveColoursOfTheirOwnAndMaterialsTheirNames) {
    for (Device* device : devices()) {
        auto session = session_of(*device, "material");
        EXPECT_EQ(text_at(*session, kLeft), "1 (red)");
        EXPECT_EQ(text_at(*session, kRight), "2 (blue)");
        EXPECT_EQ(session->renderer().false_color()->text(session->stream(), 0, 0), "none");
        vec3 left = shown_at(*session, kLeft, kMiddle), right = shown_at(*session, kRight, kMiddle);
        EXPECT_NE(left, right);
        EXPECT_EQ(shown_at(*session, 0, 0), vec3(0));
        // Further samples change no numbers and trace no rays.
        EXPECT_EQ(session->film().rays_of_frame(session->scratch()), std::uint64_t(kSize.pixels()));
        frame_of(*session);
        EXPECT_EQ(shown_at(*session, kLeft, kMiddle), left);
        EXPECT_EQ(session->film().rays_of_frame(session->scratch()), 0u);
    }
}

TEST(AovRenderer, ASharedScaleIsTheOthers) {
    for (Device* device : devices()) {
        auto first = session_of(*device, "depth");
        first->settings().set("aov", "far", "12");
        frame_of(*first);
        Session second(*device, first->shared_stream());
        second.set_renderer("aov");
        second.set_scene(first->shared_scene());
        second.resize(kSize);
        second.renderer().false_color()->share_scale(first->renderer().false_color());
        frame_of(second);
        auto scale = second.renderer().false_color()->scale(second.stream());
        EXPECT_EQ(scale.top, 12);
        EXPECT_NEAR(scale.maximum, 6, 1e-5f);
        expect_shown(second, kRight, heat_color_srgb(0.25f));
    }
}

TEST(AovRenderer, AnEmptyPictureHasAScaleOfZeros) {
    for (Device* device : devices()) {
        auto session = session_of(*device, "depth");
        session->camera.target = vec3(0, 0, 50);  // away from the squares
        frame_of(*session);
        auto scale = session->renderer().false_color()->scale(session->stream());
        EXPECT_EQ(scale.bottom, 0);
        EXPECT_EQ(scale.top, 0);
        EXPECT_EQ(scale.mean, 0);
        EXPECT_EQ(shown_at(*session, kLeft, kMiddle), vec3(0));
    }
}

TEST(AovRenderer, SteadyFramesAllocateNothingAndOneChannelTakesMemory) {
    for (Device* device : devices())
        for (auto& id : aov_ids()) {
            auto session = session_of(*device, id);
            for (int i = 0; i < 3; ++i) frame_of(*session);
            auto before = device->memory_stats();
            for (int i = 0; i < 5; ++i) frame_of(*session);
            EXPECT_EQ(device->memory_stats().allocation_count, before.allocation_count) << id;
            // Switching to a channel of numbers and back frees the memory of both.
            session->settings().set("aov", "channel", "instance");
            frame_of(*session);
            session->settings().set("aov", "channel", id);
            frame_of(*session);
            EXPECT_EQ(device->memory_stats().bytes_in_use, before.bytes_in_use) << id;
        }
}

}  // namespace
}  // namespace tl::aov_renderer_tests
